"""Known answers of NIST, of two RFCs and of the protocol, for the audit's code and its engines."""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from audit_cli import drbg
from audit_cli.derive import CARD_NUMBERS
from audit_cli.hashing import hkdf
from audit_cli.rng.code.check import Check, answers, make_check
from audit_cli.rng.code.whole_drbg import generate_with, reseed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from audit_cli.rng.hands import Engine

_OWN = "derivation"


def check_known_answers() -> tuple[Check, ...]:
    """Check the audit's own derivation: DRBG, HKDF and HMAC."""
    cavp = answers("cavp_ctr_drbg_aes256_nodf.json")["cases"]
    acvp = answers("acvp_ctr_drbg_aes256_nodf.json")["cases"]
    keys = answers("rfc5869.json")["cases"]
    codes = answers("rfc4231.json")["cases"]
    return (
        make_check("B0.cavp", "CTR_DRBG, AES-256: NIST CAVP", _OWN, len(cavp), _wrong_cavp(cavp)),
        make_check("B0.acvp", "CTR_DRBG, AES-256: NIST ACVP", _OWN, len(acvp), _wrong_acvp(acvp)),
        make_check("B0.edge", "CTR_DRBG: a counter that wraps", _OWN, 6, _wrong_edge()),
        make_check("B0.hkdf", "HKDF-SHA-256: RFC 5869", _OWN, len(keys), _wrong_hkdf(keys)),
        make_check("B0.hmac", "HMAC-SHA-256: RFC 4231", _OWN, len(codes), _wrong_hmac(codes)),
    )


def _hex(value: str) -> bytes:
    return bytes.fromhex(value)


def _wrong_cavp(cases: list[dict[str, Any]]) -> Iterator[str]:
    for case in cases:
        state = drbg.instantiate(_hex(case["entropyInput"]), _hex(case["personalizationString"]))
        if case["reseed"]:
            entropy = _hex(case["entropyInputReseed"])
            state = reseed(state, entropy, _hex(case["additionalInputReseed"]))
        expected = _hex(case["returnedBits"])
        _, state = generate_with(state, len(expected), _hex(case["additionalInput1"]))
        output, _ = generate_with(state, len(expected), _hex(case["additionalInput2"]))
        if output != expected:
            yield f"{case['group']}, count {case['count']}"


def _wrong_acvp(cases: list[dict[str, Any]]) -> Iterator[str]:
    for case in cases:
        state = drbg.instantiate(_hex(case["entropyInput"]), _hex(case["persoString"]))
        expected = _hex(case["returnedBits"])
        output = b""
        for step in case["otherInput"]:
            additional = _hex(step["additionalInput"])
            # With prediction resistance the additional input goes into the reseed (9.3.1).
            if step["intendedUse"] == "reSeed" or case["predResistance"]:
                state = reseed(state, _hex(step["entropyInput"]), additional)
                additional = b""
            if step["intendedUse"] == "generate":
                output, state = generate_with(state, len(expected), additional)
        if output != expected:
            yield f"group {case['tgId']}, case {case['tcId']}"


def _wrong_edge() -> Iterator[str]:
    edge = answers("stream_edge.json")
    seed, told = _hex(edge["seed"]), edge["generate"]
    state = drbg.instantiate(seed)
    output, after = drbg.generate(state, told["bytes"])
    compared = {
        "the state after instantiate": (state, _state(edge["after_instantiate"])),
        "the state after generate": (after, _state(edge["after_generate"])),
        "the output": (sha256(output).hexdigest(), told["sha256"]),
        "the first bytes": (output[:32].hex(), told["first_32"]),
        "the last bytes": (output[-32:].hex(), told["last_32"]),
        "the stream": (drbg.stream(seed, told["bytes"]), output),
    }
    for words, (found, expected) in compared.items():
        if found != expected:
            yield words


def _state(value: dict[str, str]) -> drbg.State:
    return drbg.State(_hex(value["K"]), _hex(value["V"]))


def _wrong_hkdf(cases: list[dict[str, Any]]) -> Iterator[str]:
    for case in cases:
        key, salt, info = _hex(case["ikm"]), _hex(case["salt"]), _hex(case["info"])
        if hkdf(key, salt, info, case["L"]) != _hex(case["okm"]):
            yield f"section {case['section']}"


def _wrong_hmac(cases: list[dict[str, Any]]) -> Iterator[str]:
    for case in cases:
        if hmac.digest(_hex(case["key"]), _hex(case["data"]), "sha256") != _hex(case["hmac"]):
            yield f"section {case['section']}"


def check_vectors(engine: Engine) -> tuple[Check, ...]:
    """Check an engine's streams and decks against the protocol's vectors."""
    cases = answers("deck.json")["cases"]
    edge = answers("stream_edge.json")
    seeds = _rows([edge["seed"], *(case["deck_seed"] for case in cases)])
    return (
        make_check(
            "B0.streams",
            "streams of known seeds",
            engine.name,
            len(seeds),
            _wrong_streams(engine, seeds, edge["generate"]["sha256"]),
        ),
        make_check(
            "B0.decks",
            "decks of the protocol's vectors",
            engine.name,
            len(cases),
            _wrong_decks(engine, cases),
        ),
    )


def _rows(values: list[str]) -> NDArray[np.uint8]:
    whole = np.frombuffer(_hex("".join(values)), np.uint8)
    return whole.reshape(len(values), -1)


def _wrong_streams(engine: Engine, seeds: NDArray[np.uint8], edge: str) -> Iterator[str]:
    streams = engine.expand(seeds)
    if sha256(streams[0].tobytes()).hexdigest() != edge:
        yield "the stream whose counter wraps"
    for row, (seed, stream) in enumerate(zip(seeds[1:], streams[1:], strict=True), 1):
        if stream.tobytes() != drbg.stream(seed.tobytes(), stream.size):
            yield f"the stream of vector {row}"


def _wrong_decks(engine: Engine, cases: list[dict[str, Any]]) -> Iterator[str]:
    secrets = _rows([case["hand_secret"] for case in cases])
    mixes = _rows([case["mix"] for case in cases])
    hands = engine.derive(0, secrets, mixes)
    for row, case in enumerate(cases):
        deck = [CARD_NUMBERS[card] for card in case["deck"].split()]
        if hands.decks[row].tolist() != deck:
            yield f"the deck of vector {row + 1}"
        elif hands.used is None or int(hands.used[row]) != case["bytes_used"]:
            yield f"the bytes used for vector {row + 1}"
