"""The protocol's framed hashes and key derivation: section 2 and 3 of the protocol.

Arguments are bytes unless they are the protocol's text names; nothing is checked for its form
here, since every value comes from a reader that has checked it.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

_PREFIX = b"cutcard/v1/"
_BLOCK = 64
_LENGTH_OF_8 = (8).to_bytes(4, "big")
_LENGTH_OF_32 = (32).to_bytes(4, "big")
# Each byte of a key, with the pads of HMAC.
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))


class Link(NamedTuple):
    """A player's 32-byte link for one hand, at the seat it holds."""

    seat: int
    player: str
    link: bytes


class Beacon(NamedTuple):
    """One round of a public beacon: chain hash and randomness of 32 bytes each."""

    chain: bytes
    round: int
    randomness: bytes


def framed(part: bytes) -> bytes:
    """F(part): the part behind its length in four bytes, big-endian."""
    return len(part).to_bytes(4, "big") + part


def u8(number: int) -> bytes:
    """One byte; OverflowError outside 0 to 255."""
    return number.to_bytes(1, "big")


def u64(number: int) -> bytes:
    """Eight bytes, big-endian; OverflowError outside 0 to 2^64 - 1."""
    return number.to_bytes(8, "big")


def tagged_hash(label: str, *parts: bytes) -> bytes:
    """H(label, parts...): SHA-256 over the framed label and the framed parts (protocol 2)."""
    return sha256(b"".join(map(framed, (_PREFIX + label.encode("ascii"), *parts)))).digest()


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """HMAC with SHA-256 (RFC 2104), 32 bytes."""
    if len(key) > _BLOCK:
        key = sha256(key).digest()
    block = key.ljust(_BLOCK, b"\0")
    inner = sha256(block.translate(_INNER) + message).digest()
    return sha256(block.translate(_OUTER) + inner).digest()


def hkdf(ikm: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    """HKDF with SHA-256 (RFC 5869); `length` in bytes, at most 8,160."""
    return hkdf_expand(hmac_sha256(salt or bytes(32), ikm), info, length)


def hkdf_expand(prk: bytes, info: bytes, length: int) -> bytes:
    """Return the second half of HKDF (RFC 5869 2.3), from the extracted key of 32 bytes."""
    key = prk.ljust(_BLOCK, b"\0")
    inner, outer = key.translate(_INNER), key.translate(_OUTER)
    output = block = b""
    counter = 1
    while len(output) < length:
        block = sha256(outer + sha256(inner + block + info + u8(counter)).digest()).digest()
        output += block
        counter += 1
    return output[:length]


def commit_hand(origin: str, game: bytes, hand: int, secret: bytes) -> bytes:
    """`hand_commitment` (protocol 3.1), 32 bytes."""
    return sha256(_commit_head(origin, game) + u64(hand) + framed(secret)).digest()


@lru_cache(maxsize=64)
def _commit_head(origin: str, game: bytes) -> bytes:
    """Return what stands before the hand's number: the same for all hands of a game."""
    parts = (_PREFIX + b"hand-commit", origin.encode("ascii"), game)
    return b"".join(map(framed, parts)) + _LENGTH_OF_8


def next_link(origin: str, game: bytes, player: str, link: bytes) -> bytes:
    """Return the anchor that `link` must fit (protocol 3.2), 32 bytes."""
    return sha256(_link_head(origin, game, player) + link).digest()


@lru_cache(maxsize=1024)
def _link_head(origin: str, game: bytes, player: str) -> bytes:
    """Return what stands before a link of 32 bytes: the same for all of a player's chain."""
    parts = (b"seat-link", origin.encode("ascii"), game, player.encode("ascii"))
    return b"".join(map(framed, (_PREFIX + parts[0], *parts[1:]))) + _LENGTH_OF_32


def mix_hand(  # noqa: PLR0913, PLR0917  (the protocol's own argument list)
    origin: str,
    game: bytes,
    hand: int,
    commitment: bytes,
    links: Iterable[Link],
    beacon: Beacon | None,
) -> bytes:
    """`mix` (protocol 3.6), 32 bytes; the links are taken by rising seat, whatever their order."""
    ordered = sorted(links, key=_seat_of)
    head = _mix_head(origin, game) + u64(hand)
    parts = [head, _LENGTH_OF_32, commitment, framed(u8(len(ordered)))]
    for seat, player, link in ordered:
        parts += (_seat_head(seat, player), link)
    if beacon is None:
        parts.append(_NO_BEACON)
    else:
        ends = (u8(1), beacon.chain, u64(beacon.round), beacon.randomness)
        parts += map(framed, ends)
    return sha256(b"".join(parts)).digest()


_seat_of = itemgetter(0)
_NO_BEACON = framed(u8(0))


@lru_cache(maxsize=64)
def _mix_head(origin: str, game: bytes) -> bytes:
    """Return what stands before the hand's number: the same for all hands of a game."""
    parts = (_PREFIX + b"mix", origin.encode("ascii"), game)
    return b"".join(map(framed, parts)) + _LENGTH_OF_8


@lru_cache(maxsize=1024)
def _seat_head(seat: int, player: str) -> bytes:
    """Return what stands before a player's link of 32 bytes: its seat and its name."""
    return framed(u8(seat)) + framed(player.encode("ascii")) + _LENGTH_OF_32
