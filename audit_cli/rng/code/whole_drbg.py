"""Reseeding and additional input, from the two functions that the audit's CTR_DRBG has.

NIST's vectors use all of CTR_DRBG; the protocol needs a part. CTR_DRBG_Update (SP 800-90A 10.2.1.2)
xors the provided data to its blocks at the very end, so that Update with data is Update without,
xored: and Update without data is what an empty Generate leaves behind.
"""

from __future__ import annotations

from audit_cli.drbg import SEED_BYTES, State, generate


def reseed(state: State, entropy: bytes, additional: bytes = b"") -> State:
    """Reseed (10.2.1.4.1) from 48 bytes of entropy and at most 48 of additional input."""
    return _update(state, _xor(entropy, additional.ljust(SEED_BYTES, b"\0")))


def generate_with(state: State, length: int, additional: bytes) -> tuple[bytes, State]:
    """Generate (10.2.1.5.1) with additional input, empty for none."""
    if not additional:
        return generate(state, length)
    provided = additional.ljust(SEED_BYTES, b"\0")
    output, after = generate(_update(state, provided), length)
    return output, _mixed(after, provided)


def _update(state: State, provided: bytes) -> State:
    return _mixed(generate(state, 0)[1], provided)


def _mixed(state: State, provided: bytes) -> State:
    both = _xor(state.key + state.v, provided)
    return State(both[:32], both[32:])


def _xor(left: bytes, right: bytes) -> bytes:
    return (int.from_bytes(left, "big") ^ int.from_bytes(right, "big")).to_bytes(len(left), "big")
