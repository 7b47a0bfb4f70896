"""Seeded chance for planted flaws, and the correct shuffle that they depart from.

Every value comes from the raw output of PCG64, which numpy keeps the same in all its versions, so
that a seed is the same run of hands anywhere. Rows are draws and columns are hands inside this
package, since a step of a shuffle then touches memory in its order; `as_hands` turns them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from audit_cli.derive import DECK_SIZE
from audit_cli.hashing import tagged_hash, u64
from audit_cli.rng.hands import Hands

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: (seed, first, count): hands `first`, ... of a run in batches, in their order.
Plant = Callable[[bytes, int, int], Iterator[Hands]]
#: (chance, count): `count` hands that have nothing to do with others.
Deal = Callable[["Chance", int], Hands]

BATCH: Final = 8_192
#: The ranges of the draws of one pass, in their order.
PASS: Final = tuple(range(DECK_SIZE, 1, -1))

_RANGES = np.array(PASS, dtype=np.uint64)[:, None]
_LOW = np.uint64(0xFFFF_FFFF)
_HALF = np.uint64(32)


class Chance:
    """A stream of independent uniform bits from a seed."""

    __slots__ = ("_bits",)

    def __init__(self, seed: bytes, name: str, first: int) -> None:
        digest = tagged_hash("flaw", seed, name.encode("ascii"), u64(first))
        self._bits = np.random.PCG64(int.from_bytes(digest, "big"))

    def words64(self, *shape: int) -> NDArray[np.uint64]:
        """Return words of 64 bits in an array of this shape."""
        raw: NDArray[np.uint64] = self._bits.random_raw(int(np.prod(shape)))
        return raw.reshape(shape)

    def words32(self, *shape: int) -> NDArray[np.uint32]:
        """Return words of 32 bits in an array of this shape."""
        words: NDArray[np.uint32] = self._words("<u4", 4, shape)
        return words

    def words16(self, *shape: int) -> NDArray[np.uint16]:
        """Return words of 16 bits in an array of this shape."""
        words: NDArray[np.uint16] = self._words("<u2", 2, shape)
        return words

    def bytes8(self, *shape: int) -> NDArray[np.uint8]:
        """Return bytes in an array of this shape."""
        words: NDArray[np.uint8] = self._words("u1", 1, shape)
        return words

    def _words(self, kind: str, width: int, shape: tuple[int, ...]) -> NDArray[Any]:
        size = int(np.prod(shape))
        raw = self._bits.random_raw(-(-size * width // 8)).astype("<u8", copy=False)
        return raw.view(kind)[:size].reshape(shape)

    def below(self, ranges: NDArray[np.uint64], count: int) -> NDArray[np.uint8]:
        """Return draws, exactly uniform below each range: a row a range, (len(ranges), count).

        Lemire's method: the high half of a word times n, and a new word where the low half is
        among the 2^32 mod n values that some results would have more of.
        """
        column = ranges.reshape(-1, 1)
        product = self.words32(len(column), count).astype(np.uint64) * column
        short = np.uint64(1 << 32) % column
        again = (product & _LOW) < short
        while again.any():
            rows = np.nonzero(again)[0]
            fresh = self.words32(len(rows)).astype(np.uint64) * column[rows, 0]
            product[again] = fresh
            again = (product & _LOW) < short
        return (product >> _HALF).astype(np.uint8)

    def draws(self, count: int) -> NDArray[np.uint8]:
        """Return the draws of one correct pass for `count` hands, (51, count)."""
        return self.below(_RANGES, count)

    def chosen(self, count: int, one_in: int) -> NDArray[np.bool_]:
        """Return which of `count` hands are among one in `one_in`, each by itself."""
        picked: NDArray[np.bool_] = self.words64(count) % np.uint64(one_in) == 0
        return picked


def fresh(count: int) -> NDArray[np.uint8]:
    """Return `count` decks in their order, a column a deck: (52, count)."""
    column = np.arange(DECK_SIZE, dtype=np.uint8)[:, None]
    return np.repeat(column, count, axis=1)


def swap(
    decks: NDArray[np.uint8], i: int, places: NDArray[np.uint8], hands: NDArray[np.intp]
) -> None:
    """Swap position i of each deck with its own place; `hands` counts the columns from 0."""
    flat = decks.reshape(-1)
    at = places.astype(np.intp)
    at *= decks.shape[1]
    at += hands
    there = flat[at]
    flat[at] = decks[i]
    decks[i] = there


def one_pass(draws: NDArray[np.uint8], decks: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
    """Shuffle fresh decks (or these, in place) by one Fisher-Yates pass with given draws.

    `draws` is (51, count): the place for position 51, 50, ..., 1 (protocol 3.3). (52, count).
    """
    count = draws.shape[1]
    decks = fresh(count) if decks is None else decks
    hands = np.arange(count)
    for row, i in enumerate(range(DECK_SIZE - 1, 0, -1)):
        swap(decks, i, draws[row], hands)
    return decks


def as_hands(
    decks: NDArray[np.uint8], draws: NDArray[np.uint8] | None = None, *, first: int = 0
) -> Hands:
    """Return columns of decks, and of the draws of one pass, as hands."""
    rows = np.ascontiguousarray(decks.T)
    drawn = None if draws is None else np.ascontiguousarray(draws.T)
    return Hands(first, rows, drawn, sizes=PASS)


def independent(name: str, deal: Deal) -> Plant:
    """Return the plant of hands that know nothing of each other; `name` separates its chance."""

    def plant(seed: bytes, first: int, count: int) -> Iterator[Hands]:
        chance = Chance(seed, name, first)
        for at in range(first, first + count, BATCH):
            size = min(BATCH, first + count - at)
            dealt = deal(chance, size)
            yield Hands(at, dealt.decks, dealt.draws, sizes=dealt.sizes)

    return plant


def _correct(chance: Chance, count: int) -> Hands:
    draws = chance.draws(count)
    return as_hands(one_pass(draws), draws)


#: The control: one correct Fisher-Yates pass, in which the battery must find nothing.
correct = independent("control", _correct)
