"""Proofs of single lines are the texts of the protocol's vectors, and hold for one line alone."""

from base64 import b64encode
from dataclasses import replace
from typing import Any

import pytest

from dealer_service.transcript.logproof import (
    HEADER,
    MAX_PROOF_BYTES,
    LogProof,
    open_log_proof,
    parse_log_proof,
    write_log_proof,
)
from dealer_service.transcript.merkle import Tree, leaf_hash
from dealer_service.transcript.note import parse_vkey
from dealer_service.transcript.refusal import Reason, TranscriptError
from tests.support.known_answers import vectors

VECTORS = vectors("dealer_log.json")
ORIGIN: str = VECTORS["origin"]
KEY = parse_vkey(VECTORS["vkey"])
LINES = [line.encode() for line in VECTORS["lines"]]
TREE = Tree(leaf_hash(line) for line in LINES)
PROOF = parse_log_proof(VECTORS["proofs"][0]["text"].encode())
NOTE = PROOF.checkpoint
HASH = b64encode(bytes(32)).decode()


def reason_of(proof: LogProof, line: bytes = LINES[100]) -> Reason:
    with pytest.raises(TranscriptError) as refused:
        open_log_proof(proof, line, KEY, ORIGIN)
    return refused.value.reason


@pytest.mark.parametrize("case", VECTORS["proofs"], ids=lambda case: str(case["index"]))
def test_each_proof_of_the_vectors_is_written_read_and_holds(case: dict[str, Any]) -> None:
    index, size, text = case["index"], case["size"], case["text"]
    proof = parse_log_proof(text.encode())
    assert (proof.index, proof.path) == (index, TREE.inclusion(index, size))
    assert proof.extra in {None, LINES[index]}
    assert write_log_proof(index, proof.path, proof.checkpoint, proof.extra) == text
    checkpoint = open_log_proof(proof, LINES[index], KEY, ORIGIN)
    assert (checkpoint.size, checkpoint.root) == (size, TREE.root(size))


def test_a_proof_holds_for_no_other_line_index_path_or_checkpoint() -> None:
    assert reason_of(PROOF, LINES[99]) is Reason.LOG_PROOF_FAILS
    assert reason_of(replace(PROOF, index=99)) is Reason.LOG_PROOF_FAILS
    assert reason_of(replace(PROOF, index=260)) is Reason.LOG_PROOF_FAILS
    assert reason_of(replace(PROOF, path=PROOF.path[1:])) is Reason.LOG_PROOF_FAILS
    other = VECTORS["checkpoints"][3]["note"]
    assert reason_of(replace(PROOF, checkpoint=other)) is Reason.LOG_PROOF_FAILS
    forged = NOTE.replace("\n260\n", "\n261\n")
    assert reason_of(replace(PROOF, checkpoint=forged)) is Reason.NOTE_INVALID_SIGNATURE


def test_a_proof_is_of_the_log_that_was_asked_for() -> None:
    with pytest.raises(TranscriptError) as refused:
        open_log_proof(PROOF, LINES[100], KEY, f"{ORIGIN}/games/{'0' * 32}")
    assert refused.value.reason is Reason.CHECKPOINT_OF_ANOTHER_LOG


def test_the_extra_data_proves_nothing() -> None:
    assert open_log_proof(replace(PROOF, extra=b"lies"), LINES[100], KEY, ORIGIN).size == 260


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        f"{HEADER}\n",
        f"{HEADER}\n\n{NOTE}",
        f"{HEADER} \nindex 0\n\n{NOTE}",
        f"c2sp.org/tlog-proof@v2\nindex 0\n\n{NOTE}",
        f"{HEADER}\r\nindex 0\n\n{NOTE}",
        f"{HEADER}\nindex 00\n\n{NOTE}",
        f"{HEADER}\nindex -1\n\n{NOTE}",
        f"{HEADER}\nindex {2**63}\n\n{NOTE}",
        f"{HEADER}\nindex\n\n{NOTE}",
        f"{HEADER}\nindex 0 \n\n{NOTE}",
        f"{HEADER}\nIndex 0\n\n{NOTE}",
        f"{HEADER}\nindex 0\nextra AA==\n\n{NOTE}",
        f"{HEADER}\nextra AA\nindex 0\n\n{NOTE}",
        f"{HEADER}\nextra AB==\nindex 0\n\n{NOTE}",
        f"{HEADER}\nextra AA==\nextra AA==\nindex 0\n\n{NOTE}",
        f"{HEADER}\nindex 0\nAA==\n\n{NOTE}",
        f"{HEADER}\nindex 0\n{HASH} \n\n{NOTE}",
        f"{HEADER}\nindex 0\n" + f"{HASH}\n" * 64 + f"\n{NOTE}",
        f"{HEADER}\nindex 0\n\n{NOTE}" + "x" * MAX_PROOF_BYTES,
    ],
    ids=range(21),
)
def test_what_is_no_proof_is_refused(text: str) -> None:
    with pytest.raises(TranscriptError) as refused:
        parse_log_proof(text.encode())
    assert refused.value.reason is Reason.LOG_PROOF_MALFORMED


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(TranscriptError) as refused:
        parse_log_proof(f"{HEADER}\nindex 0\n\n".encode() + b"\xff")
    assert refused.value.reason is Reason.LOG_PROOF_MALFORMED


def test_empty_extra_data_is_not_the_absence_of_any() -> None:
    text = write_log_proof(100, PROOF.path, NOTE, b"")
    assert text.startswith(f"{HEADER}\nextra \nindex 100\n")
    assert parse_log_proof(text.encode()).extra == b""


@pytest.mark.parametrize(
    ("index", "path"), [(-1, ()), (260, ()), (0, (bytes(31),)), (0, (bytes(32),) * 64)]
)
def test_what_can_be_no_proof_is_not_written(index: int, path: tuple[bytes, ...]) -> None:
    with pytest.raises(TranscriptError) as refused:
        write_log_proof(index, path, NOTE)
    assert refused.value.reason is Reason.LOG_PROOF_MALFORMED


def test_a_proof_under_what_is_no_checkpoint_is_not_written() -> None:
    with pytest.raises(TranscriptError):
        write_log_proof(0, (), "no note")
