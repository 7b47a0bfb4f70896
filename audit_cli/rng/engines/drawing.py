"""What every engine holds of the draws: their ranges and bounds, and the one error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.derive import DECK_SIZE, StreamExhaustedError
from audit_cli.hashing import framed
from audit_cli.rng.hands import DRAWS

if TYPE_CHECKING:
    from numpy.typing import NDArray

DECK_INFO: Final = framed(b"cutcard/v1/deck")

#: (n, bound) of each draw: a byte of `bound` or more is dropped (protocol 4.2).
BOUNDED: Final = tuple((n, 256 - 256 % n) for n in DRAWS)

#: No run of the laboratory is longer: the numbers of its hands are signed words everywhere.
LAST_HAND: Final = 2**63 - 1


def exhausted(hand: int, length: int) -> StreamExhaustedError:
    """Return the error of a hand, counted from 0, whose `length` bytes are too few (4.2)."""
    return StreamExhaustedError(f"hand {hand:,}: its deck needs more than {length:,} bytes")


def check_rows(name: str, rows: NDArray[np.uint8], width: int, count: int | None = None) -> None:
    """ValueError unless `rows` is (count, width) uint8."""
    wanted = (len(rows) if count is None else count, width)
    if rows.dtype != np.uint8 or rows.shape != wanted:
        message = f"{name} are {wanted[0]:,} rows of {width} bytes, not {rows.dtype} {rows.shape}"
        raise ValueError(message)


def check_run(secret: bytes, first: int, count: int) -> None:
    """ValueError unless this is a laboratory secret and a range of its hands."""
    if len(secret) != 32:
        message = f"a laboratory secret has 32 bytes, not {len(secret):,}"
        raise ValueError(message)
    if not 0 <= first <= first + count <= LAST_HAND:
        message = f"a run has no hands {first:,} to {first + count - 1:,}"
        raise ValueError(message)


def no_draws(count: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint16]]:
    """Return room for the decks, draws and bytes used of `count` hands."""
    return (
        np.empty((count, DECK_SIZE), np.uint8),
        np.empty((count, len(DRAWS)), np.uint8),
        np.empty(count, np.uint16),
    )
