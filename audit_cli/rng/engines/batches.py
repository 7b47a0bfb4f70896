"""The numpy engine: thousands of hands a step, and no compiler.

Hashes are hashlib's and key streams `cryptography`'s, one call each; what lies between is done for
a whole batch: padding of keys, counters, draws, swaps and cuts. A deck takes about 165 bytes, so
that 208 are made at first, and the whole 1,024 for the few that these are not enough for.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from audit_cli import drbg
from audit_cli.derive import DECK_SIZE, STREAM_BYTES
from audit_cli.rng.engines.drawing import BOUNDED, check_rows, check_run, exhausted, no_draws
from audit_cli.rng.engines.messages import (
    COMMIT_HAND,
    COMMIT_MESSAGE,
    COMMIT_SECRET,
    FIRST_EXPAND,
    KEY_BLOCK,
    MIX_COMMITMENT,
    MIX_HAND,
    MIX_MESSAGE,
    SECOND_EXPAND,
    SECRET_INDEX,
    secret_message,
)
from audit_cli.rng.hands import DRAWS, Hands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Rows = NDArray[np.uint8]
    Dealt = tuple[Rows, Rows, NDArray[np.uint16]]

BATCH: Final = 4096
_FIRST_BYTES: Final = 208

_ZERO_STATE: Final = drbg.instantiate(bytes(drbg.SEED_BYTES))
# Instantiate xors the seed with the same three blocks whatever the seed is.
_ZERO_BLOCKS: Final = np.frombuffer(_ZERO_STATE.key + _ZERO_STATE.v, np.uint8)

_SWAPS: Final = tuple(range(DECK_SIZE - 1, 0, -1))
# _REMAINDERS[n][x] is x mod n: a lookup is faster than numpy's division.
_REMAINDERS: Final = {n: (np.arange(256) % n).astype(np.uint8) for n in sorted(set(DRAWS))}
_CUT: Final = len(_SWAPS)
_THIRDS: Final = 2 * len(_SWAPS) + 1


@dataclass(frozen=True, slots=True)
class Batches:
    """numpy, hashlib and `cryptography`."""

    name: str = "numpy"

    def lab(self, secret: bytes, first: int, count: int, *, streams: bool = False) -> Hands:
        """Derive decks `first`, ... of the laboratory secret (`lab`)."""
        check_run(secret, first, count)
        secrets, mixes = np.empty((2, count, 32), np.uint8)
        for part in _batches(count):
            numbers = np.arange(part.start, part.stop, dtype=np.uint64) + np.uint64(first)
            own = secrets[part]
            own[:] = _hashed(_filled(secret_message(secret), (SECRET_INDEX, _words(numbers))))
            hands = (_words(numbers + np.uint64(1)),)
            commitment = _hashed(
                _filled(COMMIT_MESSAGE, (COMMIT_HAND, *hands), (COMMIT_SECRET, own))
            )
            mixes[part] = _hashed(
                _filled(MIX_MESSAGE, (MIX_HAND, *hands), (MIX_COMMITMENT, commitment))
            )
        return self.derive(first, secrets, mixes, streams=streams)

    def derive(self, first: int, secrets: Rows, mixes: Rows, *, streams: bool = False) -> Hands:
        """Derive decks from secrets and mixes, (n, 32) each. Raises StreamExhaustedError."""
        check_rows("secrets", secrets, 32)
        check_rows("mixes", mixes, 32, len(secrets))
        count = len(secrets)
        kept = np.empty((count, STREAM_BYTES), np.uint8) if streams else None
        dealt = no_draws(count)
        for part in _batches(count):
            seeds = _deck_seeds(secrets[part], mixes[part])
            if kept is None:
                bytes_made = _expand(seeds, _FIRST_BYTES)
            else:
                kept[part] = _expand(seeds, STREAM_BYTES)
                bytes_made = kept[part, :_FIRST_BYTES]
            of_part = _shuffled(bytes_made)
            _go_on(first + part.start, seeds, of_part)
            _keep(dealt, part, of_part)
        return Hands(first, *dealt, streams=kept, secrets=secrets)

    def expand(self, seeds: Rows) -> Rows:
        """Return the streams, (n, 1024), of seeds, (n, 48)."""
        check_rows("seeds", seeds, drbg.SEED_BYTES)
        return _expand(seeds, STREAM_BYTES)

    def deal(self, first: int, streams: Rows) -> Hands:
        """Shuffle decks from the bytes of their streams, (n, 1024 or fewer)."""
        length = min(streams.shape[-1], STREAM_BYTES)
        check_rows("streams", streams, length)
        dealt = no_draws(len(streams))
        for part in _batches(len(streams)):
            _keep(dealt, part, _shuffled(streams[part]))
        short = np.flatnonzero(dealt[2] > length)
        if short.size:
            raise exhausted(first + int(short[0]), length)
        return Hands(first, *dealt, streams=streams)


def _batches(count: int) -> Iterator[slice]:
    for start in range(0, count, BATCH):
        yield slice(start, min(start + BATCH, count))


def _words(numbers: NDArray[np.uint64]) -> Rows:
    """Return u64 of every number, (n, 8)."""
    return numbers.astype(">u8").view(np.uint8).reshape(-1, 8)


def _filled(message: bytes, *fields: tuple[slice, Rows]) -> Rows:
    """Return the message once a hand, with its fields filled in."""
    rows = np.empty((len(fields[0][1]), len(message)), np.uint8)
    rows[:] = np.frombuffer(message, np.uint8)
    for place, values in fields:
        rows[:, place] = values
    return rows


def _cells(rows: Rows) -> list[bytes]:
    """Return the rows as bytes."""
    whole = np.ascontiguousarray(rows)
    cells: list[bytes] = whole.view(f"V{whole.shape[1]}")[:, 0].tolist()
    return cells


def _hashed(rows: Rows) -> Rows:
    """Return the SHA-256 of every row, (n, 32)."""
    digests = b"".join([sha256(cell).digest() for cell in _cells(rows)])
    return np.frombuffer(digests, np.uint8).reshape(-1, 32)


def _keyed(keys: Rows, pad: int, message: Rows) -> Rows:
    """Return one of HMAC's two hashes (RFC 2104): the padded key, and then the message."""
    rows = np.full((len(keys), KEY_BLOCK + message.shape[-1]), pad, np.uint8)
    rows[:, : keys.shape[1]] ^= keys
    rows[:, KEY_BLOCK:] = message
    return _hashed(rows)


def _hmac(keys: Rows, message: Rows) -> Rows:
    """Return HMAC with SHA-256 under every key of 32 bytes, of its message or of the only one."""
    return _keyed(keys, 0x5C, _keyed(keys, 0x36, message))


def _deck_seeds(secrets: Rows, mixes: Rows) -> Rows:
    """HKDF(hand_secret, mix, F("cutcard/v1/deck"), 48) of every hand, (n, 48)."""
    prk = _hmac(mixes, secrets)
    head = _hmac(prk, np.frombuffer(FIRST_EXPAND, np.uint8))
    tail = _hmac(prk, _filled(SECOND_EXPAND, (slice(32), head)))
    return np.concatenate((head, tail[:, :16]), axis=1)


def _expand(seeds: Rows, length: int) -> Rows:
    """Return the first `length` bytes of the stream of every seed (protocol 3, step 1)."""
    mixed = seeds ^ _ZERO_BLOCKS
    # V + 1 with all 128 bits counting: the carry out of the low word is rare, not impossible.
    counters = np.ascontiguousarray(mixed[:, 32:]).view(">u8").astype(np.uint64)
    counters[:, 1] += np.uint64(1)
    counters[:, 0] += counters[:, 1] == 0
    firsts = counters.astype(">u8").view(np.uint8)
    zeros = bytes(length)
    aes, ctr = algorithms.AES, modes.CTR
    blocks = [
        Cipher(aes(key), ctr(counter)).encryptor().update(zeros)
        for key, counter in zip(_cells(mixed[:, :32]), _cells(firsts), strict=True)
    ]
    return np.frombuffer(b"".join(blocks), np.uint8).reshape(-1, length)


def _go_on(first: int, seeds: Rows, dealt: Dealt) -> None:
    """Deal again, from whole streams, the hands that their first bytes were too few for."""
    short = np.flatnonzero(dealt[2] > _FIRST_BYTES)
    if not short.size:
        return
    again = _shuffled(_expand(seeds[short], STREAM_BYTES))
    beyond = np.flatnonzero(again[2] > STREAM_BYTES)
    if beyond.size:
        raise exhausted(first + int(short[beyond[0]]), STREAM_BYTES)
    _keep(dealt, short, again)


def _keep(dealt: Dealt, at: slice | NDArray[np.int64], part: Dealt) -> None:
    decks, draws, used = dealt
    decks[at], draws[at], used[at] = part


def _shuffled(streams: Rows) -> Dealt:
    """Return decks, draws and bytes used; where the bytes were too few, `used` is above them."""
    draws, used = _drawn(streams)
    count = len(streams)
    columns = np.arange(count)
    deck = np.repeat(np.arange(DECK_SIZE, dtype=np.uint8), count).reshape(DECK_SIZE, count)
    _swap(deck, draws, columns)
    deck = _turned(deck, draws[_CUT] + np.uint8(20), columns)
    _swap(deck, draws[_CUT + 1 :], columns)
    a, b, t = draws[_THIRDS], draws[_THIRDS + 1], draws[_THIRDS + 2]
    deck = _turned(deck, np.where(t == 1, a + b + np.uint8(30), a + np.uint8(15)), columns)
    _swap(deck, draws[_THIRDS + 3 :], columns)
    return deck.T, draws.T, used


def _drawn(streams: Rows) -> tuple[Rows, NDArray[np.uint16]]:
    """Return the accepted draws, (157, n), and how many bytes each hand took."""
    count, length = streams.shape
    # Byte by byte, so that neighbours are read together. Behind the last byte stand zeros, which
    # every draw accepts: a hand that is out of bytes comes to an end, too.
    flat = np.zeros((length + 1, count), np.uint8)
    flat[:length] = streams.T
    flat = flat.reshape(-1)
    draws = np.empty((len(BOUNDED), count), np.uint8)
    at = np.arange(count)
    for row, (n, bound) in zip(draws, BOUNDED, strict=True):
        x = flat.take(at, mode="clip")
        if bound < 256:
            dropped = np.flatnonzero(x >= bound)
            while dropped.size:
                at[dropped] += count
                again = flat.take(at[dropped], mode="clip")
                x[dropped] = again
                dropped = dropped[again >= bound]
        _REMAINDERS[n].take(x, out=row, mode="clip")
        at += count
    return draws, (at // count).astype(np.uint16)


def _swap(deck: Rows, draws: Rows, columns: NDArray[np.int64]) -> None:
    """Shuffle every column in place (protocol 3, step 3) by the first 51 of the draws."""
    flat = deck.reshape(-1)
    count = len(columns)
    for i, j in zip(_SWAPS, draws, strict=False):
        place = j * np.int64(count)
        place += columns
        card = flat.take(place, mode="clip")
        flat[place] = deck[i]
        deck[i] = card


def _turned(deck: Rows, cut: Rows, columns: NDArray[np.int64]) -> Rows:
    """Return every column with its first `cut` cards under the rest."""
    place = np.arange(DECK_SIZE, dtype=np.uint8)[:, None] + cut
    place[place >= DECK_SIZE] -= np.uint8(DECK_SIZE)
    return deck.reshape(-1).take(place * np.int64(len(columns)) + columns, mode="clip")
