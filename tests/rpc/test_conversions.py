"""Rules and tables as messages: what comes back, and what a table's seats are called."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutcard.v1 import operate_pb2, play_pb2
from dealer_service.rpc.convert import table_message
from dealer_service.rpc.convert_rules import rules_message, rules_of
from dealer_service.rpc.validate import Malformed, validate
from dealer_service.rules.entry import Act, Newcomers
from tests.support.random_rules import random_rules
from tests.support.simulator import Simulator, passive
from tests.support.tournament_tables import FIXED_LIMIT, LEVELS, POT_LIMIT, TABLE_RULES


@given(st.integers(0, 10**9))
def test_a_rule_set_comes_back_from_its_message(seed: int) -> None:
    rules = random_rules(Random(seed))
    assert rules_of(rules_message(rules)) == rules


@pytest.mark.parametrize("rules", [TABLE_RULES, POT_LIMIT, FIXED_LIMIT])
def test_the_rules_of_a_tournaments_table_come_back_from_their_message(rules: object) -> None:
    assert rules_of(rules_message(rules)) == rules  # type: ignore[arg-type]


def faults_of_opening(**rules: object) -> list[tuple[str, str]]:
    asked = operate_pb2.OpenGameRequest(request_id="request-1")
    asked.rules.CopyFrom(rules_message(replace(TABLE_RULES, **rules)))  # type: ignore[arg-type]
    with pytest.raises(Malformed) as caught:
        validate(asked)
    return [(one.field, one.description) for one in caught.value.violations]


def test_nobody_opens_a_tournaments_table_as_a_game() -> None:
    """Neither by naming a tournament nor by the words that such a table alone has."""
    own = [
        ("rules.newcomers", "newcomers may be by_position only at a tournament's table"),
        ("rules.absent", "absent may be dealt_in only at a tournament's table"),
    ]
    assert faults_of_opening(tournament=None) == own
    cash = {"absent": "sit_out", "newcomers": Newcomers.NEXT_HAND}
    for rules in ({}, cash):
        first, *others = faults_of_opening(**rules)
        named = "must be left out: a tournament opens its tables itself"
        assert first == ("rules.tournament", named)
        assert others == ([] if rules else own)


def seats(table: Simulator) -> dict[int, play_pb2.TableSeat]:
    return {one.seat: one for one in table_message(table.state, 1).seats}


def words(table: Simulator) -> dict[int, str]:
    return {number: one.state for number, one in seats(table).items()}


def seated() -> Simulator:
    """Four players, of whom p2 is away and p3 the house's own."""
    table = Simulator(rules=TABLE_RULES)
    table.level, table.button = LEVELS[0], 1
    for seat in (1, 2, 3, 4):
        table.give_seat(f"p{seat}", seat, 5_000, house=seat == 3, anchored=False)
    table.sit_out("p2")
    return table


def test_a_table_tells_who_is_absent_in_a_hand_and_sits_out_between_hands() -> None:
    table = seated()
    assert words(table) == {1: "in", 2: "sitting_out", 3: "in", 4: "in"}
    table.open_hand()
    table.commit_deck()
    assert words(table) == {1: "in", 2: "absent", 3: "in", 4: "in"}
    # Who comes back is acted for until the hand has ended.
    table.come_back("p2")
    assert words(table)[2] == "absent"
    table.act(Act.CALL)
    table.act(Act.CALL)
    assert words(table)[2] == "folded"
    table.play_out(choose=passive)
    table.end_hand()
    assert words(table)[2] == "in"


def test_a_newcomer_that_is_not_dealt_in_waits_or_sits_out() -> None:
    table = seated()
    table.open_hand()
    table.give_seat("p7", 7, 5_000, anchored=False)
    table.give_seat("p8", 8, 5_000, anchored=False)
    table.sit_out("p8")
    assert (words(table)[7], words(table)[8]) == ("waiting", "sitting_out")


def test_who_was_removed_in_a_hand_is_leaving_and_not_absent() -> None:
    table = seated()
    table.open_hand()
    table.commit_deck()
    table.give_removal("p4")
    assert (words(table)[4], seats(table)[4].leaving) == ("in", True)


def test_a_table_tells_who_is_the_houses_own() -> None:
    assert [number for number, one in seats(seated()).items() if one.house] == [3]
