"""Which low hand wins the low half of a pot: eight or better, exactly two from the hand (9.7).

A low is five different ranks of eight or less, with aces low; straights and flushes do not count
against it. It is ranked as the set of its ranks, the ace as the lowest bit: of two such numbers the
smaller is the better low, as if both were read from the top down.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from dealer_service.rules.cards import NUMBERS, RANKS

EIGHT_OR_LESS: Final = "A2345678"
_BITS: Final = {rank: 1 << place for place, rank in enumerate(EIGHT_OR_LESS)}
_BIT_OF: Final = {card: _BITS.get(card[0], 0) for card in NUMBERS}
_FROM_THE_TOP: Final = EIGHT_OR_LESS[::-1]
assert set(EIGHT_OR_LESS) <= set(RANKS)


def low_using(hole: Sequence[str], board: Sequence[str], count: int) -> int | None:
    """Rank the best low of exactly `count` hole cards and the rest from the board, if any."""
    mine = _sets([_BIT_OF[card] for card in hole], count)
    shared = _sets([_BIT_OF[card] for card in board], 5 - count)
    return min([one | other for one in mine for other in shared if not one & other], default=None)


def _sets(bits: Sequence[int], count: int) -> set[int]:
    """Give all sets of so many different low ranks."""
    different = sorted({bit for bit in bits if bit})
    return {sum(some) for some in combinations(different, count)}


def pick_low(hole: Sequence[str], board: Sequence[str], count: int, low: int) -> tuple[str, ...]:
    """Give the five cards of the best low, which is known, from the top down.

    Of cards of one rank that could serve, the first in the order c d h s is taken.
    """
    ranks = [rank for rank in _FROM_THE_TOP if _BITS[rank] & low]
    fives = []
    for mine in combinations(ranks, count):
        chosen = [_first(hole if rank in mine else board, rank) for rank in ranks]
        if all(chosen):
            fives.append(tuple(chosen))
    return min(fives, key=lambda five: [NUMBERS[card] for card in five])


def _first(cards: Sequence[str], rank: str) -> str:
    return min([card for card in cards if card[0] == rank], key=NUMBERS.__getitem__, default="")
