"""Tail probabilities: against scipy's distributions, and against all outcomes of small cases."""

from __future__ import annotations

from itertools import product
from math import comb, prod

import pytest
from scipy import stats

from audit_cli.rng.battery import chance


@pytest.mark.parametrize("seen", [0, 1, 5, 40, 400])
def test_two_sided_poisson_is_twice_the_smaller_tail(seen: int) -> None:
    law = stats.poisson(5.5)
    expected = min(1, 2 * min(law.cdf(seen), law.sf(seen - 1)))
    assert chance.poisson_two_sided(seen, 5.5) == pytest.approx(expected, rel=1e-9)


def test_of_nothing_expected_nothing_is_seen() -> None:
    assert chance.poisson_two_sided(0, 0.0) == 1
    assert chance.poisson_two_sided(1, 0.0) == 0


@pytest.mark.parametrize("seen", [0, 1, 7, 19, 20])
def test_two_sided_binomial_is_twice_the_smaller_tail(seen: int) -> None:
    law = stats.binom(20, 0.3)
    expected = min(1, 2 * min(law.cdf(seen), law.sf(seen - 1)))
    assert chance.binomial_two_sided(seen, 20, 0.3) == pytest.approx(expected, rel=1e-9)


def test_a_binomial_of_a_thousand_million_keeps_its_tail() -> None:
    p = chance.binomial_two_sided(10**9 // 52 + 50_000, 10**9, 1 / 52)
    assert p == pytest.approx(2 * stats.norm.sf(50_000 / (10**9 / 52 * 51 / 52) ** 0.5), rel=0.02)


@pytest.mark.parametrize("level", [0.01, 0.2, 0.37, 0.5, 0.93])
def test_a_split_binomial_p_is_exactly_uniform(level: float) -> None:
    """The chance of p <= level, by all outcomes and a fine grid of places, is the level."""
    grid = [(k + 0.5) / 2000 for k in range(2000)]
    total = sum(
        stats.binom.pmf(seen, 9, 0.3)
        * sum(chance.binomial_two_sided(seen, 9, 0.3, place) <= level for place in grid)
        / len(grid)
        for seen in range(10)
    )
    assert total == pytest.approx(level, abs=1e-3)


@pytest.mark.parametrize("level", [0.01, 0.2, 0.5, 0.93])
def test_a_split_lattice_p_is_nearly_uniform(level: float) -> None:
    """A sum of 100 things, taken as normal."""
    grid = [(k + 0.5) / 500 for k in range(500)]
    deviation = (100 * 0.25) ** 0.5
    total = sum(
        stats.binom.pmf(seen, 100, 0.5)
        * sum(chance.lattice_two_sided(seen - 50, deviation, place) <= level for place in grid)
        / len(grid)
        for seen in range(101)
    )
    assert total == pytest.approx(level, abs=3e-3)


def all_of_three_cells() -> list[tuple[tuple[int, ...], float]]:
    cell = [comb(6, k) * 0.3**k * 0.7 ** (6 - k) for k in range(7)]
    return [
        (counts, prod(cell[count] for count in counts)) for counts in product(range(7), repeat=3)
    ]


def test_the_most_unlikely_of_some_cells_has_the_chance_it_says() -> None:
    """Where p is small it is exactly the chance of such a p or a smaller one."""
    outcomes = [
        (chance.extreme_cell(min(counts), max(counts), 6, 0.3, 3), weight)
        for counts, weight in all_of_three_cells()
    ]
    for level in {p for p, _ in outcomes if p < 0.5}:
        assert sum(weight for p, weight in outcomes if p <= level * (1 + 1e-9)) == pytest.approx(
            level
        )


def test_cells_that_are_all_as_expected_are_not_called_too_good_by_more_than_their_chance() -> None:
    outcomes = [
        (chance.extreme_cell(min(counts), max(counts), 6, 0.3, 3), weight)
        for counts, weight in all_of_three_cells()
    ]
    for level in {1 - p for p, _ in outcomes if p > 0.5}:
        assert sum(weight for p, weight in outcomes if 1 - p <= level * (1 + 1e-9)) <= level + 1e-9


@pytest.mark.parametrize("level", [0.05, 0.3, 0.6, 0.95])
def test_the_split_p_of_the_most_unlikely_cell_is_exactly_uniform(level: float) -> None:
    """It moves evenly with the place, so its ends tell for which places it is within the level."""
    total = 0.0
    for counts, weight in all_of_three_cells():
        least, most = (
            chance.extreme_cell(min(counts), max(counts), 6, 0.3, 3, place) for place in (0.0, 1.0)
        )
        total += weight * min(1.0, max(0.0, (level - least) / (most - least)))
    assert total == pytest.approx(level)


@pytest.mark.parametrize("shares", [(0.25, 0.75), (0.1, 0.2, 0.7), (0.1, 0.2, 0.3, 0.4)])
def test_few_cells_seldom_meet_what_is_expected_of_them(shares: tuple[float, ...]) -> None:
    """A lattice's lower tail: no p near one is claimed to be rarer than it is."""
    n = 40
    law = stats.multinomial(n, shares)
    outcomes = []
    for head in product(range(n + 1), repeat=len(shares) - 1):
        if sum(head) > n:
            continue
        counts = (*head, n - sum(head))
        found = sum((o - n * p) ** 2 / (n * p) for o, p in zip(counts, shares, strict=True))
        p = chance.chi_square_of_few(found, [n * share for share in shares])
        outcomes.append((p, counts))
    weights = law.pmf([counts for _, counts in outcomes])
    for level in (0.001, 0.01, 0.05, 0.2):
        good = [p >= 1 - level for p, _ in outcomes]
        assert float(weights[good].sum()) <= 1.05 * level


def test_a_successes_distance_errs_to_the_safe_side_at_both_ends() -> None:
    law = stats.binom(40, 0.25)
    outcomes = [(chance.binomial_distance(k, 40, 0.25), law.pmf(k)) for k in range(41)]
    for level in (0.01, 0.05, 0.1, 0.2, 0.4):
        assert sum(weight for p, weight in outcomes if p <= level) <= level + 1e-12
        assert sum(weight for p, weight in outcomes if 1 - p <= level) <= level + 1e-12


def test_the_smallest_of_independent_values() -> None:
    assert chance.smallest_of(0.1, 3) == pytest.approx(1 - 0.9**3)
    assert chance.smallest_of(1e-20, 2704) == pytest.approx(2704e-20)
    assert chance.smallest_of(1.0, 5) == 1
