"""Signed notes, verifier keys and checkpoints are read in one way only."""

from base64 import b64encode
from hashlib import sha256
from typing import Any

import pytest

from audit_cli.checkpoint import Checkpoint, parse_checkpoint, parse_game_checkpoint
from audit_cli.merkle import Frontier, leaf_hash
from audit_cli.note import (
    MAX_SIGNATURES,
    Note,
    NoteVerdict,
    VerifierKey,
    open_note,
    parse_note,
    parse_vkey,
)
from audit_cli.problem import Problem
from tests.support.game_files import Signer
from tests.support.known_answers import known_answers, vectors

NOTES = known_answers("notes.json")


def _text(case: dict[str, Any]) -> bytes | str:
    if "note_hex" in case:
        return bytes.fromhex(case["note_hex"])
    if "note_repeat" in case:
        repeat = case["note_repeat"]
        return str(repeat["head"] + repeat["count"] * repeat["line"])
    return str(case["note"])


def _key(vkey: str) -> VerifierKey:
    key = parse_vkey(vkey)
    assert isinstance(key, VerifierKey)
    return key


@pytest.mark.parametrize("case", NOTES["notes"], ids=lambda case: case["id"])
def test_notes_are_judged_as_published(case: dict[str, Any]) -> None:
    opened = open_note(_text(case), [_key(vkey) for vkey in case["vkeys"]])
    assert opened.verdict.value == case["verdict"]
    assert list(opened.verified) == case["verified"]
    assert list(opened.unverified) == case["unverified"]


@pytest.mark.parametrize("vkey", NOTES["vkeys"]["valid"])
def test_a_verifier_key_is_read(vkey: str) -> None:
    assert vkey.startswith(str(_key(vkey)))


@pytest.mark.parametrize("case", NOTES["vkeys"]["invalid"], ids=lambda case: case["why"])
def test_a_wrong_verifier_key_is_refused(case: dict[str, str]) -> None:
    assert isinstance(parse_vkey(case["vkey"]), Problem)


def test_every_cut_and_every_changed_byte_of_a_verifier_key_is_refused() -> None:
    vkey = NOTES["vkeys"]["valid"][0]
    cuts = {vkey[i:j] for i in range(len(vkey)) for j in range(i, len(vkey) + 1)} - {vkey}
    bumps = {vkey[:i] + chr(ord(vkey[i]) + 1) + vkey[i + 1 :] for i in range(len(vkey))}
    for wrong in cuts | bumps:
        assert isinstance(parse_vkey(wrong), Problem), wrong


def test_a_key_of_mixed_order_is_refused() -> None:

    cases = known_answers("ed25519_edge.json")["cases"]
    for case in cases:
        if case["properties"].get("a_order") in {"1", "2", "4", "8", "mixed"}:
            public = b"\1" + bytes.fromhex(case["pk"])
            key_id = sha256(b"a\n" + public).digest()[:4].hex()
            read = parse_vkey(f"a+{key_id}+{b64encode(public).decode()}")
            assert isinstance(read, Problem), case["id"]
            assert "order" in read.reason or "canonical" in read.reason


def test_64_signatures_are_read_and_65_are_not() -> None:
    head, line = "text\n\n", "\N{EM DASH} a AAAAAAAA\n"
    assert isinstance(parse_note(head + line * MAX_SIGNATURES), Note)
    read = parse_note(head + line * (MAX_SIGNATURES + 1))
    assert isinstance(read, Problem)
    assert "65 signatures" in read.reason


def test_a_bad_signature_behind_a_good_one_of_the_same_key_spoils_the_note() -> None:
    signer = Signer()
    text = "text\n"
    good, bad = signer.sign(text), signer.sign("other\n")
    keys = [_key(signer.vkey)]
    assert open_note(f"{text}\n{good}", keys).verdict is NoteVerdict.OK
    for lines in (good + bad, bad + good):
        assert open_note(f"{text}\n{lines}", keys).verdict is NoteVerdict.INVALID_SIGNATURE


@pytest.mark.parametrize("encoded", ["oCwC\noAAA", "oCwCoAA B", "oCwCoB==", "oCwCoAAA====", "=AAA"])
def test_base64_has_one_form(encoded: str) -> None:
    assert isinstance(parse_note(f"text\n\n\N{EM DASH} a {encoded}\n"), Problem)


@pytest.mark.parametrize("case", NOTES["checkpoint_bodies"], ids=lambda case: case["desc"])
def test_checkpoint_texts_are_read_strictly(case: dict[str, Any]) -> None:
    assert isinstance(parse_checkpoint(case["body"]), Checkpoint) == case["c2sp_strict_ok"]


@pytest.mark.parametrize(
    "size",
    ["020", "+20", "2_0", "-1", "", " 2", "2 ", "\u0662\u0660", "0x2", "9223372036854775808"],
)
def test_a_size_has_one_form(size: str) -> None:
    root = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    assert isinstance(parse_checkpoint(f"a\n{size}\n{root}\n"), Problem)
    assert isinstance(parse_checkpoint(f"a\n20\n{root}\n"), Checkpoint)


def test_a_game_checkpoint_has_no_extension_lines() -> None:
    text = "a\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\nmore\n"
    assert isinstance(parse_checkpoint(text), Checkpoint)
    assert isinstance(parse_game_checkpoint(text), Problem)


def test_the_public_test_log_is_read_whole() -> None:
    log = NOTES["checkpoint_log"]
    keys = [_key(log["vkey"])]
    frontier = Frontier()
    for case in log["checkpoints"]:
        if case["size"]:
            frontier.append(leaf_hash(log["leaves_ascii"][case["size"] - 1].encode()))
        note = parse_note(case["note"])
        assert isinstance(note, Note)
        checkpoint = parse_checkpoint(note.text)
        assert checkpoint == Checkpoint("example.com/log/testdata", case["size"], frontier.root())
        assert open_note(case["note"], keys).verdict is NoteVerdict.OK


@pytest.mark.parametrize("case", vectors("checkpoint.json"), ids=lambda case: case["log_origin"])
def test_checkpoint_vectors(case: dict[str, Any]) -> None:
    keys = [_key(case["vkey"])]
    frontier = Frontier()
    for size, line in enumerate(case["lines"], 1):
        assert leaf_hash(line.encode()).hex() == case["leaf_hashes"][size - 1]
        frontier.append(leaf_hash(line.encode()))
        assert frontier.root().hex() == case["roots"][size - 1]
        text = case["notes"][size - 1]
        assert open_note(text, keys).verdict is NoteVerdict.OK
        note = parse_note(text)
        assert isinstance(note, Note)
        checkpoint = parse_game_checkpoint(note.text)
        assert checkpoint == Checkpoint(case["log_origin"], size, frontier.root())
