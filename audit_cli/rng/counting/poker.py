"""The strength of many hands of five or seven cards at once, by tables.

A strength is an int32 that compares as hands do (protocol 9.7): the category in bits 20 to 23 (0
high card to 8 straight flush), then the deciding ranks, four bits each from bit 16 downwards.

A hand's key is the sum of its cards' keys. It counts ranks in base five (a deck has four of each),
the seven low ones in bits 0 to 16 and the six high ones in bits 17 to 30, and suits in four bits
each from bit 32, begun at 3 so that five of a suit set the highest of the four. Low and high ranks
together have one place in a table of all multisets of ranks that such a hand can hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

CATEGORY_SHIFT: Final = 20
LOW_BITS: Final = 17
SUIT_SHIFT: Final = 32
#: A key begins with this.
BLANK: Final = 0x3333 << SUIT_SHIFT
#: The bits that five of a suit set.
FLUSHES: Final = 0x8888 << SUIT_SHIFT

_RANKS = 13
_LOW = 7
_HIGH = _RANKS - _LOW
_FLUSH, _STRAIGHT_FLUSH = 5, 8

_cards = np.arange(52)
_rank = _cards >> 2
#: What each card adds to a key, int64 (52,).
KEYS: Final[NDArray[np.int64]] = np.where(
    _rank < _LOW, 5 ** np.minimum(_rank, _LOW), 5 ** np.maximum(_rank - _LOW, 0) << LOW_BITS
).astype(np.int64) + (np.int64(1) << (SUIT_SHIFT + 4 * (_cards & 3)))


@dataclass(frozen=True, slots=True, eq=False)
class Evaluator:
    """The tables for hands of one size.

    `strength[above[high] + below[low]]` is the strength without a flush, `flush[mask]` the one of
    at least five cards of one suit whose ranks are the bits of `mask`.
    """

    below: NDArray[np.int32]
    above: NDArray[np.int32]
    strength: NDArray[np.int32]
    flush: NDArray[np.int32]

    def rank(self, keys: NDArray[np.int64], cards: NDArray[np.uint8]) -> NDArray[np.int32]:
        """Return the strength (n,) of each hand: keys (n,), cards (size, n)."""
        low = keys & ((1 << LOW_BITS) - 1)
        high = (keys >> LOW_BITS) & ((1 << (SUIT_SHIFT - LOW_BITS)) - 1)
        places = self.above.take(high) + self.below.take(low)
        found: NDArray[np.int32] = self.strength.take(places)
        suited = np.flatnonzero(keys & FLUSHES)
        if suited.size:
            of = (keys[suited] & FLUSHES) >> SUIT_SHIFT
            suit = (of > 0x8).astype(np.uint8) + (of > 0x80) + (of > 0x800)
            held = cards[:, suited]
            bits = np.where(held & 3 == suit, np.int64(1) << (held >> 2).astype(np.int64), 0)
            found[suited] = self.flush.take(np.bitwise_or.reduce(bits, axis=0))
        return found


@cache
def evaluator(size: int) -> Evaluator:
    """Return the tables for hands of `size` cards, five to seven."""
    low = _digits(_LOW)
    high = _digits(_HIGH)
    low_total, high_total = low.sum(axis=1), high.sum(axis=1)
    below = np.zeros(len(low), np.int32)
    above = np.zeros(len(high), np.int32)
    parts: list[NDArray[np.int32]] = []
    filled = 0
    for total in range(size + 1):
        lows = np.flatnonzero(low_total == size - total)
        highs = np.flatnonzero(high_total == total)
        below[lows] = np.arange(len(lows))
        above[highs] = filled + len(lows) * np.arange(len(highs))
        counts = np.concatenate(
            [np.tile(low[lows], (len(highs), 1)), np.repeat(high[highs], len(lows), axis=0)], axis=1
        )
        parts.append(_strengths(counts))
        filled += len(counts)
    return Evaluator(below, above, np.concatenate(parts), _flushes())


def _digits(places: int) -> NDArray[np.int64]:
    """Return the digits in base five of all numbers of so many, the lowest first."""
    numbers = np.arange(5**places)
    return np.stack([numbers // 5**place % 5 for place in range(places)], axis=1)


def _mask(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return one number for each row of flags, bit r for rank r."""
    return flags @ (np.int64(1) << np.arange(_RANKS))


def _tops(masks: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return the `count` highest ranks of each mask as digits of four bits, high to low."""
    left = masks.copy()
    packed = np.zeros_like(left)
    for _ in range(count):
        top = _top(left)
        packed = packed << 4 | top
        left &= ~(np.int64(1) << top)
    return packed


def _top(masks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the highest rank of each mask; 0 of an empty one."""
    top = np.zeros_like(masks)
    for rank in range(1, _RANKS):
        top[masks >> rank != 0] = rank
    return top


def _straights(masks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the top rank of the best straight in each mask; -1 of none."""
    # The ace stands below the two as well, so every rank moves up by one bit.
    runs = masks << 1 | masks >> (_RANKS - 1) & 1
    runs = runs & runs >> 1 & runs >> 2 & runs >> 3 & runs >> 4
    return np.where(runs == 0, -1, _top(runs) + 3)


def _strengths(counts: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the strength without a flush of hands (n, 13) that hold so many of each rank."""
    ones, fours = _mask(counts >= 1), _mask(counts == 4)
    threes, pairs = _mask(counts >= 3), _mask(counts >= 2)
    one = np.int64(1)
    four, three, pair = _top(fours), _top(threes), _top(pairs)
    lower = pairs & ~(one << pair)
    second = _top(lower)
    under = pairs & ~(one << three)
    straight = _straights(ones)
    no_four, no_three = ones & ~(one << four), ones & ~(one << three)
    no_pair = ones & ~(one << pair)
    no_pairs = no_pair & ~(one << second)
    found = np.select(
        [fours > 0, (threes > 0) & (under > 0), straight >= 0, threes > 0, lower > 0, pairs > 0],
        [
            7 << 20 | four << 16 | _top(no_four) << 12,
            6 << 20 | three << 16 | _top(under) << 12,
            4 << 20 | straight << 16,
            3 << 20 | three << 16 | _tops(no_three, 2) << 8,
            2 << 20 | pair << 16 | second << 12 | _top(no_pairs) << 8,
            1 << 20 | pair << 16 | _tops(no_pair, 3) << 4,
        ],
        _tops(ones, 5),
    )
    return found.astype(np.int32)


@cache
def _flushes() -> NDArray[np.int32]:
    """Return the strength of at least five cards of a suit for each mask of ranks; else 0."""
    masks = np.arange(1 << _RANKS, dtype=np.int64)
    straight = _straights(masks)
    plain = _FLUSH << CATEGORY_SHIFT | _tops(masks, 5)
    found = np.where(straight >= 0, _STRAIGHT_FLUSH << CATEGORY_SHIFT | straight << 16, plain)
    return np.where(np.bitwise_count(masks) >= 5, found, 0).astype(np.int32)
