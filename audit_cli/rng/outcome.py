"""What one test of the battery says, and what all of them say together."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """The battery's parts (section 6 of the certification text)."""

    CODE = "B0"
    RAW = "B1"
    SCALED = "B2"
    DECK = "B3"
    GAME = "B4"


class Tail(StrEnum):
    """What a p-value is the probability of."""

    UPPER = "upper"  # as large or larger
    TWO_SIDED = "two_sided"
    EXACT = "exact"  # no chance at all: 1 where it held, 0 where it did not


@dataclass(frozen=True, slots=True)
class Cell:
    """One bar of observed against expected, for a reader's eye."""

    label: str
    observed: float
    expected: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """One test over one amount of data.

    `test` is its short name (`S1`, `S8.mean`, `SP800-22.2.3`), `covers` the named families that it
    answers for (`GLI.coupon`), `samples` the number of independent things looked at, `null` the
    exact distribution in words, `p` by `tail`. `detectable` says in words which deviation this
    amount of data would have shown at alpha 1e-4 with power 0.99 (empty where it is not known).
    """

    test: str
    title: str
    level: Level
    covers: tuple[str, ...]
    samples: int
    statistic: float
    df: float | None
    null: str
    tail: Tail
    p: float
    detectable: str = ""
    cells: tuple[Cell, ...] = ()

    @property
    def two_sided(self) -> float:
        """The p-value that the family is judged by: too good is suspect, too."""
        if self.tail is Tail.UPPER:
            return min(1.0, 2 * min(self.p, 1 - self.p))
        return self.p
