"""Signed notes get the verdicts of the C2SP and Go cases, and never a lenient one."""

import base64
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_service.transcript.note import (
    MAX_NOTE_BYTES,
    MAX_SIGNATURES,
    Signature,
    note_signer,
    open_note,
    parse_note,
    parse_vkey,
    sign_note,
    strict_base64,
)
from dealer_service.transcript.refusal import Reason, TranscriptError
from tests.support.known_answers import known_answers, vectors

KAT = known_answers("notes.json")
SIGNER = note_signer("example.com/kat", bytes(range(32)))
OTHER = note_signer("example.com/b", bytes(32))
EDGE = known_answers("ed25519_edge.json")["cases"]


def bytes_of(case: dict[str, Any]) -> bytes:
    if "note_hex" in case:
        return bytes.fromhex(case["note_hex"])
    if "note_repeat" in case:
        repeat = case["note_repeat"]
        return str(repeat["head"] + repeat["line"] * repeat["count"]).encode()
    return str(case["note"]).encode()


def signers_of(signatures: tuple[Signature, ...]) -> list[str]:
    return [signature.signer for signature in signatures]


@pytest.mark.parametrize("case", KAT["notes"], ids=lambda case: case["id"])
def test_each_note_gets_its_verdict(case: dict[str, Any]) -> None:
    note, known = bytes_of(case), [parse_vkey(vkey) for vkey in case["vkeys"]]
    if case["verdict"] == "ok":
        opened = open_note(note, known)
        assert signers_of(opened.verified) == case["verified"]
        assert signers_of(opened.unverified) == case["unverified"]
        return
    with pytest.raises(TranscriptError) as refused:
        open_note(note, known)
    assert refused.value.reason is Reason[f"NOTE_{case['verdict'].upper()}"]
    if case["verdict"] == "no_verifiable_signature":
        assert signers_of(parse_note(note).signatures) == case["unverified"]


def test_every_verdict_has_a_case() -> None:
    assert len(KAT["notes"]) == 38
    assert {case["verdict"] for case in KAT["notes"]} == set(KAT["verdicts"])


@pytest.mark.parametrize("vkey", KAT["vkeys"]["valid"])
def test_a_verifier_key_reads_and_prints_back(vkey: str) -> None:
    assert str(parse_vkey(vkey)) == vkey


@pytest.mark.parametrize("case", KAT["vkeys"]["invalid"], ids=lambda case: case["why"])
def test_what_is_no_verifier_key_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(TranscriptError) as refused:
        parse_vkey(case["vkey"])
    assert refused.value.reason is Reason.BAD_KEY


def test_a_verifier_key_with_any_byte_changed_or_missing_is_refused() -> None:
    """The rule of Go's own test, on the same key: each proper substring, each byte plus one."""
    vkey = KAT["vkeys"]["valid"][0]
    mangled = {vkey[i:j] for i in range(len(vkey)) for j in range(i + 1, len(vkey) + 1)} - {vkey}
    mangled |= {vkey[:i] + chr(ord(vkey[i]) + 1) + vkey[i + 1 :] for i in range(len(vkey))}
    for text in mangled:
        with pytest.raises(TranscriptError):
            parse_vkey(text)


@pytest.mark.parametrize("vkey", ["", "a+b", "x\x01y+00000000+AQ==", "\ud800+00000000+AQ=="])
def test_a_verifier_key_of_odd_characters_is_refused(vkey: str) -> None:
    with pytest.raises(TranscriptError) as refused:
        parse_vkey(vkey)
    assert refused.value.reason is Reason.BAD_KEY


def test_a_verifier_key_of_small_or_mixed_order_is_refused() -> None:
    tried = 0
    for case in EDGE:
        if case["properties"].get("a_order") in {"1", "2", "4", "8", "mixed"}:
            raw = b"\x01" + bytes.fromhex(case["pk"])
            identifier = _key_id("example.com/kat", raw)
            with pytest.raises(TranscriptError, match=r"canonical|order"):
                parse_vkey(f"example.com/kat+{identifier}+{base64.b64encode(raw).decode()}")
            tried += 1
    assert tried > 20


def _key_id(name: str, typed_key: bytes) -> str:
    return sha256(name.encode() + b"\n" + typed_key).digest()[:4].hex()


@pytest.mark.parametrize("key", KAT["test_signing_keys"], ids=lambda key: key["vkey"])
def test_public_test_keys_sign_again_what_they_signed(key: dict[str, Any]) -> None:
    signer = note_signer(key["vkey"].split("+")[0], bytes.fromhex(key["ed25519_seed_hex"]))
    assert str(signer.verifier) == key["vkey"]
    name = f"{signer.name}+{signer.verifier.key_id.hex()}"
    notes = [bytes_of(case) for case in KAT["notes"] if name in case["verified"]]
    if key["vkey"] == KAT["checkpoint_log"]["vkey"]:
        notes += [case["note"].encode() for case in KAT["checkpoint_log"]["checkpoints"]]
    assert notes
    for note in notes:
        opened = open_note(note, [signer.verifier])
        again = parse_note(sign_note(opened.text, [signer]).encode())
        assert again.signatures == opened.verified


@pytest.mark.parametrize("case", vectors("checkpoint.json"), ids=lambda case: case["log_origin"])
def test_the_vectors_notes_are_signed_byte_for_byte(case: dict[str, Any]) -> None:
    key = parse_vkey(case["vkey"])
    signer = note_signer(key.name, bytes.fromhex(case["private_seed"]))
    assert str(signer.verifier) == case["vkey"]
    for note in case["notes"]:
        text = open_note(note.encode(), [key]).text
        assert sign_note(text, [signer]) == note


@given(
    st.text(st.characters(exclude_categories=["Cs"], min_codepoint=0x20), min_size=1, max_size=40)
)
@settings(max_examples=40)
def test_what_was_signed_opens(line: str) -> None:
    note = sign_note(f"{line}\n\n{line}\n", [SIGNER, OTHER])
    opened = open_note(note.encode(), [SIGNER.verifier])
    assert opened.text == f"{line}\n\n{line}\n"
    assert signers_of(opened.verified) == [f"example.com/kat+{SIGNER.verifier.key_id.hex()}"]
    assert signers_of(opened.unverified) == [f"example.com/b+{OTHER.verifier.key_id.hex()}"]


@pytest.mark.parametrize("text", ["", "no newline", "tab\t\n", "cr\r\n", "\ud800\n"])
def test_what_can_not_be_a_notes_text_is_not_signed(text: str) -> None:
    with pytest.raises(TranscriptError) as refused:
        sign_note(text, [SIGNER])
    assert refused.value.reason is Reason.NOTE_MALFORMED


def test_a_note_needs_a_signer() -> None:
    with pytest.raises(TranscriptError) as refused:
        sign_note("text\n", [])
    assert refused.value.reason is Reason.NOTE_MALFORMED


@pytest.mark.parametrize(
    "name", ["", "a b", "a+b", "a\nb", "a\u00a0b", "a\x1fb", "\udc80", "a" * 256]
)
def test_a_name_that_no_key_may_have_is_refused(name: str) -> None:
    with pytest.raises(TranscriptError) as refused:
        note_signer(name, bytes(32))
    assert refused.value.reason is Reason.BAD_KEY


def test_64_signatures_are_read_and_65_are_not() -> None:
    line = sign_note("text\n", [SIGNER]).split("\n\n")[1]
    most = ("text\n\n" + line * MAX_SIGNATURES).encode()
    assert len(open_note(most, [SIGNER.verifier]).verified) == 1
    with pytest.raises(TranscriptError) as refused:
        open_note(most + line.encode(), [SIGNER.verifier])
    assert refused.value.reason is Reason.NOTE_MALFORMED


def test_a_note_has_at_most_65535_bytes() -> None:
    room = MAX_NOTE_BYTES - len(sign_note("\n", [SIGNER]).encode())
    longest = sign_note("x" * room + "\n", [SIGNER]).encode()
    assert len(longest) == MAX_NOTE_BYTES
    assert open_note(longest, [SIGNER.verifier]).text == "x" * room + "\n"
    with pytest.raises(TranscriptError) as refused:
        sign_note("x" * (room + 1) + "\n", [SIGNER])
    assert refused.value.reason is Reason.NOTE_MALFORMED


@pytest.mark.parametrize(
    "text", ["QQ", "QQ=", "QR==", "QQ==\n", "Q Q=", "QQ==QQ==", "-_-_", "\uff21\uff21\uff21\uff21"]
)
def test_base64_that_is_not_canonical_is_refused(text: str) -> None:
    """Missing padding, pad bits that are not zero, newlines, spaces, the other alphabet."""
    assert strict_base64(text) is None


@given(st.binary(max_size=40))
def test_canonical_base64_is_read(value: bytes) -> None:
    assert strict_base64(base64.b64encode(value).decode()) == value


def test_a_signer_shows_no_private_key() -> None:
    signer = note_signer("a", b"\xa7" * 32)
    assert "\\xa7\\xa7" not in repr(signer)
