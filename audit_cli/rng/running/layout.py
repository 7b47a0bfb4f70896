"""How a run is cut: blocks of equal size for the second level, each of one or more chunks.

Sequences of raw bits begin with chunks that lie evenly over the run: sequence k of s is the first
`SEQUENCE_BITS` bits of the streams of the `SEQUENCE_HANDS` hands from the beginning of chunk
floor(k * chunks / s) on. The lanes are taken from the run's first hands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from audit_cli.rng.plan import Run
    from audit_cli.rng.sources import Source

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


@dataclass(frozen=True, slots=True)
class Parts:
    """All of a run: whose hands, the chunks of each block, and raw bits."""

    source: Source
    blocks: tuple[tuple[Chunk, ...], ...]
    bits: tuple[Bits, ...]

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """The chunks of all blocks, in their order."""
        return tuple(chunk for block in self.blocks for chunk in block)


def cut(source: Source, run: Run, sequences: int, start: int = 0) -> Parts:
    """Return the parts of a run over the hands of a source from `start` on."""
    chunks = [Chunk(k, start + run.first(k), run.chunk) for k in range(run.chunks)]
    each = run.chunks_per_block
    blocks = tuple(tuple(chunks[k : k + each]) for k in range(0, run.chunks, each))
    if not sequences:
        return Parts(source, blocks, ())
    numbered = (
        Bits(f"{k:05}", chunks[k * run.chunks // sequences].first) for k in range(sequences)
    )
    return Parts(source, blocks, (Bits(LANES, start), *numbered))
