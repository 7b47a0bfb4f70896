"""What a statistic is: a name, the null it is held against, and how it is worked out from counts.

Which tests a run makes, and which cells they pool, follows from the amount of data alone, never
from the data: so a plan can name them all before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

from audit_cli.rng.outcome import Cell, Level, Outcome, Tail

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Size:
    """How much data: decks, in chunks of so many; `draws` where the draws behind them are known."""

    decks: int
    chunk: int
    draws: bool = True

    @property
    def chunks(self) -> int:
        """How many chunks."""
        return self.decks // self.chunk


@dataclass(frozen=True, eq=False)
class Sample:
    """Counts, and where ties of discrete statistics fall.

    A p-value of a discrete statistic is uniform only if the chance of what was seen is split at a
    random place. `split` asks for that: the place is a hash of all counts and the test's name, so
    that it is the same everywhere. Without it a p-value counts the whole, and errs towards 1.
    """

    counts: Mapping[str, NDArray[np.int64]]
    size: Size
    split: bool = False

    @cached_property
    def _entropy(self) -> bytes:
        total = sha256(b"split")
        for name in sorted(self.counts):
            total.update(name.encode() + self.counts[name].astype("<i8").tobytes())
        return total.digest()

    def place(self, test: str) -> float | None:
        """Return where the chance of what was seen is split, in (0, 1), or None."""
        if not self.split:
            return None
        word = sha256(self._entropy + test.encode()).digest()[:8]
        return (int.from_bytes(word, "big") + 0.5) / 2**64


@dataclass(frozen=True, slots=True)
class Measure:
    """A statistic with its p-value, by the tail that the test names."""

    statistic: float
    p: float
    samples: int
    df: float | None = None


def _no_words(_: Size) -> str:
    return ""


def _no_cells(_: Sample) -> tuple[Cell, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Statistic:
    """One test. `applies` says whether so much data is enough for its null to hold."""

    name: str
    title: str
    level: Level
    covers: tuple[str, ...]
    null: str
    tail: Tail
    applies: Callable[[Size], bool]
    measure: Callable[[Sample], Measure]
    detectable: Callable[[Size], str] = field(default=_no_words)
    cells: Callable[[Sample], tuple[Cell, ...]] = field(default=_no_cells)


def judge_one(test: Statistic, sample: Sample, *, brief: bool) -> Outcome:
    """Return the outcome of one test; `brief` leaves out what only a reader needs."""
    measured = test.measure(sample)
    return Outcome(
        test=test.name,
        title=test.title,
        level=test.level,
        covers=test.covers,
        samples=measured.samples,
        statistic=measured.statistic,
        df=measured.df,
        null=test.null,
        tail=test.tail,
        p=measured.p,
        detectable="" if brief else test.detectable(sample.size),
        cells=() if brief else test.cells(sample),
    )
