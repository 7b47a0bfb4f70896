"""Decks that no shuffle should give, and decks that one does: what counters are tried on."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def odd_decks() -> list[list[int]]:
    """Return decks at the ends of tables: sorted, reversed, rotated, riffled, the same twice."""
    new = list(range(52))
    rotations = [new[cut:] + new[:cut] for cut in range(52)]
    backwards = [deck[::-1] for deck in rotations]
    riffled = [card for pair in zip(new[:26], new[26:], strict=True) for card in pair]
    by_suit = sorted(new, key=lambda card: card & 3)
    aces_first = [48, 4, 8, 12, 16, 20, 49, *new[0:4], *new[5:8], 50, 51]
    aces_first += [card for card in new if card not in aces_first]
    swapped = [[*new[:at], new[at + 1], new[at], *new[at + 2 :]] for at in range(51)]
    return [
        new,
        new,
        new[::-1],
        riffled,
        riffled[::-1],
        by_suit,
        by_suit[::-1],
        aces_first,
        *rotations,
        *backwards,
        *swapped,
    ]


def shuffled_decks(count: int, seed: int = 0) -> list[list[int]]:
    """Return decks of Python's own shuffle."""
    random = Random(seed)
    return [random.sample(range(52), 52) for _ in range(count)]


def as_array(decks: list[list[int]]) -> NDArray[np.uint8]:
    """Return decks as (n, 52) uint8."""
    return np.array(decks, np.uint8).reshape(-1, 52)
