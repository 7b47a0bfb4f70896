"""Where each position of the deck goes, and whether cards turned up can be those (section 4).

Positions go out strictly 0, 1, 2, …: hole cards one at a time, beginning left of the button and
round again, then before each street a burn and the board's cards.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from dealer_service.rules.cards import NUMBERS
from dealer_service.rules.entry import DealtPosition, Destination, OpenedCard
from dealer_service.rules.refusal import ImpossibleEntry
from dealer_service.rules.state import BOARD, HOLE_CARDS, Layout


@lru_cache(maxsize=4096)
def deal_hole_cards(seats: tuple[int, ...]) -> tuple[DealtPosition, ...]:
    """Deal to seats given clockwise from the left of the button."""
    return tuple(
        DealtPosition(position, Destination.SEAT, seat=seat)
        for position, seat in enumerate(seats * HOLE_CARDS)
    )


@lru_cache(maxsize=256)
def deal_street(start: int, cards: int) -> tuple[DealtPosition, ...]:
    """Burn the position `start` and deal as many cards to the board behind it."""
    return (
        DealtPosition(start, Destination.BURN),
        *(
            DealtPosition(position, Destination.BOARD, board=1)
            for position in range(start + 1, start + 1 + cards)
        ),
    )


def hole_positions(seats: int, place: int) -> range:
    """Give the positions of a seat's hole cards: its place clockwise from left of the button."""
    return range(place, seats * HOLE_CARDS, seats)


def next_street(board: Sequence[str]) -> int:
    """Give how many cards come to a board that has so many; 0 when it is complete."""
    have = len(board)
    for cards in BOARD:
        if have <= 0:
            return cards
        have -= cards
    return 0


def read_opened(
    opened: Sequence[OpenedCard], positions: Iterable[int], layout: Layout
) -> tuple[str, ...]:
    """Give the cards of an opening, or raise ImpossibleEntry.

    They must be at just these positions, and none may be open elsewhere.
    """
    cards = tuple([card.card for card in opened])
    if [card.position for card in opened] != list(positions):
        message = f"positions {[card.position for card in opened]} are not those to be opened"
        raise ImpossibleEntry(message)
    seen = {*layout.board, *cards}
    expected = len(layout.board) + len(cards)
    for shown in layout.shown:
        seen.update(shown.cards)
        expected += len(shown.cards)
    if len(seen) != expected:
        message = "a card is opened that is open already"
        raise ImpossibleEntry(message)
    if not NUMBERS.keys() >= seen:
        message = "a card is opened that is none of the 52"
        raise ImpossibleEntry(message)
    return cards
