"""A tournament's table by itself: honest ones hold everything, bent ones are told where."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from audit_cli.checks.colored import judge_colors
from dealer_service.rules.entry import RuleSet
from tests.support.audits import assert_told, broken, judge, tell, told
from tests.support.simulator import Simulator, play_game
from tests.support.tournament_tables import (
    FIXED_LIMIT,
    LEVELS,
    POT_LIMIT,
    TABLE_RULES,
    TOURNAMENT,
    play_table,
)
from tests.support.transcripts import Found, Transcript

SEEDS = range(8)
Wanted = Callable[[dict[str, Any]], bool]


@cache
def _game(seed: int, rules: RuleSet = TABLE_RULES) -> Simulator:
    return play_table(seed=seed, hands=25, rules=rules, hands_of_a_level=5)


def find(kind: str, wanted: Wanted = lambda _body: True) -> tuple[Simulator, Transcript, Found]:
    """Give the first table with such a line, its transcript to change, and the line."""
    for seed in SEEDS:
        transcript = _game(seed).transcript()
        try:
            return _game(seed), transcript, transcript.find(kind, where=wanted)
        except LookupError:
            continue
    message = f"no {kind} like that"
    raise LookupError(message)


def has_state(state: str) -> Wanted:
    return lambda body: any(seat["state"] == state for seat in body["seats"])


def with_state(body: dict[str, Any], before: str, state: str) -> list[dict[str, Any]]:
    """Give the seats of an opening, the first one of a state being of another."""
    at = next(at for at, seat in enumerate(body["seats"]) if seat["state"] == before)
    changed = body["seats"][at] | {"state": state}
    return [*body["seats"][:at], changed, *body["seats"][at + 1 :]]


@pytest.mark.parametrize("rules", [TABLE_RULES, POT_LIMIT, FIXED_LIMIT], ids=lambda r: r.structure)
@pytest.mark.parametrize("seed", range(3))
def test_honest_tables_hold_everything(seed: int, rules: RuleSet) -> None:
    """Levels, races, absent players, moves, disqualifications, voids and clocks."""
    game = _game(seed, rules)
    report = judge(game.game_file(openings_of="ann"), key=game.key)
    assert report.exit_status() == 0, tell(report)
    assert f"table 3 of tournament {TOURNAMENT}" in told(report)
    assert "its levels, seats and first button are taken as they are logged" in told(report)


def test_the_tables_have_all_that_is_judged_here() -> None:
    states, kinds = set(), set()
    for seed in SEEDS:
        for line in _game(seed).transcript().all():
            kinds.add(line.kind)
            if line.kind == "hand_opened":
                states |= {seat["state"] for seat in line.body["seats"]}
    assert {"in", "absent", "waiting"} <= states
    assert {"colored_up", "hand_void", "player_removed", "chips_added", "sat_out"} <= kinds


def test_who_was_away_finds_its_randomness_in_the_other_hands_alone() -> None:
    game = play_table(seed=2, hands=6, players=4)
    report = judge(game.game_file(), key=game.key, mine=game.record("ann"))
    assert not broken(report), tell(report)


# Levels.


@pytest.mark.parametrize(
    ("field", "what"), [("small_blind", "small_blind"), ("big_blind", "big_blind")]
)
def test_a_blind_of_another_level_is_told(field: str, what: str) -> None:
    game, transcript, opening = find("hand_opened", lambda body: body["level"]["level"] == 2)
    hand = opening.body["hand"]
    post = transcript.find("posted", hand=hand, where=lambda body: body["what"] == what)
    other = LEVELS[0].small_blind if field == "small_blind" else LEVELS[0].big_blind
    transcript.change(post.index, amount=other)
    assert_told(game, transcript, post.index, "something is posted otherwise")


def test_an_ante_that_the_level_has_not_is_told() -> None:
    game, transcript, opening = find("hand_opened", lambda body: body["level"]["level"] == 1)
    level = opening.body["level"] | {"ante": {"kind": "big_blind", "amount": 50}}
    transcript.change(opening.index, level=level)
    dealt = transcript.find("dealt", hand=opening.body["hand"])
    assert_told(game, transcript, dealt.index, "dealt where something else is due")


def test_a_raise_of_the_level_before_is_told() -> None:
    """The least raise follows the level that the opening has: to 200, not to 150."""
    game, transcript, raised = _first_raise(level=2)
    transcript.change(raised.index, to=150)
    assert_told(game, transcript, raised.index, "an act that is not open to the seat")


def _first_raise(level: int) -> tuple[Simulator, Transcript, Found]:
    """Find a hand of a level whose first act but folds is a raise."""
    for seed in SEEDS:
        transcript = _game(seed).transcript()
        told_level = 0
        for one in transcript.all():
            if one.kind == "hand_opened":
                told_level = one.body["level"]["level"]
            elif one.kind == "acted" and one.body["act"] != "fold":
                if (told_level, one.body["act"]) == (level, "raise"):
                    return _game(seed), transcript, one
                told_level = 0
    message = "nobody raises first"
    raise LookupError(message)


def test_bets_of_fixed_limit_are_those_of_the_level() -> None:
    game = _game(1, FIXED_LIMIT)
    transcript = game.transcript()
    opening = transcript.find("hand_opened", where=lambda body: body["level"]["level"] == 3)
    bet = next(
        one
        for one in transcript.all("acted")
        if one.index > opening.index and (one.body["act"], one.body["to"]) == ("bet", 200)
    )
    transcript.change(bet.index, to=FIXED_LIMIT.big_blind)
    assert_told(game, transcript, bet.index, "an act that is not open to the seat")


def test_an_opening_without_a_level_is_told() -> None:
    game, transcript, opening = find("hand_opened")
    transcript.change(opening.index, level=None)
    text = "an opening gives a level, which is there exactly at a tournament's table"
    assert_told(game, transcript, opening.index, text)


def test_a_level_at_any_other_table_is_told() -> None:
    game = play_game(seed=1, hands=2, players=3)
    transcript = game.transcript()
    opening = transcript.find("hand_opened", hand=2)
    level = {"level": 1, "small_blind": 50, "big_blind": 100, "chip_unit": 1}
    transcript.change(opening.index, level=level)
    text = "an opening gives a level, which is there exactly at a tournament's table"
    assert_told(game, transcript, opening.index, text)


@pytest.mark.parametrize("change", [{"small_blind": 75}, {"chip_unit": 2}], ids=str)
def test_a_level_whose_blinds_do_not_fit_is_none(change: dict[str, int]) -> None:
    game, transcript, opening = find("hand_opened", lambda body: body["level"]["level"] == 1)
    transcript.change(opening.index, level=opening.body["level"] | change)
    report = judge(transcript.render(game.signer), key=game.key)
    assert "level needs small_blind up to big_blind, both multiples of chip_unit" in tell(report)


# Players who are away.


def test_a_link_of_an_absent_player_in_the_deck_is_told() -> None:
    game, transcript, opening = find(
        "hand_opened",
        lambda body: any(s["state"] == "absent" and "anchor" in s for s in body["seats"]),
    )
    away = next(
        one for one in opening.body["seats"] if one["state"] == "absent" and "anchor" in one
    )
    deck = transcript.find("deck_committed", hand=opening.body["hand"])
    link = {"seat": away["seat"], "link": game.clients[away["player"]].link}
    links = sorted([*deck.body["links"], link], key=lambda one: int(one["seat"]))
    transcript.change(deck.index, links=links)
    text = "a deck has other links than those of the frozen anchors"
    assert_told(game, transcript, deck.index, text, "PLAYER-MIXED")


def test_a_hand_is_not_void_for_the_link_of_an_absent_player() -> None:
    game, transcript, void = find("hand_void", lambda body: body["reason"] == "link_missing")
    opening = transcript.find("hand_opened", hand=void.body["hand"])
    missing = void.body["missing"][0]
    seats = [
        seat | {"state": "absent"} if seat["seat"] == missing["seat"] else seat
        for seat in opening.body["seats"]
    ]
    transcript.change(opening.index, seats=seats)
    text = "a void does not name the players whose link is missing"
    assert_told(game, transcript, void.index, text, "COMPLETE")


def test_an_absent_player_who_is_not_dealt_in_is_told() -> None:
    game, transcript, opening = find("hand_opened", has_state("absent"))
    transcript.change(opening.index, seats=with_state(opening.body, "absent", "sitting_out"))
    assert_told(game, transcript, opening.index, "otherwise than the log before it")


def test_a_player_who_is_there_and_called_absent_is_told() -> None:
    game, transcript, opening = find("hand_opened", has_state("in"))
    transcript.change(opening.index, seats=with_state(opening.body, "in", "absent"))
    assert_told(game, transcript, opening.index, "otherwise than the log before it")


@pytest.mark.parametrize("by", ["player", "clock", "pre_action"])
def test_an_act_of_who_is_away_is_told(by: str) -> None:
    game, transcript, act = _act_of_absent()
    transcript.change(act.index, by=by)
    text = "an act by another than its player's state gives"
    assert_told(game, transcript, act.index, text)
    report = judge(transcript.render(game.signer), key=game.key)
    assert "expected absent, as its opening says" in tell(report)


def test_a_call_for_who_is_away_is_told() -> None:
    game, transcript, act = _act_of_absent("fold")
    big = [one for one in transcript.all("hand_opened") if one.index < act.index][-1]
    transcript.change(act.index, act="call", to=big.body["level"]["big_blind"])
    report = judge(transcript.render(game.signer), key=game.key)
    assert "an act by absent is another than the rule's" in tell(report)


def test_an_act_for_who_is_there_is_told() -> None:
    game, transcript, act = find("acted", lambda body: body["by"] == "player")
    transcript.change(act.index, by="absent")
    assert_told(game, transcript, act.index, "an act by another than its player's state gives")


def _act_of_absent(kind: str = "") -> tuple[Simulator, Transcript, Found]:
    """Find an act for a seat that its opening called absent."""
    for seed in SEEDS:
        transcript = _game(seed).transcript()
        away: set[int] = set()
        for one in transcript.all():
            if one.kind == "hand_opened":
                away = {s["seat"] for s in one.body["seats"] if s["state"] == "absent"}
            elif one.kind == "acted" and one.body["seat"] in away and kind in one.body["act"]:
                return _game(seed), transcript, one
    message = "nobody is away"
    raise LookupError(message)


# Places.


def test_a_newcomer_dealt_in_between_button_and_small_blind_is_told() -> None:
    game, transcript, opening = find("hand_opened", has_state("waiting"))
    transcript.change(opening.index, seats=with_state(opening.body, "waiting", "in"))
    assert_told(game, transcript, opening.index, "otherwise than the log before it")


def test_a_newcomer_who_has_to_wait_without_cause_is_told() -> None:
    game, transcript, opening = find("hand_opened", lambda body: body["hand"] > 1)
    transcript.change(opening.index, seats=with_state(opening.body, "in", "waiting"))
    assert_told(game, transcript, opening.index, "otherwise than the log before it")


def test_a_first_button_where_nobody_is_dealt_in_is_told() -> None:
    game, transcript, opening = find("hand_opened", lambda body: body["hand"] == 1)
    taken = {one["seat"] for one in opening.body["seats"]}
    transcript.change(opening.index, button=min(set(range(1, 10)) - taken))
    assert_told(game, transcript, opening.index, "the button is at another seat")


def test_a_first_button_at_any_seat_asks_for_its_blinds() -> None:
    game, transcript, opening = find("hand_opened", lambda body: body["hand"] == 1)
    others = [s["seat"] for s in opening.body["seats"] if s["seat"] != opening.body["button"]]
    transcript.change(opening.index, button=others[0])
    assert_told(game, transcript, opening.index, "the blinds are at other seats")


def test_a_house_player_who_is_told_as_a_person_is_told() -> None:
    game, transcript, opening = find(
        "hand_opened", lambda body: any("house" in seat for seat in body["seats"])
    )
    seats = [{k: v for k, v in seat.items() if k != "house"} for seat in opening.body["seats"]]
    transcript.change(opening.index, seats=seats)
    assert_told(game, transcript, opening.index, "otherwise than the log before it")


def test_a_seat_that_is_taken_with_an_anchor_is_told() -> None:
    game, transcript, taken = find("seat_taken")
    transcript.change(taken.index, anchor="5a" * 32)
    text = "a seat of a tournament's table is taken with an anchor"
    assert_told(game, transcript, taken.index, text)


# The end.


def test_a_tournament_s_table_that_the_operator_closes_is_told() -> None:
    game, transcript, closed = find("game_closed")
    transcript.change(closed.index, reason="operator")
    text = "a tournament's table closes by another than its tournament"
    assert_told(game, transcript, closed.index, text)


def test_a_tournament_s_table_that_goes_on_is_told() -> None:
    game, transcript, closed = find("game_closed")
    transcript.change(closed.index, next="11" * 16)
    assert_told(game, transcript, closed.index, "a tournament's table goes on in another game")


def test_a_tournament_s_table_that_goes_on_from_a_game_is_told() -> None:
    game, transcript, opened = find("game_opened")
    before = {"game": "11" * 16, "size": 9, "root": "22" * 32, "button": 0, "seats": []}
    transcript.change(opened.index, previous=before | {"button_stays": False})
    text = "a tournament's table goes on from another game"
    assert_told(game, transcript, opened.index, text)


def test_any_other_game_that_a_tournament_closes_is_told() -> None:
    game = play_game(seed=1, hands=2, players=3)
    transcript = game.transcript()
    closed = transcript.find("game_closed")
    transcript.change(closed.index, reason="tournament")
    text = "a game that is no tournament's table closes by tournament"
    assert_told(game, transcript, closed.index, text)


# Chip races.

RACES: dict[str, tuple[int, dict[int, int], dict[int, int], str]] = {
    "odd chips go to one": (100, {1: 150, 2: 250, 3: 300}, {1: 200, 2: 200}, ""),
    "half a chip more is one": (100, {1: 125, 2: 225}, {1: 200, 2: 200}, ""),
    "less than half is none": (100, {1: 1_025, 2: 300}, {1: 1_000}, ""),
    "nobody is raced out": (100, {1: 25, 2: 225}, {1: 100, 2: 300}, ""),
    "nobody is raced out who drew none": (100, {1: 25, 2: 25}, {1: 100, 2: 100}, ""),
    "one chip too many": (100, {1: 150, 2: 250}, {1: 200, 2: 300}, "more or fewer chips"),
    "one chip too few": (100, {1: 150, 2: 250}, {1: 100, 2: 200}, "more or fewer chips"),
    "raced out": (100, {1: 25, 2: 275}, {1: 0, 2: 300}, "more or fewer chips"),
    "two chips to one": (100, {1: 150, 2: 250}, {1: 300, 2: 200}, "another stack than its race"),
    "a stack of no unit": (100, {1: 150, 2: 250}, {1: 175, 2: 200}, "another stack than its race"),
    "whole stacks race too": (100, {1: 200}, {1: 300}, "another stack than its race"),
    "who has nothing gets one": (100, {1: 0}, {1: 100}, "another stack than its race"),
    "nothing changes": (100, {1: 200}, {1: 200}, "does not change"),
    "nobody's seat": (100, {1: 150}, {2: 200}, "that nobody holds"),
    "falling seats": (100, {1: 150, 2: 250}, {2: 200, 1: 200}, "rising order"),
}


@pytest.mark.parametrize("name", RACES)
def test_a_race_gives_as_many_chips_as_there_are_odd_ones(name: str) -> None:
    unit, before, after, text = RACES[name]
    stacks = [{"seat": seat, "stack": stack} for seat, stack in after.items()]
    wrong = [one.text for one in judge_colors({"unit": unit, "stacks": stacks}, before)]
    assert len(wrong) == bool(text)
    assert not text or text in wrong[0]


def test_a_chip_from_nowhere_in_a_race_is_told() -> None:
    game, transcript, race = find("colored_up")
    first, *rest = race.body["stacks"]
    transcript.change(race.index, stacks=[first | {"stack": first["stack"] + 100_000}, *rest])
    text = "colored_up gives a seat another stack than its race can"
    assert_told(game, transcript, race.index, text)


def test_a_race_in_the_middle_of_a_hand_is_told() -> None:
    game, transcript, race = find("colored_up")
    transcript.delete(race.index)
    opening = next(one for one in transcript.all("hand_opened") if one.index >= race.index)
    transcript.insert(opening.index + 1, opening.at, race.kind, race.body)
    text = "colored_up does not stand here"
    assert_told(game, transcript, opening.index + 1, text, "ORDERED")


def test_a_race_at_any_other_table_is_told() -> None:
    game = play_game(seed=1, hands=2, players=3)
    transcript = game.transcript()
    opening = transcript.find("hand_opened", hand=2)
    body = {"unit": 100, "stacks": [{"seat": 1, "stack": 100}]}
    transcript.insert(opening.index, opening.at, "colored_up", body)
    text = "chips are colored up at a table that is no tournament's"
    assert_told(game, transcript, opening.index, text)


def test_a_race_that_is_left_out_is_told_with_the_next_hand() -> None:
    game, transcript, race = find("colored_up")
    transcript.delete(race.index)
    assert "PLAYED" in broken(judge(transcript.render(game.signer), key=game.key))
