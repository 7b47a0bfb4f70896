"""Ranks of bit matrices over GF(2): SP 800-22 section 2.5, and one large matrix."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import chdtrc

from audit_cli.rng.raw.figure import Figure, pearson

if TYPE_CHECKING:
    from audit_cli.rng.raw.figure import Bits


@lru_cache
def rank_chance(side: int, deficiency: int) -> float:
    """Return the exact chance that a random `side` x `side` matrix lacks `deficiency` ranks."""
    rank = side - deficiency
    chance = 2.0 ** -(deficiency * deficiency)
    for i in range(rank):
        chance *= (1 - 2.0 ** (i - side)) ** 2 / (1 - 2.0 ** (i - rank))
    return chance


def large_matrices() -> tuple[float, float, float]:
    """Return the chances that section 2.5.4 takes for every size: those of large matrices."""
    full = math.prod(1 - 2.0**-i for i in range(1, 64))
    return full, 2 * full, 1 - 3 * full


def matrix_ranks(bits: Bits, side: int = 32) -> tuple[int, ...]:
    """Return how many matrices have full rank, one less, and less than that."""
    size = side * side
    matrices = len(bits) // size
    weights = (1 << np.arange(side - 1, -1, -1, dtype=np.uint32)).astype(np.uint32)
    entries = bits[: matrices * size].reshape(matrices, side, side).astype(np.uint32)
    rows = (entries * weights).sum(axis=2, dtype=np.uint32)
    rank = np.zeros(matrices, np.int64)
    for at in range(side):
        pivot = rows[:, at : at + 1]
        lowest = pivot & (~pivot + np.uint32(1))
        rest = rows[:, at + 1 :]
        rest ^= np.where(rest & lowest, pivot, np.uint32(0))
        rank += pivot[:, 0] != 0
    lacking = np.bincount(np.minimum(side - rank, 2), minlength=3)
    return tuple(lacking.tolist())


def binary_matrix_rank(
    bits: Bits, side: int = 32, chances: tuple[float, float, float] | None = None
) -> Figure:
    """2.5: ranks of disjoint `side` x `side` matrices, at most 32; counts are the three classes'.

    The chances are exact for this size unless others are given.
    """
    observed = matrix_ranks(bits, side)
    if chances is None:
        full, less = rank_chance(side, 0), rank_chance(side, 1)
        chances = (full, less, 1 - full - less)
    chi_squared = pearson(observed, sum(observed) * np.array(chances))
    return Figure(chi_squared, float(chdtrc(2, chi_squared)), observed)


def rank_of(rows: list[int]) -> int:
    """Return the rank over GF(2) of rows given as integers, of any width."""
    rows = list(rows)
    rank = 0
    while rows:
        pivot = rows.pop()
        if pivot:
            rank += 1
            lowest = pivot & -pivot
            rows = [row ^ pivot if row & lowest else row for row in rows]
    return rank


def deficiency_tail(side: int, deficiency: int) -> float:
    """Return the exact chance that a random square matrix lacks `deficiency` ranks or more."""
    if deficiency <= 1:
        return 1.0 if deficiency == 0 else 1 - rank_chance(side, 0)
    # Chances fall by 2^-(2d+1): what is beyond 40 more is below any float's last digit.
    return math.fsum(
        rank_chance(side, d) for d in range(deficiency, min(side, deficiency + 40) + 1)
    )
