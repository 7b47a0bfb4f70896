"""Uncalled bets, layers and splits of the audit's own engine."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit_cli.poker.positions import clockwise, place_blinds, place_button
from audit_cli.poker.pots import find_uncalled, layer_pots, split_pot
from tests.support.rule_cases import CASES

POTS = [case for case in CASES if case["kind"] == "pots" and not case["given"].get("dead")]


@pytest.mark.parametrize("case", POTS, ids=[case["id"] for case in POTS])
def test_pots_of_the_rule_cases_come_out_as_they_say(case: dict[str, Any]) -> None:
    totals = dict(case["given"]["contributed"])
    live = [seat for seat in totals if seat not in case["given"]["folded"]]
    uncalled = find_uncalled(totals, live)
    returned = {} if uncalled is None else {uncalled[0]: uncalled[1]}
    assert returned == case["expect"]["returned"]
    for seat, amount in returned.items():
        totals[seat] -= amount
    pots = [
        {"amount": pot.amount, "eligible": sorted(pot.eligible)} for pot in layer_pots(totals, live)
    ]
    assert pots == case["expect"]["pots"]


def test_a_folded_seat_gets_nothing_back() -> None:
    assert find_uncalled({1: 500, 2: 300}, [2]) is None
    assert find_uncalled({1: 500, 2: 300, 3: 100}, [1, 3]) == (1, 200)


@given(st.dictionaries(st.integers(1, 10), st.integers(0, 500), min_size=2, max_size=10), st.data())
def test_pots_hold_exactly_what_was_put_in(totals: dict[int, int], data: st.DataObject) -> None:
    live = data.draw(st.lists(st.sampled_from(sorted(totals)), min_size=1, unique=True))
    pots = layer_pots(totals, live)
    assert sum(pot.amount for pot in pots) == sum(totals.values())
    sizes = [len(pot.eligible) for pot in pots]
    assert sizes == sorted(set(sizes), reverse=True)


@given(st.integers(0, 10_000), st.integers(1, 50), st.integers(1, 10))
def test_a_split_pays_all_and_favours_the_first_left_of_the_button(
    amount: int, unit: int, winners: int
) -> None:
    shares = list(split_pot(amount, unit, range(1, winners + 1)).values())
    assert sum(shares) == amount
    assert shares == sorted(shares, reverse=True)
    assert all(share % unit == 0 for share in shares[1:])
    assert shares[0] - shares[-1] < 2 * unit


@pytest.mark.parametrize(
    ("amount", "unit", "shares"),
    [(100, 1, {4: 50, 2: 50}), (101, 1, {4: 51, 2: 50}), (107, 5, {4: 57, 2: 50})],
)
def test_odd_chips_go_to_the_first_winner(amount: int, unit: int, shares: dict[int, int]) -> None:
    assert split_pot(amount, unit, [4, 2]) == shares


@pytest.mark.parametrize(
    ("dealt_in", "last", "stays", "button"),
    [
        ([2, 5, 7], 0, False, 2),
        ([2, 5, 7], 2, False, 5),
        ([2, 5, 7], 7, False, 2),
        ([2, 5, 7], 5, True, 5),
        ([2, 7], 5, True, 7),
        ([2, 5], 7, False, 2),
    ],
)
def test_the_button_moves_to_the_left_and_stays_after_a_void(
    dealt_in: list[int], last: int, stays: bool, button: int
) -> None:
    assert place_button(dealt_in, last, stays=stays) == button


def test_blinds_are_left_of_the_button_and_heads_up_the_button_has_the_small_one() -> None:
    assert place_blinds([2, 5, 7], 5) == (7, 2)
    assert place_blinds([2, 5], 5) == (5, 2)
    assert clockwise([2, 5, 7], 5) == (7, 2, 5)
