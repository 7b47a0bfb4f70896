"""Which structures can be played, and what is said of those that can not (14.3)."""

from dataclasses import replace

import pytest

from dealer_service.rules.entry import AnteKind, AnteRule, Button, RakeCap, RakeRule
from dealer_service.rules.tournament.entry import (
    AddOnRule,
    LateRule,
    PayoutKind,
    PayoutRule,
    RebuyRule,
    ShareTable,
    StartKind,
    StartRule,
    Structure,
)
from dealer_service.rules.tournament.structure import USUAL, find_faults, table_rules
from tests.support.tournament_desk import MINUTE, level, structure

LATE = LateRule(1, 0)
REBUY = RebuyRule(1_000, 100, 1, 0, 20_000)


def fields(played: Structure) -> list[str]:
    return [fault.field for fault in find_faults(played)]


@pytest.mark.parametrize("played", [USUAL, structure()])
def test_a_usual_structure_has_no_fault(played: Structure) -> None:
    assert find_faults(played) == ()


def shares(*amounts: int, players: int = 2) -> PayoutRule:
    return PayoutRule(PayoutKind.SHARES, unit=1, tables=(ShareTable(players, amounts),))


FAULTS: list[tuple[Structure, str]] = [
    (structure(name=""), "name"),
    (structure(name="x" * 65), "name"),
    (structure(name="Größe"), "name"),
    (structure(stack=0), "stack"),
    (structure(stack=1_010), "stack"),
    (structure(stack=10**10), "stack"),
    (structure(buy_in=10**10), "buy_in"),
    (structure(start=StartRule(StartKind.AT)), "start.at"),
    (structure(start=StartRule(StartKind.FULL, 5)), "start.at"),
    (structure(players_min=1), "players_min"),
    (structure(players_min=4), "players_min"),
    (structure(players_max=10_001), "players_max"),
    (structure(seats=11), "rules.seats"),
    (structure(levels=(level(25), level(5))), "levels[1].small_blind"),
    (structure(levels=(level(25), level(25, length=0))), "levels[1].length"),
    (structure(levels=(level(25), level(25, break_ms=-1))), "levels[1].break_ms"),
    (structure(levels=(level(25),) * 101), "levels"),
    (structure(levels=(level(25), level(25_025))), "levels[1].chip_unit"),
    (structure(levels=(level(25), replace(level(25), small_blind=30))), "levels[1].chip_unit"),
    (
        structure(levels=(level(25), replace(level(25), ante=AnteRule(AnteKind.EACH, 10)))),
        "levels[1].chip_unit",
    ),
    (structure(late=LateRule(4, 0)), "late.levels"),
    (structure(late=LateRule(0, 0)), "late.levels"),
    (structure(levels=(level(25),), late=LateRule(1, 0)), "late"),
    (structure(rebuy=REBUY), "rebuy"),
    (structure(rebuy=replace(REBUY, chips=30), late=LATE), "rebuy.chips"),
    (structure(rebuy=replace(REBUY, decide_ms=-1), late=LATE), "rebuy.decide_ms"),
    (structure(rebuy=replace(REBUY, decide_ms=3_600_001), late=LATE), "rebuy.decide_ms"),
    (structure(rules=replace(structure().rules, max_hands=999)), "rules.max_hands"),
    (structure(rules=replace(structure().rules, max_ms=60_000)), "rules.max_ms"),
    (structure(add_on=AddOnRule(1_000, 10)), "add_on"),
    (structure(add_on=AddOnRule(1_000, 10), late=LATE), "add_on"),
    (structure(redraw=(1, 2)), "redraw"),
    (structure(redraw=(0,)), "redraw"),
    (structure(redraw=tuple(range(101, 0, -1))), "redraw"),
    (structure(hand_for_hand=-1), "hand_for_hand"),
    (structure(payout=PayoutRule(PayoutKind.SHARES, unit=1)), "payout.tables"),
    (structure(payout=PayoutRule(PayoutKind.WINNER, prize=1)), "payout.prize"),
    (structure(payout=PayoutRule(PayoutKind.SATELLITE, prize=0)), "payout.prize"),
    (structure(payout=shares(9_000, 900)), "payout.tables[0].shares"),
    (structure(payout=shares(4_000, 6_000)), "payout.tables[0].shares"),
    (structure(payout=shares(10_000, players=0)), "payout.tables"),
    (structure(payout=shares(10_000, players=10_001)), "payout.tables"),
    (structure(payout=shares(*[4] * 2_500, *[0])), "payout.tables[0].shares"),
    (structure(payout=PayoutRule(PayoutKind.POINTS, points=(3, 6))), "payout.points"),
    (structure(payout=PayoutRule(PayoutKind.POINTS, points=(3,) * 2_501)), "payout.points"),
    (structure(payout=PayoutRule(PayoutKind.POINTS, points=(2**53,))), "payout.points"),
    (structure(deals=True, payout=PayoutRule(PayoutKind.SATELLITE, prize=100)), "deals"),
]


@pytest.mark.parametrize(("played", "field"), FAULTS, ids=[f"{n}" for n in range(len(FAULTS))])
def test_a_fault_is_named_by_its_field(played: Structure, field: str) -> None:
    assert field in fields(played)


def test_points_are_no_money() -> None:
    played = structure(payout=PayoutRule(PayoutKind.POINTS, points=(10, 6, 3)), guarantee=5)
    assert fields(played) == ["buy_in", "fee", "guarantee"]


def test_the_rules_are_those_of_a_tournaments_table_and_of_level_one() -> None:
    played = structure()
    rules = replace(
        played.rules,
        button=Button.MOVING,
        big_blind=75,
        rake=RakeRule(500, (RakeCap(2, 100),), no_flop_no_drop=True),
    )
    assert fields(replace(played, rules=rules)) == ["rules.button", "rules.rake", "rules.big_blind"]


def test_an_add_on_needs_the_break_that_it_is_sold_in() -> None:
    levels = (level(25, break_ms=MINUTE), level(25))
    assert fields(structure(add_on=AddOnRule(1_000, 10), late=LATE, levels=levels)) == []


def test_faults_say_what_would_be_allowed() -> None:
    (fault,) = find_faults(structure(players_min=1))
    assert fault.message == "players_min must be at least 2 and at most 3"
    assert fault.numbers == {"min": 2, "max": 3}


def test_a_table_has_the_structures_rules_and_its_number() -> None:
    played = structure()
    rules = table_rules(played, "7e" * 16, 4)
    assert rules.tournament is not None
    assert rules.tournament.table == 4
    assert replace(rules, tournament=None) == played.rules
