"""S14: is every pair of hole cards equally likely, over all seats and at each seat.

One seat's pairs are 1,326 equal cells. The pairs of S seats at one table share no card, so their
sum is no multinomial: its part that single cards explain (51 dimensions) has 1 - (S - 1)/25 times
the variance, and the rest (1,274) 1 + (S - 1)/1225 times. Each part is divided by its own.
"""

from __future__ import annotations

from math import fsum, sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.rng.battery import chance, power
from audit_cli.rng.battery.statistic import Measure, Sample, Size, Statistic
from audit_cli.rng.battery.tables import FEWEST_EQUAL, equal_cells
from audit_cli.rng.outcome import Level, Tail

if TYPE_CHECKING:
    from numpy.typing import NDArray

CARDS: Final = 52
SEATS: Final = 6
PAIRS: Final = CARDS * (CARDS - 1) // 2
DF: Final = PAIRS - 1

_LOW_HIGH: Final = np.triu_indices(CARDS, 1)


def split_by_cards(counts: NDArray[np.int64]) -> tuple[float, float]:
    """Return the sums of squares of a table of pairs: the part of single cards, and the rest."""
    mean = int(counts.sum()) / PAIRS
    off = counts - mean
    by_card = np.bincount(_LOW_HIGH[0], counts, CARDS) + np.bincount(_LOW_HIGH[1], counts, CARDS)
    # A card that lies g above its mean, in the pairs with 51 others, adds g / 50 to each of them.
    of_cards = fsum(((by_card - mean * (CARDS - 1)) ** 2).tolist()) / (CARDS - 2)
    return of_cards, fsum((off**2).tolist()) - of_cards


def _measure_pooled(sample: Sample) -> Measure:
    counts = sample.counts["holes"].sum(axis=0)
    decks = sample.size.decks
    expected = SEATS * decks / PAIRS
    of_cards, rest = split_by_cards(counts)
    others = SEATS - 1
    found = (of_cards / (1 - others / 25) + rest / (1 + others / 1225)) / expected
    return Measure(found, chance.chi_square_upper(found, DF), SEATS * decks, DF)


def _measure_seat(sample: Sample) -> Measure:
    decks = sample.size.decks
    found = [equal_cells(seat, decks / PAIRS) for seat in sample.counts["holes"]]
    p = chance.smallest_of(chance.chi_square_upper(max(found), DF), SEATS)
    return Measure(max(found), p, decks, DF)


def _words(size: Size, tables: int) -> str:
    off = sqrt(power.noncentrality(DF) * PAIRS / (tables * size.decks))
    if off > 1:
        return f"pairs of hole cards that come {1 + off:.1f} times as often"
    return f"one pair of hole cards off by {power.percent(off)}"


STATISTICS: Final = (
    Statistic(
        name="S14",
        title="hole cards, all seats together",
        level=Level.GAME,
        covers=("GLI.total", "PA.chi-square"),
        null="cards' part over 0.8 and the rest over 1.004, chi-square of 1325",
        tail=Tail.UPPER,
        applies=lambda size: SEATS * size.decks >= FEWEST_EQUAL * PAIRS,
        measure=_measure_pooled,
        detectable=lambda size: _words(size, SEATS),
    ),
    Statistic(
        name="S14.seat",
        title="hole cards of the seat where they are least even",
        level=Level.GAME,
        covers=("GLI.total", "PA.chi-square"),
        null="the largest of six chi-squares of 1325",
        tail=Tail.UPPER,
        applies=lambda size: size.decks >= FEWEST_EQUAL * PAIRS,
        measure=_measure_seat,
        detectable=lambda size: _words(size, 1),
    ),
)
