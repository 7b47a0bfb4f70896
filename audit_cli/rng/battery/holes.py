"""S14: is every pair of hole cards equally likely, over all seats and at each seat.

One seat's pairs are 1,326 equal cells. The pairs of S seats at one table share no card, so their
sum is no multinomial: its part that single cards explain (51 dimensions) has 1 - (S - 1)/25 times
the variance, and the rest (1,274) 1 + (S - 1)/1225 times. Each part is divided by its own.
"""

from __future__ import annotations

from math import comb, fsum, sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.rng.battery import chance, power
from audit_cli.rng.battery.statistic import Measure, Sample, Size, Statistic
from audit_cli.rng.battery.tables import FEWEST_EQUAL, equal_cells
from audit_cli.rng.counting.tables import SEATS
from audit_cli.rng.outcome import Level, Tail

if TYPE_CHECKING:
    from numpy.typing import NDArray

CARDS: Final = 52
PAIRS: Final = CARDS * (CARDS - 1) // 2
DF: Final = PAIRS - 1


def sum_pairs(counts: NDArray[np.int64], seats: int, cards: int = CARDS) -> float:
    """Return the statistic of the pairs that so many seats held in all.

    `counts` are by pair, (0, 1), (0, 2), ...; it is a chi-square of cards (cards - 1) / 2 - 1.
    """
    mean = int(counts.sum()) / len(counts)
    low, high = np.triu_indices(cards, 1)
    by_card = np.bincount(low, counts, cards) + np.bincount(high, counts, cards)
    # A card that lies g above its mean over its pairs adds g / (cards - 2) to each of them.
    of_cards = fsum(((by_card - mean * (cards - 1)) ** 2).tolist()) / (cards - 2)
    rest = fsum(((counts - mean) ** 2).tolist()) - of_cards
    # Seats hold disjoint pairs, and being disjoint has the eigenvalues 3 - cards and 1 on these two
    # parts, among the `apart` pairs that are disjoint of a given one.
    apart, others = comb(cards - 2, 2), seats - 1
    weighed = of_cards / (1 - others * (cards - 3) / apart) + rest / (1 + others / apart)
    return weighed / mean


def _measure_pooled(sample: Sample) -> Measure:
    counts = sample.counts["holes"].sum(axis=0)
    decks = sample.size.decks
    found = sum_pairs(counts, SEATS)
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
