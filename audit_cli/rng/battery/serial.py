"""S4: does the first card of a hand say anything about that of the hands that follow.

The pairs of hands k apart overlap. The interaction part of their table, less what its rows and
columns say, is a sum of products that are uncorrelated whether pairs overlap or not; its sum of
squares over n/2704 is a chi-square of 51 x 51. Rows and columns are S1's matter.
"""

from __future__ import annotations

from math import fsum, sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.rng.battery import chance, power
from audit_cli.rng.battery.statistic import Measure, Sample, Size, Statistic
from audit_cli.rng.battery.tables import FEWEST_SUMMED
from audit_cli.rng.outcome import Level, Tail

if TYPE_CHECKING:
    from numpy.typing import NDArray

CARDS: Final = 52
LAGS: Final = (1, 2, 3, 4, 5)
DF: Final = (CARDS - 1) ** 2
# A third of a pair a cell: over so many cells the sum is a chi-square's from a quarter on (Koehler
# and Larntz 1980), and dependence between hands is to show in a thousand of them.
_FEWEST_PAIRS: Final = CARDS**2 // 3
#: Twice the distance of each card's number from the middle.
_ODD: Final = np.arange(-CARDS + 1, CARDS, 2, dtype=np.int64)
_VARIANCE: Final = (CARDS**2 - 1) / 12


def _pairs(size: Size, lag: int) -> int:
    return max(0, size.chunk - lag) * size.chunks


def sum_interaction(counts: NDArray[np.int64]) -> float:
    """Return the statistic of a table of overlapping pairs of n cards: chi-square of (n - 1)^2."""
    cards = len(counts)
    pairs = int(counts.sum())
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    # n^2 times the interaction, a whole number that is exact up to 10^15 pairs.
    parts = cards**2 * counts - cards * (rows[:, None] + columns[None, :]) + pairs
    return fsum((parts.astype(float) ** 2).ravel().tolist()) / cards**2 / pairs


def _measure_table(lag: int, sample: Sample) -> Measure:
    counts = sample.counts["serial"][lag - 1]
    pairs = int(counts.sum())
    found = sum_interaction(counts)
    return Measure(found, chance.chi_square_upper(found, DF), pairs, DF)


def _measure_slope(lag: int, sample: Sample) -> Measure:
    counts = sample.counts["serial"][lag - 1]
    pairs = int(counts.sum())
    total = _products(counts)
    deviation = 4 * _VARIANCE * sqrt(pairs)
    z = total / deviation
    return Measure(z, chance.normal_two_sided(z), pairs)


def _products(counts: NDArray[np.int64]) -> int:
    """Return four times the sum of products of distances from the middle, 25.5: a whole number.

    Exact in 64 bits up to 10^15 pairs.
    """
    return int(_ODD @ counts @ _ODD)


def _table(lag: int) -> Statistic:
    return Statistic(
        name=f"S4.{lag}",
        title=f"first cards of hands {lag} apart",
        level=Level.DECK,
        covers=("GLI.serial", "PA.serial", "GLI.overlaps", "PA.overlaps"),
        null=f"the interaction part of overlapping pairs, chi-square of {DF}",
        tail=Tail.UPPER,
        applies=lambda size: _pairs(size, lag) >= _FEWEST_PAIRS,
        measure=lambda sample: _measure_table(lag, sample),
        detectable=lambda size: power.cells_off(_pairs(size, lag), DF),
    )


def _slope(lag: int) -> Statistic:
    return Statistic(
        name=f"S4.{lag}.r",
        title=f"correlation of first cards of hands {lag} apart",
        level=Level.DECK,
        covers=("GLI.serial", "PA.serial"),
        null="normal; mean 0, variance 1/pairs",
        tail=Tail.TWO_SIDED,
        applies=lambda size: _pairs(size, lag) >= FEWEST_SUMMED,
        measure=lambda sample: _measure_slope(lag, sample),
        detectable=lambda size: f"a correlation of {power.shift() / sqrt(_pairs(size, lag)):.2g}",
    )


STATISTICS: Final = (*map(_table, LAGS), *map(_slope, LAGS))
