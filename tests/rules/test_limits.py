"""Pot limit and fixed limit: how far a bet goes, what a short all-in counts, where caps end it."""

from typing import Any

import pytest

from dealer_service.rules.entry import (
    AnteKind,
    AnteRule,
    ChoicesCount,
    Limits,
    Owed,
    PotSmallBlind,
    StraddleKind,
    StraddleRaise,
    StraddleRule,
    Structure,
)
from dealer_service.rules.refusal import HandReason
from tests.runners.driver import Driver
from tests.support.small_hands import offer, play, refuse, start_hand, to_act

POT: dict[str, Any] = {
    "structure": Structure.POT_LIMIT,
    "pot_small_blind": PotSmallBlind.EXACT,
}
STRADDLED: dict[str, Any] = {
    "straddle": StraddleRule(StraddleKind.UNDER_THE_GUN, StraddleRaise.DOUBLE),
    "choices_count": ChoicesCount.AT_ONCE,
}

FIRST_POT_RAISES: list[tuple[str, dict[str, Any], tuple[int, ...], int]] = [
    ("full blinds", {}, (1000,) * 4, 35),
    ("the small blind counts as a big one", {"pot_small_blind": "rounded_up"}, (1000,) * 4, 40),
    ("a short big blind counts in full", {}, (1000, 4, 1000, 1000), 35),
    ("a short small blind counts in full", {}, (2, 1000, 1000, 1000), 35),
    ("a dead small blind counts in full", {"dead_small_blind": True}, (1000,) * 4, 35),
    ("antes of each lie in the pot", {"ante": AnteRule(AnteKind.EACH, 2)}, (1000,) * 4, 43),
    ("a big blind ante too", {"ante": AnteRule(AnteKind.BIG_BLIND, 10)}, (1000,) * 4, 45),
    ("and owed posts, live and dead", {"owes": {4: Owed(10, 5)}}, (1000,) * 4, 50),
]


@pytest.mark.parametrize(
    ("why", "options", "stacks", "most"), FIRST_POT_RAISES, ids=[row[0] for row in FIRST_POT_RAISES]
)
def test_the_first_pot_raise(
    why: str, options: dict[str, Any], stacks: tuple[int, ...], most: int
) -> None:
    """TDA 2024 rule 54-B: before the flop full blinds are assumed."""
    driver = start_hand(*stacks, **{**POT, **options})
    assert offer(driver) == (20, most), why


def test_a_straddle_counts_in_the_pot() -> None:
    driver = start_hand(*(1000,) * 4, straddle_seat=3, **POT, **STRADDLED)
    assert offer(driver) == (40, 20 + 5 + 10 + 20 + 20)


def test_full_blinds_are_assumed_before_the_flop_alone() -> None:
    driver = start_hand(1000, 4, 1000, **POT)
    play(driver, "3 call", "1 call")
    assert offer(driver) == (10, 24)


def test_a_pot_raise_counts_the_call() -> None:
    driver = start_hand(1000, 1000, blinds=(25, 50), **POT)
    play(driver, "2 call", "1 check", "1 bet 50")
    assert offer(driver) == (100, 250)
    refusal = refuse(driver, "2 raise 251")
    assert refusal.reason is HandReason.TOO_LARGE
    assert refusal.message == "raise to at most 250, which is the pot"


def test_a_pot_raise_is_bounded_by_the_stack() -> None:
    driver = start_hand(1000, 200, blinds=(25, 50), **POT)
    play(driver, "2 call", "1 check", "1 bet 100")
    assert offer(driver) == (150, 150)


def test_pot_limit_reopens_as_no_limit() -> None:
    driver = start_hand(1000, 1000, 30, **POT)
    play(driver, "3 raise 30", "1 call", "2 call")
    assert to_act(driver) == 1
    driver = start_hand(1000, 1000, 1000, 35, **POT)
    play(driver, "3 raise 25", "4 raise 35", "1 fold", "2 fold")
    assert offer(driver) is None


def fixed(*stacks: int, cap: int = 4, uncapped: bool = False, **options: Any) -> Driver:
    return start_hand(
        *stacks,
        structure=Structure.FIXED_LIMIT,
        limits=Limits(10, 20, cap, uncapped_heads_up=uncapped),
        **options,
    )


def test_bets_are_small_before_and_on_the_flop_and_big_later() -> None:
    driver = fixed(500, 500, 500)
    assert offer(driver) == (20, 20)
    play(driver, "3 call", "1 call", "2 check")
    assert offer(driver) == (10, 10)
    play(driver, "1 check", "2 check", "3 check")
    assert offer(driver) == (20, 20)
    play(driver, "1 check", "2 check", "3 bet 20")
    assert offer(driver) == (40, 40)


def test_a_fixed_raise_is_one_bet_and_nothing_else() -> None:
    driver = fixed(500, 500, 500)
    assert refuse(driver, "3 raise 19").message == "raise to at least 20"
    assert refuse(driver, "3 raise 21").message == "raise to at most 20, which is one bet"
    assert refuse(driver, "3 bet 20").message == "there is a bet of 10: raise to exactly 20"


def test_the_big_blind_is_the_first_of_the_bets_that_a_cap_counts() -> None:
    driver = fixed(500, 500, 500)
    play(driver, "3 raise 20", "1 raise 30", "2 raise 40")
    assert offer(driver) is None
    refusal = refuse(driver, "3 raise 50")
    assert refusal.message == "the betting is capped at 4 bets: call 20 or fold"


def test_no_cap_is_no_cap() -> None:
    driver = fixed(500, 500, cap=0)
    play(driver, *(f"{1 + seat % 2} raise {10 + 10 * seat}" for seat in range(1, 21)))
    assert offer(driver) == (220, 220)


def test_heads_up_before_the_cap_is_reached_lifts_it_for_the_street() -> None:
    driver = fixed(500, 500, 500, uncapped=True)
    play(driver, "3 raise 20", "1 fold", "2 raise 30", "3 raise 40")
    assert offer(driver) == (50, 50)


def test_heads_up_after_the_cap_was_reached_leaves_it() -> None:
    driver = fixed(500, 500, 500, uncapped=True)
    play(driver, "3 raise 20", "1 raise 30", "2 raise 40", "3 fold")
    assert offer(driver) is None
    play(driver, "1 call", "1 bet 10", "2 raise 20", "1 raise 30", "2 raise 40")
    assert offer(driver) == (50, 50)


def on_the_turn(*stacks: int) -> Driver:
    driver = fixed(*(stack + 10 for stack in stacks))
    play(driver, "3 call", "1 call", "2 check", *("1 check", "2 check", "3 check"))
    return driver


def test_an_all_in_of_half_a_bet_counts_as_a_bet() -> None:
    driver = on_the_turn(500, 10, 500)
    play(driver, "1 check", "2 bet 10")
    assert offer(driver) == (30, 30)
    play(driver, "3 call")
    assert offer(driver) == (30, 30)


def test_an_all_in_of_less_than_half_a_bet_is_completed_by_the_next() -> None:
    driver = on_the_turn(500, 9, 500)
    play(driver, "1 check", "2 bet 9")
    assert offer(driver) == (20, 20)
    play(driver, "3 call")
    assert offer(driver) is None
    why = refuse(driver, "1 raise 20").message
    assert why.startswith("the seat has acted and faces 9, less than half a bet of 20")


def test_a_completed_bet_is_the_first_and_may_be_raised() -> None:
    driver = on_the_turn(500, 9, 500)
    play(driver, "1 check", "2 bet 9", "3 raise 20")
    assert offer(driver) == (40, 40)
    play(driver, "1 raise 40", "3 raise 60", "1 raise 80")
    assert offer(driver) is None


def test_a_short_raise_stands_under_the_next_full_bet() -> None:
    driver = on_the_turn(500, 25, 500)
    play(driver, "1 bet 20", "2 raise 25")
    assert offer(driver) == (40, 40)
    play(driver, "3 call")
    assert offer(driver) is None


def test_short_all_ins_on_each_other_add_up() -> None:
    """RRoP: several all-ins that are each too small act as a raise if together they are one."""
    driver = fixed(510, 19, 25, 510)
    play(driver, "3 call", "4 call", "1 call", "2 check")
    play(driver, "1 check", "2 check", "3 check", "4 check")
    play(driver, "1 check", "2 bet 9", "3 raise 15")
    assert offer(driver) == (35, 35)
    play(driver, "4 call")
    assert offer(driver) == (35, 35)


def test_a_straddle_is_the_first_bet() -> None:
    driver = fixed(500, 500, 500, 500, straddle_seat=3, **STRADDLED)
    assert offer(driver) == (30, 30)
    play(driver, "4 raise 30", "1 raise 40", "2 raise 50")
    assert offer(driver) is None
