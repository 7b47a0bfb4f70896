"""S1: does every card lie at every position equally often, and every rank and suit.

A deck is a permutation matrix; N of them have cells of covariance (I - J/52) x (I - J/52) / 51. So
the familiar sum of (O - N/52)^2 / (N/52) is 52/51 times a chi-square of 51 x 51, not a chi-square
of its own, and likewise for the sums over ranks and suits (51 x 12 and 51 x 3).
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Final

from audit_cli.rng.battery import chance, power
from audit_cli.rng.battery.statistic import Measure, Sample, Size, Statistic
from audit_cli.rng.battery.tables import FEWEST_EQUAL, equal_cells
from audit_cli.rng.outcome import Level, Tail

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

POSITIONS: Final = 52
SHRINK: Final = (POSITIONS - 1) / POSITIONS


def sum_places(counts: NDArray[np.int64], decks: int) -> float:
    """Return the statistic of a table [position, kind], for positions as many as cards.

    It is a chi-square of (positions - 1)(kinds - 1).
    """
    positions, kinds = len(counts), len(counts[0])
    return (positions - 1) / positions * equal_cells(counts, decks / kinds)


def _cards(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return counts


def _ranks(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    summed: NDArray[np.int64] = counts.reshape(POSITIONS, 13, 4).sum(axis=2)
    return summed


def _suits(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    summed: NDArray[np.int64] = counts.reshape(POSITIONS, 13, 4).sum(axis=1)
    return summed


_BY: Final = {"card": (_cards, 52), "rank": (_ranks, 13), "suit": (_suits, 4)}


def _measure_all(by: str, sample: Sample) -> Measure:
    fold, kinds = _BY[by]
    counts = fold(sample.counts["card_position"])
    decks = sample.size.decks
    found = sum_places(counts, decks)
    df = (POSITIONS - 1) * (kinds - 1)
    return Measure(found, chance.chi_square_upper(found, df), decks, df)


def _measure_extreme(by: str, sample: Sample, name: str) -> Measure:
    fold, kinds = _BY[by]
    counts = fold(sample.counts["card_position"])
    decks = sample.size.decks
    lowest, highest = int(counts.min()), int(counts.max())
    p = chance.extreme_cell(
        lowest, highest, decks, 1 / kinds, POSITIONS * kinds, sample.place(name)
    )
    deviation = sqrt(decks * (kinds - 1)) / kinds
    far = max(decks / kinds - lowest, highest - decks / kinds) / deviation
    return Measure(far, p, decks)


def _all_words(by: str, size: Size) -> str:
    _, kinds = _BY[by]
    df = (POSITIONS - 1) * (kinds - 1)
    return power.cells_off(size.decks, df, weight=POSITIONS * SHRINK)


def _extreme_words(by: str, size: Size) -> str:
    _, kinds = _BY[by]
    off = power.shift(POSITIONS * kinds) * sqrt((kinds - 1) / size.decks)
    return f"one cell off by {power.percent(off)}"


def _all(name: str, by: str, covers: tuple[str, ...]) -> Statistic:
    _, kinds = _BY[by]
    return Statistic(
        name=name,
        title=f"{by} by position",
        level=Level.DECK,
        covers=covers,
        null=f"51/52 of the sum is chi-square of {51 * (kinds - 1)}",
        tail=Tail.UPPER,
        applies=lambda size: size.decks >= FEWEST_EQUAL * kinds,
        measure=lambda sample: _measure_all(by, sample),
        detectable=lambda size: _all_words(by, size),
    )


def _extreme(name: str, by: str) -> Statistic:
    _, kinds = _BY[by]
    return Statistic(
        name=name,
        title=f"{by} by position: the most unlikely cell",
        level=Level.DECK,
        covers=("GLI.total",),
        null=f"the most unlikely of {POSITIONS * kinds} binomials of 1/{kinds}",
        tail=Tail.UPPER,
        applies=lambda size: size.decks >= FEWEST_EQUAL * kinds,
        measure=lambda sample: _measure_extreme(by, sample, name),
        detectable=lambda size: _extreme_words(by, size),
    )


STATISTICS: Final = (
    _all("S1", "card", ("GLI.total", "PA.chi-square", "PA.equidistribution")),
    _all("S1b.rank", "rank", ("GLI.total", "PA.chi-square", "PA.equidistribution")),
    _all("S1b.suit", "suit", ("GLI.total", "PA.chi-square", "PA.equidistribution")),
    _extreme("S1c.card", "card"),
    _extreme("S1c.rank", "rank"),
)
