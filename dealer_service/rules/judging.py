"""How hands compare on a board in each variant, high and low (9.7).

Hold'em takes the best five of hole cards and board, Omaha exactly two hole cards and three of the
board; a hi-lo pot has a low half too.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from dealer_service.rules.low import low_using, pick_low
from dealer_service.rules.names import name_hand, name_low
from dealer_service.rules.ranking import (
    category_of,
    pick_five,
    pick_using,
    strength_using,
    strengths_on,
)

USED: Final = 2
"""Hole cards that make an Omaha hand, no more and no less."""

Named = tuple[str, tuple[str, ...]]
"""A hand's name, and its five cards in the order of section 9.7."""


class Ranks(NamedTuple):
    """How each hand ranks on one board: the greater high wins, and the smaller low."""

    highs: dict[int, int]
    lows: dict[int, int]
    """Of the seats that have a low alone; empty where no low half is played."""


def rank_hands(
    hands: Mapping[int, Sequence[str]], board: Sequence[str], *, omaha: bool, hi_lo: bool
) -> Ranks:
    """Rank the hole cards of each seat on a whole board."""
    if not omaha:
        return Ranks(strengths_on(board, hands), {})
    highs = {seat: strength_using(hole, board, USED) for seat, hole in hands.items()}
    lows: dict[int, int] = {}
    if hi_lo:
        for seat, hole in hands.items():
            low = low_using(hole, board, USED)
            if low is not None:
                lows[seat] = low
    return Ranks(highs, lows)


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
