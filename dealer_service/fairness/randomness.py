"""The only door to the operating system's random source.

Everything else in the dealer takes bytes, or an `Entropy`, as an argument. A source that gives
fewer or more bytes than it was asked for is refused, and so is one that repeats its last answer
or gives one repeated byte: both are what a broken source looks like, and neither happens by
chance (at 32 bytes, less than once in 2^247 draws).
"""

import hmac
import os
from collections.abc import Callable

from dealer_service.fairness.commitment import GAME_BYTES, SECRET_BYTES
from dealer_service.fairness.refusal import FairnessError, Reason

Entropy = Callable[[int], bytes]


def operating_system(count: int) -> bytes:
    """Give `count` fresh bytes of the operating system's generator; OSError where it has none."""
    return os.urandom(count)


def draw_secret(entropy: Entropy, *, last: bytes | None = None) -> bytes:
    """Draw a fresh 32-byte secret for one hand (protocol section 3.1).

    `last` is the secret before it, where one is known. Raises FairnessError ENTROPY_FAILED when
    the source gives another number of bytes, the last secret again, or one byte repeated.
    """
    secret = _exactly(entropy, SECRET_BYTES)
    repeated = last is not None and hmac.compare_digest(secret, last)
    if repeated or secret == secret[:1] * SECRET_BYTES:
        message = "the random source repeats itself; no hand is opened with it"
        raise FairnessError(Reason.ENTROPY_FAILED, message)
    return secret


def draw_game(entropy: Entropy) -> bytes:
    """Draw the 16 bytes that name a new game (protocol section 2)."""
    return _exactly(entropy, GAME_BYTES)


def _exactly(entropy: Entropy, count: int) -> bytes:
    drawn = entropy(count)
    if len(drawn) != count:
        message = f"the random source gave {len(drawn)} bytes where {count} were asked for"
        raise FairnessError(Reason.ENTROPY_FAILED, message)
    return drawn
