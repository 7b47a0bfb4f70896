"""S20: can who has seen many decks guess the next card.

Whatever taught the guesser, 52 different guesses are right as often as a permutation has fixed
points. Who sees each card before the next guess is right at the k-th last with chance 1/k, each
time independently: as often as a permutation has cycles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from audit_cli.rng.battery.shapes import CYCLES, FIXED
from audit_cli.rng.battery.tables import Histogram, histogram_test, mean_test
from audit_cli.rng.counting.tables import guessed

if TYPE_CHECKING:
    from audit_cli.rng.battery.statistic import Size, Statistic


def _scored(size: Size) -> int:
    _, begin = guessed(size.chunk)
    return size.chunks * (size.chunk - begin)


_BLIND: Final = Histogram("guess_blind", FIXED, _scored)
_SEEING: Final = Histogram("guess_hits", CYCLES, _scored)

STATISTICS: Final[tuple[Statistic, ...]] = (
    histogram_test("S20.blind", "cards guessed before the deal", _BLIND, "rencontres numbers"),
    mean_test("S20.blind.mean", "cards guessed before the deal: the mean", _BLIND),
    histogram_test(
        "S20.seeing",
        "cards guessed one after the other",
        _SEEING,
        "Stirling numbers of the first kind",
    ),
    mean_test("S20.seeing.mean", "cards guessed one after the other: the mean", _SEEING),
)
