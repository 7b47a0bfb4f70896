"""What an entry must meet to stand at a table, or ImpossibleEntry says what it does not."""

from dealer_service.rules.refusal import ImpossibleEntry
from dealer_service.rules.requiring import require
from dealer_service.rules.table_state import OpenHand, Seat, TableState


def require_running(state: TableState) -> None:
    """Raise ImpossibleEntry where the game has closed."""
    require(state.closed is None, "the game has closed")


def require_open_hand(state: TableState, number: int) -> OpenHand:
    """Give the open hand, or raise ImpossibleEntry where none or another one is open."""
    if state.open is None or state.hand != number:
        message = f"hand {number} is not open"
        raise ImpossibleEntry(message)
    return state.open


def require_held(state: TableState, number: int, player: str) -> Seat:
    """Give a seat, or raise ImpossibleEntry where it is not held by that player."""
    seat = state.seats.get(number)
    if seat is None or seat.player != player or seat.leaving:
        message = f"the player does not hold seat {number}"
        raise ImpossibleEntry(message)
    return seat
