"""How a table's hands begin and end in the tournament's log (14.4, 14.5, 14.8)."""

from dealer_service.rules.entry import HandLevel, HandOpened, SeatStack
from dealer_service.rules.tournament.entry import HandStarted, TournamentEntry
from dealer_service.rules.tournament.state import TournamentState


def hand_terms(state: TournamentState, table: int) -> tuple[HandLevel, int | None]:
    """Give the level of a table's next hand and, for its first one, the button's seat."""
    raise NotImplementedError


def hand_started(
    state: TournamentState, at: int, table: int, opened: HandOpened
) -> tuple[HandStarted]:
    """Tell that the table opened that hand."""
    raise NotImplementedError


def finish_hand(
    state: TournamentState,
    at: int,
    table: int,
    hand: int,
    *,
    void: bool,
    stacks: tuple[SeatStack, ...],
) -> tuple[TournamentEntry, ...]:
    """Tell that a table's hand ended with these stacks of all seats dealt in, and who busted.

    A void gives every seat what it had. Who may buy chips again keeps its seat for a while.
    """
    raise NotImplementedError
