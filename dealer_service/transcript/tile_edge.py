"""The right edge of a tiled log: what appending needs of it, and the tiles that appending makes.

Of each level the hashes of its tile that is not full, at most 255: enough to write every tile of
a greater size, and the root, without the log's past. It comes back from those partial tiles.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dealer_service.transcript.merkle import require_hashes, root_from
from dealer_service.transcript.refusal import Reason, TranscriptError
from dealer_service.transcript.tiles import (
    TILE_HEIGHT,
    TILE_WIDTH,
    Tile,
    TileReader,
    read_tile,
    subtree_at,
    subtree_root,
    tiles_of,
    write_tile,
)


@dataclass(frozen=True, slots=True)
class TileEdge:
    """The partial tiles of a log of `size` lines, level 0 first; an empty one where none is."""

    size: int = 0
    levels: tuple[tuple[bytes, ...], ...] = ()

    def __post_init__(self) -> None:
        if tuple(len(level) for level in self.levels) != _widths(self.size):
            message = f"a log of {self.size} lines has other partial tiles than these"
            raise TranscriptError(Reason.TREE_RANGE, message)

    def grow(
        self, leaf_hashes: Iterable[bytes]
    ) -> tuple["TileEdge", tuple[tuple[Tile, bytes], ...]]:
        """Give the edge with more leaf hashes, and the tiles that `tiles_of` names, with bytes."""
        added = list(leaf_hashes)
        require_hashes(added)
        size = self.size + len(added)
        # The hashes of each level from its partial tile on.
        held: list[list[bytes]] = []
        for level in range(len(_widths(size))):
            partial = self.levels[level] if level < len(self.levels) else ()
            held.append([*partial, *added])
            added = [
                subtree_root(held[level][start : start + TILE_WIDTH])
                for start in range(0, len(held[level]) - TILE_WIDTH + 1, TILE_WIDTH)
            ]
        tiles = tuple((tile, self._bytes_of(tile, held)) for tile in tiles_of(self.size, size))
        levels = (tuple(hashes[len(hashes) // TILE_WIDTH * TILE_WIDTH :]) for hashes in held)
        return TileEdge(size, tuple(levels)), tiles

    def _bytes_of(self, tile: Tile, held: Sequence[Sequence[bytes]]) -> bytes:
        first = self.size >> TILE_HEIGHT * (tile.level + 1)
        start = (tile.index - first) * TILE_WIDTH
        return write_tile(held[tile.level][start : start + tile.width])

    def root(self) -> bytes:
        """Give the root of the log's tree (RFC 6962 2.1)."""
        return root_from(self._subtree, self.size)

    def _subtree(self, height: int, index: int) -> bytes:
        level, above = divmod(height, TILE_HEIGHT)
        return subtree_at(self.levels[level], above, index)


def edge_from(reader: TileReader) -> TileEdge:
    """Give the edge of a log from its partial tiles; compare its root with a signed one.

    What `reader.read` raises passes through; TranscriptError TILE_MALFORMED for a tile of a
    wrong length.
    """
    levels = []
    for level, width in enumerate(_widths(reader.size)):
        tile = Tile(level, reader.size >> TILE_HEIGHT * (level + 1), width)
        levels.append(read_tile(reader.read(tile.path), width) if width else ())
    return TileEdge(reader.size, tuple(levels))


def _widths(size: int) -> tuple[int, ...]:
    widths = []
    while size > 0:
        widths.append(size % TILE_WIDTH)
        size >>= TILE_HEIGHT
    return tuple(widths)
