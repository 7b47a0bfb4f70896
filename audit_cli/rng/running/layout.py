"""How a run is cut: blocks of equal size for the second level, each of one or more chunks.

Sequences of raw bits are taken from the streams of the run's first hands, 123 hands each; the lanes
are taken from the same hands once more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from audit_cli.rng.raw.sequence import SEQUENCE_HANDS

#: The name of the bits whose lanes are measured (`raw.lanes`).
LANES: Final = "lanes"


@dataclass(frozen=True, slots=True)
class Chunk:
    """Hands `first` to `first + count - 1` of a source; `index` counts a run's chunks from 0."""

    index: int
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class Bits:
    """Raw bits to test: the streams of the hands from `first` on; `name` is LANES or a number."""

    name: str
    first: int


def cut(hands: int, blocks: int, chunk: int, start: int = 0) -> tuple[tuple[Chunk, ...], ...]:
    """Return the chunks of each block, of the hands from `start` on.

    ValueError where they do not come out even.
    """
    each, over = divmod(hands, blocks * chunk)
    if over or not each:
        message = f"{hands:,} hands are not {blocks:,} blocks of chunks of {chunk:,}"
        raise ValueError(message)
    return tuple(
        tuple(
            Chunk(index, start + index * chunk, chunk)
            for index in range(block * each, (block + 1) * each)
        )
        for block in range(blocks)
    )


def raw_bits(sequences: int, start: int = 0) -> tuple[Bits, ...]:
    """Return what is tested of the streams of the hands from `start` on: none, or lanes as well."""
    if not sequences:
        return ()
    numbered = (Bits(f"{k:05}", start + k * SEQUENCE_HANDS) for k in range(sequences))
    return (Bits(LANES, start), *numbered)
