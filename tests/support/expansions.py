"""The first bits of four numbers, by whole-number arithmetic alone."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

BITS = 1_000_000
_GUARD = 64


@cache
def expand(name: str) -> bytes:
    """Return the first million bits, integer part included, of pi, e, sqrt2 or sqrt3."""
    return (_NUMBERS[name]() >> _GUARD).to_bytes(BITS // 8, "big")


def bits_of(name: str) -> NDArray[np.uint8]:
    return np.unpackbits(np.frombuffer(expand(name), np.uint8))


def _pi() -> int:
    """Chudnovsky's series by binary splitting."""
    digits = BITS + _GUARD - 2
    terms = digits // 47 + 2
    _, q, t = _chudnovsky(0, terms)
    root = math.isqrt(10005 << (2 * digits))
    return (_divide(q * 426880, t) * root) >> (BITS + _GUARD)


def _chudnovsky(first: int, end: int) -> tuple[int, int, int]:
    if end - first == 1:
        if first == 0:
            return 1, 1, 13591409
        p = (6 * first - 5) * (2 * first - 1) * (6 * first - 1)
        q = first**3 * (640320**3 // 24)
        t = p * (13591409 + 545140134 * first)
        return p, q, -t if first % 2 else t
    middle = (first + end) // 2
    p1, q1, t1 = _chudnovsky(first, middle)
    p2, q2, t2 = _chudnovsky(middle, end)
    return p1 * p2, q1 * q2, t1 * q2 + p1 * t2


def _e() -> int:
    """Sum 1/k! by binary splitting."""
    p, q = _factorials(0, 90_000)
    return _divide(p + q, q) >> 2


def _factorials(first: int, end: int) -> tuple[int, int]:
    if end - first == 1:
        return 1, end
    middle = (first + end) // 2
    p1, q1 = _factorials(first, middle)
    p2, q2 = _factorials(middle, end)
    return p1 * q2 + p2, q1 * q2


def _divide(above: int, below: int) -> int:
    """above / below x 2^(BITS + _GUARD), nearly: Python's own division takes the square of it."""
    places = BITS + 2 * _GUARD
    drop = below.bit_length() - places
    short = below >> drop if drop > 0 else below << -drop
    return (above * _invert(short, places)) >> (2 * places + drop - BITS - _GUARD)


def _invert(number: int, bits: int) -> int:
    """2^(2 bits) / number, nearly, for a number of so many bits, by Newton's iteration."""
    if bits <= 4096:
        return (1 << (2 * bits)) // number
    half = bits // 2 + 8
    first = _invert(number >> (bits - half), half)
    error = (1 << (bits + half)) - number * first
    return (first << (bits - half)) + ((first * error) >> (2 * half))


def _root(square: int) -> int:
    return math.isqrt(square << (2 * (BITS + _GUARD - 1)))


_NUMBERS: dict[str, Callable[[], int]] = {
    "pi": _pi,
    "e": _e,
    "sqrt2": lambda: _root(2),
    "sqrt3": lambda: _root(3),
}
