"""The ceremony that turns a stream of bytes into a deck: shuffle, cut, shuffle, thirds, shuffle.

Protocol sections 4.2 to 4.4. Every number is drawn without bias: a byte at or above the largest
multiple of n is dropped, never folded back. A stream that runs out is an error, and never a
second Generate.
"""

from dataclasses import dataclass, field
from typing import Final

from dealer_service.fairness.cards import DECK_SIZE
from dealer_service.fairness.refusal import FairnessError, Reason

STREAM_BYTES: Final = 1024

# For i = 51 down to 1: i, the n = i + 1 values of its draw, and the first byte that is dropped.
_STEPS: Final = tuple((i, i + 1, 256 - 256 % (i + 1)) for i in range(DECK_SIZE - 1, 0, -1))
_DRAWS: Final = 3 * (DECK_SIZE - 1) + 1 + 3


@dataclass(frozen=True, slots=True)
class Ceremony:
    """The whole ceremony, step by step; index 0 of each deck is its top card.

    `thirds` are the sizes of A, B and C, `restack` is "BCA" or "CAB". `bytes_used` counts the
    dropped bytes, `bytes_rejected`, too. The cards are secret until the game is revealed.
    """

    after_first_shuffle: tuple[int, ...] = field(repr=False)
    cut: int = field(repr=False)
    after_second_shuffle: tuple[int, ...] = field(repr=False)
    thirds: tuple[int, int, int] = field(repr=False)
    restack: str = field(repr=False)
    deck: tuple[int, ...] = field(repr=False)
    bytes_used: int = field(repr=False)
    bytes_rejected: int = field(repr=False)


def perform(stream: bytes) -> Ceremony:
    """Perform the ceremony on a fresh deck with the bytes of `stream`, in order.

    FairnessError STREAM_EXHAUSTED when the bytes run out (for 1,024 uniform bytes that is less
    likely than guessing the secret).
    """
    cards = list(range(DECK_SIZE))
    try:
        at = _shuffle(cards, stream, 0)
        first = tuple(cards)
        cut, at = below(13, stream, at)
        cut += 20
        cards = cards[cut:] + cards[:cut]
        at = _shuffle(cards, stream, at)
        second = tuple(cards)
        a, at = below(5, stream, at)
        b, at = below(5, stream, at)
        t, at = below(2, stream, at)
        a, b = a + 15, b + 15
        top, middle, bottom = cards[:a], cards[a : a + b], cards[a + b :]
        cards = bottom + top + middle if t else middle + bottom + top
        at = _shuffle(cards, stream, at)
    except IndexError:
        message = f"the {len(stream)} bytes of the deck's stream were used up"
        raise FairnessError(Reason.STREAM_EXHAUSTED, message) from None
    return Ceremony(
        after_first_shuffle=first,
        cut=cut,
        after_second_shuffle=second,
        thirds=(a, b, DECK_SIZE - a - b),
        restack="CAB" if t else "BCA",
        deck=tuple(cards),
        bytes_used=at,
        bytes_rejected=at - _DRAWS,
    )


def below(n: int, stream: bytes, at: int) -> tuple[int, int]:
    """Draw 0 <= j < n, n <= 256, from `stream` at `at`; give j and where the next draw starts.

    IndexError when the bytes run out.
    """
    limit = 256 - 256 % n
    while (x := stream[at]) >= limit:
        at += 1
    return x % n, at + 1


def _shuffle(cards: list[int], stream: bytes, at: int) -> int:
    """Fisher and Yates from the last card to the second, in place; `below` is written out."""
    for i, n, limit in _STEPS:
        while (x := stream[at]) >= limit:
            at += 1
        at += 1
        j = x % n
        cards[i], cards[j] = cards[j], cards[i]
    return at
