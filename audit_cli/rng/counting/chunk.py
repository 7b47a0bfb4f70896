"""A chunk as it is counted: batch after batch, cut into pieces that a counter can hold at once.

The counts do not depend on where batches end: what looks from hand to hand is carried over.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from audit_cli.derive import DECK_SIZE
from audit_cli.rng.counting.guesses import Guesses, learn
from audit_cli.rng.counting.orders import NotADeckError
from audit_cli.rng.counting.tables import LAGS, SHUFFLE, first_cells, guessed, shapes
from audit_cli.rng.counting.waits import Waits, begin_waits
from audit_cli.rng.measured import Measured

if TYPE_CHECKING:
    from _hashlib import HASH
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from audit_cli.rng.hands import Hands

#: The most hands that are counted at once: their tables and buffers fit a core's own cache.
PIECE: Final = 4096

Counts = dict[str, "NDArray[np.int64]"]


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Hands that follow each other, all counted in one way.

    `before` holds the decks before them, at most five, the last one nearest. `cells` is where each
    draw's cells begin in `draws`; None where draws are not counted, and `draws` is None where they
    are, but only the deck's own (`SHUFFLE`) are known. `guesses` is None where none are scored.
    """

    decks: NDArray[np.uint8]
    before: NDArray[np.uint8]
    draws: NDArray[np.uint8] | None
    cells: NDArray[np.int64] | None
    guesses: Guesses | None


class Counter(Protocol):
    """Adds a piece to counts and waits, and returns its digests (n,)."""

    def __call__(
        self, piece: Piece, counts: Mapping[str, NDArray[np.int64]], waits: Waits
    ) -> NDArray[np.uint64]:
        """Count. Raises NotADeckError."""


@dataclass(slots=True, eq=False)
class Chunk:
    """The tallier of hands `first` to `first + size - 1`, by either counter."""

    first: int
    size: int
    sizes: tuple[int, ...]
    draws: bool
    count: Counter
    _done: int = field(default=0, init=False)
    _counts: Counts = field(init=False, repr=False)
    _waits: Waits = field(init=False, repr=False)
    _guesses: Guesses | None = field(default=None, init=False, repr=False)
    _cells: NDArray[np.int64] | None = field(default=None, init=False, repr=False)
    _before: NDArray[np.uint8] = field(init=False, repr=False)
    _digests: NDArray[np.uint64] = field(init=False, repr=False)
    _hash: HASH = field(default_factory=sha256, init=False, repr=False)

    def __post_init__(self) -> None:
        self._counts = {
            name: np.zeros(shape, np.int64)
            for name, shape in shapes(self.sizes, draws=self.draws).items()
        }
        if self.draws:
            self._cells = np.array(first_cells(self.sizes), np.int64)
        self._waits = begin_waits(self.size)
        self._before = np.empty((0, DECK_SIZE), np.uint8)
        self._digests = np.empty(self.size, np.uint64)

    def add(self, hands: Hands) -> None:
        """Count a batch, which follows the one before it.

        ValueError where it does not, goes beyond the chunk, or holds what is no deck or no draw.
        """
        decks = np.ascontiguousarray(hands.decks, np.uint8)
        draws = self._check(hands, decks)
        learned, scored = guessed(self.size)
        at = 0
        while at < len(decks):
            if self._done == learned:
                self._guesses = learn(self._counts["successor"], self._counts["card_position"])
            ends = [end for end in (learned, scored, self.size) if end > self._done]
            end = at + min(PIECE, len(decks) - at, ends[0] - self._done)
            self._add(decks[at:end], None if draws is None else draws[at:end])
            at = end

    def finish(self) -> Measured:
        """Return the counts. ValueError where hands of the chunk are missing."""
        if self._done != self.size:
            message = f"{self._done} hands of a chunk of {self.size} were counted"
            raise ValueError(message)
        return Measured(self.first, self.size, self._counts, self._digests, self._hash.hexdigest())

    def _check(self, hands: Hands, decks: NDArray[np.uint8]) -> NDArray[np.uint8] | None:
        """Return the draws to count. ValueError where this batch can not be the next one."""
        if hands.first != self.first + self._done:
            message = f"hand {hands.first} does not follow hand {self.first + self._done - 1}"
            raise ValueError(message)
        if decks.ndim != 2 or decks.shape[1] != DECK_SIZE:
            message = f"decks of shape {decks.shape} are not 52 cards each"
            raise ValueError(message)
        if len(decks) > self.size - self._done:
            message = f"{len(decks)} hands do not fit the last {self.size - self._done} of a chunk"
            raise ValueError(message)
        if decks.size and decks.max() >= DECK_SIZE:
            message = "a card is a number from 0 to 51"
            raise ValueError(message)
        if not self.draws:
            return None
        if hands.draws is None:
            if self.sizes != SHUFFLE:
                message = "draws are not known, and these are not of one shuffle"
                raise ValueError(message)
            return None
        if hands.sizes != self.sizes or hands.draws.shape != (len(decks), len(self.sizes)):
            message = "draws are not of the ranges that this chunk counts"
            raise ValueError(message)
        if (hands.draws >= np.array(self.sizes, np.uint8)).any():
            message = "a draw is not below its range"
            raise ValueError(message)
        return np.ascontiguousarray(hands.draws, np.uint8)

    def _add(self, decks: NDArray[np.uint8], draws: NDArray[np.uint8] | None) -> None:
        """Count hands between two places where anything changes."""
        scored = self._done >= guessed(self.size)[1]
        piece = Piece(
            decks,
            self._before,
            draws,
            self._cells,
            self._guesses if scored else None,
        )
        end = self._done + len(decks)
        try:
            self._digests[self._done : end] = self.count(piece, self._counts, self._waits)
        except NotADeckError as wrong:
            hand = self.first + self._done + wrong.place
            message = f"hand {hand} does not hold each of the 52 cards once"
            raise ValueError(message) from None
        self._hash.update(decks.data)
        self._before = np.concatenate([self._before, decks])[-len(LAGS) :]
        self._done = end
