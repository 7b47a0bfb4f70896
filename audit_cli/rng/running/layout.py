"""How a run is cut: blocks of equal size for the second level, each of one or more chunks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chunk:
    """Hands `first` to `first + count - 1` of a run; `index` counts chunks from 0."""

    index: int
    first: int
    count: int


def cut(hands: int, blocks: int, chunk: int) -> tuple[tuple[Chunk, ...], ...]:
    """Return the chunks of each block. ValueError where they do not come out even."""
    each, over = divmod(hands, blocks * chunk)
    if over or not each:
        message = f"{hands:,} hands are not {blocks:,} blocks of chunks of {chunk:,}"
        raise ValueError(message)
    return tuple(
        tuple(
            Chunk(index, index * chunk, chunk) for index in range(block * each, (block + 1) * each)
        )
        for block in range(blocks)
    )
