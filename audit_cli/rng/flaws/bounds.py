"""F24: the protocol's shuffle with a rejection bound that is wrong by one, or none at all.

A byte at the bound comes once in 256 draws and changes two decks in five, each a little; with
words of 32 bits the same mistake would take 10^16 decks to show. Crafted bytes show it at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from audit_cli.derive import DECK_SIZE, STREAM_BYTES, StreamExhaustedError
from audit_cli.rng.engines.plain import Plain
from audit_cli.rng.hands import DRAWS, Hands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class Bound(Enum):
    """Which bytes are dropped; what is said of x and of the first multiple of n out of reach."""

    LATE = "x > 256 - 256 % n is dropped, not x >="
    EARLY = "x >= 256 - 256 % n - 1 is dropped"
    NONE = "nothing is dropped"

    def limit(self, n: int) -> int:
        """Return the least byte that is dropped for `below(n)`."""
        right = 256 - 256 % n
        return {Bound.LATE: right + 1, Bound.EARLY: right - 1, Bound.NONE: 256}[self]


@dataclass(frozen=True, slots=True)
class WrongBound:
    """An engine that is right in all but its bound."""

    bound: Bound

    @property
    def name(self) -> str:
        """What reports call it."""
        return f"flawed: {self.bound.value}"

    def derive(
        self,
        first: int,
        secrets: NDArray[np.uint8],
        mixes: NDArray[np.uint8],
        *,
        streams: bool = False,
    ) -> Hands:
        """Derive decks from secrets and mixes, (n, 32) each. Raises StreamExhaustedError."""
        return self._again(Plain().derive(first, secrets, mixes, streams=True), streams)

    def lab(self, secret: bytes, first: int, count: int, *, streams: bool = False) -> Hands:
        """Derive decks `first`, ... of the laboratory secret."""
        return self._again(Plain().lab(secret, first, count, streams=True), streams)

    def expand(self, seeds: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the streams, (n, 1024), of seeds, (n, 48)."""
        return Plain().expand(seeds)

    def deal(self, first: int, streams: NDArray[np.uint8]) -> Hands:
        """Shuffle decks from the bytes of their streams. Raises StreamExhaustedError."""
        draws = np.empty((len(streams), len(DRAWS)), dtype=np.uint8)
        used = np.empty(len(streams), dtype=np.uint16)
        decks = np.empty((len(streams), DECK_SIZE), dtype=np.uint8)
        for place, stream in enumerate(streams):
            drawn, used[place] = self._draw(bytes(stream))
            draws[place] = drawn
            decks[place] = _ceremony(drawn)
        return Hands(first, decks, draws, used, streams)

    def _again(self, hands: Hands, streams: bool) -> Hands:
        assert hands.streams is not None
        dealt = self.deal(hands.first, hands.streams)
        return replace(dealt, streams=hands.streams if streams else None, secrets=hands.secrets)

    def _draw(self, stream: bytes) -> tuple[list[int], int]:
        draws: list[int] = []
        at = 0
        for n in DRAWS:
            limit = self.bound.limit(n)
            while at < len(stream) and stream[at] >= limit:
                at += 1
            if at == len(stream):
                message = f"the deck needs more than {min(len(stream), STREAM_BYTES):,} bytes"
                raise StreamExhaustedError(message)
            draws.append(stream[at] % n)
            at += 1
        return draws, at


def _ceremony(draws: list[int]) -> list[int]:
    """Shuffle, cut, shuffle, thirds, shuffle (protocol 3.4) by given draws."""
    drawn = iter(draws)
    deck = _shuffle(list(range(DECK_SIZE)), drawn)
    cut = 20 + next(drawn)
    deck = _shuffle(deck[cut:] + deck[:cut], drawn)
    a, b, turned = 15 + next(drawn), 15 + next(drawn), next(drawn)
    top, middle, rest = deck[:a], deck[a : a + b], deck[a + b :]
    return _shuffle(rest + top + middle if turned else middle + rest + top, drawn)


def _shuffle(deck: list[int], drawn: Iterator[int]) -> list[int]:
    for i in range(DECK_SIZE - 1, 0, -1):
        j = next(drawn)
        deck[i], deck[j] = deck[j], deck[i]
    return deck
