"""Linear complexity: SP 800-22 section 2.10, and that of one long sequence with its profile.

A shift register of L cells that makes the bits is what Berlekamp and Massey's algorithm finds;
bits of a generator that is linear over GF(2) need no more cells than its state has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import bdtrc, chdtrc

from audit_cli.rng.raw.figure import Figure, pearson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from audit_cli.rng.raw.figure import Bits

#: Chances of the seven classes of T with the program's first one, as the worked examples need.
PRINTED_CHANCES: Final = (0.01047, 0.03125, 0.125, 0.5, 0.25, 0.0625, 0.020833)

_EDGES: Final = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5])
_ONE: Final = np.uint64(1)
_TOP: Final = np.uint64(63)


@dataclass(frozen=True, slots=True)
class Profile:
    """The complexity of a sequence, and how often it rose on the way."""

    length: int
    complexity: int
    jumps: int


def block_complexities(blocks: Bits) -> NDArray[np.int64]:
    """Return the linear complexity of each row of (n, block) bits, all rows at once."""
    count, length = blocks.shape
    words = length // 64 + 1
    # Polynomials and the bits seen so far, newest in bit 0, are rows of 64-bit words.
    connection = np.zeros((words, count), np.uint64)
    previous = np.zeros((words, count), np.uint64)
    seen = np.zeros((words, count), np.uint64)
    connection[0] = previous[0] = 1
    complexity = np.zeros(count, np.int64)
    columns = np.ascontiguousarray(blocks.T).astype(np.uint64)
    for n in range(length):
        used = n // 64 + 1
        _shift(seen[:used])
        seen[0] |= columns[n]
        _shift(previous[: (n + 1) // 64 + 1])
        meeting = np.bitwise_xor.reduce(connection[:used] & seen[:used], axis=0)
        wrong = np.bitwise_count(meeting) & 1 == 1
        rises = wrong & (2 * complexity <= n)
        kept = connection[:, rises]
        connection ^= previous * wrong
        previous[:, rises] = kept
        complexity[rises] = n + 1 - complexity[rises]
    return complexity


def _shift(words: NDArray[np.uint64]) -> None:
    carried = words[:-1] >> _TOP
    words <<= _ONE
    words[1:] |= carried


def expected_complexity(block: int) -> float:
    """Return the mean complexity of `block` bits (2.10.4 (3))."""
    odd = block % 2
    tail = (block / 3 + 2 / 9) * math.ldexp(1, -block)
    return block / 2 + (10 if odd else 8) / 36 - tail


def deviations(complexity: NDArray[np.int64], block: int) -> NDArray[np.float64]:
    """T of each block (2.10.4 (4))."""
    sign = -1.0 if block % 2 else 1.0
    return (complexity.astype(np.float64) - expected_complexity(block)) * sign + 2 / 9


def complexity_chance(length: int, complexity: int) -> float:
    """Return the exact chance of a complexity (Rueppel 1986): of 2^length words, a power of two."""
    if complexity == 0:
        return math.ldexp(1, -length)
    return math.ldexp(1, min(2 * length - 2 * complexity, 2 * complexity - 1) - length)


@lru_cache
def complexity_chances(block: int) -> tuple[float, ...]:
    """Return the exact chances of the seven classes of T."""
    chances = np.zeros(7)
    # Farther from the middle than this nothing is left of any class but the ends'.
    middle = block // 2
    for complexity in range(max(0, middle - 60), min(block, middle + 60) + 1):
        deviation = float(deviations(np.array([complexity]), block)[0])
        chances[_class(deviation)] += complexity_chance(block, complexity)
    return tuple(chances.tolist())


def _class(deviation: float) -> int:
    return int(np.searchsorted(_EDGES, deviation, side="left"))


def linear_complexity(
    bits: Bits, block: int = 500, chances: tuple[float, ...] | None = None
) -> Figure:
    """2.10: complexities of blocks; counts are the seven classes' of T.

    The chances are exact unless others are given.
    """
    blocks = len(bits) // block
    found = block_complexities(bits[: blocks * block].reshape(blocks, block))
    places = np.searchsorted(_EDGES, deviations(found, block), side="left")
    observed = np.bincount(places, minlength=7)
    chi_squared = pearson(observed, blocks * np.array(chances or complexity_chances(block)))
    return Figure(chi_squared, float(chdtrc(6, chi_squared)), tuple(observed.tolist()))


def profile(bits: Bits) -> Profile:
    """Return the complexity of one sequence of any length, in time of its square / 64."""
    connection = previous = 1
    seen = complexity = jumps = 0
    for n, bit in enumerate(bits.tolist()):
        seen = (seen << 1) | bit
        previous <<= 1
        if (connection & seen).bit_count() & 1:
            if 2 * complexity <= n:
                connection, previous = connection ^ previous, connection
                complexity = n + 1 - complexity
                jumps += 1
            else:
                connection ^= previous
    return Profile(len(bits), complexity, jumps)


def complexity_tail(length: int, complexity: int) -> float:
    """Return the exact chance of a complexity as unlikely as this, or more so."""
    chance = complexity_chance(length, complexity)
    if chance == 0.0:
        return 0.0
    middle = length // 2
    span = range(max(0, middle - 540), min(length, middle + 540) + 1)
    alike = (complexity_chance(length, other) for other in span)
    return min(1.0, math.fsum(each for each in alike if each <= chance))


def at_least_jumps(length: int, jumps: int) -> float:
    """Return the exact chance that the profile of `length` bits rises `jumps` times or more.

    The rises are independent, each by d cells with chance 2^-d; the k-th is seen at bit
    2 (d_1 + ... + d_k-1) + d_k.
    """
    if jumps <= 0:
        return 1.0
    last = np.arange(1, min(length, 64) + 1)
    if jumps == 1:
        return 1 - 2.0**-length
    rest = (length - last) // 2
    enough = np.where(rest >= jumps - 1, bdtrc(jumps - 2.0, np.maximum(rest, jumps - 1), 0.5), 0.0)
    return float(np.sum(enough * 2.0**-last))


def jumps_p(length: int, jumps: int) -> float:
    """Two-sided exact p-value of the number of rises, at most 1."""
    upper = at_least_jumps(length, jumps)
    lower = 1 - at_least_jumps(length, jumps + 1)
    return min(1.0, 2 * min(upper, lower))
