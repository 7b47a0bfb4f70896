"""A tournament's draws, made again from their secrets (protocol 14.2).

Numbers are two bytes each of one stream, and a list is shuffled by the deck's rule. The stream is
long enough for lists of 10,000 and more; what needs more of it is an error, never a second stream.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli import drbg
from audit_cli.derive import StreamExhaustedError
from audit_cli.hashing import framed, hkdf, tagged_hash, u64

if TYPE_CHECKING:
    from collections.abc import Sequence

STREAM_BYTES = 65_536
_RANGE = 65_536
_INFO = framed(b"cutcard/v1/draw")


def commit_draw(origin: str, tournament: bytes, draw: int, secret: bytes) -> bytes:
    """Return `draw_commitment`, 32 bytes, of a secret of 32 bytes."""
    return tagged_hash("draw-commit", origin.encode("ascii"), tournament, u64(draw), secret)


def seed_draw(origin: str, tournament: bytes, draw: int, secret: bytes, commitment: bytes) -> bytes:
    """Return the 48 bytes that a draw's stream is seeded with."""
    salt = tagged_hash("draw", origin.encode("ascii"), tournament, u64(draw), commitment)
    return hkdf(secret, salt, _INFO, drbg.SEED_BYTES)


def shuffle(items: Sequence[int], stream: bytes) -> tuple[int, ...]:
    """Shuffle a list by the numbers of a stream; StreamExhaustedError where they run out."""
    order = list(items)
    at = 0
    for i in range(len(order) - 1, 0, -1):
        n = i + 1
        limit = _RANGE - _RANGE % n
        x = limit
        while x >= limit:
            if at + 2 > len(stream):
                message = f"a draw needs more than the {len(stream)} bytes of its stream"
                raise StreamExhaustedError(message)
            x = stream[at] << 8 | stream[at + 1]
            at += 2
        j = x % n
        order[i], order[j] = order[j], order[i]
    return tuple(order)


def draw_order(  # noqa: PLR0913, PLR0917  (the protocol's own argument list)
    origin: str,
    tournament: bytes,
    draw: int,
    secret: bytes,
    commitment: bytes,
    items: Sequence[int],
) -> tuple[int, ...]:
    """Return what comes out of a draw over `items`."""
    seed = seed_draw(origin, tournament, draw, secret, commitment)
    return shuffle(items, drbg.stream(seed, STREAM_BYTES))
