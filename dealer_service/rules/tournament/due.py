"""What is due at a tournament, in the order of 14.8, and when time alone makes something due.

`due` gives one step at a time: whoever owns the tournament takes it, folds what it says, and asks
again, until nothing is due. That gives the same steps after a restart, since they follow from the
state, the time and the draws alone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from dealer_service.rules.tournament.balancing import balance, breaking_table, is_redraw_due
from dealer_service.rules.tournament.dealing_out import SEATS_A_TABLE, list_places, list_players
from dealer_service.rules.tournament.entry import DrawWhat, StartKind
from dealer_service.rules.tournament.levels import (
    is_break_due,
    is_next_level_due,
    is_registration_over,
)
from dealer_service.rules.tournament.placing import is_end_reached
from dealer_service.rules.tournament.racing import find_race
from dealer_service.rules.tournament.rounds import can_join_round, is_hand_for_hand_due
from dealer_service.rules.tournament.state import Phase, Table, TournamentState, clock_ends_at
from dealer_service.rules.tournament.step import DrawnOrder, Held, Step, StepKind, Wanted
from dealer_service.rules.tournament.taking import take

__all__ = ["DrawnOrder", "Held", "Step", "awaited_anchors", "due", "next_time", "take"]


def due(state: TournamentState, at: int, held: Held) -> Step | None:
    """Give the first thing to be done now; None where nothing is.

    `held` tells by table until when its next hand waits for anchors (`awaited_anchors`).
    """
    if state.phase is Phase.REGISTERING:
        return _start(state, at)
    if state.phase is Phase.ENDING:
        return _end(state)
    if state.phase is Phase.CLOSED:
        return None
    for find in _IN_A_ROUND if state.round else _IN_ORDER:
        step = find(state, at)
        if step is not None:
            return step
    return _next_hand(state, at, held)


def next_time(state: TournamentState, held: Held) -> int | None:
    """Give the earliest time at which time alone may make something due; None if never."""
    if state.phase in {Phase.ENDING, Phase.CLOSED}:
        return None
    times = [one.until for one in state.lost.values()]
    start = state.structure.start
    if state.phase is Phase.REGISTERING and start.at is not None:
        times.append(start.at)
    ends = clock_ends_at(state)
    if ends is not None and not state.round:
        times.append(ends)
    times += [held[table.table] for table in _ready_tables(state) if table.table in held]
    return min(times, default=None)


def awaited_anchors(state: TournamentState, table: int) -> Mapping[str, int]:
    """Say for whose anchor the next hand of a table waits, and until when at the latest.

    These are the players that have sat down since its last hand and registered with `anchors`;
    the shell leaves out those who have an anchor, and holds the table until the greatest time.
    """
    one = state.tables[table]
    return {
        seat.player: seat.sat_at + state.structure.rules.link_ms
        for seat in one.seats.values()
        if seat.sat_hand == one.hand and state.entrants[seat.player].anchors
    }


def _start(state: TournamentState, at: int) -> Step | None:
    structure = state.structure
    if structure.start.kind is StartKind.FULL:
        is_due = state.players_in >= structure.players_max
    else:
        assert structure.start.at is not None
        is_due = at >= structure.start.at
    if not is_due:
        return None
    if state.players_in < structure.players_min:
        return Step(StepKind.END)
    draw = Wanted(DrawWhat.SEATS, list_players(state, state.waiting))
    return Step(StepKind.START, draw=draw, games=_tables_for(state, state.players_in))


def _end(state: TournamentState) -> Step:
    for table in state.tables.values():
        if not table.closed:
            return Step(StepKind.CLOSE_TABLE, table.table)
    return Step(StepKind.END)


def _bust(state: TournamentState, at: int) -> Step | None:
    for player, lost in state.lost.items():
        if lost.until <= at:
            return Step(StepKind.BUST, state.entrants[player].table, player)
    return None


def _closing(state: TournamentState, at: int) -> Step | None:
    if is_registration_over(state, at):
        return Step(StepKind.CLOSE_REGISTRATION)
    if state.busted and not state.registration_open:
        return Step(StepKind.PLACE)
    is_due = is_hand_for_hand_due(state)
    if is_due != state.hand_for_hand:
        return Step(StepKind.BEGIN_HAND_FOR_HAND if is_due else StepKind.END_HAND_FOR_HAND)
    # The hands that are still open, as a satellite may have some, are played to their end.
    ends = is_end_reached(state) and state.all_between_hands
    return Step(StepKind.FINISH) if ends else None


def _levels(state: TournamentState, at: int) -> Step | None:
    if is_break_due(state, at):
        return Step(StepKind.BEGIN_BREAK)
    return Step(StepKind.BEGIN_LEVEL) if is_next_level_due(state, at) else None


def _late_seat(state: TournamentState, _at: int) -> Step | None:
    if not state.waiting:
        return None
    seats = state.structure.rules.seats
    places = list_places(state.open_tables, seats)
    games = 0
    if not places:
        first = SEATS_A_TABLE * (len(state.tables) + 1)
        places, games = tuple(first + seat for seat in range(1, seats + 1)), 1
    draw = Wanted(DrawWhat.PLACE, places)
    return Step(StepKind.SEAT, player=state.waiting[0], draw=draw, games=games)


def _redraw(state: TournamentState, _at: int) -> Step | None:
    if not state.all_between_hands or not is_redraw_due(state):
        return None
    tables = state.open_tables
    names = (seat.player for table in tables for seat in table.seats.values())
    draw = Wanted(DrawWhat.REDRAW, list_players(state, names))
    return Step(StepKind.REDRAW, draw=draw, games=_tables_for(state, state.sitting))


def _break_table(state: TournamentState, _at: int) -> Step | None:
    table = breaking_table(state)
    if table is None or not table.is_between_hands:
        return None
    draw = Wanted(DrawWhat.BREAK, _players_at(state, table, table.seats))
    return Step(StepKind.BREAK_TABLE, table.table, draw=draw)


def _balance(state: TournamentState, _at: int) -> Step | None:
    way = balance(state)
    return Step(StepKind.BALANCE, way.from_table, way.player) if way else None


def _next_hand(state: TournamentState, at: int, held: Held) -> Step | None:
    for table in _ready_tables(state):
        if held.get(table.table, at) <= at:
            return _first_of_hand(state, table)
    return None


def _ready_tables(state: TournamentState) -> Iterator[Table]:
    """Give the tables whose next hand waits for nothing but anchors.

    A table waits for those at it who may buy chips again, as these are added between hands alone.
    One that is to be broken plays its hand of a round that is on, for which all else waits.
    """
    if state.phase is not Phase.RUNNING or state.stopped or not _may_play(state):
        return
    breaking = None if state.round else breaking_table(state)
    deciding = {state.entrants[player].table for player in state.lost}
    for table in state.open_tables:
        is_ready = table.is_between_hands and table is not breaking and len(table.with_chips) > 1
        if is_ready and table.table not in deciding and can_join_round(state, table):
            yield table


def _may_play(state: TournamentState) -> bool:
    """Say whether nothing holds the hands of all tables back; in a round all else waits."""
    return bool(state.round) or not (is_end_reached(state) or is_redraw_due(state))


def _first_of_hand(state: TournamentState, table: Table) -> Step:
    if table.hand == 0 and not _has_button(table):
        draw = Wanted(DrawWhat.BUTTON, _players_at(state, table, table.with_chips))
        return Step(StepKind.DRAW_BUTTON, table.table, draw=draw)
    race = find_race(state, table)
    if race is not None:
        raced = Wanted(DrawWhat.RACE, race.items) if race.items else None
        return Step(StepKind.RACE, table.table, draw=raced)
    return Step(StepKind.START_HAND, table.table)


def _has_button(table: Table) -> bool:
    seat = table.seats.get(table.button)
    return seat is not None and seat.player == table.button_player and seat.stack > 0


def _players_at(state: TournamentState, table: Table, seats: Iterable[int]) -> tuple[int, ...]:
    return list_players(state, (table.seats[seat].player for seat in seats))


def _tables_for(state: TournamentState, players: int) -> int:
    return -(-players // state.structure.rules.seats)


_Find = Callable[[TournamentState, int], Step | None]

_IN_ORDER: Final[tuple[_Find, ...]] = (
    _bust,
    _closing,
    _levels,
    _late_seat,
    _redraw,
    _break_table,
    _balance,
)
_IN_A_ROUND: Final[tuple[_Find, ...]] = (_bust,)
