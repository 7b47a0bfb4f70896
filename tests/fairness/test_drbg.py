"""CTR_DRBG answers as NIST's vectors do, and the stream is one Generate of it."""

from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.fairness import drbg
from dealer_service.fairness.refusal import FairnessError, Reason
from tests.support.known_answers import known_answers, vectors

ACVP = known_answers("acvp_ctr_drbg_aes256_nodf.json")["cases"]
CAVP = known_answers("cavp_ctr_drbg_aes256_nodf.json")["cases"]
EDGE = known_answers("stream_edge.json")
HKDF = known_answers("rfc5869.json")["cases"]
SEEDS = st.binary(min_size=48, max_size=48)


@pytest.mark.parametrize("case", ACVP, ids=lambda case: f"{case['tgId']}-{case['tcId']}")
def test_acvp(case: dict[str, Any]) -> None:
    """Instantiate, reseed and generate with additional input, or with prediction resistance."""
    state = drbg.instantiate(
        bytes.fromhex(case["entropyInput"]), bytes.fromhex(case["persoString"])
    )
    count = case["returnedBitsLen"] // 8
    output = b""
    for step in case["otherInput"]:
        entropy = bytes.fromhex(step["entropyInput"])
        additional = bytes.fromhex(step["additionalInput"])
        if step["intendedUse"] == "reSeed":
            state = drbg.reseed(state, entropy, additional)
        elif case["predResistance"]:
            output, state = drbg.generate_fresh(state, count, entropy, additional)
        else:
            output, state = drbg.generate(state, count, additional)
    assert output.hex() == case["returnedBits"].lower()


@pytest.mark.parametrize("case", CAVP, ids=lambda case: f"{case['group']} {case['count']}")
def test_cavp(case: dict[str, Any]) -> None:
    state = drbg.instantiate(
        bytes.fromhex(case["entropyInput"]), bytes.fromhex(case["personalizationString"])
    )
    if case["reseed"]:
        state = drbg.reseed(
            state,
            bytes.fromhex(case["entropyInputReseed"]),
            bytes.fromhex(case["additionalInputReseed"]),
        )
    _, state = drbg.generate(state, 64, bytes.fromhex(case["additionalInput1"]))
    output, _ = drbg.generate(state, 64, bytes.fromhex(case["additionalInput2"]))
    assert output.hex() == case["returnedBits"]


def test_every_acvp_and_cavp_case_is_there() -> None:
    assert (len(ACVP), len(CAVP)) == (10, 24)


def test_the_counter_wraps_at_128_bits() -> None:
    """V = ff..ff makes the first counter block 00..00 (SP 800-90A 10.2.1.5.1 with ctr_len 128)."""
    state = drbg.instantiate(bytes.fromhex(EDGE["seed"]))
    assert state.key.hex() == EDGE["after_instantiate"]["K"]
    assert state.v.hex() == EDGE["after_instantiate"]["V"]
    output, after = drbg.generate(state, EDGE["generate"]["bytes"])
    assert sha256(output).hexdigest() == EDGE["generate"]["sha256"]
    assert output[:32].hex() == EDGE["generate"]["first_32"]
    assert output[-32:].hex() == EDGE["generate"]["last_32"]
    assert after.key.hex() == EDGE["after_generate"]["K"]
    assert after.v.hex() == EDGE["after_generate"]["V"]


def test_the_stream_wraps_alike() -> None:
    output = drbg.seeded_stream(bytes.fromhex(EDGE["seed"]), EDGE["generate"]["bytes"])
    assert sha256(output).hexdigest() == EDGE["generate"]["sha256"]


@given(seed=SEEDS, count=st.integers(0, 2048))
def test_the_stream_is_one_generate(seed: bytes, count: int) -> None:
    output, _ = drbg.generate(drbg.instantiate(seed), count)
    assert drbg.seeded_stream(seed, count) == output


@given(seed=SEEDS)
def test_two_small_generates_give_other_bytes_than_one(seed: bytes) -> None:
    first, state = drbg.generate(drbg.instantiate(seed), 16)
    second, _ = drbg.generate(state, 16)
    assert first + second != drbg.seeded_stream(seed, 32)


@pytest.mark.parametrize("case", HKDF, ids=lambda case: case["section"])
def test_hkdf_as_rfc_5869_has_it(case: dict[str, Any]) -> None:
    ikm, salt, info = (bytes.fromhex(case[name]) for name in ("ikm", "salt", "info"))
    assert drbg.hkdf(ikm, salt, info, case["L"]).hex() == case["okm"]


@pytest.mark.parametrize("length", [0, -1, 255 * 32 + 1])
def test_hkdf_refuses_a_length_that_it_can_not_give(length: int) -> None:
    with pytest.raises(FairnessError) as refused:
        drbg.hkdf(b"key", b"", b"", length)
    assert refused.value.reason is Reason.BAD_LENGTH


def test_hkdf_gives_its_longest_output() -> None:
    assert len(drbg.hkdf(b"key", b"", b"", 255 * 32)) == 255 * 32


@pytest.mark.parametrize("case", vectors("deal.json"), ids=lambda case: case["game"])
def test_the_deck_seed_is_the_vectors(case: dict[str, Any]) -> None:
    secret, mix = bytes.fromhex(case["hand_secret"]), bytes.fromhex(case["expect"]["mix"])
    assert drbg.stream_seed(secret, mix, "deck").hex() == case["expect"]["deck_seed"]


@pytest.mark.parametrize("size", [0, 47, 49])
def test_entropy_input_has_48_bytes(size: int) -> None:
    state = drbg.instantiate(bytes(48))
    for refuse in (drbg.instantiate, lambda entropy: drbg.reseed(state, entropy)):
        with pytest.raises(FairnessError) as refused:
            refuse(bytes(size))
        assert refused.value.reason is Reason.BAD_LENGTH


def test_personalization_and_additional_input_have_at_most_48_bytes() -> None:
    state = drbg.instantiate(bytes(48), bytes(48))
    for refuse in (
        lambda: drbg.instantiate(bytes(48), bytes(49)),
        lambda: drbg.reseed(state, bytes(48), bytes(49)),
        lambda: drbg.generate(state, 1, bytes(49)),
    ):
        with pytest.raises(FairnessError) as refused:
            refuse()
        assert refused.value.reason is Reason.BAD_LENGTH


def test_one_generate_gives_at_most_65536_bytes() -> None:
    """2^19 bits a request (SP 800-90A table 3), which a draw uses to the last."""
    state = drbg.instantiate(bytes(48))
    assert len(drbg.generate(state, 65_536)[0]) == 65_536
    for refuse in (drbg.generate, lambda _, count: drbg.seeded_stream(bytes(48), count)):
        with pytest.raises(FairnessError) as refused:
            refuse(state, 65_537)
        assert refused.value.reason is Reason.BAD_LENGTH


def test_a_worn_out_state_must_be_reseeded() -> None:
    fresh = drbg.instantiate(bytes(48))
    last = drbg.State(fresh.key, fresh.v, drbg.RESEED_INTERVAL)
    _, worn = drbg.generate(last, 1)
    with pytest.raises(FairnessError) as refused:
        drbg.generate(worn, 1)
    assert refused.value.reason is Reason.RESEED_REQUIRED
    assert drbg.reseed(worn, bytes(48)).reseed_counter == 1


def test_no_state_shows_its_key_or_counter() -> None:
    assert repr(drbg.instantiate(bytes(48))) == "State(reseed_counter=1)"
