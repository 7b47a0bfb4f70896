"""What one test says of one sequence of bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

#: Bits one a byte, 0 or 1, shape (n,).
Bits: TypeAlias = "NDArray[np.uint8]"


@dataclass(frozen=True, slots=True)
class Figure:
    """The statistic, its p-value, and the counts it was made of in the document's order."""

    statistic: float
    p: float
    counts: tuple[float, ...] = ()


def pearson(observed: Sequence[int] | NDArray[np.int64], expected: NDArray[np.float64]) -> float:
    """Sum of (observed - expected)^2 / expected."""
    difference = np.asarray(observed, np.float64) - expected
    return float(np.sum(difference * difference / expected))


def windows(bits: Bits, length: int) -> NDArray[np.uint16]:
    """Read `length` bits (1 to 16) from each place on, round the end: (n,) codes, first bit high.

    ValueError where fewer bits are there than a window is long.
    """
    if not 1 <= length <= 16 or len(bits) < length:
        message = f"a window of {length} bits over {len(bits):,}"
        raise ValueError(message)
    codes: NDArray[np.uint16] = bits.astype(np.uint16)
    done = 1
    while done < length:
        step = min(done, length - done)
        # Windows of `done` bits overlap where fewer than `done` are missing.
        later = (
            np.roll(codes, -step)
            if step == done
            else np.roll(codes, -done) >> np.uint16(done - step)
        )
        codes = (codes << np.uint16(step)) | later
        done += step
    return codes
