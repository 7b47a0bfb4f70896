"""Known-answer tests of what a deck is made with, run before any is (SP 800-90A 11.3).

Each is a public answer that whoever likes can look up. They go through the very functions that
deal, so a library or a processor that computes otherwise is found before a hand opens.
"""

import hmac
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from dealer_service.fairness import drbg
from dealer_service.fairness.refusal import FairnessError, Reason

_SEED: Final = bytes.fromhex(
    "e4bc23c5089a19d86f4119cb3fa08c0a4991e0a1def17e101e4c14d9c323460a7c2fb58e0b086c6c57b55f56cae25bad"
)
_RESEED: Final = bytes.fromhex(
    "fd85a836bba85019881e8c6bad23c9061adc75477659acaea8e4a01dfe07a1832dad1c136f59d70f8653a5dc118663d6"
)
_GENERATED: Final = bytes.fromhex(
    "b2cb8905c05e5950ca31895096be29ea3d5a3b82b269495554eb80fe07de43e1"
    "93b9e7c3ece73b80e062b1c1f68202fbb1c52a040ea2478864295282234aaada"
)
_OKM: Final = bytes.fromhex(
    "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
)


def _sha256() -> bool:
    """FIPS 180-4: the one-block message of NIST's example values."""
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    return sha256(b"abc").hexdigest() == digest


def _hmac() -> bool:
    """RFC 4231 4.3."""
    code = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    return hmac.digest(b"Jefe", b"what do ya want for nothing?", "sha256").hex() == code


def _hkdf() -> bool:
    """RFC 5869 A.1."""
    return drbg.hkdf(b"\x0b" * 22, bytes(range(13)), bytes(range(0xF0, 0xFA)), 42) == _OKM


def _ctr_drbg() -> bool:
    """NIST CAVP drbgvectors_pr_false, CTR_DRBG AES-256 no df, first case: with a reseed."""
    state = drbg.reseed(drbg.instantiate(_SEED), _RESEED)
    _, state = drbg.generate(state, len(_GENERATED))
    return drbg.generate(state, len(_GENERATED))[0] == _GENERATED


def _stream() -> bool:
    """Protocol section 4.1: the short way that decks take gives what 10.2.1 gives."""
    return drbg.seeded_stream(_SEED, 64) == drbg.generate(drbg.instantiate(_SEED), 64)[0]


_TESTS: Final[tuple[tuple[str, Callable[[], bool]], ...]] = (
    ("SHA-256", _sha256),
    ("HMAC with SHA-256", _hmac),
    ("HKDF with SHA-256", _hkdf),
    ("CTR_DRBG with AES-256", _ctr_drbg),
    ("the hand's stream", _stream),
)
KNOWN_ANSWERS: Final = tuple(name for name, _ in _TESTS)


def require_known_answers() -> None:
    """Raise FairnessError KNOWN_ANSWER_FAILED where something computes otherwise than it must."""
    for name, test in _TESTS:
        if not test():
            message = f"{name} does not give its known answer on this machine: nothing is dealt"
            raise FairnessError(Reason.KNOWN_ANSWER_FAILED, message)
