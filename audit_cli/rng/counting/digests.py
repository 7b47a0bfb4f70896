"""Eight bytes for each deck: the place of its first five cards, and a hash of all behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.derive import DECK_SIZE

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The bits of the place of the first five cards, which are a digest's top bits; 35 are the hash.
PLACE_BITS: Final = 29
HASH_BITS: Final = 64 - PLACE_BITS
#: Ordered fives of 52 cards.
FIVES: Final = 52 * 51 * 50 * 49 * 48
#: An odd number that spreads each bit over those above it: 2^64 over the golden ratio.
SPREAD: Final = 0x9E3779B97F4A7C15
#: The hash reads positions 4 to 51, eight cards a word, the first card lowest.
HASHED_FROM: Final = 4


def digest(decks: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the digests (n,) of decks (n, 52). Equal decks have equal digests."""
    words = np.ascontiguousarray(decks[:, HASHED_FROM:]).view("<u8")
    mixed = np.zeros(len(decks), np.uint64)
    spread, half = np.uint64(SPREAD), np.uint64(32)
    # Each step can be undone, so that decks that differ in one word alone differ in `mixed`.
    for word in words.T:
        mixed ^= word
        mixed *= spread
        mixed ^= mixed >> half
    mixed *= spread
    found: NDArray[np.uint64] = place_fives(decks) << np.uint64(HASH_BITS)
    return found | mixed >> np.uint64(PLACE_BITS)


def place_fives(decks: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the place (n,) of each deck's first five cards in the order of all ordered fives."""
    five = np.ascontiguousarray(decks[:, :5].T)
    place = np.zeros(len(decks), np.uint64)
    for at in range(5):
        smaller = np.add.reduce(five[:at] < five[at], axis=0, dtype=np.uint8)
        place *= np.uint64(DECK_SIZE - at)
        place += five[at] - smaller
    return place
