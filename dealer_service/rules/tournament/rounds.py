"""Hand for hand: when it is due, and the rounds in which all tables play one hand (14.8)."""

from dealer_service.rules.tournament.state import Table, TournamentState


def is_hand_for_hand_due(state: TournamentState) -> bool:
    """Say whether the tables have to play hand for hand now."""
    most = state.structure.hand_for_hand
    if not most or state.registration_open or state.tables_open < 2:
        return False
    return 0 < state.players_in - len(state.prizes) <= most


def can_join_round(state: TournamentState, table: Table) -> bool:
    """Say whether a table may start a hand in the round that is on, or in the next one."""
    if not state.hand_for_hand:
        return True
    if state.round:
        return table.table not in state.round
    return state.all_between_hands


def round_left(state: TournamentState) -> frozenset[int]:
    """Give the round that is on as it is left: empty when each table has played its hand."""
    done = state.all_between_hands and all(
        table.table in state.round or len(table.with_chips) < 2 for table in state.open_tables
    )
    return frozenset() if done else state.round
