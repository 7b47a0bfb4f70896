"""Co-signatures are those of the protocol's vectors, and nothing else passes for one."""

import base64
from typing import Any

import pytest

from dealer_service.transcript.cosignature import (
    WitnessKey,
    cosigned,
    parse_witness_vkey,
    sign_cosignature,
    verify_cosignature,
    witness_key,
)
from dealer_service.transcript.note import (
    MAX_SIGNATURES,
    Signature,
    add_signatures,
    note_signer,
    parse_note,
    parse_signatures,
    parse_vkey,
)
from dealer_service.transcript.refusal import Reason, TranscriptError
from tests.support.known_answers import vectors

VECTORS = vectors("dealer_log.json")
NOTE: str = VECTORS["cosigned"]["note"]
TIMES: dict[str, int] = VECTORS["cosigned"]["times"]
KEYS = [parse_witness_vkey(witness["vkey"]) for witness in VECTORS["witnesses"]]
SIGNERS = [
    note_signer(witness["name"], bytes.fromhex(witness["private_seed"]))
    for witness in VECTORS["witnesses"]
]
TEXT = parse_note(NOTE.encode()).text
PLAIN: str = VECTORS["checkpoints"][-1]["note"]


def cosignature(time: int = 1, text: str = TEXT) -> Signature:
    return sign_cosignature(text, time, SIGNERS[0])


def reason_of(signature: Signature, key: WitnessKey = KEYS[0]) -> Reason:
    with pytest.raises(TranscriptError) as refused:
        verify_cosignature(TEXT, signature, key)
    return refused.value.reason


@pytest.mark.parametrize("case", VECTORS["witnesses"], ids=lambda case: case["name"])
def test_a_witness_key_is_written_and_read(case: dict[str, Any]) -> None:
    signer = note_signer(case["name"], bytes.fromhex(case["private_seed"]))
    assert str(witness_key(signer)) == case["vkey"]
    assert parse_witness_vkey(case["vkey"]) == witness_key(signer)


def test_the_keys_of_logs_and_witnesses_are_not_taken_for_each_other() -> None:
    for attempt in (
        lambda: parse_witness_vkey(VECTORS["vkey"]),
        lambda: parse_vkey(VECTORS["witnesses"][0]["vkey"]),
    ):
        with pytest.raises(TranscriptError) as refused:
            attempt()
        assert refused.value.reason is Reason.BAD_KEY


def test_co_signing_again_gives_the_bytes_of_the_vectors() -> None:
    times = list(TIMES.values())
    made = [
        sign_cosignature(TEXT, time, signer)
        for time, signer in zip(times, SIGNERS[:2], strict=True)
    ]
    assert add_signatures(PLAIN, made) == NOTE
    assert parse_signatures("".join(one.line() for one in made).encode()) == tuple(made)


def test_a_note_tells_who_co_signed_it_and_when() -> None:
    found = cosigned(parse_note(NOTE.encode()), KEYS)
    assert {str(key): time for key, time in found.items()} == TIMES
    assert cosigned(parse_note(PLAIN.encode()), KEYS) == {}
    assert list(cosigned(parse_note(NOTE.encode()), KEYS[1:])) == [KEYS[1]]


def test_of_two_co_signatures_of_a_witness_the_later_counts() -> None:
    lines = "".join(cosignature(time).line() for time in (5, 9, 7))
    assert cosigned(parse_note((PLAIN + lines).encode()), KEYS) == {KEYS[0]: 9}


def test_a_co_signature_of_a_known_witness_that_fails_refuses_the_note() -> None:
    other = cosignature(text=TEXT.replace("260", "261")).line()
    note = parse_note((NOTE + other).encode())
    with pytest.raises(TranscriptError) as refused:
        cosigned(note, KEYS)
    assert refused.value.reason is Reason.NOTE_INVALID_SIGNATURE
    assert KEYS[1] in cosigned(note, KEYS[1:])


def test_a_co_signature_binds_the_text_the_time_and_the_key() -> None:
    good = cosignature(77)
    assert verify_cosignature(TEXT, good, KEYS[0]) == 77
    moved = (78).to_bytes(8, "big") + good.signature[8:]
    assert reason_of(Signature(good.name, good.key_id, moved)) is Reason.NOTE_INVALID_SIGNATURE
    assert reason_of(cosignature(text="other\n")) is Reason.NOTE_INVALID_SIGNATURE
    assert reason_of(good, KEYS[1]) is Reason.COSIGNATURE_MALFORMED


@pytest.mark.parametrize("data", [b"", bytes(71), bytes(73), b"\xff" * 72], ids=len)
def test_what_are_not_the_bytes_of_a_co_signature_is_refused(data: bytes) -> None:
    signature = Signature(KEYS[0].name, KEYS[0].key_id, data)
    assert reason_of(signature) is Reason.COSIGNATURE_MALFORMED


def test_a_plain_signature_under_a_witness_s_name_is_not_one() -> None:
    raw = SIGNERS[0].key.sign(TEXT.encode())
    plain = Signature(SIGNERS[0].name, SIGNERS[0].verifier.key_id, raw)
    assert reason_of(plain) is Reason.COSIGNATURE_MALFORMED
    assert cosigned(parse_note((PLAIN + plain.line()).encode()), KEYS) == {}


@pytest.mark.parametrize("time", [-1, 2**63])
def test_a_time_that_no_co_signature_has_is_not_signed(time: int) -> None:
    with pytest.raises(TranscriptError) as refused:
        cosignature(time)
    assert refused.value.reason is Reason.COSIGNATURE_MALFORMED


def test_the_greatest_time_is_signed() -> None:
    assert verify_cosignature(TEXT, cosignature(2**63 - 1), KEYS[0]) == 2**63 - 1


def test_a_signer_that_stands_in_the_note_is_not_added_again() -> None:
    first, again = cosignature(1), cosignature(2)
    note = add_signatures(PLAIN, [first, again])
    assert note == PLAIN + first.line()
    assert add_signatures(note, [again]) == note


def test_more_signatures_than_a_note_has_are_not_added() -> None:
    many = [Signature(f"w{n}", bytes(4), b"x") for n in range(MAX_SIGNATURES)]
    assert parse_note(add_signatures(PLAIN, many[1:]).encode()).signatures[1:] == tuple(many[1:])
    with pytest.raises(TranscriptError) as refused:
        add_signatures(PLAIN, many)
    assert refused.value.reason is Reason.NOTE_MALFORMED


@pytest.mark.parametrize(
    "lines",
    [
        b"",
        b"\n",
        b"\xff\n",
        cosignature().line().encode().removesuffix(b"\n"),
        b"text\n\n" + cosignature().line().encode(),
        f"- w {base64.b64encode(bytes(76)).decode()}\n".encode(),
        cosignature().line().encode() * (MAX_SIGNATURES + 1),
    ],
    ids=range(7),
)
def test_an_answer_that_is_not_signature_lines_is_refused(lines: bytes) -> None:
    with pytest.raises(TranscriptError) as refused:
        parse_signatures(lines)
    assert refused.value.reason is Reason.NOTE_MALFORMED
