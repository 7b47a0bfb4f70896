from dataclasses import fields, replace
from typing import Any

import pytest

from dealer_service.rules.entry import BeaconRule, RevealRule
from dealer_service.rules.ruleset import MOST, USUAL, find_faults


def test_the_usual_rules_have_no_fault() -> None:
    assert find_faults(USUAL) == ()


FAULTS: list[tuple[dict[str, Any], list[str]]] = [
    ({"variant": "omaha"}, ["variant"]),
    ({"structure": "pot_limit"}, ["structure"]),
    ({"seats": 1}, ["seats"]),
    ({"seats": 11}, ["seats"]),
    ({"small_blind": 0}, ["small_blind"]),
    ({"small_blind": 101}, ["small_blind"]),
    ({"chip_unit": 0}, ["chip_unit"]),
    ({"chip_unit": 40}, ["chip_unit"]),
    ({"buy_in_min": 30_000}, ["buy_in_max"]),
    ({"buy_in_max": MOST // 6 + 1}, ["buy_in_max"]),
    ({"button": "dead"}, ["button"]),
    ({"turn_ms": 0}, ["turn_ms"]),
    ({"pause_ms": -1}, ["pause_ms"]),
    ({"links": "sometimes"}, ["links"]),
    ({"log_proof": "later"}, ["log_proof"]),
    ({"reveal": RevealRule("nothing", 0)}, ["reveal.policy", "reveal.within_ms"]),
    ({"max_hands": 0}, ["max_hands"]),
    ({"beacon": BeaconRule("AB")}, ["beacon.chain"]),
]


@pytest.mark.parametrize(("change", "at_fault"), FAULTS)
def test_each_fault_is_named(change: dict[str, Any], at_fault: list[str]) -> None:
    assert [fault.field for fault in find_faults(replace(USUAL, **change))] == at_fault


def test_all_faults_are_named_at_once_in_the_order_of_the_fields() -> None:
    rules = replace(USUAL, seats=1, small_blind=0, show="all", max_ms=0)
    found = [fault.field for fault in find_faults(rules)]
    assert found == ["seats", "small_blind", "show", "max_ms"]


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
