"""Statistics that many tables share: chi-square over equal cells, over pooled cells, and a mean.

Sums are rounded once, at their end, so that they are the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from math import fsum, sqrt
from typing import TYPE_CHECKING, Final

from audit_cli.rng.battery import chance, power
from audit_cli.rng.battery.statistic import Measure, Sample, Size, Statistic
from audit_cli.rng.outcome import Cell, Level, Tail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy as np
    from numpy.typing import NDArray

#: A chi-square over many equal cells holds from one expected a cell on (Koehler and Larntz 1980).
FEWEST_EQUAL: Final = 1.0
#: Cells of a law are pooled until so many are expected. Five is the rule of thumb; but the tail
#: that Holm's rule looks at, 1e-4, is a chi-square's only where no cell is that skew.
FEWEST_POOLED: Final = 20
#: With three cells, chi-square takes so few values that this many things are needed to blur them.
FEWEST_FOR_THREE: Final = 1000
#: A sum of so many things is normal enough for a mean to be judged.
FEWEST_SUMMED: Final = 100


def equal_cells(counts: NDArray[np.int64], expected: float) -> float:
    """Return sum (O - E)^2 / E over cells that all expect the same."""
    return fsum(((counts - expected) ** 2).ravel().tolist()) / expected


@dataclass(frozen=True, eq=False)
class Law:
    """The exact chances of cells, as whole numbers over their sum. Equal is one to itself alone."""

    weights: tuple[int, ...] = field(repr=False)

    @cached_property
    def total(self) -> int:
        """The sum of the weights."""
        return sum(self.weights)

    @cached_property
    def mean(self) -> Fraction:
        """The expected number of the cell."""
        return Fraction(sum(k * weight for k, weight in enumerate(self.weights)), self.total)

    @cached_property
    def variance(self) -> Fraction:
        """The variance of the number of the cell."""
        square = sum(k * k * weight for k, weight in enumerate(self.weights))
        return Fraction(square, self.total) - self.mean**2


@dataclass(frozen=True, slots=True)
class Pool:
    """Cells `begin` to `end` - 1 of a table, taken as one of chance `share`."""

    begin: int
    end: int
    share: float

    @property
    def label(self) -> str:
        """The cells' numbers."""
        return f"{self.begin}" if self.end == self.begin + 1 else f"{self.begin}-{self.end - 1}"


@cache
def pool(law: Law, samples: int) -> tuple[Pool, ...]:
    """Return a law's cells, neighbours pooled from the first on until enough is expected."""
    total = law.total
    cells = [index for index, weight in enumerate(law.weights) if weight]
    pools: list[tuple[int, int, int]] = []
    begin, mass = cells[0], 0
    for index in cells:
        mass += law.weights[index]
        if mass * samples >= FEWEST_POOLED * total:
            pools.append((begin, index + 1, mass))
            begin, mass = index + 1, 0
    if mass and pools:
        first, _, before = pools.pop()
        pools.append((first, cells[-1] + 1, before + mass))
    return tuple(Pool(first, end, float(Fraction(weight, total))) for first, end, weight in pools)


def pooled_counts(counts: NDArray[np.int64], pools: Iterable[Pool]) -> list[int]:
    """Return what fell into each pool."""
    return [int(counts[one.begin : one.end].sum()) for one in pools]


@dataclass(frozen=True, slots=True)
class Histogram:
    """A table whose things fall into its cells by a law, independently of each other.

    `samples` gives how many things so much data holds: those that are missing never came to an end,
    as a wait does that a chunk cut off, and count as the longest. Anything in a cell that has no
    chance makes p zero, and is the statistic then.
    """

    table: str
    law: Law
    samples: Callable[[Size], int]
    labels: tuple[str, ...] = ()

    def pools(self, size: Size) -> tuple[Pool, ...]:
        """Return the cells that this much data pools."""
        return pool(self.law, self.samples(size))

    def applies(self, size: Size) -> bool:
        """Whether there are cells enough: two, whose law is a binomial, or more."""
        samples = self.samples(size)
        cells = len(self.pools(size)) if samples else 0
        return cells > 3 or cells == 2 or (cells == 3 and samples >= FEWEST_FOR_THREE)

    def measure(self, name: str, sample: Sample) -> Measure:
        """Return chi-square over the pooled cells; of two cells p is the binomial's own."""
        pools = self.pools(sample.size)
        counts = sample.counts[self.table]
        total = self.samples(sample.size)
        observed = self._observed(sample, pools)
        df = len(pools) - 1
        impossible = sum(
            count
            for count, weight in zip(counts.tolist(), self.law.weights, strict=True)
            if not weight
        )
        if impossible:
            return Measure(float(impossible), 0.0, total, df)
        expected = [one.share * total for one in pools]
        found = fsum((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True))
        if df == 1:
            place = sample.place(name)
            p = chance.binomial_distance(observed[1], total, pools[1].share, place)
        else:
            p = (
                chance.chi_square_upper(found, df)
                if sample.split
                else chance.chi_square_of_few(found, expected)
            )
        return Measure(found, p, total, df)

    def cells(self, sample: Sample) -> tuple[Cell, ...]:
        """Return the pooled cells beside what was expected in them."""
        pools = self.pools(sample.size)
        total = self.samples(sample.size)
        return tuple(
            Cell(self._label(one), float(seen), one.share * total)
            for one, seen in zip(pools, self._observed(sample, pools), strict=True)
        )

    def detectable(self, size: Size) -> str:
        """Return how far cells would have to be off."""
        return power.cells_off(self.samples(size), len(self.pools(size)) - 1)

    def _observed(self, sample: Sample, pools: tuple[Pool, ...]) -> list[int]:
        """Return what fell into each pool; what never came to an end is in the last one."""
        counts = sample.counts[self.table]
        observed = pooled_counts(counts, pools)
        observed[-1] += self.samples(sample.size) - int(counts.sum())
        return observed

    def _label(self, one: Pool) -> str:
        if not self.labels:
            return one.label
        return " or ".join(label for label in self.labels[one.begin : one.end] if label)


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a table's cell numbers: one degree of freedom, where a drift shows first."""

    histogram: Histogram

    def applies(self, size: Size) -> bool:
        """Whether the sum is normal enough."""
        return self.histogram.samples(size) >= FEWEST_SUMMED

    def measure(self, name: str, sample: Sample) -> Measure:
        """Return z of the mean."""
        law = self.histogram.law
        counts = sample.counts[self.histogram.table]
        samples = int(counts.sum())
        total = sum(k * int(count) for k, count in enumerate(counts))
        distance = float(total - samples * law.mean)
        deviation = sqrt(samples * law.variance)
        p = chance.lattice_two_sided(distance, deviation, sample.place(name))
        return Measure(distance / deviation, p, samples)

    def detectable(self, size: Size) -> str:
        """Return by how much the mean would have to be off."""
        law = self.histogram.law
        off = power.shift() * sqrt(law.variance / self.histogram.samples(size)) / float(law.mean)
        return f"a mean off by {power.percent(off)}"


def all_decks(size: Size) -> int:
    """Return the number of decks."""
    return size.decks


def histogram_test(  # noqa: PLR0913  (a statistic's own words)
    name: str,
    title: str,
    histogram: Histogram,
    null: str,
    *,
    covers: tuple[str, ...] = (),
    level: Level = Level.DECK,
) -> Statistic:
    """Return the test of a table by chi-square."""
    return Statistic(
        name=name,
        title=title,
        level=level,
        covers=covers,
        null=f"{null}, cells of fewer than {FEWEST_POOLED} pooled; chi-square",
        tail=Tail.UPPER,
        applies=histogram.applies,
        measure=lambda sample: histogram.measure(name, sample),
        detectable=histogram.detectable,
        cells=histogram.cells,
    )


def mean_test(
    name: str,
    title: str,
    histogram: Histogram,
    *,
    covers: tuple[str, ...] = (),
    level: Level = Level.DECK,
) -> Statistic:
    """Return the test of a table by its mean."""
    mean = Mean(histogram)
    law = histogram.law
    return Statistic(
        name=name,
        title=title,
        level=level,
        covers=covers,
        null=f"normal; mean {float(law.mean):.6f}, variance {float(law.variance):.6f}",
        tail=Tail.TWO_SIDED,
        applies=mean.applies,
        measure=lambda sample: mean.measure(name, sample),
        detectable=mean.detectable,
    )
