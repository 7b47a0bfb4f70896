"""Statistics of many permutations at once, over columns: (52, n) uint8, a row for each position.

Comparing whole rows of bytes with each other is what numpy does fastest, so that nothing here
sorts. Each function returns one number a deck, (n,), unless it says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ONE = np.uint64(1)


class NotADeckError(ValueError):
    """The first deck, counted from 0, that does not hold each of the 52 cards once."""

    def __init__(self, place: int) -> None:
        super().__init__(f"deck {place} does not hold each of the 52 cards once")
        self.place = place


def shuffle_draws(columns: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the draws (52, n) by which one shuffle (protocol 4.3) makes these decks of 0 to 51.

    Row i is the draw below i + 1, which swaps positions i and itself; row 0 is 0.
    """
    code = columns.copy()
    for i in range(len(code) - 1, 0, -1):
        below, last = code[:i], code[i]
        # Without position i, the card that lies there goes where card i is.
        below += (below == i) * (last - np.uint8(i))
    return code


def count_fixed(rows: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Return how many rows hold their own number.

    Of columns these are the fixed points. Of draws they are the cycles: a draw that leaves its card
    closes one.
    """
    return _total(rows == np.arange(len(rows), dtype=np.uint8)[:, None])


def count_inversions(columns: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Return how many pairs of cards lie in falling order."""
    found = np.zeros(columns.shape[1], np.intp)
    for lag in range(1, len(columns)):
        found += np.add.reduce(columns[lag:] < columns[:-lag], axis=0, dtype=np.uint8)
    return found


def find_descents(columns: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return where (51, n) a card is lower than the one before it."""
    found: NDArray[np.bool_] = columns[1:] < columns[:-1]
    return found


def count_runs(descents: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return how many runs up and down: one more than the turning points."""
    return _total(descents[1:] != descents[:-1]) + 1


def count_chains(columns: NDArray[np.uint8]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return how many rising sequences, and how long the longest increasing subsequence is.

    Raises NotADeckError.
    """
    hands = columns.shape[1]
    seen = np.zeros(hands, np.uint64)
    # The lowest cards that end an increasing subsequence of each length (patience sorting).
    ends = np.zeros(hands, np.uint64)
    broken = np.zeros(hands, np.uint8)
    bits = np.left_shift(_ONE, columns, dtype=np.uint64)
    for bit in bits:
        # The card above this one came before it: that one's sequence ends, another begins.
        broken += (seen & (bit + bit)) != 0
        seen |= bit
        higher = ends & -bit
        higher &= -higher
        ends ^= higher
        ends |= bit
    wrong = np.flatnonzero(seen != np.uint64((1 << len(columns)) - 1))
    if wrong.size:
        raise NotADeckError(int(wrong[0]))
    return broken.astype(np.intp) + 1, np.bitwise_count(ends).astype(np.intp)


def place_orders(columns: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Return the place of the order of few rows among all orders, lexicographic."""
    place = np.zeros(columns.shape[1], np.intp)
    for at, row in enumerate(columns):
        place *= len(columns) - at
        place += _total(columns[at + 1 :] < row)
    return place


def _total(flags: NDArray[np.bool_]) -> NDArray[np.intp]:
    found: NDArray[np.uint8] = np.add.reduce(flags, axis=0, dtype=np.uint8)
    return found.astype(np.intp)
