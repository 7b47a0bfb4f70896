"""The shuffle of the protocol, written once more and as plainly as can be, to hold engines against.

Everything is by draws that were accepted already; `small` has words of a few bits, so that all
sequences of them can be counted.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

from audit_cli.derive import DECK_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def shuffle(cards: Sequence[int], draws: Sequence[int]) -> list[int]:
    """Swap place i with place draw for i from the last to 1 (protocol 3, step 3)."""
    deck = list(cards)
    for i, draw in zip(range(len(deck) - 1, 0, -1), draws, strict=True):
        deck[i], deck[draw] = deck[draw], deck[i]
    return deck


def deal(draws: Sequence[int]) -> list[int]:
    """Return the deck of the 157 draws in their order (protocol 3, step 4)."""
    swaps = DECK_SIZE - 1
    deck = shuffle(range(DECK_SIZE), draws[:swaps])
    middle = 20 + draws[swaps]
    deck = shuffle(deck[middle:] + deck[:middle], draws[swaps + 1 : 2 * swaps + 1])
    x, y, turned = draws[2 * swaps + 1 : 2 * swaps + 4]
    a, b = 15 + x, 15 + y
    thirds = deck[:a], deck[a : a + b], deck[a + b :]
    order = (2, 0, 1) if turned else (1, 2, 0)
    return shuffle([card for third in order for card in thirds[third]], draws[2 * swaps + 4 :])


def small_below(n: int, words: Iterator[int], bits: int) -> int | None:
    """`below(n)` (protocol 3, step 2) by words of `bits` bits; None where they run out."""
    bound = (1 << bits) - (1 << bits) % n
    for word in words:
        if word < bound:
            return word % n
    return None


def small_permutations(n: int, bits: int, words: int) -> Counter[tuple[int, ...]]:
    """Shuffle `n` cards by every sequence of so many words, and count what comes out whole."""
    counted: Counter[tuple[int, ...]] = Counter()
    for sequence in product(range(1 << bits), repeat=words):
        left = iter(sequence)
        draws = []
        for i in range(n - 1, 0, -1):
            draw = small_below(i + 1, left, bits)
            if draw is None:
                break
            draws.append(draw)
        else:
            counted[tuple(shuffle(range(n), draws))] += 1
    return counted
