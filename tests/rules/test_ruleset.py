from dataclasses import fields, replace
from typing import Any

import pytest

from dealer_service.rules.entry import (
    AnteKind,
    AnteRule,
    BeaconRule,
    Button,
    ChoicesCount,
    Limits,
    Links,
    MissedBlinds,
    Newcomers,
    PotSmallBlind,
    RakeCap,
    RakeRule,
    RevealRule,
    Show,
    StraddleKind,
    StraddleRaise,
    StraddleRule,
    Structure,
    TimeBankRule,
    TournamentTable,
    Variant,
)
from dealer_service.rules.ruleset import MOST, USUAL, find_faults
from tests.support.tournament_tables import TABLE_RULES


def test_the_usual_rules_have_no_fault() -> None:
    assert find_faults(USUAL) == ()


LIMITS = Limits(100, 200, 4, uncapped_heads_up=True)
STRADDLE = StraddleRule(StraddleKind.BUTTON, StraddleRaise.DOUBLE)

ALLOWED: list[dict[str, Any]] = [
    {"variant": Variant.OMAHA, "hole_cards": 4, "seats": 10},
    {"variant": Variant.OMAHA, "hole_cards": 5, "seats": 8},
    {"variant": Variant.OMAHA_HI_LO, "hole_cards": 6, "seats": 7},
    {"structure": Structure.POT_LIMIT, "pot_small_blind": PotSmallBlind.ROUNDED_UP},
    {"structure": Structure.FIXED_LIMIT, "limits": LIMITS},
    {"structure": Structure.FIXED_LIMIT, "limits": replace(LIMITS, cap=0)},
    {"ante": AnteRule(AnteKind.BIG_BLIND, 150)},
    {"straddle": STRADDLE, "choices": ChoicesCount.BEFORE_LINKS},
    {"runs": 2, "chop": "blinds", "choices": ChoicesCount.AT_ONCE},
    {"button": Button.DEAD, "newcomers": Newcomers.WAIT, "missed_blinds": MissedBlinds.DEAD},
    {"show": Show.ALL, "return_ms": 1, "disconnect_ms": 1},
    {"watch_delay_ms": 1_000},
    {"watch_delay_ms": 3_600_000},
    {"rake": RakeRule(500, (RakeCap(2, 50), RakeCap(4, 100)), no_flop_no_drop=False)},
    {"time_bank": TimeBankRule(30_000, 1_000, 60_000)},
]


@pytest.mark.parametrize("change", ALLOWED)
def test_every_structure_and_house_option_is_allowed(change: dict[str, Any]) -> None:
    assert find_faults(replace(USUAL, **change)) == ()


FAULTS: list[tuple[dict[str, Any], list[str]]] = [
    ({"variant": "stud"}, ["variant"]),
    ({"variant": Variant.OMAHA}, ["hole_cards"]),
    ({"hole_cards": 4}, ["hole_cards"]),
    ({"variant": Variant.OMAHA, "hole_cards": 3}, ["hole_cards"]),
    ({"variant": Variant.OMAHA_HI_LO, "hole_cards": 7}, ["hole_cards"]),
    ({"variant": Variant.OMAHA, "hole_cards": 5, "seats": 9}, ["seats"]),
    ({"variant": Variant.OMAHA_HI_LO, "hole_cards": 6, "seats": 8}, ["seats"]),
    ({"structure": "spread_limit"}, ["structure"]),
    ({"structure": Structure.POT_LIMIT}, ["pot_small_blind"]),
    ({"pot_small_blind": PotSmallBlind.EXACT}, ["pot_small_blind"]),
    ({"structure": Structure.POT_LIMIT, "pot_small_blind": "none"}, ["pot_small_blind"]),
    ({"structure": Structure.FIXED_LIMIT}, ["limits"]),
    ({"limits": LIMITS}, ["limits"]),
    (
        {"structure": Structure.FIXED_LIMIT, "limits": replace(LIMITS, big_bet=99)},
        ["limits.big_bet"],
    ),
    ({"structure": Structure.FIXED_LIMIT, "limits": replace(LIMITS, cap=-1)}, ["limits.cap"]),
    ({"ante": AnteRule(AnteKind.EACH, 0)}, ["ante.amount"]),
    ({"ante": AnteRule("button", 5)}, ["ante.kind"]),  # type: ignore[arg-type]
    ({"straddle": STRADDLE}, ["choices"]),
    ({"runs": 2}, ["choices"]),
    ({"chop": "blinds"}, ["choices"]),
    ({"choices": ChoicesCount.AT_ONCE}, ["choices"]),
    ({"runs": 3, "choices": ChoicesCount.AT_ONCE}, ["runs"]),
    ({"chop": "pots", "choices": ChoicesCount.AT_ONCE}, ["chop"]),
    ({"chop": "blinds", "choices": "later"}, ["choices"]),
    ({"missed_blinds": "never"}, ["missed_blinds"]),
    ({"rake": RakeRule(10_001, (RakeCap(2, 5),), True)}, ["rake.per_ten_thousand"]),
    ({"rake": RakeRule(500, (), True)}, ["rake.caps"]),
    ({"rake": RakeRule(500, (RakeCap(3, 5),), True)}, ["rake.caps"]),
    ({"rake": RakeRule(500, (RakeCap(2, 5), RakeCap(2, 6)), True)}, ["rake.caps"]),
    ({"rake": RakeRule(500, (RakeCap(2, 5), RakeCap(11, 6)), True)}, ["rake.caps"]),
    ({"rake": RakeRule(500, (RakeCap(2, -1),), True)}, ["rake.caps"]),
    ({"return_ms": 0}, ["return_ms"]),
    ({"time_bank": TimeBankRule(5, 0, 4)}, ["time_bank.start_ms"]),
    ({"time_bank": TimeBankRule(0, -1, 4)}, ["time_bank.per_hand_ms"]),
    ({"disconnect_ms": 0}, ["disconnect_ms"]),
    ({"watch_delay_ms": 999}, ["watch_delay_ms"]),
    ({"watch_delay_ms": 3_600_001}, ["watch_delay_ms"]),
    ({"seats": 1}, ["seats"]),
    ({"seats": 11}, ["seats"]),
    ({"small_blind": 0}, ["small_blind"]),
    ({"small_blind": 101}, ["small_blind"]),
    ({"chip_unit": 0}, ["chip_unit"]),
    ({"chip_unit": 40}, ["chip_unit"]),
    ({"buy_in_min": 30_000}, ["buy_in_max"]),
    ({"buy_in_max": MOST // 6 + 1}, ["buy_in_max"]),
    ({"button": "still"}, ["button"]),
    ({"turn_ms": 0}, ["turn_ms"]),
    ({"pause_ms": -1}, ["pause_ms"]),
    ({"links": "sometimes"}, ["links"]),
    ({"log_proof": "later"}, ["log_proof"]),
    ({"reveal": RevealRule("nothing", 0)}, ["reveal.policy", "reveal.within_ms"]),
    ({"max_hands": 0}, ["max_hands"]),
    ({"beacon": BeaconRule("AB")}, ["beacon.chain"]),
]


AT_A_TOURNAMENT: list[tuple[dict[str, Any], list[str]]] = [
    ({"absent": "sit_out"}, ["absent"]),
    ({"newcomers": Newcomers.NEXT_HAND}, ["newcomers"]),
    ({"button": Button.MOVING}, ["button"]),
    ({"links": Links.REQUIRED}, ["links"]),
    ({"straddle": STRADDLE, "choices": ChoicesCount.AT_ONCE}, ["straddle", "choices"]),
    ({"missed_blinds": MissedBlinds.DEAD}, ["missed_blinds"]),
    ({"runs": 2, "choices": ChoicesCount.AT_ONCE}, ["runs", "choices"]),
    ({"chop": "blinds", "choices": ChoicesCount.AT_ONCE}, ["chop", "choices"]),
    ({"rake": RakeRule(500, (RakeCap(2, 5),), True)}, ["rake"]),
    ({"return_ms": 1}, ["return_ms"]),
    ({"watch_delay_ms": 1_000}, ["watch_delay_ms"]),
    ({"tournament": TournamentTable("7e" * 15, 1)}, ["tournament.tournament"]),
    ({"tournament": TournamentTable("7e" * 16, 0)}, ["tournament.table"]),
    ({"tournament": None}, ["newcomers", "absent"]),
]


@pytest.mark.parametrize(("change", "at_fault"), AT_A_TOURNAMENT)
def test_a_tournaments_table_has_the_words_of_one_and_no_other_has_them(
    change: dict[str, Any], at_fault: list[str]
) -> None:
    assert find_faults(TABLE_RULES) == ()
    found = find_faults(replace(TABLE_RULES, **change))
    assert [fault.field for fault in found] == at_fault


def test_a_fault_of_a_tournaments_table_says_what_there_would_have_to_be() -> None:
    rules = replace(TABLE_RULES, absent="sit_out", return_ms=5)
    assert [fault.message for fault in find_faults(rules)] == [
        "absent must be dealt_in at a tournament's table",
        "return_ms may not be there at a tournament's table",
    ]
    (newcomers,) = find_faults(replace(rules, tournament=None))
    assert newcomers.message == "newcomers may be by_position only at a tournament's table"


@pytest.mark.parametrize(("change", "at_fault"), FAULTS)
def test_each_fault_is_named(change: dict[str, Any], at_fault: list[str]) -> None:
    assert [fault.field for fault in find_faults(replace(USUAL, **change))] == at_fault


def test_all_faults_are_named_at_once_in_the_order_of_the_fields() -> None:
    rules = replace(USUAL, seats=1, small_blind=0, all_in="face_down", max_ms=0)
    found = [fault.field for fault in find_faults(rules)]
    assert found == ["seats", "small_blind", "all_in", "max_ms"]


def test_the_numbers_of_a_message_stand_beside_it() -> None:
    (fault,) = find_faults(replace(USUAL, seats=12))
    assert fault.message == "seats must be at least 2 and at most 10"
    assert fault.numbers == {"min": 2, "max": 10}


def test_no_pause_is_allowed() -> None:
    assert find_faults(replace(USUAL, pause_ms=0)) == ()


def test_every_number_of_a_rule_set_has_bounds() -> None:
    numbers = {one.name for one in fields(USUAL) if isinstance(getattr(USUAL, one.name), int)}
    for name in numbers:
        change: dict[str, Any] = {name: -1}
        assert any(fault.field == name for fault in find_faults(replace(USUAL, **change)))
