"""S23: matched filters over the scaled draws, each for one well-known mistake.

A mistake moves value v of a draw of n from 1/n to (1 + d(v))/n. The sum of d over all that was
drawn is the score, the most powerful test of one degree of freedom while d is small: its mean is 0
and its variance N x sum over draws of mean d^2. Sorting by short random keys, which shows in no
draw, has the number of descents for its score: S9.mean and S10.mean.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from math import fsum, sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.rng.battery import chance, power
from audit_cli.rng.battery.draws import ranges
from audit_cli.rng.battery.statistic import Measure, Sample, Size, Statistic
from audit_cli.rng.battery.tables import FEWEST_SUMMED
from audit_cli.rng.counting.tables import SHUFFLE
from audit_cli.rng.outcome import Level, Tail

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

BYTE: Final = 256


def modulo(n: int, words: int) -> list[float]:
    """Return d where a word of so many values is taken modulo n, and none is dropped."""
    whole, rest = divmod(words, n)
    return [(whole + (value < rest)) * n / words - 1 for value in range(n)]


def one_too_many(n: int) -> list[float]:
    """Return d where the first byte that should be dropped is taken: value 0 comes once more."""
    whole = BYTE // n
    taken = whole * n + 1
    return [(whole + (value == 0)) * n / taken - 1 for value in range(n)]


def never_last(n: int) -> list[float]:
    """Return d, but for its size, where the last value of a range is left out."""
    return [-1.0 if value == n - 1 else 1 / (n - 1) for value in range(n)]


@cache
def directions(
    mistake: Callable[[int], list[float]], cells: int
) -> tuple[NDArray[np.float64], float]:
    """Return d for all cells of `draws`, and its variance for one deck."""
    sizes = ranges(cells)
    found = [mistake(n) for n in sizes]
    variance = fsum(fsum(d * d for d in one) / n for one, n in zip(found, sizes, strict=True))
    return np.array([d for one in found for d in one]), variance


def _measure(mistake: Callable[[int], list[float]], sample: Sample) -> Measure:
    counts = sample.counts["draws"]
    towards, variance = directions(mistake, len(counts))
    decks = sample.size.decks
    # Each draw's d adds up to 0 but for rounding, so its count over n is taken off first.
    sizes = ranges(len(counts))
    off = counts.astype(np.float64)
    for n, end in zip(sizes, accumulate(sizes), strict=True):
        off[end - n : end] -= decks / n
    z = fsum((towards * off).tolist()) / sqrt(decks * variance)
    return Measure(z, chance.normal_two_sided(z), decks * len(sizes))


def _modulo_8(n: int) -> list[float]:
    return modulo(n, 2**8)


def _modulo_15(n: int) -> list[float]:
    return modulo(n, 2**15)


def _modulo_16(n: int) -> list[float]:
    return modulo(n, 2**16)


def _words(mistake: Callable[[int], list[float]], what: str, size: Size) -> str:
    _, variance = directions(mistake, sum(SHUFFLE))
    share = power.shift() / sqrt(size.decks * variance)
    if share > 1:
        return f"not yet {what}: that takes {share * share * size.decks:.2g} decks"
    return f"{power.percent(share)} of {what}"


def _filter(name: str, title: str, what: str, mistake: Callable[[int], list[float]]) -> Statistic:
    return Statistic(
        name=f"S23.{name}",
        title=title,
        level=Level.SCALED,
        covers=("GLI.total",),
        null="normal; mean 0, variance 1",
        tail=Tail.TWO_SIDED,
        applies=lambda size: size.draws and size.decks >= FEWEST_SUMMED,
        measure=lambda sample: _measure(mistake, sample),
        detectable=lambda size: _words(mistake, what, size),
    )


STATISTICS: Final = (
    _filter("modulo8", "a byte modulo n", "a byte modulo n", _modulo_8),
    _filter("modulo15", "15 bits modulo n", "the bias of 15 bits modulo n", _modulo_15),
    _filter("modulo16", "16 bits modulo n", "the bias of 16 bits modulo n", _modulo_16),
    _filter("bound", "a bound one too high", "the bias of a bound one too high", one_too_many),
    _filter("last", "a range one too short", "a last value that never comes", never_last),
)
