"""CTR_DRBG with AES-256 and no derivation function (NIST SP 800-90A Rev. 1, 10.2.1).

Instantiate and Generate without reseed and without additional input: all that the protocol uses
(4.1). The counter is the whole 128-bit block.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

SEED_BYTES = 48
MAX_REQUEST = 65_536

_KEY_BYTES = 32
_WRAP = 2**128


@dataclass(frozen=True, slots=True)
class State:
    """Key (32 bytes) and V (16 bytes) between two requests."""

    key: bytes = field(repr=False)
    v: bytes = field(repr=False)


def _key_stream(key: bytes, v: bytes, length: int) -> bytes:
    """AES blocks of the counters V + 1, V + 2, ... modulo 2^128, cut to `length` bytes."""
    first = ((int.from_bytes(v, "big") + 1) % _WRAP).to_bytes(16, "big")
    return Cipher(algorithms.AES(key), modes.CTR(first)).encryptor().update(bytes(length))


def _update(key: bytes, v: bytes, provided: bytes) -> State:
    """CTR_DRBG_Update (10.2.1.2) with 48 bytes of provided data."""
    mixed = _xor(_key_stream(key, v, SEED_BYTES), provided)
    return State(mixed[:_KEY_BYTES], mixed[_KEY_BYTES:])


def _xor(left: bytes, right: bytes) -> bytes:
    number = int.from_bytes(left, "big") ^ int.from_bytes(right, "big")
    return number.to_bytes(len(left), "big")


# Instantiate starts from the zero key and V, so that its three blocks are the same for every seed.
_ZERO_BLOCKS = _key_stream(bytes(_KEY_BYTES), bytes(16), SEED_BYTES)


def instantiate(entropy: bytes, personalization: bytes = b"") -> State:
    """Instantiate (10.2.1.3.1) from 48 bytes of entropy and at most 48 of personalization."""
    mixed = _xor(_xor(entropy, personalization.ljust(SEED_BYTES, b"\0")), _ZERO_BLOCKS)
    return State(mixed[:_KEY_BYTES], mixed[_KEY_BYTES:])


def generate(state: State, length: int) -> tuple[bytes, State]:
    """Generate (10.2.1.5.1) of at most 65,536 bytes: the output and the state that follows."""
    if not 0 <= length <= MAX_REQUEST:
        message = f"one request gives 0 to {MAX_REQUEST:,} bytes, not {length:,}"
        raise ValueError(message)
    output = _key_stream(state.key, state.v, length)
    blocks = -(-length // 16)
    v = ((int.from_bytes(state.v, "big") + blocks) % _WRAP).to_bytes(16, "big")
    return output, _update(state.key, v, bytes(SEED_BYTES))


def stream(seed: bytes, length: int) -> bytes:
    """Return the protocol's stream (4.1): one Generate from a seed of 48 bytes."""
    mixed = _xor(seed, _ZERO_BLOCKS)
    return _key_stream(mixed[:_KEY_BYTES], mixed[_KEY_BYTES:], length)
