"""S17 and S18: how many hands it takes to see all kinds, or one card again, at position 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from audit_cli.rng.counting.tables import COUPONS, NAMED_CARD, quota

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

#: The waits in the order of the rows of `Waits`.
ORDER = (*COUPONS, "gap")


@dataclass(frozen=True, slots=True, eq=False)
class Waits:
    """Where the waits of a chunk stand: a row for each of `ORDER`.

    `seen` is (4,) int64, the kinds seen in the present wait as bits; `waited` (4,) int64, its
    hands so far; `left` (4,) int64, how many waits are still counted.
    """

    seen: NDArray[np.int64]
    waited: NDArray[np.int64]
    left: NDArray[np.int64]


def begin_waits(hands: int) -> Waits:
    """Return where the waits of a chunk of so many hands begin."""
    left = np.array([quota(wait, hands) for wait in ORDER], np.int64)
    return Waits(np.zeros(len(ORDER), np.int64), np.zeros(len(ORDER), np.int64), left)


def count_waits(
    cards: NDArray[np.uint8], waits: Waits, counts: Mapping[str, NDArray[np.int64]]
) -> None:
    """Count the waits that end with one of these cards of position 0, (n,)."""
    kinds = {"coupon_card": cards, "coupon_rank": cards >> 2, "coupon_suit": cards & 3}
    for row, wait in enumerate(ORDER):
        if not waits.left[row]:
            continue
        if wait == "gap":
            lengths = _gaps(cards, row, waits)
        else:
            lengths = _collect(kinds[wait].tolist(), COUPONS[wait], row, waits)
        lengths = lengths[: int(waits.left[row])]
        waits.left[row] -= len(lengths)
        table = counts[wait]
        table += np.bincount(np.minimum(lengths, len(table) - 1), minlength=len(table))


def _gaps(cards: NDArray[np.uint8], row: int, waits: Waits) -> NDArray[np.int64]:
    """Return the lengths of the waits for the named card that end among these."""
    ends = np.flatnonzero(cards == NAMED_CARD)
    last = -1 - int(waits.waited[row])
    lengths = np.diff(ends, prepend=last)
    waits.waited[row] = len(cards) - 1 - (int(ends[-1]) if ends.size else last)
    return lengths


def _collect(kinds: list[int], wanted: int, row: int, waits: Waits) -> NDArray[np.int64]:
    """Return the lengths of the waits for all of `wanted` kinds that end among these."""
    bits = [1 << kind for kind in range(wanted)]
    full = (1 << wanted) - 1
    seen, last = int(waits.seen[row]), -1 - int(waits.waited[row])
    lengths = []
    for at, kind in enumerate(kinds):
        seen |= bits[kind]
        if seen == full:
            lengths.append(at - last)
            seen, last = 0, at
    waits.seen[row], waits.waited[row] = seen, len(kinds) - 1 - last
    return np.array(lengths, np.int64)
