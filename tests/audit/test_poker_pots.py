"""Uncalled bets, layers and splits of the audit's own engine."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit_cli.poker.positions import clockwise, place_blinds, place_button
from audit_cli.poker.pots import (
    Pot,
    find_uncalled,
    halve,
    layer_pots,
    split_pot,
    spread_rake,
)
from audit_cli.poker.rules import Rake
from tests.support.rule_cases import CASES

POTS = [case for case in CASES if case["kind"] == "pots"]
SPLITS = [case for case in CASES if case["kind"] == "split"]


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
        {"amount": pot.amount, "eligible": sorted(pot.eligible)}
        for pot in layer_pots(totals, live, case["given"]["dead"])
    ]
    assert pots == case["expect"]["pots"]


def test_a_folded_seat_gets_nothing_back() -> None:
    assert find_uncalled({1: 500, 2: 300}, [2]) is None
    assert find_uncalled({1: 500, 2: 300, 3: 100}, [1, 3]) == (1, 200)


@pytest.mark.parametrize("case", SPLITS, ids=[case["id"] for case in SPLITS])
def test_shared_pots_of_the_rule_cases_come_out_as_they_say(case: dict[str, Any]) -> None:
    given_, expect = case["given"], case["expect"]
    halves = halve(given_["pot"], 1)
    assert dict(zip(("high", "low"), halves, strict=True)) == expect["halves"]
    paid: dict[int, int] = {}
    for amount, half in zip(halves, ("high_winners", "low_winners"), strict=True):
        winners = [
            one for one in clockwise(given_["seats"], given_["button"]) if one in given_[half]
        ]
        for seat, share in split_pot(amount, 1, winners).items():
            paid[seat] = paid.get(seat, 0) + share
    assert paid == expect["paid"]


@pytest.mark.parametrize(
    ("amount", "unit", "halves"), [(75, 1, (38, 37)), (75, 5, (40, 35)), (77, 5, (42, 35))]
)
def test_an_odd_unit_and_what_is_below_one_is_of_the_first_half(
    amount: int, unit: int, halves: tuple[int, int]
) -> None:
    assert halve(amount, unit) == halves


def test_dead_money_joins_the_main_pot_and_is_nobodys() -> None:
    assert find_uncalled({1: 100, 2: 100}, [1, 2]) is None
    assert layer_pots({1: 100, 2: 40, 3: 100}, [1, 2, 3], 30) == (
        Pot(150, (1, 2, 3)),
        Pot(120, (1, 3)),
    )


def test_who_has_nothing_but_dead_money_in_can_win_dead_money_alone() -> None:
    pots = layer_pots({1: 0, 2: 60, 3: 60}, [1, 2, 3], 25)
    assert pots == (Pot(25, (1, 2, 3)), Pot(120, (2, 3)))


def test_where_nothing_lies_there_is_no_pot() -> None:
    assert layer_pots({1: 0, 2: 0}, [2]) == ()


RAKE = Rake(500, ((2, 10), (4, 20)), no_flop_no_drop=True)


@pytest.mark.parametrize(
    ("lying", "players", "flop", "rake"),
    [
        (100, 2, True, 5),
        (119, 2, True, 5),
        (1_000, 2, True, 10),
        (1_000, 3, True, 10),
        (1_000, 4, True, 20),
        (300, 9, True, 15),
        (1_000, 9, False, 0),
    ],
)
def test_rake_is_a_rate_up_to_the_cap_of_so_many_players(
    lying: int, players: int, flop: bool, rake: int
) -> None:
    assert RAKE.amount(lying, players, flop=flop) == rake


def test_rake_is_taken_from_the_main_pot_first() -> None:
    pots = (Pot(8, (1, 2, 3)), Pot(100, (2, 3)))
    assert spread_rake(pots, 5) == (5, 0)
    assert spread_rake(pots, 11) == (8, 3)


@given(st.dictionaries(st.integers(1, 10), st.integers(0, 500), min_size=2, max_size=10), st.data())
def test_pots_hold_exactly_what_was_put_in(totals: dict[int, int], data: st.DataObject) -> None:
    live = data.draw(st.lists(st.sampled_from(sorted(totals)), min_size=1, unique=True))
    pots = layer_pots(totals, live)
    assert sum(pot.amount for pot in pots) == sum(totals.values())
    sizes = [len(pot.eligible) for pot in pots]
    assert sizes == sorted(set(sizes), reverse=True)
    assert all(pot.amount for pot in pots)


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
