"""How hands compare on a board in each variant, high and low (9.7).

Hold'em takes the best five of hole cards and board, Omaha exactly two hole cards and three of the
board; a hi-lo pot has a low half too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from dealer_service.rules.low import low_using, pick_low
from dealer_service.rules.names import name_hand, name_low
from dealer_service.rules.ranking import (
    category_of,
    pick_five,
    pick_using,
    strength_of,
    strength_using,
)

USED: Final = 2
"""Hole cards that make an Omaha hand, no more and no less."""

UNRANKED: Final = -1

Named = tuple[str, tuple[str, ...]]
"""A hand's name, and its five cards in the order of section 9.7."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Hole cards that are public, ranked where the board was whole when they were opened."""

    seat: int
    cards: tuple[str, ...]
    high: int = UNRANKED
    low: int | None = None
    """None too where no low half is played, or the hand has no low."""


class Ranks(NamedTuple):
    """How each hand ranks on one board: the greater high wins, and the smaller low."""

    highs: dict[int, int]
    lows: dict[int, int]
    """Of the seats that have a low alone; empty where no low half is played."""


def rank_hand(
    hole: Sequence[str], board: Sequence[str], *, omaha: bool, hi_lo: bool
) -> tuple[int, int | None]:
    """Rank hole cards on a whole board: their high, and their low where it is played."""
    if not omaha:
        return strength_of((*hole, *board)), None
    return strength_using(hole, board, USED), low_using(hole, board, USED) if hi_lo else None


def rank_hands(
    hands: Mapping[int, Sequence[str]], board: Sequence[str], *, omaha: bool, hi_lo: bool
) -> Ranks:
    """Rank the hole cards of each seat on a whole board."""
    ranks = Ranks({}, {})
    for seat, hole in hands.items():
        high, low = rank_hand(hole, board, omaha=omaha, hi_lo=hi_lo)
        ranks.highs[seat] = high
        if low is not None:
            ranks.lows[seat] = low
    return ranks


def name_high(hole: Sequence[str], board: Sequence[str], strength: int, *, omaha: bool) -> Named:
    """Name a hand whose strength is known, with its five cards."""
    if omaha:
        five = pick_using(hole, board, USED, strength)
    else:
        five = pick_five((*hole, *board), strength)
    return name_hand(five, category_of(strength)), five


def name_low_of(hole: Sequence[str], board: Sequence[str], low: int) -> Named:
    """Name a low that is known, with its five cards."""
    five = pick_low(hole, board, USED, low)
    return name_low(five), five
