"""What each player did in a session: the counts behind the shares that trackers show."""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence

import pytest

from audit_cli.review.painting import Paint
from audit_cli.review.statistics import Session, count_session
from audit_cli.review.table import lay_out
from audit_cli.told.hand import Game
from dealer_service.rules.entry import Act
from tests.support.exported_games import ALL_HOUSES, tell, told_games
from tests.support.simulator import HOUSES, Move, Simulator, passive, script
from tests.support.told_houses import hands_of, played, told_house

FOLD, CHECK, CALL = (Act.FOLD, 0), (Act.CHECK, 0), (Act.CALL, 0)


def raise_to(amount: int) -> Move:
    return Act.RAISE, amount


def bet(amount: int) -> Move:
    return Act.BET, amount


def play(*hands: Sequence[Move]) -> Game:
    """Play these hands: ann has the first one's button, then ben and cleo are the blinds."""
    simulator = Simulator(seed=9)
    for name in ("ann", "ben", "cleo"):
        simulator.sit(name, stack=5_000)
    for moves in hands:
        simulator.play_hand(choose=script(*moves) if moves else passive)
    simulator.close()
    simulator.reveal()
    return tell(simulator)


def sessions(*hands: Sequence[Move]) -> dict[str, Session]:
    return count_session(hands_of(play(*hands)))


def test_blinds_that_nobody_raises_are_no_will_of_their_own() -> None:
    counted = sessions([FOLD, FOLD])
    assert [counted[name].vpip for name in ("ann", "ben", "cleo")] == [0, 0, 0]
    assert counted["cleo"].biggest_pot == 100
    assert (counted["ben"].net, counted["cleo"].net) == (-50, 50)


def test_a_walk_is_no_hand_that_could_have_been_played() -> None:
    counted = sessions([FOLD, FOLD])
    assert [counted[name].first_turns for name in ("ann", "ben", "cleo")] == [1, 1, 0]
    assert [one.hands for one in counted.values()] == [1, 1, 1]


def test_a_check_in_the_big_blind_is_none_either() -> None:
    counted = sessions([CALL, CALL, *[CHECK] * 10])
    played = {name: one.vpip for name, one in counted.items()}
    assert played == {"ann": 1, "ben": 1, "cleo": 0}
    assert all(one.pfr == 0 for one in counted.values())


def test_a_raise_before_the_flop_is_put_in_by_will_and_a_raise() -> None:
    counted = sessions([raise_to(300), FOLD, FOLD])
    assert (counted["ann"].vpip, counted["ann"].pfr) == (1, 1)


def test_a_three_bet_is_over_the_first_raise_of_another() -> None:
    counted = sessions([raise_to(300), raise_to(900), CALL, FOLD, bet(500), FOLD])
    chances = {name: one.three_bet_chances for name, one in counted.items()}
    # cleo came behind the second raise; ann made the first.
    assert chances == {"ann": 0, "ben": 1, "cleo": 0}
    assert counted["ben"].three_bets == 1


def test_who_calls_the_first_raise_let_its_chance_go() -> None:
    counted = sessions([raise_to(300), CALL, FOLD, CHECK, bet(300), FOLD])
    assert (counted["ben"].three_bet_chances, counted["ben"].three_bets) == (1, 0)
    assert (counted["cleo"].three_bet_chances, counted["cleo"].three_bets) == (1, 0)


def test_a_showdown_is_counted_of_the_flops_seen() -> None:
    checks = [CHECK] * 9
    counted = sessions([CALL, CALL, CHECK, *checks], [FOLD, FOLD])
    for one in counted.values():
        assert (one.hands, one.flops, one.showdowns) == (2, 1, 1)
    assert sum(one.showdowns_won for one in counted.values()) == 1


def test_who_folds_on_the_flop_saw_it() -> None:
    counted = sessions([CALL, FOLD, CHECK, bet(100), FOLD])
    flops = {name: (one.flops, one.showdowns) for name, one in counted.items()}
    assert flops == {"ann": (1, 0), "ben": (0, 0), "cleo": (1, 0)}


def test_who_is_all_in_before_the_flop_sees_it_and_the_showdown() -> None:
    counted = sessions([raise_to(5_000), CALL, FOLD])
    assert (counted["ann"].flops, counted["ann"].showdowns) == (1, 1)
    assert (counted["cleo"].flops, counted["cleo"].showdowns) == (0, 0)


def test_aggression_is_from_the_flop_on() -> None:
    moves = [raise_to(300), CALL, CALL, bet(300), raise_to(700), CALL, CALL]
    rest = [CHECK, bet(500), CALL, FOLD, CHECK, bet(600), FOLD]
    counted = sessions([*moves, *rest])
    assert (counted["ben"].moves, counted["ben"].calls) == (1, 1)
    assert (counted["cleo"].moves, counted["cleo"].calls) == (2, 0)
    assert (counted["ann"].moves, counted["ann"].calls) == (1, 2)
    assert counted["cleo"].aggression is None
    assert counted["ann"].aggression == 0.5


@pytest.mark.parametrize("house", ALL_HOUSES)
def test_counts_fit_together_in_every_house(house: str) -> None:
    for game in told_games(house):
        hands = hands_of(game)
        counted = count_session(hands)
        assert sum(one.hands for one in counted.values()) == sum(len(hand.order) for hand in hands)
        assert sum(one.net for one in counted.values()) == -sum(hand.rake for hand in hands)
        for one in counted.values():
            assert one.pfr <= one.vpip <= one.first_turns <= one.hands
            assert one.three_bets <= one.three_bet_chances <= one.hands
            assert one.showdowns_won <= one.showdowns <= one.flops <= one.hands


def counts_of_lines(data: bytes) -> dict[str, Counter[str]]:
    """Count acts from the lines of a game file alone, by the names of their players."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    names: dict[int, str] = {}
    first: dict[int, set[str]] = {}
    street = 0
    for line in map(json.loads, data.splitlines()):
        if opening := line.get("hand_opened"):
            dealt_in = [seat for seat in opening["seats"] if seat["state"] == "in"]
            names = {seat["seat"]: seat["player"] for seat in dealt_in}
            first, street = defaultdict(set), 0
        elif "board" in line.get("opened", {}):
            street += 1
        elif act := line.get("acted"):
            if not street:
                first[act["seat"]].add(act["act"])
            elif act["act"] in {"bet", "raise", "call"}:
                counts[names[act["seat"]]]["calls" if act["act"] == "call" else "moves"] += 1
        elif "hand_ended" in line:
            for seat, name in names.items():
                acts = first.get(seat, set())
                counts[name]["hands"] += 1
                counts[name]["first_turns"] += bool(acts)
                counts[name]["vpip"] += bool(acts & {"call", "raise"})
                counts[name]["pfr"] += "raise" in acts
    return counts


@pytest.mark.parametrize("house", HOUSES)
def test_acts_are_counted_as_the_lines_of_the_log_have_them(house: str) -> None:
    counts = counts_of_lines(played(house, 1).game_file())
    for player, session in count_session(hands_of(told_house(house, 1))).items():
        for name in ("hands", "first_turns", "vpip", "pfr", "moves", "calls"):
            assert getattr(session, name) == counts[player][name], name


def test_the_table_has_shares_and_dashes_where_there_is_nothing_to_share() -> None:
    counted = {
        "ann": Session(9, 8, 5, 1, 1, 2, 3, 2, 1, 3, 2, 12_345, -1_000),
        "ben": Session(1, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0),
    }
    lines = lay_out(counted, Paint(on=False))
    assert [line.split() for line in lines[1:3]] == [
        ["ann", "9", "63%", "13%", "50%", "67%", "50%", "1.5", "12,345", "-1,000"],
        ["ben", "1", "0%", "0%", "-", "-", "-", "no", "calls", "0", "0"],
    ]
    assert len({len(line) for line in lines[:3]}) == 1
