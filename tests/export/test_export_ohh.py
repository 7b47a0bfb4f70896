"""Open Hand History: valid by the schema of its specification, and every chip accounted for."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from audit_cli.export.money import CHIPS, Money
from audit_cli.export.ohh import bind_ohh, write_ohh
from audit_cli.told.events import BlindsChopped, Returned, RunsAgreed
from audit_cli.told.hand import Game, Hand, Tournament
from tests.support.exported_games import ALL_HOUSES, tell, told_games
from tests.support.simulator import play_game
from tests.support.told_houses import HouseHand, hands_of, told_hand

DATA = Path(__file__).parents[1] / "data"
GOLDEN = DATA / "exports" / "ohh"
SCHEMA = json.loads((DATA / "ohh" / "hand.schema.json").read_text())
VALID = Draft202012Validator(SCHEMA)
DOLLARS = Money("USD", 100)
PUTS_IN = {
    *("Post Ante", "Post SB", "Post BB", "Straddle", "Post Dead", "Post Extra Blind"),
    *("Call", "Bet", "Raise"),
}


def written(game: Game, hand: Hand, money: Money = CHIPS) -> dict[str, Any]:
    """Write a hand, hold it to the schema, and read it back with exact decimals."""
    text = write_ohh(game, hand, money)
    VALID.validate(json.loads(text))
    fields: dict[str, Any] = json.loads(text, parse_float=Decimal)["ohh"]
    return fields


def pairs_of(house: str) -> Iterator[tuple[Game, Hand]]:
    for game in told_games(house):
        for hand in hands_of(game):
            yield game, hand


def actions(fields: dict[str, Any]) -> list[dict[str, Any]]:
    return [action for each in fields["rounds"] for action in each["actions"]]


def went_back(hand: Hand) -> Counter[int]:
    """Tell what went back to each seat that is in no pot: an uncalled bet, no chopped blind."""
    chopped = any(isinstance(event, BlindsChopped) for event in hand.events)
    back: Counter[int] = Counter()
    for event in hand.events:
        if isinstance(event, Returned) and not chopped:
            back[event.seat] += event.amount
    return back


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("house", ALL_HOUSES)
def test_every_hand_is_valid_and_adds_up(house: str) -> None:
    for game, hand in pairs_of(house):
        fields = written(game, hand, DOLLARS)
        stacks = {one["id"]: Decimal(one["starting_stack"]) for one in fields["players"]}
        for action in actions(fields):
            if action["action"] in PUTS_IN:
                stacks[action["player_id"]] -= action["amount"]
        for pot in fields["pots"]:
            wins = {won["player_id"]: won["win_amount"] for won in pot["player_wins"]}
            assert pot["amount"] == pot["rake"] + sum(wins.values())
            for seat, amount in wins.items():
                stacks[seat] += amount
        for seat, amount in went_back(hand).items():
            stacks[seat] += Decimal(amount) / 100
        assert stacks == {seat.seat: Decimal(seat.end) / 100 for seat in hand.seats}


def test_acts_are_numbered_through_the_hand() -> None:
    game, hand = told_hand("straddles", 1, 6)
    numbers = [action["action_number"] for action in actions(written(game, hand))]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_second_run_has_rounds_of_its_own() -> None:
    for game, hand in pairs_of("straddles"):
        twice = any(isinstance(event, RunsAgreed) for event in hand.events)
        fields = written(game, hand)
        assert ("Run_It_Twice" in fields["flags"]) == twice
        rivers = [each for each in fields["rounds"] if each["street"] == "River"]
        assert [each["id"] for each in fields["rounds"]] == list(range(len(fields["rounds"])))
        if twice:
            assert [each["cards"] for each in rivers] == [[board[4]] for board in hand.boards]


def test_who_was_not_dealt_in_observed_the_hand() -> None:
    game, hand = told_hand("straddles", 1, 6, "ida")
    fields = written(game, hand)
    assert fields["hero_player_id"] == next(s.seat for s in hand.seats if s.player == "ida")
    assert "Observed" not in fields["flags"]
    fields = written(game, replace(hand, hero="nobody"))
    assert fields["hero_player_id"] is None
    assert "Observed" in fields["flags"]


def test_seats_that_are_not_dealt_in_sit_out() -> None:
    for game, hand in pairs_of("dead_button"):
        fields = written(game, hand)
        sitting = {player["id"] for player in fields["players"] if player["is_sitting_out"]}
        assert sitting == {seat.seat for seat in hand.seats if not seat.dealt_in}


def test_amounts_are_exact_in_any_currency() -> None:
    """They are decimals, not the floating-point numbers next to them."""
    game, hand = told_hand("plain", 1, 1)
    big = 9_007_199_254_740_991
    seats = tuple(replace(seat, stack=big) for seat in hand.seats)
    text = write_ohh(game, replace(hand, seats=seats), DOLLARS)
    assert '"starting_stack": 90071992547409.91' in text


@pytest.mark.parametrize(
    ("money", "currency"), [(CHIPS, "XPM"), (DOLLARS, "USD"), (Money("EUR", 10), "EUR")]
)
def test_chips_without_a_currency_are_play_money(money: Money, currency: str) -> None:
    game, hand = told_hand("plain", 1, 1)
    fields = written(game, hand, money)
    assert fields["currency"] == currency
    assert fields["big_blind_amount"] == Decimal(100) / money.per_unit


def test_a_tournament_is_of_chips() -> None:
    game, hand = told_hand("plain", 1, 1)
    tournament = Tournament("42", "Sunday", 1_000, 150, "USD", 3, 2, (), 2, 10**12, 1_500, 600_000)
    fields = written(game, replace(hand, tournament=tournament), DOLLARS)
    assert fields["tournament"] is True
    assert fields["currency"] == "Chips"
    assert fields["big_blind_amount"] == 100
    assert fields["tournament_info"] == {
        "tournament_number": "42",
        "name": "Sunday",
        "start_date_utc": "2001-09-09T01:46:40Z",
        "currency": "USD",
        "buyin_amount": 10,
        "fee_amount": Decimal("1.5"),
        "initial_stack": 1_500,
        "type": "MTT",
        "flags": [],
        "speed": {"type": "Normal", "round_time": 600},
    }


def test_hands_of_a_file_are_parted_by_an_empty_line() -> None:
    game = tell(play_game(seed=4, hands=3, players=3))
    texts = [write_ohh(game, hand, CHIPS) for hand in hands_of(game)]
    whole = bind_ohh(texts)
    numbers = [json.loads(part)["ohh"]["game_number"] for part in whole.split("\n\n")]
    assert numbers == [f"{game.game}-{number}" for number in (1, 2, 3)]


CASES = {
    "dead_and_live_posted": HouseHand("hi_lo", 6, 4),
    "side_pots_with_rake": HouseHand("mississippi", 4, 1, money=DOLLARS),
    "run_twice_from_the_flop": HouseHand("mississippi", 4, 4),
    "high_and_low_shared": HouseHand("hi_lo", 2, 21),
    "fixed_limit_and_a_muck": HouseHand("limit", 3, 17, money=DOLLARS),
    "chopped_with_an_ante": HouseHand("mississippi", 8, 18),
    "seen_by_one_player": HouseHand("straddles", 1, 6, "ida", DOLLARS),
}


@pytest.mark.parametrize("name", CASES)
def test_a_hand_is_written_so(name: str) -> None:
    case = CASES[name]
    game, hand = told_hand(case.house, case.seed, case.hand, case.hero)
    fields = {"ohh": written(game, hand, case.money)}
    golden = json.loads((GOLDEN / f"{name}.json").read_text(), parse_float=Decimal)
    golden["ohh"]["internal_version"] = fields["ohh"]["internal_version"]
    assert fields == golden
