"""A tournament's draws: a secret committed to one draw ahead, and the order that it gives (14.2).

The order of a list is a Fisher-Yates shuffle from its last item to the second, by two-byte numbers
of one stream under the draw's secret and commitment, each drawn without bias.
"""

import hmac
from collections.abc import Sequence
from typing import Final

from dealer_service.fairness.commitment import (
    SECRET_BYTES,
    game_bytes,
    labelled_hash,
    origin_bytes,
    u64,
)
from dealer_service.fairness.drbg import hkdf, seeded_stream
from dealer_service.fairness.refusal import FairnessError, Reason, require_length, require_range

STREAM_BYTES: Final = 65_536
MAX_ITEMS: Final = 10_000
_NUMBERS: Final = 65_536
_INFO: Final = b"\x00\x00\x00\x0fcutcard/v1/draw"


def draw_commitment(origin: str, tournament: bytes, draw: int, secret: bytes) -> bytes:
    """Commit to the secret of a draw, numbered from 1, before its list is known."""
    require_length("the draw's secret", secret, SECRET_BYTES)
    return labelled_hash("draw-commit", *_place(origin, tournament, draw), secret)


def opens_draw_commitment(
    commitment: bytes, origin: str, tournament: bytes, draw: int, secret: bytes
) -> bool:
    """Say whether `secret` is the draw's secret that `commitment` commits to."""
    return hmac.compare_digest(commitment, draw_commitment(origin, tournament, draw, secret))


def draw_seed(origin: str, tournament: bytes, draw: int, secret: bytes, commitment: bytes) -> bytes:
    """Derive the 48-byte seed of a draw's stream from its secret and commitment."""
    require_length("the draw's secret", secret, SECRET_BYTES)
    require_length("the draw's commitment", commitment, 32)
    salt = labelled_hash("draw", *_place(origin, tournament, draw), commitment)
    return hkdf(secret, salt, _INFO, 48)


def draw_order(  # noqa: PLR0913, PLR0917 - these are the draw's inputs
    origin: str,
    tournament: bytes,
    draw: int,
    secret: bytes,
    commitment: bytes,
    items: Sequence[int],
) -> tuple[int, ...]:
    """Shuffle `items`, at most 10,000, by a draw.

    FairnessError for a bad name, number or length, and STREAM_EXHAUSTED when the bytes run out.
    """
    require_range("the length of a draw's list", len(items), 0, MAX_ITEMS)
    stream = seeded_stream(draw_seed(origin, tournament, draw, secret, commitment), STREAM_BYTES)
    order = list(items)
    at = 0
    for i in range(len(order) - 1, 0, -1):
        j, at = below2(i + 1, stream, at)
        order[i], order[j] = order[j], order[i]
    return tuple(order)


def below2(n: int, stream: bytes, at: int) -> tuple[int, int]:
    """Draw 0 <= j < n, n <= 65,536, from `stream` at `at`; give j and where the next draw starts.

    FairnessError STREAM_EXHAUSTED when the bytes run out.
    """
    limit = _NUMBERS - _NUMBERS % n
    while at + 2 <= len(stream):
        x = int.from_bytes(stream[at : at + 2], "big")
        at += 2
        if x < limit:
            return x % n, at
    message = f"the {len(stream)} bytes of the draw's stream were used up"
    raise FairnessError(Reason.STREAM_EXHAUSTED, message)


def _place(origin: str, tournament: bytes, draw: int) -> tuple[bytes, bytes, bytes]:
    require_range("a draw's number", draw, 1, 2**64 - 1)
    return origin_bytes(origin), game_bytes(tournament), u64(draw)
