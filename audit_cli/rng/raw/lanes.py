"""Generators that are linear over GF(2), found by one bit of each word: B1 beyond SP 800-22.

Shift registers, xorshift and the Mersenne Twister pass what looks at values. One fixed bit of each
of their words obeys a recurrence no longer than their state, which shows once the lane of that bit
is twice as long: 256 words for a state of 128 bits, 39,874 for one of 19,937. The rank of a matrix
shows a small linear state whatever the words are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from audit_cli.rng.raw.complexity import Profile, profile
from audit_cli.rng.raw.rank import rank_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

LONG_BITS: Final = 48_000
SHORT_BITS: Final = 4_096
WORD_BYTES: Final = (1, 2, 4, 8)
MATRIX_SIDE: Final = 1_024
LANES_BYTES: Final = LONG_BITS * WORD_BYTES[-1]
#: Hands whose streams, joined in order, hold all lanes.
LANES_HANDS: Final = LANES_BYTES // 1024


@dataclass(frozen=True, slots=True)
class Lane:
    """Bit `bit` (0 is the lowest) of byte `byte` of each word of `word` bytes, `length` of them."""

    word: int
    byte: int
    bit: int
    length: int

    @property
    def name(self) -> str:
        """What readers are told."""
        return f"bit {self.bit} of byte {self.byte} of {self.word}"

    def of(self, data: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the lane's bits, one a byte."""
        bytes_of = data[self.byte : self.length * self.word : self.word]
        return (bytes_of >> np.uint8(self.bit)) & np.uint8(1)


def _lanes() -> tuple[Lane, ...]:
    """Return the lowest bit of the first byte at length, and the ends of either byte order."""
    found = [Lane(word, 0, 0, LONG_BITS) for word in WORD_BYTES]
    for word in WORD_BYTES:
        ends = sorted({(byte, bit) for byte in (0, word - 1) for bit in (0, 7)} - {(0, 0)})
        found += [Lane(word, byte, bit, SHORT_BITS) for byte, bit in ends]
    return tuple(found)


LANES: Final = _lanes()


@dataclass(frozen=True, slots=True)
class LanesResult:
    """The profile of each of `LANES`, and how many ranks the large matrix lacks."""

    profiles: tuple[Profile, ...] = field(repr=False)
    deficiency: int

    def to_json(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return {
            "lanes": [[each.length, each.complexity, each.jumps] for each in self.profiles],
            "deficiency": self.deficiency,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> LanesResult:
        """Return what `to_json` was given. KeyError or TypeError for anything else."""
        return cls(tuple(Profile(*each) for each in value["lanes"]), int(value["deficiency"]))


def measure_lanes(data: NDArray[np.uint8]) -> LanesResult:
    """Measure the first 384,000 bytes of `data` (any shape). ValueError where fewer are there."""
    flat = data.reshape(-1)
    if len(flat) < LANES_BYTES:
        message = f"the lanes are in {LANES_BYTES:,} bytes, not {len(flat):,}"
        raise ValueError(message)
    profiles = tuple(profile(lane.of(flat)) for lane in LANES)
    row_bytes = MATRIX_SIDE // 8
    matrix = flat[: MATRIX_SIDE * row_bytes].reshape(MATRIX_SIDE, row_bytes)
    rank = rank_of([int.from_bytes(bytes(row), "big") for row in matrix])
    return LanesResult(profiles, MATRIX_SIDE - rank)
