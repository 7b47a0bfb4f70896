"""Ed25519 by protocol 5: cofactorless, S < L, canonical, keys and R of order exactly L."""

from typing import Any

import pytest

from audit_cli.ed25519 import PublicKey, load_key, verify
from audit_cli.problem import Problem
from tests.support.known_answers import known_answers

CASES = known_answers("ed25519_edge.json")["cases"]


def _protocol_verdict(case: dict[str, Any]) -> bool:
    facts = case["properties"]
    return bool(
        facts
        and facts["a_canonical"]
        and facts["r_canonical"]
        and facts["a_order"] == "L"
        and facts["r_order"] == "L"
        and facts["s_lt_L"]
        and facts["cofactorless_equation"]
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_edge_cases_are_judged_by_the_orders_of_key_and_r(case: dict[str, Any]) -> None:
    key = load_key(bytes.fromhex(case["pk"]))
    message, signature = bytes.fromhex(case["msg"]), bytes.fromhex(case["sig"])
    accepted = isinstance(key, PublicKey) and verify(key, message, signature)
    assert accepted == _protocol_verdict(case)


def test_the_table_has_both_verdicts() -> None:
    assert {_protocol_verdict(case) for case in CASES} == {True, False}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_key_is_loaded_only_when_its_order_is_l(case: dict[str, Any]) -> None:
    facts = case["properties"]
    if not facts:
        facts = {"a_canonical": True, "a_order": "L"}
    loaded = isinstance(load_key(bytes.fromhex(case["pk"])), PublicKey)
    assert loaded == (facts["a_canonical"] and facts["a_order"] == "L")


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_key_of_another_length_is_refused(length: int) -> None:
    assert isinstance(load_key(bytes(length)), Problem)
