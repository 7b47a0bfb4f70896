"""CTR_DRBG with AES-256 and no derivation function, and the protocol's one-Generate stream.

`instantiate`, `reseed`, `generate` and `generate_fresh` are NIST SP 800-90A Rev. 1 sections
10.2.1.3.1, 10.2.1.4.1 and 10.2.1.5.1 over a frozen `State`; the counter field is the whole
128-bit block, so it wraps at 2^128 and nowhere else. `stream` is protocol section 4.1: HKDF
(RFC 5869) to a seed, and one Generate from it, computed straight as an AES-CTR key stream.
"""

import hmac
from dataclasses import dataclass, field
from typing import Final

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES256
from cryptography.hazmat.primitives.ciphers.modes import CTR

from dealer_service.fairness.refusal import FairnessError, Reason, require_length

KEY_BYTES: Final = 32
BLOCK_BYTES: Final = 16
SEED_BYTES: Final = KEY_BYTES + BLOCK_BYTES
MAX_REQUEST_BYTES: Final = 65_536  # SP 800-90A table 3: 2^19 bits a request
RESEED_INTERVAL: Final = 2**48  # SP 800-90A table 3
MAX_STREAM_BYTES: Final = MAX_REQUEST_BYTES

_HASH_BYTES: Final = 32
_COUNTER_MASK: Final = (1 << (8 * BLOCK_BYTES)) - 1


@dataclass(frozen=True, slots=True)
class State:
    """The working state: key K (32 bytes), V (16 bytes) and Generates since the last seeding."""

    key: bytes = field(repr=False)
    v: bytes = field(repr=False)
    reseed_counter: int


def instantiate(entropy_input: bytes, personalization: bytes = b"") -> State:
    """Start a generator from 48 bytes of full entropy (SP 800-90A 10.2.1.3.1).

    `personalization` has at most 48 bytes. FairnessError BAD_LENGTH otherwise.
    """
    seed = _with_input(entropy_input, "personalization string", personalization)
    key, v = _update(bytes(KEY_BYTES), bytes(BLOCK_BYTES), seed)
    return State(key, v, 1)


def reseed(state: State, entropy_input: bytes, additional_input: bytes = b"") -> State:
    """Mix 48 fresh bytes, and up to 48 more of additional input, in (SP 800-90A 10.2.1.4.1)."""
    seed = _with_input(entropy_input, "additional input", additional_input)
    key, v = _update(state.key, state.v, seed)
    return State(key, v, 1)


def generate(state: State, count: int, additional_input: bytes = b"") -> tuple[bytes, State]:
    """Give `count` bytes, at most 65,536, and the state after them (SP 800-90A 10.2.1.5.1).

    FairnessError BAD_LENGTH for too many bytes or too long an input, RESEED_REQUIRED after
    2^48 Generates.
    """
    _require_count(count)
    if state.reseed_counter > RESEED_INTERVAL:
        message = "the generator has given 2^48 answers since it was seeded and must be reseeded"
        raise FairnessError(Reason.RESEED_REQUIRED, message)
    key, v = state.key, state.v
    additional = _padded("additional input", additional_input)
    if additional_input:
        key, v = _update(key, v, additional)
    output = _key_stream(key, v, count)
    blocks = -(-count // BLOCK_BYTES)
    after = (int.from_bytes(v, "big") + blocks) & _COUNTER_MASK
    key, v = _update(key, after.to_bytes(BLOCK_BYTES, "big"), additional)
    return output, State(key, v, state.reseed_counter + 1)


def generate_fresh(
    state: State, count: int, entropy_input: bytes, additional_input: bytes = b""
) -> tuple[bytes, State]:
    """Generate with prediction resistance: reseed first, then generate (SP 800-90A 9.3.1).

    The additional input goes into the reseed and not again into the Generate.
    """
    return generate(reseed(state, entropy_input, additional_input), count)


def hkdf(ikm: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    """HKDF with SHA-256 (RFC 5869 2.2, 2.3): `length` bytes, at most 255 x 32."""
    if not 0 < length <= 255 * _HASH_BYTES:
        message = f"HKDF gives 1 to {255 * _HASH_BYTES} bytes, not {length}"
        raise FairnessError(Reason.BAD_LENGTH, message)
    prk = hmac.digest(salt, ikm, "sha256")
    block = output = hmac.digest(prk, info + b"\x01", "sha256")
    for number in range(2, -(-length // _HASH_BYTES) + 1):
        block = hmac.digest(prk, b"%b%b%c" % (block, info, number), "sha256")
        output += block
    return output[:length]


def stream_seed(hand_secret: bytes, mix: bytes, label: str) -> bytes:
    """Derive the 48-byte seed of `stream`: HKDF(hand_secret, mix, F("cutcard/v1/" + label))."""
    require_length("the secret", hand_secret, 32)
    require_length("the mix", mix, 32)
    name = b"cutcard/v1/" + label.encode("ascii")
    return hkdf(hand_secret, mix, len(name).to_bytes(4, "big") + name, SEED_BYTES)


def stream(hand_secret: bytes, mix: bytes, label: str, count: int) -> bytes:
    """Give `count` bytes, at most 65,536, of the hand's stream `label` (protocol section 4.1)."""
    return seeded_stream(stream_seed(hand_secret, mix, label), count)


def seeded_stream(seed: bytes, count: int) -> bytes:
    """Instantiate with `seed` and Generate once: the same bytes as `generate`, without its state.

    Instantiating XORs the seed with the AES blocks of counters 1, 2, 3 under the zero key, which
    are constants, so one AES-CTR run is all there is to do.
    """
    require_length("the seed", seed, SEED_BYTES)
    _require_count(count)
    state = (int.from_bytes(seed, "big") ^ _FIRST_BLOCKS).to_bytes(SEED_BYTES, "big")
    return _key_stream(state[:KEY_BYTES], state[KEY_BYTES:], count)


def _key_stream(key: bytes, v: bytes, count: int) -> bytes:
    """AES-256-CTR under `key`, the first block's counter being V + 1 modulo 2^128."""
    counter = (int.from_bytes(v, "big") + 1) & _COUNTER_MASK
    cipher = Cipher(AES256(key), CTR(counter.to_bytes(BLOCK_BYTES, "big")))
    return cipher.encryptor().update(bytes(count))


def _update(key: bytes, v: bytes, provided: bytes) -> tuple[bytes, bytes]:
    """CTR_DRBG_Update (SP 800-90A 10.2.1.2): the next K and V from 48 bytes of provided data."""
    mixed = int.from_bytes(_key_stream(key, v, SEED_BYTES), "big") ^ int.from_bytes(provided, "big")
    state = mixed.to_bytes(SEED_BYTES, "big")
    return state[:KEY_BYTES], state[KEY_BYTES:]


def _with_input(entropy_input: bytes, name: str, extra: bytes) -> bytes:
    require_length("the entropy input", entropy_input, SEED_BYTES)
    mixed = int.from_bytes(entropy_input, "big") ^ int.from_bytes(_padded(name, extra), "big")
    return mixed.to_bytes(SEED_BYTES, "big")


def _padded(name: str, value: bytes) -> bytes:
    if len(value) > SEED_BYTES:
        message = f"the {name} has {len(value)} bytes and may have at most {SEED_BYTES}"
        raise FairnessError(Reason.BAD_LENGTH, message)
    return value.ljust(SEED_BYTES, b"\x00")


def _require_count(count: int) -> None:
    if not 0 <= count <= MAX_REQUEST_BYTES:
        message = f"one Generate gives 0 to {MAX_REQUEST_BYTES} bytes, not {count}"
        raise FairnessError(Reason.BAD_LENGTH, message)


_FIRST_BLOCKS: Final = int.from_bytes(
    _key_stream(bytes(KEY_BYTES), bytes(BLOCK_BYTES), SEED_BYTES), "big"
)
