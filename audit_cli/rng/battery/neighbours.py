"""S2: does every card follow every other equally often.

With the edge of the deck as a 53rd card before and behind all, a deck is one cycle of 53, equally
likely among all 52! of them. Its table of followers falls into a symmetric part and an
antisymmetric one, each of a single irreducible kind and so of one variance: with E = N/52, the sum
of squares of the symmetric part over E is a chi-square of 1325, and 51/53 of that of the
antisymmetric part one of 1326.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.rng.battery import chance, power
from audit_cli.rng.battery.statistic import Measure, Sample, Size, Statistic
from audit_cli.rng.battery.tables import FEWEST_EQUAL
from audit_cli.rng.outcome import Level, Tail

if TYPE_CHECKING:
    from numpy.typing import NDArray

CARDS: Final = 52
DF: Final = 1325 + 1326


def sum_followers(counts: NDArray[np.int64], decks: int) -> float:
    """Return the statistic of a table [card, the card behind it] of cards and edge.

    With n cards it is a chi-square of n^2 - n - 1: of 2,651 for 52.
    """
    cards = len(counts) - 1
    expected = decks / cards
    both = counts + counts.T - 2 * expected
    # Nothing follows itself: the diagonal of the table is no cell.
    np.fill_diagonal(both, 0)
    symmetric = fsum((both**2).ravel().tolist()) / 4 / expected
    antisymmetric = fsum(((counts - counts.T) ** 2).ravel().tolist()) / 4 / expected
    return symmetric + (cards - 1) / (cards + 1) * antisymmetric


def _measure(sample: Sample) -> Measure:
    counts = sample.counts["successor"]
    decks = sample.size.decks
    impossible = int(counts.trace())
    if impossible:
        return Measure(float(impossible), 0.0, decks, DF)
    found = sum_followers(counts, decks)
    return Measure(found, chance.chi_square_upper(found, DF), decks, DF)


def _words(size: Size) -> str:
    return power.cells_off(size.decks, DF, weight=CARDS + 1)


STATISTICS: Final = (
    Statistic(
        name="S2",
        title="each card behind each other",
        level=Level.DECK,
        covers=("PA.adjacency", "GLI.interplay"),
        null="symmetric part chi-square of 1325, 51/53 of the antisymmetric part one of 1326",
        tail=Tail.UPPER,
        applies=lambda size: size.decks >= FEWEST_EQUAL * CARDS,
        measure=_measure,
        detectable=_words,
    ),
)
