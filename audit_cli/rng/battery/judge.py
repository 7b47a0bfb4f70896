"""Judges counts by every statistic of B2 to B4 that so much data can carry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from audit_cli.rng.battery import (
    draws,
    filters,
    guesses,
    holes,
    neighbours,
    positions,
    ranks,
    seats,
    serial,
    shapes,
    together,
    waiting,
)
from audit_cli.rng.battery.statistic import Sample, Size, Statistic, judge_one

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from audit_cli.rng.outcome import Outcome

STATISTICS: Final[tuple[Statistic, ...]] = (
    *draws.STATISTICS,
    *filters.STATISTICS,
    *positions.STATISTICS,
    *neighbours.STATISTICS,
    *together.STATISTICS,
    *serial.STATISTICS,
    *shapes.STATISTICS,
    *waiting.STATISTICS,
    *guesses.STATISTICS,
    *holes.STATISTICS,
    *ranks.STATISTICS,
    *seats.STATISTICS,
)


def planned(hands: int, chunk: int, *, with_draws: bool = True) -> tuple[str, ...]:
    """Return the names of the tests that `judge` makes on so many hands, in their order."""
    size = Size(hands, chunk, with_draws)
    return tuple(one.name for one in STATISTICS if one.applies(size))


def judge(counts: Mapping[str, NDArray[np.int64]], *, blocks: bool = False) -> tuple[Outcome, ...]:
    """Return the outcome of each test, in the order of `planned`, from the tables of `counting`.

    The counts are of one chunk, or the sum of chunks of equal size.

    `blocks` is for the counts of one block of many: its p-values are exactly uniform where nothing
    is wrong, also those of discrete statistics (`Sample.place`), and carry no words and no cells.
    """
    size = measure_size(counts)
    sample = Sample(counts, size, split=blocks)
    return tuple(judge_one(one, sample, brief=blocks) for one in STATISTICS if one.applies(size))


def measure_size(counts: Mapping[str, NDArray[np.int64]]) -> Size:
    """Return how many decks were counted, in chunks of which size.

    A chunk of n decks has n - 1 decks with one before them, which `matches` counts.
    """
    decks = int(counts["decks"][0])
    chunks = decks - int(counts["matches"].sum())
    return Size(decks, decks // max(chunks, 1), "draws" in counts)
