"""The chi-squares whose cells depend on each other, proved by listing every deck of a small pack.

A sum of squares q over a table of N decks is a chi-square of d for large N exactly if, over one
deck's law, it has d eigenvalues of one and no other but zero. They are those of the matrix of q's
products between all equally likely decks, over their number.
"""

from __future__ import annotations

from itertools import combinations, permutations, product
from math import comb
from typing import TYPE_CHECKING

import numpy as np
import pytest

from audit_cli.rng.battery.holes import sum_pairs
from audit_cli.rng.battery.neighbours import sum_followers
from audit_cli.rng.battery.positions import sum_places
from audit_cli.rng.battery.seats import ACE_COVARIANCE, ACE_MEAN, ACE_VARIANCE, ACES
from audit_cli.rng.battery.serial import sum_interaction
from audit_cli.rng.battery.tables import equal_cells

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Table = NDArray[np.int64]
    Statistic = Callable[[Table, int], float]

Deck = tuple[int, ...]


def eigenvalues(tables: list[Table], statistic: Statistic) -> list[float]:
    """`statistic(table, decks)` of one deck and of two, for the products between them."""
    alone = [statistic(table, 1) for table in tables]
    products = np.diag(alone)
    for a, b in combinations(range(len(tables)), 2):
        together = statistic(tables[a] + tables[b], 2)
        products[a, b] = products[b, a] = together - (alone[a] + alone[b]) / 2
    found: list[float] = np.linalg.eigvalsh(products / len(tables)).tolist()
    return found


def assert_chi_square(tables: list[Table], statistic: Statistic, df: int) -> None:
    values = sorted(eigenvalues(tables, statistic))
    assert values[:-df] == pytest.approx([0] * (len(values) - df), abs=1e-9)
    assert values[-df:] == pytest.approx([1] * df)


def places(deck: Deck, kind_of: Callable[[int], int]) -> Table:
    table = np.zeros((len(deck), 1 + max(map(kind_of, deck))), np.int64)
    for place, card in enumerate(deck):
        table[place, kind_of(card)] += 1
    return table


def test_card_by_position_is_a_chi_square_after_its_factor() -> None:
    decks = [places(deck, lambda card: card) for deck in permutations(range(4))]
    assert_chi_square(decks, sum_places, 3 * 3)


def test_rank_by_position_is_a_chi_square_after_the_same_factor() -> None:
    decks = [places(deck, lambda card: card // 2) for deck in permutations(range(4))]
    assert_chi_square(decks, sum_places, 3 * 1)


def test_without_the_factor_card_by_position_is_none() -> None:
    decks = [places(deck, lambda card: card) for deck in permutations(range(4))]
    values = eigenvalues(decks, lambda table, n: equal_cells(table, n / 4))
    assert max(values) == pytest.approx(4 / 3)


def followers(deck: Deck) -> Table:
    edge = len(deck)
    table = np.zeros((edge + 1, edge + 1), np.int64)
    for card, behind in zip((edge, *deck), (*deck, edge), strict=True):
        table[card, behind] += 1
    return table


@pytest.mark.parametrize("n", [3, 4, 5])
def test_followers_with_the_edge_are_a_chi_square(n: int) -> None:
    decks = [followers(deck) for deck in permutations(range(n))]
    assert_chi_square(decks, sum_followers, n * n - n - 1)


@pytest.mark.parametrize(("cards", "hands", "lag"), [(2, 6, 1), (3, 4, 1), (3, 4, 2)])
def test_the_interaction_of_overlapping_pairs_is_a_chi_square(
    cards: int, hands: int, lag: int
) -> None:
    tables = []
    for chunk in product(range(cards), repeat=hands):
        table = np.zeros((cards, cards), np.int64)
        for now, later in zip(chunk, chunk[lag:], strict=False):
            table[now, later] += 1
        tables.append(table)
    assert_chi_square(tables, lambda table, _: sum_interaction(table), (cards - 1) ** 2)


@pytest.mark.parametrize(("cards", "seats"), [(5, 2), (6, 2), (7, 3)])
def test_hole_cards_of_several_seats_are_a_chi_square(cards: int, seats: int) -> None:
    pairs = list(combinations(range(cards), 2))
    tables = []
    for held in combinations(range(len(pairs)), seats):
        if len({card for place in held for card in pairs[place]}) == 2 * seats:
            table = np.zeros(len(pairs), np.int64)
            table[list(held)] = 1
            tables.append(table)
    df = comb(cards, 2) - 1
    assert_chi_square(tables, lambda table, _: sum_pairs(table, seats, cards), df)


def test_the_aces_of_seats_vary_as_a_draw_without_replacement() -> None:
    """By listing where the four aces lie among two seats' cards and the rest."""
    first, second = range(2), range(2, 4)
    seen = [
        (sum(place in first for place in aces), sum(place in second for place in aces))
        for aces in combinations(range(52), 4)
    ]
    a, b = np.array(seen).T
    assert a.mean() == pytest.approx(ACE_MEAN)
    assert a.var() == pytest.approx(ACE_VARIANCE)
    assert (a * b).mean() - a.mean() * b.mean() == pytest.approx(ACE_COVARIANCE)
    assert (a == 2).mean() == pytest.approx(ACES)
