"""S21: does any of six seats win more than its share, or hold more aces.

Given how many showdowns one seat won alone, those are spread over six equal seats. Pairs of aces
are 6 of 1,326 at each seat. The aces of six seats are a draw without replacement: a seat's number
varies by 2 p (1 - p) 50/51 with p = 1/13, and two seats' covary by -4 p (1 - p) / 51.
"""

from __future__ import annotations

from math import fsum, sqrt
from typing import TYPE_CHECKING, Final

from audit_cli.rng.battery import chance, power
from audit_cli.rng.battery.statistic import Measure, Sample, Size, Statistic
from audit_cli.rng.battery.tables import FEWEST_SUMMED, equal_cells
from audit_cli.rng.counting.tables import SEATS
from audit_cli.rng.outcome import Cell, Level, Tail

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ACES: Final = 6 / 1326
_P: Final = 1 / 13
ACE_MEAN: Final = 2 * _P
ACE_VARIANCE: Final = 2 * _P * (1 - _P) * 50 / 51
ACE_COVARIANCE: Final = -4 * _P * (1 - _P) / 51
#: Of the showdowns of six, about so many are won by a given seat alone; for words only.
_ALONE: Final = 0.155


def _measure_wins(sample: Sample) -> Measure:
    wins = sample.counts["wins"]
    total = int(wins.sum())
    if not total:
        return Measure(0.0, 0.0, 0, SEATS - 1)  # six hands that never have a single best
    found = equal_cells(wins, total / SEATS)
    return Measure(found, chance.chi_square_upper(found, SEATS - 1), total, SEATS - 1)


def _measure_pairs(sample: Sample) -> Measure:
    aces = sample.counts["aces"]
    decks = sample.size.decks
    lowest, highest = int(aces.min()), int(aces.max())
    p = chance.extreme_cell(lowest, highest, decks, ACES, SEATS, sample.place("S21.aces"))
    far = max(decks * ACES - lowest, highest - decks * ACES) / sqrt(decks * ACES * (1 - ACES))
    return Measure(far, p, decks)


def held(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many aces each seat held, from [seat, aces held]."""
    aces: NDArray[np.int64] = counts[:, 1] + 2 * counts[:, 2]
    return aces


def _measure_held(sample: Sample) -> Measure:
    aces = held(sample.counts["ace_holes"])
    decks = sample.size.decks
    mean = int(aces.sum()) / SEATS
    between = fsum(((aces - mean) ** 2).tolist()) / (decks * (ACE_VARIANCE - ACE_COVARIANCE))
    of_all = ACE_VARIANCE + (SEATS - 1) * ACE_COVARIANCE
    level = SEATS * (mean - decks * ACE_MEAN) ** 2 / (decks * of_all)
    found = between + level
    return Measure(found, chance.chi_square_upper(found, SEATS), decks, SEATS)


def _seat_cells(observed: NDArray[np.int64], expected: float) -> tuple[Cell, ...]:
    return tuple(
        Cell(f"seat {seat}", float(count), expected) for seat, count in enumerate(observed)
    )


def _wins_words(size: Size) -> str:
    share = sqrt(power.noncentrality(SEATS - 1) * SEATS * _ALONE / (5 * size.decks))
    return f"one seat forced to win {power.percent(share)} of hands"


def _pairs_words(size: Size) -> str:
    return (
        "one seat dealt two aces in "
        f"{power.percent(power.shift(SEATS) * sqrt(ACES / size.decks))} more of hands"
    )


def _held_words(size: Size) -> str:
    share = sqrt(power.noncentrality(SEATS) * ACE_VARIANCE / size.decks)
    return f"one seat given an ace more in {power.percent(share)} of hands"


STATISTICS: Final = (
    Statistic(
        name="S21.wins",
        title="showdowns of six won alone, by seat",
        level=Level.GAME,
        covers=("GLI.total",),
        null="equal seats given how many there were, chi-square of 5",
        tail=Tail.UPPER,
        applies=lambda size: size.decks >= 4 * FEWEST_SUMMED,
        measure=_measure_wins,
        detectable=_wins_words,
        cells=lambda sample: _seat_cells(
            sample.counts["wins"], int(sample.counts["wins"].sum()) / SEATS
        ),
    ),
    Statistic(
        name="S21.aces",
        title="two aces, at the seat where their number is most unlikely",
        level=Level.GAME,
        covers=("GLI.total",),
        null="the most unlikely of six binomials of 6/1326",
        tail=Tail.UPPER,
        applies=lambda size: size.decks >= 4 * FEWEST_SUMMED,
        measure=_measure_pairs,
        detectable=_pairs_words,
        cells=lambda sample: _seat_cells(sample.counts["aces"], sample.size.decks * ACES),
    ),
    Statistic(
        name="S21.held",
        title="aces held, by seat",
        level=Level.GAME,
        covers=("GLI.total",),
        null="hypergeometric with its covariances, chi-square of 6",
        tail=Tail.UPPER,
        applies=lambda size: size.decks >= 4 * FEWEST_SUMMED,
        measure=_measure_held,
        detectable=_held_words,
        cells=lambda sample: _seat_cells(
            held(sample.counts["ace_holes"]), sample.size.decks * ACE_MEAN
        ),
    ),
)
