"""S5 to S13: the shape of the permutation that a deck is, by its exact laws.

Matches with the hand before are the fixed points of one permutation after the inverse of another,
which is as uniform as both and independent from hand to hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from audit_cli.rng.battery import permutations
from audit_cli.rng.battery.tables import Histogram, Law, all_decks, histogram_test, mean_test

if TYPE_CHECKING:
    from audit_cli.rng.battery.statistic import Size, Statistic

CARDS: Final = 52

FIXED: Final = Law(permutations.count_fixed(CARDS))
CYCLES: Final = Law(permutations.count_cycles(CARDS))


def _with_one_before(size: Size) -> int:
    return size.decks - size.chunks


def _both(
    name: str, title: str, histogram: Histogram, null: str, covers: tuple[str, ...] = ()
) -> tuple[Statistic, Statistic]:
    return (
        histogram_test(name, title, histogram, null, covers=covers),
        mean_test(f"{name}.mean", f"{title}: the mean", histogram, covers=covers),
    )


STATISTICS: Final = (
    *_both(
        "S5",
        "cards where the hand before had them",
        Histogram("matches", FIXED, _with_one_before),
        "rencontres numbers",
        ("GLI.serial", "PA.serial"),
    ),
    *_both(
        "S6",
        "cards at their place in a new deck",
        Histogram("fixed", FIXED, all_decks),
        "rencontres numbers",
        ("GLI.total",),
    ),
    *_both(
        "S7",
        "cycles",
        Histogram("cycles", CYCLES, all_decks),
        "Stirling numbers of the first kind",
    ),
    *_both(
        "S8",
        "inversions",
        Histogram("inversions", Law(permutations.count_inversions(CARDS)), all_decks),
        "Mahonian numbers",
        ("PA.order",),
    ),
    *_both(
        "S9",
        "descents",
        Histogram("descents", Law(permutations.count_descents(CARDS)), all_decks),
        "Eulerian numbers",
        ("PA.adjacency", "GLI.runs", "PA.runs"),
    ),
    *_both(
        "S10",
        "rising sequences",
        Histogram("rising", Law(permutations.count_rising(CARDS)), all_decks),
        "Eulerian numbers, of the inverse",
        ("PA.adjacency",),
    ),
    *_both(
        "S11",
        "runs up and down",
        Histogram("runs", Law(permutations.count_runs(CARDS)), all_decks),
        "Andre's numbers of alternating runs",
        ("GLI.runs", "PA.runs"),
    ),
    *_both(
        "S12",
        "longest increasing subsequence",
        Histogram("lis", Law(permutations.count_increasing(CARDS)), all_decks),
        "pairs of standard tableaux by the length of their first row",
        ("PA.subsequences",),
    ),
    histogram_test(
        "S13",
        "order of the first five cards",
        Histogram("order5", Law((1,) * 120), all_decks),
        "120 orders, equally likely",
        covers=("PA.permutation",),
    ),
)
