"""Hands as PokerStars text, line by line: `tests/data/exports/pokerstars` has what is written."""

from dataclasses import replace
from pathlib import Path

import pytest

from audit_cli.export.money import CHIPS, Money
from audit_cli.export.pokerstars import write_pokerstars
from audit_cli.told.hand import Finish, Tournament
from tests.support.stars_reader import read_hand
from tests.support.told_houses import HouseHand, told_hand

GOLDEN = Path(__file__).parents[1] / "data" / "exports" / "pokerstars"
DOLLARS = Money("USD", 100)


CASES = {
    "dead_and_live_posted": HouseHand("hi_lo", 6, 4),
    "dead_posted_beside_a_small_blind": HouseHand("dead_button", 2, 4, money=DOLLARS),
    "dead_posted_by_who_sat_out": HouseHand("dead_button", 8, 16),
    "dead_small_blind": HouseHand("mississippi", 2, 5),
    "side_pots_with_rake": HouseHand("mississippi", 4, 1, money=DOLLARS),
    "run_twice_from_the_flop": HouseHand("mississippi", 4, 4),
    "run_twice_from_the_turn": HouseHand("straddles", 1, 6, money=DOLLARS),
    "run_twice_on_the_river": HouseHand("omaha", 6, 10),
    "high_and_low_shared": HouseHand("hi_lo", 2, 21),
    "high_and_low_run_twice": HouseHand("hi_lo", 8, 1),
    "fixed_limit_and_a_muck": HouseHand("limit", 3, 17, money=DOLLARS),
    "timed_out": HouseHand("limit", 2, 2),
    "chopped": HouseHand("limit", 8, 11),
    "chopped_with_an_ante": HouseHand("mississippi", 8, 18),
    "heads_up": HouseHand("omaha", 6, 17, money=Money("EUR", 10)),
    "coming_and_going": HouseHand("straddles", 2, 20),
    "seen_by_one_player": HouseHand("straddles", 1, 6, "ida", DOLLARS),
}

TOURNAMENT = Tournament("4200017", "Sunday", 1_000, 100, "USD", 14, 3)


@pytest.mark.parametrize("name", CASES)
def test_a_hand_is_written_so(name: str) -> None:
    case = CASES[name]
    game, hand = told_hand(case.house, case.seed, case.hand, case.hero)
    text = write_pokerstars(game, hand, case.money)
    assert text == (GOLDEN / f"{name}.txt").read_text()
    read_hand(text)


def test_a_tournament_s_hand_is_of_chips_and_tells_who_is_out() -> None:
    game, hand = told_hand("dead_button", 2, 4)
    out = (Finish("ben", 3, 1_550), Finish("ann", 1, 9_000))
    played = replace(hand, tournament=replace(TOURNAMENT, finished=out))
    text = write_pokerstars(game, played, DOLLARS)
    assert text == (GOLDEN / "tournament.txt").read_text()
    read = read_hand(text)
    assert (read.header["tournament"], read.header["level"]) == ("4200017", "XIV")


def test_a_free_tournament_costs_nothing() -> None:
    game, hand = told_hand("dead_button", 2, 4)
    played = replace(hand, tournament=replace(TOURNAMENT, currency="", buy_in=0, fee=0, level=1))
    text = write_pokerstars(game, played, CHIPS)
    assert text.splitlines()[0].endswith(
        ": Tournament #4200017, Freeroll  Hold'em No Limit - Level I (50/100)"
        " - 2026/01/01 0:00:46 UTC [2025/12/31 19:00:46 ET]"
    )
    read_hand(text)
