"""S3: are all 2,652 ordered pairs of the first two cards equally likely, and the higher of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.rng.battery import chance, power
from audit_cli.rng.battery.statistic import Measure, Sample, Statistic
from audit_cli.rng.battery.tables import (
    FEWEST_EQUAL,
    Histogram,
    Law,
    all_decks,
    equal_cells,
)
from audit_cli.rng.outcome import Level, Tail

if TYPE_CHECKING:
    from audit_cli.rng.outcome import Cell

CARDS: Final = 52
PAIRS: Final = CARDS * (CARDS - 1)
DF: Final = PAIRS - 1

#: The higher of two different cards is m in 2 m of the ordered pairs.
HIGHER: Final = Law(tuple(2 * card for card in range(CARDS)))
_HISTOGRAM: Final = Histogram("joint", HIGHER, all_decks)


def _measure(sample: Sample) -> Measure:
    counts = sample.counts["joint"]
    decks = sample.size.decks
    impossible = int(counts.trace())
    if impossible:
        return Measure(float(impossible), 0.0, decks, DF)
    different = counts[~np.eye(CARDS, dtype=bool)]
    found = equal_cells(different, decks / PAIRS)
    return Measure(found, chance.chi_square_upper(found, DF), decks, DF)


def _higher(sample: Sample) -> Sample:
    """Return the sample with the higher card's table in the place of the pairs'."""
    counts = sample.counts["joint"]
    low = np.tril(counts, -1).sum(axis=1) + np.triu(counts, 1).sum(axis=0)
    return Sample({"joint": low}, sample.size, sample.split)


def _measure_higher(sample: Sample) -> Measure:
    return _HISTOGRAM.measure("S3.higher", _higher(sample))


def _cells_higher(sample: Sample) -> tuple[Cell, ...]:
    return _HISTOGRAM.cells(_higher(sample))


STATISTICS: Final = (
    Statistic(
        name="S3",
        title="the first two cards together",
        level=Level.DECK,
        covers=("GLI.interplay", "PA.interplay"),
        null=f"chi-square of {DF}",
        tail=Tail.UPPER,
        applies=lambda size: size.decks >= FEWEST_EQUAL * PAIRS,
        measure=_measure,
        detectable=lambda size: power.cells_off(size.decks, DF),
    ),
    Statistic(
        name="S3.higher",
        title="the higher of the first two cards",
        level=Level.DECK,
        covers=("PA.order",),
        null="card m in 2 m of 2,652 pairs, cells pooled; chi-square",
        tail=Tail.UPPER,
        applies=_HISTOGRAM.applies,
        measure=_measure_higher,
        detectable=_HISTOGRAM.detectable,
        cells=_cells_higher,
    ),
)
