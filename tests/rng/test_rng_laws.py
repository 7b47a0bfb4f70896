"""The exact laws of the battery, by listing everything and by published figures."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from math import comb, factorial, sqrt
from typing import TYPE_CHECKING

import pytest

from audit_cli.poker import ranking
from audit_cli.rng.battery import permutations as laws
from audit_cli.rng.battery import ranks, shapes
from audit_cli.rng.battery.tables import Law
from audit_cli.rng.battery.together import HIGHER
from audit_cli.rng.battery.waiting import coupon_law, gap_law

if TYPE_CHECKING:
    from collections.abc import Callable

Deck = tuple[int, ...]


def count_fixed(p: Deck) -> int:
    return sum(value == place for place, value in enumerate(p))


def count_cycles(p: Deck) -> int:
    seen: set[int] = set()
    cycles = 0
    for start in p:
        cycles += start not in seen
        while start not in seen:
            seen.add(start)
            start = p[start]  # noqa: PLW2901
    return cycles


def count_inversions(p: Deck) -> int:
    return sum(a > b for a, b in combinations(p, 2))


def count_descents(p: Deck) -> int:
    return sum(a > b for a, b in pairwise(p))


def count_rising(p: Deck) -> int:
    inverse = tuple(sorted(range(len(p)), key=lambda place: p[place]))
    return 1 + count_descents(inverse)


def count_runs(p: Deck) -> int:
    ups = [a < b for a, b in pairwise(p)]
    return 1 + sum(a != b for a, b in pairwise(ups))


def count_increasing(p: Deck) -> int:
    longest: list[int] = []
    for place, value in enumerate(p):
        before = [longest[k] for k in range(place) if p[k] < value]
        longest.append(1 + max(before, default=0))
    return max(longest)


@pytest.mark.parametrize("n", [2, 3, 6, 7])
@pytest.mark.parametrize(
    "name", ["fixed", "cycles", "inversions", "descents", "rising", "runs", "increasing"]
)
def test_a_law_counts_what_listing_all_permutations_does(name: str, n: int) -> None:
    found = Counter(map(globals()[f"count_{name}"], permutations(range(n))))
    law = getattr(laws, f"count_{name}")(n)
    assert {k: count for k, count in enumerate(law) if count} == found


@pytest.mark.parametrize(
    ("name", "mean", "variance"),
    [
        ("fixed", 1, 1),
        ("cycles", 4.538044, 2.912157),
        ("inversions", 663, 4014.8333),
        ("descents", 25.5, 4.41667),
        ("rising", 26.5, 4.41667),
        ("runs", 34.333333, 8.9222222),
        ("increasing", 11.566371, 1.406708**2),
    ],
)
def test_the_laws_of_52_cards_have_the_published_moments(
    name: str, mean: float, variance: float
) -> None:
    law = Law(getattr(laws, f"count_{name}")(52))
    assert law.total == factorial(52)
    assert float(law.mean) == pytest.approx(mean, rel=1e-6)
    assert float(law.variance) == pytest.approx(variance, rel=2e-6)


@pytest.mark.parametrize(
    ("law", "first", "percent"),
    [
        (shapes.FIXED, 0, "36.7879441 36.7879441 18.3939721 6.131324 1.532831 .306566 .051094"),
        (shapes.CYCLES, 1, "1.923 8.690 18.071 23.282 21.049 14.316 7.659 3.325"),
        (Law(laws.count_descents(52)), 24, "14.711 18.407 18.407 14.711"),
        (Law(laws.count_increasing(52)), 10, "17.161 27.961 25.638"),
        (
            ranks.SEVEN,
            0,
            "17.411920 43.822546 23.495536 4.829870 4.619382 3.025494 2.596102 .168067 .031083",
        ),
        (
            ranks.FIVE,
            0,
            "50.117739 42.256903 4.753902 2.112845 .392465 .196540 .144058 .024010 .001539",
        ),
        (ranks.FLOP_SUITS, 0, "5.1765 55.0588 39.7647"),
        (ranks.FLOP_RANKS, 0, ".2353 16.9412 82.8235"),
    ],
)
def test_the_laws_have_the_published_chances(law: Law, first: int, percent: str) -> None:
    for cell, words in enumerate(percent.split(), first):
        half = 0.51 * 10 ** -len(words.partition(".")[2])
        assert 100 * law.weights[cell] / law.total == pytest.approx(float(words), abs=half)


def test_increasing_subsequences_of_52_cards_are_as_many_as_tableaux_say() -> None:
    """Frobenius' formula over all 281,589 shapes, which is not how the module counts small ones."""
    n = 52
    whole = factorial(n)
    factorials = [factorial(k) for k in range(2 * n)]
    cells = [0] * (n + 1)

    def add(left: int, least: int, beta: list[int], differences: int, below: int) -> None:
        if not left:
            cells[beta[-1] - len(beta) + 1] += (whole * differences // below) ** 2
            return
        for part in (*range(least, left // 2 + 1), left):
            longest = part + len(beta)
            product_ = differences
            for other in beta:
                product_ *= longest - other
            add(left - part, part, [*beta, longest], product_, below * factorials[longest])

    add(n, 1, [], 1, 1)
    assert tuple(cells) == laws.count_increasing(n)


def test_the_hands_of_a_category_add_up_to_all() -> None:
    assert ranks.SEVEN.total == comb(52, 7)
    assert ranks.FIVE.total == comb(52, 5)
    assert (ranks.FLOP_SUITS.total, ranks.FLOP_RANKS.total) == (comb(52, 3), comb(52, 3))


def test_flops_are_as_many_as_there_are() -> None:
    flops = list(combinations(range(52), 3))
    suits = Counter(len({card % 4 for card in flop}) - 1 for flop in flops)
    different = Counter(len({card // 4 for card in flop}) - 1 for flop in flops)
    assert dict(enumerate(ranks.FLOP_SUITS.weights)) == suits
    assert dict(enumerate(ranks.FLOP_RANKS.weights)) == different


def test_categories_are_numbered_as_hands_are_ranked() -> None:
    hands = ["2c4d6h8sTc", "2c2d6h8sTc", "2c2d6h6sTc", "2c2d2h8sTc", "2c3d4h5s6c"]
    hands += ["2c4c6c8cTc", "2c2d2h8s8c", "2c2d2h2sTc", "2c3c4c5c6c"]
    cards = ["23456789TJQKA".index(a) * 4 + "cdhs".index(b) for a, b in product(*RANKS_SUITS)]
    number = dict(zip((a + b for a, b in product(*RANKS_SUITS)), cards, strict=True))
    for category, hand in enumerate(hands):
        five = [number[hand[k : k + 2]] for k in range(0, 10, 2)]
        assert ranking.measure(five)[0] == category
    assert ranks.CATEGORIES[0] == "high card"
    assert ranks.CATEGORIES[-1] == "straight flush"


RANKS_SUITS = ("23456789TJQKA", "cdhs")


def test_the_higher_of_two_cards_is_as_often_as_listed() -> None:
    assert Counter(map(max, permutations(range(52), 2))) == {
        card: weight for card, weight in enumerate(HIGHER.weights) if weight
    }


def wait_for_all(sequence: Deck, kinds: int) -> int | None:
    seen: set[int] = set()
    for hands, kind in enumerate(sequence, 1):
        seen.add(kind)
        if len(seen) == kinds:
            return hands
    return None


@pytest.mark.parametrize("kinds", [1, 2, 3])
def test_the_wait_for_all_kinds_is_as_listed(kinds: int) -> None:
    cells = 8
    law = coupon_law(kinds, cells)
    found = Counter(wait_for_all(s, kinds) for s in product(range(kinds), repeat=cells - 2))
    total = kinds ** (cells - 2)
    for hands in range(1, cells - 1):
        assert law.weights[hands] / law.total == pytest.approx(found[hands] / total, abs=1e-15)
    assert law.weights[-1] / law.total == pytest.approx(found[None] / total, abs=1e-15)


def test_the_wait_for_one_kind_is_geometric() -> None:
    law = gap_law(3, 6)
    assert [Fraction(weight, law.total) for weight in law.weights] == [
        0,
        Fraction(1, 3),
        Fraction(2, 9),
        Fraction(4, 27),
        Fraction(8, 81),
        Fraction(16, 81),
    ]


@pytest.mark.parametrize(
    ("law", "mean", "deviation"),
    [
        (coupon_law(52, 3000), 235.9783, 64.5013),
        (coupon_law(13, 1000), 41.342, None),
        (coupon_law(4, 500), 8.333, None),
        (gap_law(52, 3000), 52, 51.50),
    ],
)
def test_waits_have_the_published_moments(law: Law, mean: float, deviation: float | None) -> None:
    assert float(law.mean) == pytest.approx(mean, abs=5e-4)
    if deviation is not None:
        assert sqrt(law.variance) == pytest.approx(deviation, abs=5e-3)


def test_the_wait_for_all_cards_has_the_published_quantiles() -> None:
    law = coupon_law(52, 3000)
    below = 0
    quantiles = []
    wanted = [10, 25, 50, 75, 90, 99]
    for hands, weight in enumerate(law.weights):
        below += weight
        while wanted and 100 * below >= wanted[0] * law.total:
            quantiles.append(hands)
            wanted.pop(0)
    assert quantiles == [166, 190, 225, 269, 320, 441]


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (3, 0, 4, 1, 2)])
def test_whoever_guesses_all_at_once_is_right_as_often_as_there_are_fixed_points(
    order: Deck,
) -> None:
    found = Counter(
        sum(a == b for a, b in zip(order, deck, strict=True)) for deck in permutations(range(5))
    )
    assert found == {k: count for k, count in enumerate(laws.count_fixed(5)) if count}


@pytest.mark.parametrize(
    "guess",
    [
        min,
        max,
        lambda left: left[len(left) // 2],
        lambda left: max(left, key=lambda card: (7 * card * len(left)) % 5),
    ],
)
def test_whoever_sees_each_card_is_right_as_often_as_there_are_cycles(
    guess: Callable[[list[int]], int],
) -> None:
    found: Counter[int] = Counter()
    for deck in permutations(range(5)):
        found[sum(guess(sorted(deck[place:])) == deck[place] for place in range(5))] += 1
    assert found == {k: count for k, count in enumerate(laws.count_cycles(5)) if count}
