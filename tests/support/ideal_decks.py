"""Decks of numpy's own generator, which has nothing of ours, and their counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from audit_cli.rng.counting.choose import tallier
from audit_cli.rng.counting.tables import SHUFFLE
from audit_cli.rng.hands import Hands

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    Counts = Mapping[str, NDArray[np.int64]]
    Decks = NDArray[np.uint8]


def shuffle_ideally(chance: np.random.Generator, decks: int) -> Decks:
    """Return decks, (n, 52), each permutation equally likely."""
    new = np.tile(np.arange(52, dtype=np.uint8), (decks, 1))
    return chance.permuted(new, axis=1)


def count_decks(decks: Decks) -> Counts:
    """Return the counts of one chunk, its draws those of a single shuffle."""
    found = tallier(0, len(decks), sizes=SHUFFLE)
    for begin in range(0, len(decks), 8192):
        found.add(Hands(begin, decks[begin : begin + 8192], sizes=SHUFFLE))
    return found.finish().counts


def count_blocks(chance: np.random.Generator, blocks: int, decks: int) -> Iterator[Counts]:
    """Yield the counts of ideal blocks of one chunk each."""
    for _ in range(blocks):
        yield count_decks(shuffle_ideally(chance, decks))


def add_up(blocks: list[Counts]) -> Counts:
    """Return the sums of the blocks' tables."""
    return {
        name: np.sum([block[name] for block in blocks], axis=0, dtype=np.int64)
        for name in blocks[0]
    }
