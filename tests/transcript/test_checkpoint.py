"""Checkpoints are written one way, read strictly, and belong to one log of one dealer."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.transcript.checkpoint import (
    Checkpoint,
    log_origin,
    open_checkpoint,
    parse_checkpoint,
    sign_checkpoint,
)
from dealer_service.transcript.merkle import Tree, leaf_hash
from dealer_service.transcript.note import note_signer, parse_vkey, sign_note
from dealer_service.transcript.refusal import Reason, TranscriptError
from tests.support.known_answers import known_answers, vectors

KAT = known_answers("notes.json")
VECTORS = vectors("checkpoint.json")
SIGNER = note_signer("dealer.example", bytes(32))
GAME = bytes(range(16))
ORIGIN = log_origin("dealer.example", GAME)
CHECKPOINT = Checkpoint(ORIGIN, 20, b"\x01" * 32)


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["log_origin"])
def test_the_vectors_checkpoints_open_and_are_signed_again(case: dict[str, Any]) -> None:
    key = parse_vkey(case["vkey"])
    signer = note_signer(key.name, bytes.fromhex(case["private_seed"]))
    tree = Tree(leaf_hash(line.encode()) for line in case["lines"])
    for size, note in enumerate(case["notes"], start=1):
        checkpoint = Checkpoint(case["log_origin"], size, tree.root(size))
        assert open_checkpoint(note.encode(), key, case["log_origin"]) == checkpoint
        assert sign_checkpoint(checkpoint, signer) == note


def test_a_public_logs_checkpoints_have_the_roots_of_its_leaves() -> None:
    log = KAT["checkpoint_log"]
    tree = Tree(leaf_hash(leaf.encode()) for leaf in log["leaves_ascii"])
    key = parse_vkey(log["vkey"])
    assert len(log["checkpoints"]) == 16
    for case in log["checkpoints"]:
        checkpoint = open_checkpoint(case["note"].encode(), key, "example.com/log/testdata")
        expected = Checkpoint("example.com/log/testdata", case["size"], tree.root(case["size"]))
        assert checkpoint == expected


@pytest.mark.parametrize("case", KAT["checkpoint_bodies"], ids=lambda case: case["desc"])
def test_checkpoint_texts_get_the_strict_verdict(case: dict[str, Any]) -> None:
    if case["c2sp_strict_ok"]:
        assert parse_checkpoint(case["body"], allow_extensions=True).text() == case["body"]
        return
    with pytest.raises(TranscriptError) as refused:
        parse_checkpoint(case["body"], allow_extensions=True)
    assert refused.value.reason is Reason.CHECKPOINT_MALFORMED


def test_an_extension_line_is_none_of_our_logs() -> None:
    extended = replace(CHECKPOINT, extensions=("more",))
    assert parse_checkpoint(extended.text(), allow_extensions=True) == extended
    note = sign_note(extended.text(), [SIGNER]).encode()
    for refuse in (
        lambda: parse_checkpoint(extended.text()),
        lambda: open_checkpoint(note, SIGNER.verifier, ORIGIN),
        lambda: sign_checkpoint(extended, SIGNER),
    ):
        with pytest.raises(TranscriptError) as refused:
            refuse()
        assert refused.value.reason is Reason.CHECKPOINT_MALFORMED


TEXT = CHECKPOINT.text()
ROOT = TEXT.split("\n")[2]


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("\n20\n", "\n020\n"),
        TEXT.replace("\n20\n", "\n+20\n"),
        TEXT.replace("\n20\n", "\n-20\n"),
        TEXT.replace("\n20\n", "\n2_0\n"),
        TEXT.replace("\n20\n", "\n 20\n"),
        TEXT.replace("\n20\n", "\n20.0\n"),
        TEXT.replace("\n20\n", "\n0x14\n"),
        TEXT.replace("\n20\n", "\n\uff12\uff10\n"),
        TEXT.replace("\n20\n", "\n\u0662\u0660\n"),
        TEXT.replace("\n20\n", f"\n{2**63}\n"),
        TEXT.replace("\n20\n", "\n" + "9" * 5000 + "\n"),
        TEXT.replace("\n", "\r\n"),
        TEXT + "\n",
        "\n" + TEXT,
        TEXT.removesuffix("\n"),
        TEXT.replace(ROOT, ROOT[:20] + "\n" + ROOT[20:]),
        TEXT.replace(ROOT, ROOT[:-2] + "F="),
        TEXT.replace(ROOT, ROOT.rstrip("=")),
        "",
    ],
)
def test_a_checkpoint_written_in_any_other_way_is_refused(text: str) -> None:
    with pytest.raises(TranscriptError) as refused:
        parse_checkpoint(text)
    assert refused.value.reason is Reason.CHECKPOINT_MALFORMED


@given(size=st.integers(0, 2**63 - 1), root=st.binary(min_size=32, max_size=32))
def test_what_was_written_reads_back(size: int, root: bytes) -> None:
    checkpoint = Checkpoint(ORIGIN, size, root)
    assert parse_checkpoint(checkpoint.text()) == checkpoint
    note = sign_checkpoint(checkpoint, SIGNER).encode()
    assert open_checkpoint(note, SIGNER.verifier, ORIGIN) == checkpoint


@pytest.mark.parametrize(
    "checkpoint",
    [
        replace(CHECKPOINT, size=-1),
        replace(CHECKPOINT, size=2**63),
        replace(CHECKPOINT, root=bytes(31)),
        replace(CHECKPOINT, origin=""),
        replace(CHECKPOINT, origin="a\nb"),
        replace(CHECKPOINT, extensions=("",)),
        replace(CHECKPOINT, extensions=("a\nb",)),
    ],
)
def test_what_no_checkpoint_can_say_is_not_written(checkpoint: Checkpoint) -> None:
    with pytest.raises(TranscriptError) as refused:
        checkpoint.text()
    assert refused.value.reason is Reason.CHECKPOINT_MALFORMED


def test_a_games_log_is_named_by_its_dealer_and_id() -> None:
    assert ORIGIN == "dealer.example/games/000102030405060708090a0b0c0d0e0f"


@pytest.mark.parametrize("origin", ["dealer.example", ORIGIN])
def test_the_dealers_own_logs_are_signed(origin: str) -> None:
    checkpoint = replace(CHECKPOINT, origin=origin)
    note = sign_checkpoint(checkpoint, SIGNER).encode()
    assert open_checkpoint(note, SIGNER.verifier, origin) == checkpoint


@pytest.mark.parametrize(
    "origin",
    [
        "other.example",
        "dealer.example.evil",
        "dealerxexample/games/" + GAME.hex(),
        "dealer.example/games/",
        "dealer.example/games/" + GAME.hex().upper(),
        "dealer.example/games/" + GAME.hex() + "00",
        "dealer.example/games/" + GAME.hex() + "/x",
        "dealer.example/other/" + GAME.hex(),
    ],
)
def test_no_other_log_is_signed_or_read_under_its_key(origin: str) -> None:
    checkpoint = replace(CHECKPOINT, origin=origin)
    note = sign_note(checkpoint.text(), [SIGNER]).encode()
    for refuse in (
        lambda: sign_checkpoint(checkpoint, SIGNER),
        lambda: open_checkpoint(note, SIGNER.verifier, origin),
    ):
        with pytest.raises(TranscriptError) as refused:
            refuse()
        assert refused.value.reason is Reason.CHECKPOINT_OF_ANOTHER_LOG


def test_a_checkpoint_of_another_game_is_refused() -> None:
    note = sign_checkpoint(CHECKPOINT, SIGNER).encode()
    with pytest.raises(TranscriptError) as refused:
        open_checkpoint(note, SIGNER.verifier, log_origin("dealer.example", bytes(16)))
    assert refused.value.reason is Reason.CHECKPOINT_OF_ANOTHER_LOG


def test_a_bad_signature_of_the_key_beside_a_good_one_is_refused() -> None:
    good = sign_checkpoint(CHECKPOINT, SIGNER)
    bad = sign_checkpoint(replace(CHECKPOINT, size=21), SIGNER).split("\n\n")[1]
    with pytest.raises(TranscriptError) as refused:
        open_checkpoint((good + bad).encode(), SIGNER.verifier, ORIGIN)
    assert refused.value.reason is Reason.NOTE_INVALID_SIGNATURE


def test_a_witness_may_sign_beside_the_dealer() -> None:
    note = sign_note(CHECKPOINT.text(), [SIGNER, note_signer("witness.example", b"\x01" * 32)])
    assert open_checkpoint(note.encode(), SIGNER.verifier, ORIGIN) == CHECKPOINT
