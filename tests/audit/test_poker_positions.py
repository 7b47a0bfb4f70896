"""Dead button, waiting for the big blind, missed blinds and straddles of the audit's own engine."""

from typing import Any

import pytest

from audit_cli.poker.positions import (
    Last,
    Places,
    called,
    has_passed,
    left_out,
    place_dead,
    place_moving,
    straddler,
)
from tests.support.rule_cases import CASES

BUTTONS = [case for case in CASES if case["kind"] == "button"]


def last_of(places: Places, dealt_in: set[int], *, void: bool = False) -> Last:
    return Last(places.button, void=void, places=places, dealt_in=frozenset(dealt_in))


@pytest.mark.parametrize("case", BUTTONS, ids=[case["id"] for case in BUTTONS])
def test_the_button_cases_come_out_as_they_say(case: dict[str, Any]) -> None:
    given = case["given"]
    seats = set(given["seats"])
    last = last_of(Places(given["button"], given["sb"], given["bb"]), seats)
    place = place_moving if "moving_button" in case["topics"] else place_dead
    for step in ({**given, "expect": case["expect"]}, *case.get("then", ())):
        seats -= set(step["eliminated_or_left"])
        places, expect = place(seats, last), step["expect"]
        small = None if places.dead else places.small
        assert (places.button, small, places.big) == (
            expect["button"],
            expect["sb"],
            expect["bb"],
        )
        if "button_is_dead" in expect:
            assert (places.button not in seats) == expect["button_is_dead"]
        last = last_of(places, seats)


def test_after_a_void_dead_buttons_stay_where_their_seats_are_as_they_were() -> None:
    places = Places(1, 3, 5)
    void = last_of(places, {1, 3, 5, 7}, void=True)
    assert place_dead({1, 3, 5}, void) == places
    assert place_dead({1, 3, 5, 9}, void) == places
    assert place_dead({1, 5, 7}, void) == Places(1, 5, 7)
    heads_up = last_of(Places(1, 1, 3), {1, 3}, void=True)
    assert place_dead({1, 2, 3}, heads_up) == Places(1, 2, 3)


def test_a_newcomer_between_the_blinds_of_two_gets_no_button_on_the_big_blind() -> None:
    last = last_of(Places(1, 1, 3), {1, 3})
    assert place_dead({1, 2, 3}, last) == Places(2, 3, 1)


def test_the_big_blind_comes_to_one_waiting_seat_at_a_time() -> None:
    last = last_of(Places(1, 2, 3), {1, 2, 3})
    assert called([4, 5], [1, 2, 3], last, dead=True) == (4,)
    assert called([9], [1, 2, 3], last, dead=True) == (9,)
    assert called([4], [1, 2, 3, 5], last, dead=False) == (4,)
    assert called([2], [1, 3, 5], last, dead=False) == ()


@pytest.mark.parametrize(("dead", "others"), [(True, [1]), (False, [1, 3])])
def test_nobody_waits_where_too_few_would_be_dealt_in(dead: bool, others: list[int]) -> None:
    last = last_of(Places(1, 1, 3), {1, 3})
    assert called([5, 7], others, last, dead=dead) == (5, 7)


@pytest.mark.parametrize(
    ("seat", "before", "now", "passed"),
    [
        (4, 3, 5, True),
        (5, 3, 5, True),
        (3, 3, 5, False),
        (6, 3, 5, False),
        (1, 9, 2, True),
        (10, 9, 2, True),
        (4, 9, 2, False),
        (4, 3, 3, False),
    ],
)
def test_a_blind_passes_the_seats_clockwise_to_where_it_is(
    seat: int, before: int, now: int, passed: bool
) -> None:
    assert has_passed(seat, before, now) == passed


def test_the_straddle_is_of_the_first_who_may_and_is_no_blind() -> None:
    seats, places = {1, 2, 3, 4, 5}, Places(5, 1, 2)
    everybody = seats.__contains__
    assert straddler("under_the_gun", seats, places, everybody) == 3
    assert straddler("button", seats, places, everybody) == 5
    assert straddler("mississippi", seats, places, everybody) == 5
    assert straddler("mississippi", seats, places, {1, 3, 4}.__contains__) == 4
    assert straddler("mississippi", seats, places, {1, 2}.__contains__) is None
    assert straddler("under_the_gun", seats, places, {4}.__contains__) is None
    assert straddler("button", {1, 2, 3}, Places(5, 1, 2), everybody) is None
    assert straddler("mississippi", {1, 5}, Places(5, 5, 1), everybody) is None


BY_POSITION: dict[str, tuple[Places, set[int], set[int]]] = {
    # Places of the hand before, the seats with chips now, those that wait.
    "behind the button": (Places(1, 3, 5), {1, 3, 5, 7, 4}, {4}),
    "at the button": (Places(1, 3, 5), {1, 3, 5, 7, 2}, set()),
    "behind a dead button": (Places(1, 3, 5), {1, 5, 7, 4}, {4}),
    "before a dead small blind": (Places(1, 3, 5), {1, 3, 7, 4}, {4}),
    "at a dead small blind": (Places(1, 3, 5), {1, 3, 7, 5}, set()),
    "at the big blind": (Places(1, 3, 5), {1, 3, 5, 7, 6}, set()),
    "over the highest seat": (Places(7, 9, 2), {7, 9, 2, 5, 10, 1}, {10, 1}),
    "heads-up before": (Places(3, 3, 5), {3, 5, 4}, set()),
    "not if one alone would be left": (Places(1, 3, 6), {4, 5, 6}, set()),
    "heads-up now": (Places(1, 3, 5), {4, 5}, set()),
}


@pytest.mark.parametrize("name", BY_POSITION)
def test_nobody_comes_in_between_button_and_small_blind(name: str) -> None:
    before, seats, waiting = BY_POSITION[name]
    last = last_of(before, {before.button, before.small, before.big})
    assert left_out(seats, last) == waiting


def test_nobody_waits_by_position_in_the_first_hand() -> None:
    assert left_out({1, 2, 3}, Last()) == set()
