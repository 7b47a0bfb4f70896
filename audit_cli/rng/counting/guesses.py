"""S20: a player who has studied a chunk's first half guesses the cards of its last eighth.

What is learned does not touch what is scored, so that the right guesses of any such player have the
distribution of chance. This one knows which card followed which, and which lay where.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from audit_cli.derive import DECK_SIZE
from audit_cli.rng.counting.tables import EDGE

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Guesses:
    """What is guessed.

    `blind` is (52,) uint8: the card guessed at each position, all different, before any is seen.
    `better` is (53, 53) int64: behind card p (`EDGE` before the first), the bits of the cards that
    would be guessed before card c. So c is guessed where none of them is left in the deck.
    """

    blind: NDArray[np.uint8]
    better: NDArray[np.int64]


def learn(successor: NDArray[np.int64], card_position: NDArray[np.int64]) -> Guesses:
    """Return the guesses by these counts: the more frequent first, of equals the lower card."""
    blind: list[int] = []
    for counts in card_position:
        order = np.argsort(-counts, kind="stable").tolist()
        blind.append(next(card for card in order if card not in blind))
    better = np.zeros((EDGE + 1, EDGE + 1), np.int64)
    order = np.argsort(-successor[:, :DECK_SIZE], axis=1, kind="stable")
    bits = np.int64(1) << order
    ahead = np.bitwise_or.accumulate(bits, axis=1) ^ bits
    np.put_along_axis(better, order, ahead, axis=1)
    return Guesses(np.array(blind, np.uint8), better)
