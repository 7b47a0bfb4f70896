"""What the counting of one chunk gives: whole numbers only, so that sums are the same everywhere.

A chunk is counted by itself: nothing is looked at across its ends, so that neither the order nor
the place in which chunks are counted can change a figure.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from audit_cli.rng.hands import Hands


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """The counts of hands `first` to `first + hands - 1`.

    `counts` maps the name of a table (`counting.tables`) to its int64 array. `digests` is (n,)
    uint64, in the order of the hands: the top 29 bits are the place of the first five cards among
    the 311,875,200 ordered fives, the other 35 a hash of the rest; equal decks have equal digests.
    `sha256` is of the decks' bytes, 52 each.
    """

    first: int
    hands: int
    counts: Mapping[str, NDArray[np.int64]]
    digests: NDArray[np.uint64] = field(repr=False)
    sha256: str


class Tallier(Protocol):
    """Counts one chunk, batch after batch in the order of its hands."""

    def add(self, hands: Hands) -> None:
        """Count a batch, which follows the one before it."""

    def finish(self) -> Measured:
        """Return the counts. ValueError where hands of the chunk are missing."""
