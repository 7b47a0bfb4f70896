"""Where each position of the deck goes, and whether cards turned up can be those (section 4).

Positions go out strictly 0, 1, 2, …: hole cards one at a time, beginning left of the button and
round again, then before each street a burn and the board's cards.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from dealer_service.rules.cards import CARDS, NUMBERS
from dealer_service.rules.entry import DealtPosition, Destination, OpenedCard
from dealer_service.rules.refusal import ImpossibleEntry
from dealer_service.rules.state import BOARD, BOARD_CARDS, Layout

NEXT_STREET: Final = {sum(BOARD[:street]): cards for street, cards in enumerate((*BOARD, 0))}
"""How many cards come to a board that has so many; none to a whole one."""


_ON_THE_FIRST: Final = {has: (1, cards) for has, cards in NEXT_STREET.items()}


@lru_cache(maxsize=4096)
def deal_hole_cards(seats: tuple[int, ...], cards: int) -> tuple[DealtPosition, ...]:
    """Deal so many cards each to seats given clockwise from the left of the button."""
    return tuple(
        DealtPosition(position, Destination.SEAT, seat=seat)
        for position, seat in enumerate(seats * cards)
    )


@lru_cache(maxsize=256)
def deal_street(start: int, cards: int, board: int) -> tuple[DealtPosition, ...]:
    """Burn the position `start` and deal as many cards to that board behind it."""
    return (
        DealtPosition(start, Destination.BURN),
        *(
            DealtPosition(position, Destination.BOARD, board=board)
            for position in range(start + 1, start + 1 + cards)
        ),
    )


def next_board(layout: Layout) -> tuple[int, int]:
    """Give the board that the next street goes to, 1 or 2, and how many cards it gets."""
    board, second = layout.board, layout.second
    if second is None or len(board) < BOARD_CARDS:
        return _ON_THE_FIRST[len(board)]
    return 2, NEXT_STREET[len(second)]


def is_whole(layout: Layout) -> bool:
    """Tell whether every board that is dealt to has its five cards."""
    if len(layout.board) < BOARD_CARDS:
        return False
    return layout.second is None or len(layout.second) == BOARD_CARDS


def serves_two_boards(layout: Layout) -> bool:
    """Tell whether the deck still holds the rest of two boards with all their burns."""
    done = len(layout.board)
    streets = [cards for has, cards in NEXT_STREET.items() if done <= has < BOARD_CARDS]
    return layout.next_position + 2 * (sum(streets) + len(streets)) <= len(CARDS)


def hole_positions(seats: int, place: int, cards: int) -> range:
    """Give the positions of a seat's hole cards: its place clockwise from left of the button."""
    return range(place, seats * cards, seats)


def read_opened(
    opened: Sequence[OpenedCard], positions: Sequence[int], seen: int
) -> tuple[tuple[str, ...], int]:
    """Give the cards of an opening, and those seen so far with them, or raise ImpossibleEntry.

    They must be at just these positions, and none may be seen already. `seen` has the bit of each
    card's number.
    """
    if len(opened) != len(positions):
        message = f"{len(opened)} cards are opened where {len(positions)} are due"
        raise ImpossibleEntry(message)
    cards = []
    for one, position in zip(opened, positions, strict=False):
        card = one.card
        number = NUMBERS.get(card)
        if number is None:
            message = "a card is opened that is none of the 52"
            raise ImpossibleEntry(message)
        if one.position != position or seen >> number & 1:
            message = f"the opening of position {one.position} is out of place, or its card is open"
            raise ImpossibleEntry(message)
        seen |= 1 << number
        cards.append(card)
    return tuple(cards), seen
