"""Which cards make a hand: all seven, or exactly two of the hole cards and three of the board.

Hold'em takes the best five of seven, Omaha exactly two of its four to six hole cards; high and
low may then share each pot (protocol 9.7).
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from audit_cli.poker.lows import low_cards, low_of
from audit_cli.poker.ranking import best_five, measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from audit_cli.poker.ranking import Strength


class Game(NamedTuple):
    """A variant: how many hole cards, whether exactly two of them count, whether low shares."""

    hole_cards: int
    two_count: bool
    hi_lo: bool

    def high(self, holes: Sequence[int], board: Sequence[int]) -> Strength:
        """Return the strength of the best hand; the board has five cards."""
        if not self.two_count:
            return measure((*holes, *board))
        return max(map(measure, _fives(holes, board)))

    def low(self, holes: Sequence[int], board: Sequence[int]) -> Strength | None:
        """Return the strength of the best low, or None where there is none; greater is better."""
        if not self.hi_lo:
            return None
        lows = (low_of(five) for five in _fives(holes, board))
        return max((low for low in lows if low is not None), default=None)

    def high_five(
        self, holes: Sequence[int], board: Sequence[int], strength: Strength
    ) -> tuple[int, ...]:
        """Return the five cards of a strength; of several such fives the first, card by card."""
        if not self.two_count:
            return best_five((*holes, *board), strength)
        fives = (five for five in _fives(holes, board) if measure(five) == strength)
        return min(best_five(five, strength) for five in fives)

    def low_five(
        self, holes: Sequence[int], board: Sequence[int], strength: Strength
    ) -> tuple[int, ...]:
        """Return the five cards of a low, from the top; of several fives the first."""
        fives = (five for five in _fives(holes, board) if low_of(five) == strength)
        return min(low_cards(five) for five in fives)


def _fives(holes: Sequence[int], board: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every choice of two hole cards and three of the board."""
    threes = tuple(combinations(board, 3))
    for two in combinations(holes, 2):
        for three in threes:
            yield (*two, *three)


HOLDEM = Game(2, two_count=False, hi_lo=False)
