"""Hands and whole games under random rule sets: what the dealer logs, the audit's engine gives."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_service.rules.entry import (
    Button,
    HandLevel,
    Newcomers,
    RuleSet,
    SeatWord,
    TournamentTable,
)
from dealer_service.rules.tournament_table import play_at
from tests.support.audited_logs import audit_hand, lines_of
from tests.support.audits import judge, tell
from tests.support.mutations import count_changes
from tests.support.random_rules import pick, play_hand, random_opening, random_rules
from tests.support.simulator import HOUSE_LIFE, HOUSES, play_game

MONTHS = 10**10
AWAY = (SeatWord.IN, SeatWord.IN, SeatWord.IN, SeatWord.ABSENT)


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 2**32))
def test_a_random_hand_under_random_rules_holds_entry_by_entry(seed: int) -> None:
    chance = Random(seed)
    rules = random_rules(chance)
    opened = random_opening(chance, rules)
    hand = play_hand(chance, rules, opened)
    findings = audit_hand(lines_of(rules, [(hand.lines[0][0], opened), *hand.lines]), hand.deck)
    assert not findings.broken, findings.broken


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32))
def test_a_random_hand_of_a_random_tournament_holds_entry_by_entry(seed: int) -> None:
    """At a level of its own, with players who are away."""
    chance = Random(seed)
    rules, blinds = of_tournament(random_rules(chance)), random_rules(chance)
    level = HandLevel(7, blinds.small_blind, blinds.big_blind, blinds.chip_unit, blinds.ante)
    played_by = play_at(rules, level)
    opened = random_opening(chance, played_by)
    seats = tuple(
        replace(seat, state=pick(chance, AWAY), owes=None, choices=None) for seat in opened.seats
    )
    opened = replace(opened, level=level, seats=seats)
    hand = play_hand(chance, played_by, opened)
    findings = audit_hand(lines_of(rules, [(hand.lines[0][0], opened), *hand.lines]), hand.deck)
    assert not findings.broken, findings.broken


def of_tournament(rules: RuleSet) -> RuleSet:
    """Make a rule set one of a tournament's table."""
    return replace(
        rules,
        button=Button.DEAD,
        newcomers=Newcomers.BY_POSITION,
        absent="dealt_in",
        straddle=None,
        missed_blinds=None,
        runs=None,
        chop=None,
        choices=None,
        rake=None,
        return_ms=None,
        watch_delay_ms=None,
        tournament=TournamentTable("5a" * 16, 1),
    )


def play(seed: int, rules: RuleSet, hands: int) -> None:
    players = min(6, rules.seats)
    game = play_game(seed=seed, hands=hands, players=players, habits=HOUSE_LIFE, rules=rules)
    report = judge(game.game_file(openings_of="ann"), key=game.key)
    assert report.exit_status() == 0, tell(report)


@pytest.mark.parametrize("house", HOUSES)
@pytest.mark.parametrize("seed", range(count_changes(2)))
def test_games_of_every_house_hold_everything(house: str, seed: int) -> None:
    play(seed, HOUSES[house], 30)


@pytest.mark.parametrize("seed", range(count_changes(12)))
def test_games_under_random_rule_sets_hold_everything(seed: int) -> None:
    rules = random_rules(Random(seed))
    # A table for two stands still when one of them has left.
    play(seed, replace(rules, seats=max(rules.seats, 4), max_ms=MONTHS), 15)
