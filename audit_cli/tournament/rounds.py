"""Hand for hand: when it is due, and when a round is over (protocol 14.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audit_cli.tournament.state import State, Table

FEWEST = 2


def can_play(state: State, table: Table) -> bool:
    """Whether two or more have chips at an open table."""
    return table.is_open and len(state.chips(table)) >= FEWEST


def is_round_over(state: State) -> bool:
    """Whether no hand is open and each table that can has started its hand of the round."""
    if state.round is None:
        return True
    if state.open_hands:
        return False
    played = state.round
    return not any(
        table.number not in played and can_play(state, table) for table in state.open_tables()
    )


def is_hand_for_hand_due(state: State) -> bool:
    """Whether it is to be played hand for hand."""
    if not state.registration_closed or not state.structure.hand_for_hand:
        return False
    above = state.players_in - len(state.prizes)
    return 0 < above <= state.structure.hand_for_hand and len(state.open_tables()) >= FEWEST
