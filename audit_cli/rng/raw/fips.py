"""The four FIPS 140-2 block tests, for readers who ask for them: no evidence and no verdict (R-31).

A block is 20,000 bits. The limits are those of FIPS 140-2 with change notice 1 (4.9.1); they were
withdrawn for deterministic generators, and are reported beside the family of tests, not in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from audit_cli.rng.raw.figure import Bits

BLOCK_BITS: Final = 20_000
TESTS: Final = ("monobit", "poker", "runs", "long run")

_RUNS: Final = np.array(
    [(2315, 2685), (1114, 1386), (527, 723), (240, 384), (103, 209), (103, 209)]
)
_LONG_RUN: Final = 26


@dataclass(frozen=True, slots=True)
class FipsBlocks:
    """How many blocks were looked at, and how many failed each of `TESTS`."""

    blocks: int
    failed: tuple[int, int, int, int]


def fips_blocks(bits: Bits) -> FipsBlocks:
    """Judge all whole blocks of the bits."""
    blocks = len(bits) // BLOCK_BITS
    table = bits[: blocks * BLOCK_BITS].reshape(blocks, BLOCK_BITS)
    ones = table.sum(axis=1, dtype=np.int64)
    monobit = (ones <= 9725) | (ones >= 10275)
    weights = np.array([8, 4, 2, 1], np.uint8)
    nibbles = table.reshape(blocks, -1, 4) @ weights
    squares = sum(
        np.count_nonzero(nibbles == value, axis=1).astype(np.int64) ** 2 for value in range(16)
    )
    poker_x = 16 / 5000 * squares - 5000
    poker = (poker_x <= 2.16) | (poker_x >= 46.17)
    runs, long_run = _runs(table)
    failed = tuple(int(np.count_nonzero(each)) for each in (monobit, poker, runs, long_run))
    return FipsBlocks(blocks, (failed[0], failed[1], failed[2], failed[3]))


def _runs(table: Bits) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which blocks have too many or too few runs of a length, and which have a run too long."""
    blocks, size = table.shape
    starts = np.ones((blocks, size), np.bool_)
    starts[:, 1:] = table[:, 1:] != table[:, :-1]
    at = np.flatnonzero(starts)
    lengths = np.diff(at, append=blocks * size)
    where = at // size
    values = table.ravel()[at]
    cell = (where * 2 + values) * 6 + np.minimum(lengths, 6) - 1
    counted = np.bincount(cell, minlength=blocks * 12).reshape(blocks, 2, 6)
    outside = (counted < _RUNS[:, 0]) | (counted > _RUNS[:, 1])
    too_long = np.bincount(where[lengths >= _LONG_RUN], minlength=blocks) > 0
    wrong = np.any(outside.reshape(blocks, 12), axis=1)
    return wrong, too_long
