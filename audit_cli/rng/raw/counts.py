"""Ones, runs and sums: SP 800-22 sections 2.1 to 2.4 and 2.13."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import chdtrc, ndtr

from audit_cli.rng.raw.figure import Figure, pearson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from audit_cli.rng.raw.figure import Bits

#: Block length, shortest and longest class of section 2.4.2, by the number of bits it begins at.
_LONGEST_RUNS: Final = ((750_000, 10_000, 10, 16), (6_272, 128, 4, 9), (128, 8, 1, 4))


def frequency(bits: Bits) -> Figure:
    """2.1: the sum of all bits as -1 and +1; counts are (S_n,)."""
    total = 2 * int(np.count_nonzero(bits)) - len(bits)
    observed = abs(total) / math.sqrt(len(bits))
    return Figure(observed, math.erfc(observed / math.sqrt(2)), (total,))


def block_frequency(bits: Bits, block: int = 128) -> Figure:
    """2.2: the share of ones in blocks of `block` bits."""
    blocks = len(bits) // block
    ones = bits[: blocks * block].reshape(blocks, block).sum(axis=1, dtype=np.int64)
    # 4 M (ones/M - 1/2)^2 = (2 ones - M)^2 / M, in whole numbers up to the last division.
    chi_squared = int(np.sum((2 * ones - block) ** 2)) / block
    return Figure(chi_squared, float(chdtrc(blocks, chi_squared)))


def runs(bits: Bits) -> Figure | None:
    """2.3: runs of equal bits, given the share of ones; counts are (ones, V_n).

    None where the ones are so many or so few that the document does not apply it: 2.1 speaks then.
    """
    n = len(bits)
    ones = int(np.count_nonzero(bits))
    share = ones / n
    if abs(share - 0.5) >= 2 / math.sqrt(n):
        return None
    changes = 1 + int(np.count_nonzero(bits[1:] != bits[:-1]))
    spread = 2 * share * (1 - share)
    statistic = abs(changes - n * spread) / (math.sqrt(2 * n) * spread)
    return Figure(statistic, math.erfc(statistic), (ones, changes))


def longest_run_classes(n: int) -> tuple[int, int, int]:
    """Block length, shortest and longest class for `n` bits (2.4.2). ValueError below 128."""
    for least, block, low, high in _LONGEST_RUNS:
        if n >= least:
            return block, low, high
    message = f"the longest run is looked for in 128 bits or more, not {n}"
    raise ValueError(message)


@lru_cache
def longest_run_chances(block: int, low: int, high: int) -> tuple[float, ...]:
    """Return the exact chances of a longest run of ones <= low, ..., >= high in `block` bits."""
    below = [_no_run_longer(block, longest) for longest in range(low, high)]
    return (below[0], *(b - a for a, b in pairwise(below)), 1 - below[-1])


def _no_run_longer(block: int, longest: int) -> float:
    """Return the chance that no run of ones is longer: words end in 0 after at most that many."""
    chance = [1.0]
    for n in range(1, block + 1):
        # A first zero at place k leaves n - k bits; only ones are left over while n <= longest.
        if n <= longest:
            chance.append(1.0)
        elif n == longest + 1:
            chance.append(1.0 - 0.5**n)
        else:
            chance.append(chance[-1] - 0.5 ** (longest + 2) * chance[n - longest - 2])
    return chance[block]


def longest_run(bits: Bits, chances: tuple[float, ...] | None = None) -> Figure:
    """2.4: the longest run of ones in each block; counts are the classes'.

    The document's chances have four digits; the exact ones are the default.
    """
    block, low, high = longest_run_classes(len(bits))
    blocks = len(bits) // block
    framed = np.zeros((blocks, block + 1), np.uint8)
    framed[:, :block] = bits[: blocks * block].reshape(blocks, block)
    zeros = np.flatnonzero(framed.ravel() == 0)
    lengths = np.diff(zeros, prepend=-1) - 1
    longest = np.zeros(blocks, np.int64)
    np.maximum.at(longest, zeros // (block + 1), lengths)
    observed = np.bincount(np.clip(longest, low, high) - low, minlength=high - low + 1)
    expected = blocks * np.array(chances or longest_run_chances(block, low, high))
    chi_squared = pearson(observed, expected)
    return Figure(chi_squared, float(chdtrc(high - low, chi_squared)), tuple(observed.tolist()))


def cumulative_sums(walk: NDArray[np.int32]) -> tuple[Figure, Figure]:
    """2.13: the farthest that the sums go from 0, forward and in reverse; `walk` is S_1 ... S_n."""
    highest, lowest = max(0, int(walk.max())), min(0, int(walk.min()))
    last = int(walk[-1])
    forward = max(highest, -lowest)
    reverse = max(highest - last, last - lowest)
    return _farthest(forward, len(walk)), _farthest(reverse, len(walk))


def _farthest(z: int, n: int) -> Figure:
    root = math.sqrt(n)
    # Bounds are cut towards zero, as the worked examples are.
    first = np.arange(int((-n / z + 1) / 4), int((n / z - 1) / 4) + 1, dtype=np.float64)
    second = np.arange(int((-n / z - 3) / 4), int((n / z - 1) / 4) + 1, dtype=np.float64)
    inside = np.sum(ndtr((4 * first + 1) * z / root) - ndtr((4 * first - 1) * z / root))
    outside = np.sum(ndtr((4 * second + 3) * z / root) - ndtr((4 * second + 1) * z / root))
    return Figure(z, min(1.0, max(0.0, 1 - float(inside) + float(outside))), (z,))
