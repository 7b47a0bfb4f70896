"""When levels and breaks end, and when registration closes with them (14.7)."""

from dealer_service.rules.tournament.entry import LevelBy
from dealer_service.rules.tournament.state import Phase, TournamentState, clock_ran


def has_level_ended(state: TournamentState, at: int) -> bool:
    """Say whether the level that is played has ended at the time `at`; the last one never does."""
    structure, length = state.structure, state.level_rules.length
    if state.phase is not Phase.RUNNING or state.level >= len(structure.levels):
        return False
    if structure.level_by is LevelBy.TIME:
        return clock_ran(state, at) >= length
    by_hands = structure.level_by is LevelBy.HANDS
    return any(
        table.level_hands >= length * (1 if by_hands else table.level_players)
        for table in state.tables.values()
        if table.level_hands
    )


def is_break_due(state: TournamentState, at: int) -> bool:
    """Say whether the break after the level is due."""
    return state.level_rules.break_ms > 0 and has_level_ended(state, at)


def is_next_level_due(state: TournamentState, at: int) -> bool:
    """Say whether the next level is due, but for what is done before it."""
    if state.phase is Phase.BREAK:
        return clock_ran(state, at) >= state.level_rules.break_ms
    return state.level_rules.break_ms == 0 and has_level_ended(state, at)


def is_registration_over(state: TournamentState, at: int) -> bool:
    """Say whether `registration_closed` is due: with its last level, or with one player alone."""
    if not state.registration_open or not state.is_running:
        return False
    late = state.structure.late
    last = late is not None and state.level >= late.levels
    return state.players_in <= 1 or (last and is_next_level_due(state, at))


def is_add_on_time(state: TournamentState) -> bool:
    """Say whether it is the break in which the add-on is sold."""
    late = state.structure.late
    in_break = state.phase is Phase.BREAK and state.registration_open
    return in_break and late is not None and state.level == late.levels
