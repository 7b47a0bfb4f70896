"""The file of a refusal's evidence, byte for byte as PROTOCOL.md section 11 has it."""

import json
from typing import Any

import pytest

from dealer_service.client.evidence import tell_evidence
from dealer_service.client.message import CardOpening, CardProof, Message
from dealer_service.client.refusing import Evidence, Reason, Refused
from tests.support.known_answers import vectors

CASES = vectors("evidence.json")


def each(hashes: list[str]) -> tuple[bytes, ...]:
    return tuple(map(bytes.fromhex, hashes))


def message_of(told: dict[str, Any]) -> Message:
    openings = tuple(
        CardOpening(
            one["hand"],
            one["position"],
            one["card"],
            bytes.fromhex(one["salt"]),
            each(one["proof"]),
        )
        for one in told["openings"]
    )
    proofs = tuple(
        CardProof(one["hand"], one["position"], each(one["proof"])) for one in told["proofs"]
    )
    lines = each(told["lines"])
    return Message(told["first"], lines, proofs, told["checkpoint"], openings=openings)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["what"]))
def test_it_is_that_of_the_vectors(case: dict[str, Any]) -> None:
    evidence = Evidence(
        tuple(line.encode() for line in case["lines"]),
        tuple((one["size"], one["note"]) for one in case["checkpoints"]),
        case["kept"],
        None if case["received"] is None else message_of(case["received"]),
        case["proof"],
    )
    refused = Refused(case["game"], Reason(case["reason"]), case["detail"], evidence)
    assert tell_evidence(refused, case["key"], case["player"]).decode() == case["text"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["what"]))
def test_its_lines_are_json_with_rising_keys(case: dict[str, Any]) -> None:
    """So that any reader gets what was received out of it again, whatever that was."""
    told = [json.loads(line) for line in case["text"].removesuffix("\n").split("\n")]
    assert told[0]["format"] == "cutcard-evidence/1"
    assert [one["line"] for one in told if "line" in one] == case["lines"]
    received = [one["received"] for one in told if "received" in one]
    assert received == ([] if case["received"] is None else [case["received"]])
    assert all(list(one) == sorted(one) for one in (*told, *received))
