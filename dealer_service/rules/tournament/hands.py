"""How a table's hands begin and end in the tournament's log (14.4, 14.5, 14.8)."""

from dealer_service.rules.entry import HandLevel, HandOpened, SeatStack, SeatWord
from dealer_service.rules.tournament.entry import (
    Busted,
    HandFinished,
    HandStarted,
    TournamentEntry,
)
from dealer_service.rules.tournament.folding_tables import time_to_decide
from dealer_service.rules.tournament.state import TournamentState, hand_level

_DEALT_IN = frozenset({SeatWord.IN, SeatWord.ABSENT})


def hand_terms(state: TournamentState, table: int) -> tuple[HandLevel, int | None]:
    """Give the level of a table's next hand and, for its first one, the button's seat."""
    one = state.tables[table]
    return hand_level(state), one.button if one.hand == 0 else None


def hand_started(
    state: TournamentState,
    at: int,  # noqa: ARG001 - as every decision has it
    table: int,
    opened: HandOpened,
) -> tuple[HandStarted]:
    """Tell that the table opened that hand."""
    started = HandStarted(
        table=table,
        hand=opened.hand,
        level=state.level,
        button=opened.button,
        big_blind_seat=opened.big_blind_seat,
        players=sum(seat.state in _DEALT_IN for seat in opened.seats),
    )
    return (started,)


def finish_hand(  # noqa: PLR0913 - what a hand's end says
    state: TournamentState,
    at: int,  # noqa: ARG001 - as every decision has it
    table: int,
    hand: int,
    *,
    void: bool,
    stacks: tuple[SeatStack, ...],
) -> tuple[TournamentEntry, ...]:
    """Tell that a table's hand ended with these stacks of all seats dealt in, and who busted.

    A void gives every seat what it had. Who may buy chips again keeps its seat for a while.
    """
    opened = state.tables[table].open
    assert opened is not None
    finished = HandFinished(table, hand, void, stacks)
    out = [(one.seat, opened.seats[one.seat]) for one in stacks if not one.stack]
    busted = (
        Busted(seat.player, table, number, hand, seat.stack)
        for number, seat in out
        if not time_to_decide(state, seat.player)
    )
    return (finished, *busted)
