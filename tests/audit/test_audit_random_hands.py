"""Hands and whole games under random rule sets: what the dealer logs, the audit's engine gives."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_service.rules.entry import RuleSet
from tests.support.audited_logs import audit_hand, lines_of
from tests.support.audits import judge, tell
from tests.support.random_rules import play_hand, random_opening, random_rules
from tests.support.simulator import HOUSE_LIFE, HOUSES, play_game

MONTHS = 10**10


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 2**32))
def test_a_random_hand_under_random_rules_holds_entry_by_entry(seed: int) -> None:
    chance = Random(seed)
    rules = random_rules(chance)
    opened = random_opening(chance, rules)
    hand = play_hand(chance, rules, opened)
    findings = audit_hand(lines_of(rules, [(hand.lines[0][0], opened), *hand.lines]), hand.deck)
    assert not findings.broken, findings.broken


def play(seed: int, rules: RuleSet, hands: int) -> None:
    players = min(6, rules.seats)
    game = play_game(seed=seed, hands=hands, players=players, habits=HOUSE_LIFE, rules=rules)
    report = judge(game.game_file(openings_of="ann"), key=game.key)
    assert report.exit_status() == 0, tell(report)


@pytest.mark.parametrize("house", HOUSES)
@pytest.mark.parametrize("seed", range(4))
def test_games_of_every_house_hold_everything(house: str, seed: int) -> None:
    play(seed, HOUSES[house], 30)


@pytest.mark.parametrize("seed", range(24))
def test_games_under_random_rule_sets_hold_everything(seed: int) -> None:
    rules = random_rules(Random(seed))
    # A table for two stands still when one of them has left.
    play(seed, replace(rules, seats=max(rules.seats, 4), max_ms=MONTHS), 15)
