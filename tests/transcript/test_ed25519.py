"""Ed25519 is RFC 8032 cofactorless, over keys and R of order exactly L."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_service.transcript.ed25519 import signing_key, verify_key
from dealer_service.transcript.refusal import Reason, TranscriptError
from tests.support.known_answers import known_answers

EDGE = known_answers("ed25519_edge.json")["cases"]
SEEDS = st.binary(min_size=32, max_size=32)
L = 2**252 + 27742317777372353535851937790883648493


def by_protocol(case: dict[str, Any]) -> bool:
    """The verdict of protocol section 6, from the properties given for the case.

    The cases without properties are signatures of another length.
    """
    facts = case["properties"]
    return (
        len(case["sig"]) == 128
        and facts["a_canonical"] is True
        and facts["r_canonical"] is True
        and facts["a_order"] == "L"
        and facts["r_order"] == "L"
        and facts["s_lt_L"] is True
        and facts["cofactorless_equation"] is True
    )


def verdict(case: dict[str, Any]) -> bool:
    try:
        key = verify_key(bytes.fromhex(case["pk"]))
    except TranscriptError:
        return False
    return key.verifies(bytes.fromhex(case["sig"]), bytes.fromhex(case["msg"]))


@pytest.mark.parametrize("case", EDGE, ids=lambda case: case["id"])
def test_the_edge_cases_are_judged_by_the_orders_of_key_and_r(case: dict[str, Any]) -> None:
    assert verdict(case) is by_protocol(case)


def test_the_edge_cases_are_all_there_and_of_both_verdicts() -> None:
    assert len(EDGE) == 59
    assert {by_protocol(case) for case in EDGE} == {True, False}


@pytest.mark.parametrize("case", EDGE, ids=lambda case: case["id"])
def test_a_key_is_taken_just_when_it_is_canonical_and_of_order_l(case: dict[str, Any]) -> None:
    facts = case["properties"]
    if facts.get("a_order") is None and facts.get("a_decodes") is None:
        return
    fit = facts["a_canonical"] is True and facts["a_order"] == "L"
    try:
        verify_key(bytes.fromhex(case["pk"]))
    except TranscriptError as refused:
        assert refused.reason is Reason.BAD_KEY  # noqa: PT017 - both outcomes are asserted
        assert not fit
    else:
        assert fit


@given(seed=SEEDS, message=st.binary(max_size=64), other=st.binary(max_size=64))
@settings(max_examples=25)
def test_a_signature_holds_for_its_message_alone(seed: bytes, message: bytes, other: bytes) -> None:
    key = signing_key(seed)
    signature = key.sign(message)
    assert key.public.verifies(signature, message)
    assert key.public.verifies(signature, other) == (other == message)
    assert verify_key(key.public.raw) == key.public


@given(seed=SEEDS, bit=st.integers(0, 511))
@settings(max_examples=50)
def test_a_signature_with_one_bit_changed_fails(seed: bytes, bit: int) -> None:
    key = signing_key(seed)
    signature = bytearray(key.sign(b"line"))
    signature[bit // 8] ^= 1 << bit % 8
    assert not key.public.verifies(bytes(signature), b"line")


def test_s_plus_l_is_refused() -> None:
    """The equation holds for it too: only S < L keeps a signature unique."""
    key = signing_key(bytes(32))
    signature = key.sign(b"line")
    s = int.from_bytes(signature[32:], "little") + L
    assert not key.public.verifies(signature[:32] + s.to_bytes(32, "little"), b"line")


@pytest.mark.parametrize("size", [0, 63, 65])
def test_a_signature_of_another_length_fails(size: int) -> None:
    assert not signing_key(bytes(32)).public.verifies(bytes(size), b"line")


@pytest.mark.parametrize("size", [0, 31, 33])
def test_keys_and_seeds_of_another_length_are_refused(size: int) -> None:
    for refuse in (verify_key, signing_key):
        with pytest.raises(TranscriptError) as refused:
            refuse(bytes(size))
        assert refused.value.reason is Reason.BAD_KEY


def test_a_private_key_shows_only_its_public_half() -> None:
    seed = b"\xa7" * 32
    key = signing_key(seed)
    assert "a7a7" not in repr(key)
    assert "\\xa7\\xa7" not in repr(key)
    assert repr(key.public) in repr(key)
