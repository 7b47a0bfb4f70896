"""Many hands at once, as arrays: what an engine derives and what the battery counts.

Cards are numbers 0 to 51 (4 x rank + suit), position 0 is dealt first, as everywhere in the audit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from audit_cli.derive import DECK_SIZE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SHUFFLE: Final = tuple(range(DECK_SIZE, 1, -1))

#: The ranges n of the draws `below(n)` of one deck, in their order (protocol 4.3 and 4.4): 157.
DRAWS: Final = (*_SHUFFLE, 13, *_SHUFFLE, 5, 5, 2, *_SHUFFLE)


@dataclass(frozen=True, slots=True, eq=False)
class Hands:
    """Hands `first`, `first` + 1, ... of a run, counted from 0.

    `decks` is (n, 52) uint8. `draws` is (n, len(sizes)) uint8: the accepted draws in their order,
    column k below `sizes[k]`; None where only decks are known. `used` is (n,) uint16: how many
    bytes of its stream a deck took, dropped ones too. `streams` is (n, 1024) uint8 where it was
    asked for. `secrets` is (n, 32) uint8 where they are known.
    """

    first: int
    decks: NDArray[np.uint8]
    draws: NDArray[np.uint8] | None = None
    used: NDArray[np.uint16] | None = None
    streams: NDArray[np.uint8] | None = field(default=None, repr=False)
    secrets: NDArray[np.uint8] | None = field(default=None, repr=False)
    sizes: tuple[int, ...] = DRAWS

    @property
    def count(self) -> int:
        """How many hands these are."""
        return len(self.decks)


class Engine(Protocol):
    """One of the three that derive the same bits: `plain`, `numpy`, `numba`."""

    @property
    def name(self) -> str:
        """What `--engine` calls it."""

    def derive(
        self,
        first: int,
        secrets: NDArray[np.uint8],
        mixes: NDArray[np.uint8],
        *,
        streams: bool = False,
    ) -> Hands:
        """Derive decks from secrets and mixes, (n, 32) each. Raises StreamExhaustedError."""

    def lab(self, secret: bytes, first: int, count: int, *, streams: bool = False) -> Hands:
        """Derive decks `first`, ... of the laboratory secret (`lab`)."""

    def expand(self, seeds: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the streams, (n, 1024), of seeds, (n, 48): for known answers."""

    def deal(self, first: int, streams: NDArray[np.uint8]) -> Hands:
        """Shuffle decks from the bytes of their streams, (n, 1024 or fewer): for crafted bytes.

        Raises StreamExhaustedError.
        """
