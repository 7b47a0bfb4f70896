"""Whole hands of the rule cases through the audit's own engine."""

from typing import Any

import pytest

from audit_cli.derive import CARD_NUMBERS
from audit_cli.poker.hand import BOARD_COUNTS, Hand, Step
from audit_cli.poker.positions import place_blinds
from audit_cli.poker.ranking import measure
from audit_cli.poker.showdown import wins_or_ties
from tests.support.rule_cases import CASES

LATER = {"ante", "extra_posts", "straddle_action", "limits", "rake", "boards", "agree_runs"}
HANDS = [
    case
    for case in CASES
    if case["kind"] == "hand" and case["setup"]["game"] == "nlh" and not LATER & set(case["setup"])
]
STREETS = ("preflop", "flop", "turn", "river")


class Played:
    """A case's hand with what came out of it."""

    def __init__(self, setup: dict[str, Any]) -> None:
        stacks, blinds = setup["stacks"], setup["blinds"]
        seats = setup.get("blind_seats")
        placed = (
            (seats["sb"], seats["bb"]) if seats else place_blinds(sorted(stacks), setup["button"])
        )
        unit = setup.get("chip_unit", 1)
        self.hand = Hand(stacks, setup["button"], placed, (blinds["sb"], blinds["bb"]), unit)
        self.hole = {
            seat: [CARD_NUMBERS[card] for card in text.split()]
            for seat, text in setup.get("hole", {}).items()
        }
        self.board = [CARD_NUMBERS[card] for card in setup.get("board", "").split()]
        # Without cards every pot ends uncontested, and any board will do.
        self.board = self.board or [0, 5, 22, 39, 51]
        self.returned: dict[int, int] = {}
        self.order: list[int] = []
        self.mucked: list[int] = []
        self.paid: list[dict[int, int]] = []
        while self.hand.due.step in {Step.SMALL_BLIND, Step.BIG_BLIND}:
            self.hand.post(self.hand.due.seat, self.hand.due.amount)
        self.hand.deal(0)

    def settle(self) -> None:
        """Go on until a seat has to act or the hand is over."""
        hand = self.hand
        while hand.due.step not in {Step.ACT, Step.END}:
            seat, amount = hand.due.seat, hand.due.amount
            match hand.due.step:
                case Step.BOARD_CARDS:
                    hand.deal(0)
                case Step.BOARD_OPENED:
                    assert amount == BOARD_COUNTS[hand.street]
                    at = len(hand.board)
                    hand.open_board(self.board[at : at + amount], 0)
                case Step.RETURN:
                    self.returned[seat] = amount
                    hand.give_back(seat, amount)
                case Step.SHOW | Step.SHOW_OR_MUCK:
                    self._show(seat)
                case _:
                    award = hand.pay(amount)
                    self.paid.insert(0, award.shares)
                    hand.award(award.shares)

    def _show(self, seat: int) -> None:
        hand = self.hand
        self.order.append(seat)
        by_rule = hand.due.step is Step.SHOW
        against = hand.against(seat)
        if by_rule or wins_or_ties(self.strength(seat), against):
            hand.show(seat, self.hole[seat])
        else:
            self.mucked.append(seat)
            hand.muck()

    def strength(self, seat: int) -> tuple[int, ...]:
        return measure((*self.hole[seat], *self.board))

    def allows(self, step: dict[str, Any]) -> bool:
        """Whether the seat may do what a step of the script says."""
        hand = self.hand
        if hand.due.step is not Step.ACT or hand.due.seat != step["seat"]:
            return False
        decision = hand.betting.decide(hand.due.seat)
        return decision.allows(step["do"], self.total(step))

    def total(self, step: dict[str, Any]) -> int:
        if "to" in step:
            total: int = step["to"]
            return total
        decision = self.hand.betting.decide(step["seat"])
        return decision.bet + (decision.call if step["do"] == "call" else 0)

    def act(self, step: dict[str, Any]) -> None:
        assert self.allows(step), f"{step} is refused: {self.hand.betting.decide(step['seat'])}"
        to = self.total(step)
        if step["do"] == "fold":
            self.hand.fold(step["seat"], 0)
        elif step["do"] in {"check", "call"}:
            self.hand.match(step["seat"], to, 0)
        else:
            self.hand.raise_to(step["seat"], to, 0)
        self.settle()


def agrees(expected: Any, found: Any) -> bool:
    if isinstance(expected, dict) and set(expected) == {"any_of"}:
        return any(agrees(one, found) for one in expected["any_of"])
    if isinstance(expected, dict) and isinstance(found, dict):
        return all(key in found and agrees(value, found[key]) for key, value in expected.items())
    return bool(expected == found)


def check_expectation(played: Played, expect: dict[str, Any]) -> None:
    hand = played.hand
    seat = hand.due.seat if hand.due.step is Step.ACT else None
    if "to_act" in expect:
        assert agrees(expect["to_act"], seat), (expect, hand.due)
    if "street" in expect:
        assert STREETS[hand.street] == expect["street"]
    if "board_cards" in expect:
        assert agrees(expect["board_cards"], len(hand.board))
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
    played = Played(case["setup"])
    played.settle()
    for step in case["script"]:
        if "expect" in step:
            check_expectation(played, step["expect"])
        elif "reject" in step:
            assert step.get("optional") or not played.allows(step["reject"]), step
        else:
            played.act(step)
    hand, result = played.hand, case["result"]
    assert hand.due.step is Step.END
    assert agrees(result["stacks"], hand.betting.stacks)
    if "returned" in result:
        assert agrees(result["returned"], played.returned)
        assert result["returned"].keys() == played.returned.keys()
    pots = [
        {"amount": pot.amount, "eligible": sorted(pot.eligible), "winners": paid}
        for pot, paid in zip(hand.pots, played.paid, strict=True)
    ]
    assert len(pots) == len(result["pots"])
    for expected, found in zip(result["pots"], pots, strict=True):
        assert agrees(expected, found), (expected, found)
    if "show_order" in result:
        assert agrees(result["show_order"], played.order)
    if "mucked" in result:
        assert sorted(result["mucked"]) == sorted(played.mucked)
    if "shown" in result:
        assert sorted(result["shown"]) == sorted(hand.shown)


def test_there_are_hands_to_play() -> None:
    assert len(HANDS) > 20
