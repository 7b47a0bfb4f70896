"""Whole hands of the rule cases and of the recorded hands through the audit's own engine."""

from pathlib import Path
from typing import Any

import pytest

from audit_cli.poker.hand import Step
from tests.support.audited_hands import STREETS, PlayedHand, load_recorded, replay, start_case
from tests.support.rule_cases import CASES

HANDS = [case for case in CASES if case["kind"] == "hand"]
RECORDED = sorted((Path(__file__).parents[1] / "data/phh").glob("*.phhs"))


def agrees(expected: Any, found: Any) -> bool:
    if isinstance(expected, dict) and set(expected) == {"any_of"}:
        return any(agrees(one, found) for one in expected["any_of"])
    if isinstance(expected, dict) and isinstance(found, dict):
        return all(key in found and agrees(value, found[key]) for key, value in expected.items())
    return bool(expected == found)


def check_expectation(played: PlayedHand, expect: dict[str, Any]) -> None:
    hand = played.hand
    seat = hand.due.seat if hand.due.step is Step.ACT else None
    if "to_act" in expect:
        assert agrees(expect["to_act"], seat), (expect, hand.due)
    if "street" in expect:
        assert STREETS[hand.street] == expect["street"]
    if "board_cards" in expect:
        assert agrees(expect["board_cards"], len(hand.boards[0]))
    if "legal" in expect:
        assert seat is not None
        decision = hand.betting.decide(seat)
        offer = None if decision.low is None else {"min": decision.low, "max": decision.high}
        found = {
            "check": decision.call == 0,
            "call": decision.call or None,
            "bet": offer if decision.word == "bet" else None,
            "raise": offer if decision.word == "raise" else None,
        }
        assert agrees(expect["legal"], found), (expect, found)


@pytest.mark.parametrize("case", HANDS, ids=[case["id"] for case in HANDS])
def test_hands_of_the_rule_cases_come_out_as_they_say(case: dict[str, Any]) -> None:
    played = start_case(case["setup"])
    for step in case["script"]:
        if "expect" in step:
            check_expectation(played, step["expect"])
        elif "reject" in step:
            refused = step["reject"]
            allowed = played.allows(refused["seat"], refused["do"], refused.get("to"))
            assert refused.get("optional") or not allowed, step
        else:
            played.act(step["seat"], step["do"], step.get("to"))
    check_result(played, case["result"])


def check_result(played: PlayedHand, result: dict[str, Any]) -> None:
    hand = played.hand
    assert hand.due.step is Step.END
    assert agrees(result["stacks"], hand.betting.stacks)
    if "returned" in result:
        assert agrees(result["returned"], played.returned)
        assert result["returned"].keys() == played.returned.keys()
    if "pots" in result:
        assert len(played.paid) == len(result["pots"])
        for expected, found in zip(result["pots"], played.paid, strict=True):
            assert agrees(expected, found), (expected, found)
    if "rake" in result:
        assert played.rake == result["rake"]
    if "boards_won" in result:
        boards = [
            {
                seat: amount
                for award in played.awards
                if award.board == board
                for seat, amount in award.shares.items()
            }
            for board in range(1, len(hand.boards) + 1)
        ]
        assert boards == result["boards_won"]
    if "award_order" in result:
        order = [f"side{award.pot}" if award.pot else "main" for award in played.awards]
        assert order == result["award_order"]
    if "show_order" in result:
        assert agrees(result["show_order"], played.order)
    for what, seats in (("mucked", played.mucked), ("shown", hand.shown)):
        if what in result:
            assert sorted(result[what]) == sorted(seats)


@pytest.mark.parametrize("path", RECORDED, ids=[path.stem for path in RECORDED])
def test_recorded_hands_end_with_the_recorded_stacks(path: Path) -> None:
    hands = load_recorded(path)
    assert hands
    for name, recorded in hands.items():
        played = replay(recorded)
        assert played.hand.due.step is Step.END, name
        stacks = played.hand.betting.stacks
        assert [stacks[seat] for seat in sorted(stacks)] == recorded["finishing_stacks"], name


def test_there_are_hands_to_play() -> None:
    assert len(HANDS) == 40
    assert sum(len(load_recorded(path)) for path in RECORDED) == 476
