"""The numba engine: compiled hands that call the machine's libcrypto for SHA-256 and AES."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli import drbg
from audit_cli.derive import DECK_SIZE, STREAM_BYTES
from audit_cli.rng.engines import kernels, libcrypto
from audit_cli.rng.engines.drawing import check_rows, check_run, exhausted, no_draws
from audit_cli.rng.engines.messages import (
    COMMIT_MESSAGE,
    FIRST_EXPAND,
    KEY_BLOCK,
    MIX_MESSAGE,
    SECOND_EXPAND,
    secret_message,
)
from audit_cli.rng.hands import Hands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from audit_cli.rng.engines.libcrypto import Libcrypto

    Rows = NDArray[np.uint8]
    Words = NDArray[np.uint32]

_FIRST_BYTES: Final = 192  # a deck takes 165, 3.3 more or less; the rest is made when it must be
_ZERO_STATE: Final = drbg.instantiate(bytes(drbg.SEED_BYTES))


class LibcryptoError(Exception):
    """libcrypto is missing, or refused to make a key stream."""


@dataclass(frozen=True, slots=True)
class Native:
    """numba and libcrypto."""

    name: str = "numba"

    def lab(self, secret: bytes, first: int, count: int, *, streams: bool = False) -> Hands:
        """Derive decks `first`, ... of the laboratory secret (`lab`)."""
        check_run(secret, first, count)
        library = _library()
        messages = (secret_message(secret), COMMIT_MESSAGE, MIX_MESSAGE)
        secrets, mixes = np.empty((2, count, 8), np.uint32)
        kernels.lab(
            library.sha256_transform,
            _state(),
            _states(),
            np.stack([_padded(message) for message in messages]),
            first,
            secrets,
            mixes,
        )
        return _derived(library, first, secrets, mixes, streams)

    def derive(self, first: int, secrets: Rows, mixes: Rows, *, streams: bool = False) -> Hands:
        """Derive decks from secrets and mixes, (n, 32) each. Raises StreamExhaustedError."""
        check_rows("secrets", secrets, 32)
        check_rows("mixes", mixes, 32, len(secrets))
        return _derived(_library(), first, _words(secrets), _words(mixes), streams)

    def expand(self, seeds: Rows) -> Rows:
        """Return the streams, (n, 1024), of seeds, (n, 48)."""
        check_rows("seeds", seeds, drbg.SEED_BYTES)
        library = _library()
        streams = np.empty((len(seeds), STREAM_BYTES), np.uint8)
        with _context(library) as context:
            done = kernels.expand(
                library.encrypt_init,
                library.encrypt_update,
                context,
                _words(seeds),
                _zero_blocks(),
                np.zeros(STREAM_BYTES, np.uint8),
                np.zeros(1, np.int32),
                streams,
            )
        _check(done, 0, STREAM_BYTES)
        return streams

    def deal(self, first: int, streams: Rows) -> Hands:
        """Shuffle decks from the bytes of their streams, (n, 1024 or fewer)."""
        length = min(streams.shape[-1], STREAM_BYTES)
        check_rows("streams", streams, length)
        dealt = no_draws(len(streams))
        done = kernels.deal(np.array(streams, order="C"), np.empty(2 * DECK_SIZE, np.uint8), *dealt)
        _check(done, first, length)
        return Hands(first, *dealt, streams=streams)


def _derived(library: Libcrypto, first: int, secrets: Words, mixes: Words, streams: bool) -> Hands:
    dealt = no_draws(len(secrets))
    kept = np.empty((len(secrets) if streams else 0, STREAM_BYTES), np.uint8)
    with _context(library) as context:
        done = kernels.derive(
            library.sha256_transform,
            library.encrypt_init,
            library.encrypt_update,
            context,
            _state(),
            _states(),
            _blocks(),
            np.empty(12, np.uint32),
            _zero_blocks(),
            np.zeros(STREAM_BYTES, np.uint8),
            np.zeros(1, np.int32),
            np.empty(STREAM_BYTES, np.uint8),
            np.empty(2 * DECK_SIZE, np.uint8),
            _FIRST_BYTES,
            secrets,
            mixes,
            *dealt,
            kept,
        )
    _check(done, first, STREAM_BYTES)
    own = secrets.view(np.uint8)
    return Hands(first, *dealt, streams=kept if streams else None, secrets=own)


def _library() -> Libcrypto:
    library = libcrypto.load()
    if library is None:
        message = "there is no libcrypto on this machine that has what the engine calls"
        raise LibcryptoError(message)
    return library


@contextmanager
def _context(library: Libcrypto) -> Iterator[int]:
    """Yield the address of a context for AES-256-CTR, which each key stream sets up anew."""
    context = library.new_context()
    try:
        if not context or library.encrypt_init(context, library.aes_256_ctr, 0, 0, 0) != 1:
            _check(kernels.REFUSED, 0, 0)
        yield context
    finally:
        library.free_context(context)


def _check(done: int, first: int, length: int) -> None:
    if done == kernels.REFUSED:
        message = "libcrypto refused to make a key stream"
        raise LibcryptoError(message)
    if done != kernels.DONE:
        raise exhausted(first + done, length)


def _state() -> Words:
    return np.zeros(libcrypto.SHA256_CTX_BYTES // 4, np.uint32)


def _states() -> Words:
    """Return room for two states, and the one that every hash starts from (FIPS 180-4, 5.3.3)."""
    start = "6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19"
    states = np.zeros((3, 8), np.uint32)
    states[2] = np.frombuffer(bytes.fromhex(start), ">u4")
    return states


def _words(rows: Rows) -> Words:
    """Return a copy as words: aligned and writable, as the one shape that was compiled."""
    return np.array(rows, order="C").view(np.uint32)


def _zero_blocks() -> Words:
    """Return the three blocks that Instantiate xors every seed with."""
    return _words(np.frombuffer(_ZERO_STATE.key + _ZERO_STATE.v, np.uint8))


def _padded(message: bytes, before: int = 0) -> Rows:
    """Return a message with its padding (FIPS 180-4, 5.1.1), `before` bytes being hashed before."""
    length = len(message) + 9
    zeros = bytes(-length % KEY_BLOCK)
    bits = 8 * (before + len(message))
    return np.frombuffer(message + b"\x80" + zeros + bits.to_bytes(8, "big"), np.uint8)


def _blocks() -> Words:
    """Return the rows that the kernels name: key blocks (inner, outer), then three messages."""
    keys = (bytes([0x36]) * KEY_BLOCK, bytes([0x5C]) * KEY_BLOCK)
    rows = [np.frombuffer(key, np.uint8) for key in keys]
    rows += [_padded(text, KEY_BLOCK) for text in (bytes(32), FIRST_EXPAND, SECOND_EXPAND)]
    return _words(np.stack(rows))
