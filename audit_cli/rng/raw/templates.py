"""Words of the bits: SP 800-22 sections 2.7 and 2.8."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import numpy as np
from scipy.special import chdtrc, gammaln

from audit_cli.rng.raw.figure import Bits, Figure, pearson, windows

_CLASSES: Final = 5


@lru_cache
def aperiodic_templates(length: int = 9) -> tuple[str, ...]:
    """Return the words of `length` bits that can not overlap themselves, in order (148 of 9)."""
    words = (f"{code:0{length}b}" for code in range(1 << length))
    return tuple(
        word
        for word in words
        if not any(word.startswith(word[shift:]) for shift in range(1, length))
    )


def non_overlapping_templates(
    bits: Bits, templates: tuple[str, ...], blocks: int = 8
) -> tuple[Figure, ...]:
    """2.7: how often each template is in each of `blocks` blocks; counts are the blocks'.

    A template that can not overlap itself is found as often as it stands there, so that all of them
    are counted at once. ValueError for templates of different lengths.
    """
    length = len(templates[0])
    if any(len(template) != length for template in templates):
        message = "the templates have different lengths"
        raise ValueError(message)
    size = len(bits) // blocks
    codes = windows(bits, length)
    counted = np.empty((blocks, 1 << length), np.int64)
    for block in range(blocks):
        inside = codes[block * size : (block + 1) * size - length + 1]
        counted[block] = np.bincount(inside, minlength=1 << length)
    mean = (size - length + 1) / 2**length
    variance = size * (2.0**-length - (2 * length - 1) / 4**length)
    found = counted[:, [int(template, 2) for template in templates]]
    chi_squared = np.sum((found - mean) ** 2, axis=0) / variance
    return tuple(
        Figure(float(x), float(p), tuple(column))
        for x, p, column in zip(
            chi_squared, chdtrc(blocks, chi_squared), found.T.tolist(), strict=True
        )
    )


@lru_cache
def overlapping_chances(block: int, length: int) -> tuple[float, ...]:
    """Return the exact chances of 0, 1, ..., 5 or more places of `length` ones in `block` bits."""
    # State: how many of the last bits are ones (at most `length`), and the places found so far.
    state = np.zeros((length + 1, _CLASSES + 1))
    state[0, 0] = 1.0
    for _ in range(block):
        after = np.zeros_like(state)
        after[0] = state.sum(axis=0) / 2
        after[1:length] = state[: length - 1] / 2
        hit = (state[length - 1] + state[length]) / 2
        after[length, 1:] = hit[:-1]
        after[length, -1] += hit[-1]
        state = after
    return tuple(state.sum(axis=0).tolist())


def asymptotic_chances(block: int, length: int) -> tuple[float, ...]:
    """Return the chances that the document's worked examples take (its 3.8), with their eta."""
    eta = (block - length + 1) / 2**length / 2
    chances = [math.exp(-eta)]
    for u in range(1, _CLASSES):
        terms = (
            math.exp(
                -eta
                - u * math.log(2)
                + k * math.log(eta)
                - gammaln(k + 1)
                + gammaln(u)
                - gammaln(k)
                - gammaln(u - k + 1)
            )
            for k in range(1, u + 1)
        )
        chances.append(math.fsum(terms))
    return (*chances, 1 - math.fsum(chances))


def overlapping_template(
    bits: Bits, length: int = 9, block: int = 1032, chances: tuple[float, ...] | None = None
) -> Figure:
    """2.8: places of `length` ones in blocks of `block` bits; counts are the six classes'.

    The chances are exact unless others are given.
    """
    blocks = len(bits) // block
    all_ones = (windows(bits, length) == (1 << length) - 1)[: blocks * block]
    inside = all_ones.reshape(blocks, block)[:, : block - length + 1]
    found = np.minimum(inside.sum(axis=1, dtype=np.int64), _CLASSES)
    observed = np.bincount(found, minlength=_CLASSES + 1)
    expected = blocks * np.array(chances or overlapping_chances(block, length))
    chi_squared = pearson(observed, expected)
    return Figure(chi_squared, float(chdtrc(_CLASSES, chi_squared)), tuple(observed.tolist()))
