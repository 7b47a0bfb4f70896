"""What a seat is refused, why, and what it is told instead."""

import re

import pytest

from dealer_service.rules import hand as engine
from dealer_service.rules.entry import Act, By
from dealer_service.rules.refusal import HandReason, Refusal
from tests.runners.driver import Driver, make_rules, open_hand, stack_deck

STACKS = {1: 1000, 2: 1000, 3: 1000}


def start(stacks: dict[int, int] = STACKS) -> Driver:
    opened = open_hand(stacks, 3, 1, 2)
    return Driver.start(make_rules(50, 100), opened, stack_deck(stacks, 3, {}, ()))


def on_the_flop() -> Driver:
    driver = start()
    for seat, act in ((3, Act.CALL), (1, Act.CALL), (2, Act.CHECK)):
        assert driver.act(seat, act, None) is None
    return driver


BEFORE_THE_FLOP = [
    (
        1,
        1,
        Act.CALL,
        None,
        HandReason.NOT_YOUR_TURN,
        "seat 3 is to act: wait for the turn of seat 1",
    ),
    (
        7,
        1,
        Act.CALL,
        None,
        HandReason.NOT_DEALT_IN,
        "seat 7 is not dealt into hand 1: wait for the next hand",
    ),
    (3, 2, Act.CALL, None, HandReason.WRONG_TURN, "turn 2 is not open: answer turn 1"),
    (3, 0, Act.CALL, None, HandReason.WRONG_TURN, "turn 0 is not open: answer turn 1"),
    (
        3,
        1,
        Act.CHECK,
        None,
        HandReason.CANNOT_CHECK,
        "there are 100 to call: call or fold instead of checking",
    ),
    (
        3,
        1,
        Act.BET,
        300,
        HandReason.RAISE_INSTEAD,
        "there is a bet of 100: raise to at least 200 and at most 1000",
    ),
    (3, 1, Act.RAISE, 199, HandReason.TOO_SMALL, "raise to at least 200"),
    (3, 1, Act.RAISE, 0, HandReason.TOO_SMALL, "raise to at least 200"),
    (3, 1, Act.RAISE, -5, HandReason.TOO_SMALL, "raise to at least 200"),
    (3, 1, Act.RAISE, 1001, HandReason.TOO_LARGE, "raise to at most 1000, which is all-in"),
    (
        3,
        1,
        Act.RAISE,
        None,
        HandReason.AMOUNT_MISSING,
        "name the total: raise to at least 200 and at most 1000",
    ),
    (
        3,
        1,
        Act.CALL,
        150,
        HandReason.AMOUNT_MISMATCH,
        "a call makes the seat's bet 100, not 150: send no amount with it",
    ),
    (
        3,
        1,
        Act.FOLD,
        150,
        HandReason.AMOUNT_MISMATCH,
        "a fold makes the seat's bet 0, not 150: send no amount with it",
    ),
]

ON_THE_FLOP = [
    (1, 4, Act.CALL, None, HandReason.NOTHING_TO_CALL, "there is nothing to call: check instead"),
    (
        1,
        4,
        Act.RAISE,
        300,
        HandReason.BET_INSTEAD,
        "there is no bet yet: bet at least 100 and at most 900",
    ),
    (1, 4, Act.BET, 99, HandReason.TOO_SMALL, "bet at least 100"),
    (1, 4, Act.BET, 901, HandReason.TOO_LARGE, "bet at most 900, which is all-in"),
    (1, 3, Act.CHECK, None, HandReason.WRONG_TURN, "turn 3 is not open: answer turn 4"),
]


Row = tuple[int, int, Act, int | None, HandReason, str]


def check_refused(driver: Driver, row: Row) -> None:
    seat, turn, act, to, reason, text = row
    refusal = engine.act(driver.state, seat, turn, act, to, By.PLAYER)
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, refusal.message) == (reason, text)
    assert sorted(map(int, re.findall(r"\d+", text))) == sorted(refusal.numbers.values())


@pytest.mark.parametrize("row", BEFORE_THE_FLOP, ids=[row[-1] for row in BEFORE_THE_FLOP])
def test_before_the_flop_a_refusal_says_what_would_be_allowed(row: Row) -> None:
    check_refused(start(), row)


@pytest.mark.parametrize("row", ON_THE_FLOP, ids=[row[-1] for row in ON_THE_FLOP])
def test_on_the_flop_a_refusal_says_what_would_be_allowed(row: Row) -> None:
    check_refused(on_the_flop(), row)


def test_when_the_hand_is_over_nobody_is_to_act() -> None:
    driver = start()
    for seat in (3, 1):
        assert driver.act(seat, Act.FOLD, None) is None
    words = "nobody is to act: wait for the next turn"
    check_refused(driver, (2, 1, Act.CHECK, None, HandReason.NO_DECISION, words))


NO_RAISE = [
    (
        {1: 1000, 2: 1000, 3: 80},
        [],
        (3, Act.RAISE, 80),
        "all 80 chips left only call: call 80 or fold",
    ),
    (
        {1: 90, 2: 100, 3: 1000},
        [],
        (3, Act.RAISE, 200),
        "no other player could put in more than 100: call 100 or fold",
    ),
    (
        {1: 1000, 2: 150, 3: 1000},
        [(3, Act.CALL, None), (1, Act.CALL, None), (2, Act.RAISE, 150)],
        (3, Act.RAISE, 250),
        "the seat has acted and faces 50, less than a full raise of 100: call 50 or fold",
    ),
]


@pytest.mark.parametrize(("stacks", "before", "asked", "text"), NO_RAISE)
def test_where_no_raise_is_offered_the_refusal_says_why(
    stacks: dict[int, int],
    before: list[tuple[int, Act, int | None]],
    asked: tuple[int, Act, int],
    text: str,
) -> None:
    driver = start(stacks)
    for act in before:
        assert driver.act(*act) is None
    refusal = driver.act(*asked)
    assert refusal is not None
    assert (refusal.reason, refusal.message) == (HandReason.NO_RAISE, text)
    numbers = set(map(int, re.findall(r"\d+", text)))
    assert numbers == set(refusal.numbers.values())
    decision = driver.decision
    assert decision is not None
    assert (decision.bet, decision.raise_) == (None, None)
    assert text.startswith(decision.no_raise_because)


def test_an_all_in_may_be_less_than_the_smallest_bet() -> None:
    driver = start({1: 1000, 2: 140, 3: 1000})
    for act in ((3, Act.CALL), (1, Act.CALL), (2, Act.CHECK), (1, Act.CHECK)):
        assert driver.act(*act, None) is None
    decision = driver.decision
    assert decision is not None
    assert decision.bet == engine.Range(40, 40)
    refusal = driver.act(2, Act.BET, 30)
    assert refusal is not None
    assert refusal.message == "bet at least 40, which is all-in"


def test_a_decision_tells_all_about_a_turn() -> None:
    assert start().decision == engine.Decision(
        hand=1,
        turn=1,
        seat=3,
        may_check=False,
        call=100,
        bet=None,
        raise_=engine.Range(200, 1000),
        no_raise_because="",
        began=0,
        deadline=20_000,
        call_to=100,
        bank_ms=0,
        presets=(
            engine.Preset("min", 200, 200),
            engine.Preset("half", 225, 225),
            engine.Preset("three_quarters", 287, 287),
            engine.Preset("pot", 350, 350),
            engine.Preset("all_in", 1000, 1000),
        ),
    )


def test_an_amount_that_only_repeats_a_call_is_taken() -> None:
    assert start().act(3, Act.CALL, 100) is None
    assert start().act(3, Act.CALL, 0) is None
