"""S22: is every scaled draw uniform over its range, at every place of the order of draws.

Draws are independent, so the chi-squares of their tables add up, and the least even of them is held
against the smallest of as many independent p-values.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from math import sqrt
from typing import TYPE_CHECKING, Final

from audit_cli.rng.battery import chance, power
from audit_cli.rng.battery.statistic import Measure, Sample, Size, Statistic
from audit_cli.rng.battery.tables import equal_cells
from audit_cli.rng.counting.tables import SHUFFLE
from audit_cli.rng.hands import DRAWS
from audit_cli.rng.outcome import Level, Tail

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The largest range has 52 values, each of which five should be seen of.
_FEWEST: Final = 5 * 52


@cache
def ranges(cells: int) -> tuple[int, ...]:
    """Return the ranges of the draws whose table has so many cells. ValueError for no such."""
    for sizes in (DRAWS, SHUFFLE):
        if sum(sizes) == cells:
            return sizes
    message = f"no order of draws has {cells} cells"
    raise ValueError(message)


def split(counts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the table of each draw."""
    sizes = ranges(len(counts))
    return [counts[end - n : end] for n, end in zip(sizes, accumulate(sizes), strict=True)]


def _sums(sample: Sample) -> list[tuple[float, int]]:
    """Return chi-square and degrees of freedom of each draw."""
    decks = sample.size.decks
    return [
        (equal_cells(table, decks / len(table)), len(table) - 1)
        for table in split(sample.counts["draws"])
    ]


def _measure_all(sample: Sample) -> Measure:
    sums = _sums(sample)
    found, df = sum(one for one, _ in sums), sum(df for _, df in sums)
    return Measure(found, chance.chi_square_upper(found, df), sample.size.decks * len(sums), df)


def _measure_least(sample: Sample) -> Measure:
    sums = _sums(sample)
    p, found, df = min((chance.chi_square_upper(found, df), found, df) for found, df in sums)
    return Measure(found, chance.smallest_of(p, len(sums)), sample.size.decks, df)


def _all_words(size: Size) -> str:
    # As many decks' draws of one shuffle are known at least.
    df = sum(SHUFFLE) - len(SHUFFLE)
    return power.cells_off(size.decks, df, weight=len(SHUFFLE))


def _least_words(size: Size) -> str:
    off = sqrt(power.noncentrality(51) / size.decks)
    return f"one draw of 52 whose values are off by {power.percent(off)}"


STATISTICS: Final = (
    Statistic(
        name="S22",
        title="scaled draws, all together",
        level=Level.SCALED,
        covers=("GLI.total", "PA.chi-square", "PA.equidistribution"),
        null="the sum of independent chi-squares of n - 1, a draw of n values each",
        tail=Tail.UPPER,
        applies=lambda size: size.draws and size.decks >= _FEWEST,
        measure=_measure_all,
        detectable=_all_words,
    ),
    Statistic(
        name="S22.draw",
        title="the least even of the scaled draws",
        level=Level.SCALED,
        covers=("PA.subsequences",),
        null="the smallest p of as many independent chi-squares as there are draws",
        tail=Tail.UPPER,
        applies=lambda size: size.draws and size.decks >= _FEWEST,
        measure=_measure_least,
        detectable=_least_words,
    ),
)
