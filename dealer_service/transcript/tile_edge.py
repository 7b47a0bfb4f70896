"""The right edge of a tiled log: what appending needs of it, and the tiles that appending makes.

Of each level the hashes of its tile that is not full, at most 255: enough to write every tile of
a greater size, and the root, without the log's past. It comes back from those partial tiles.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from dealer_service.transcript.merkle import EMPTY_ROOT, HASH_BYTES, node_hash
from dealer_service.transcript.refusal import Reason, TranscriptError
from dealer_service.transcript.tiles import (
    TILE_HEIGHT,
    TILE_WIDTH,
    Tile,
    TileReader,
    read_tile,
    subtree_root,
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
        size = self.size
        levels = [list(level) for level in self.levels]
        grown: dict[tuple[int, int], tuple[Tile, bytes]] = {}
        for leaf in leaf_hashes:
            if len(leaf) != HASH_BYTES:
                message = f"a tree's hash has {HASH_BYTES} bytes, not {len(leaf)}"
                raise TranscriptError(Reason.BAD_HASH, message)
            size += 1
            node, level = leaf, 0
            while True:
                if level == len(levels):
                    levels.append([])
                levels[level].append(node)
                if len(levels[level]) < TILE_WIDTH:
                    break
                index = (size >> TILE_HEIGHT * (level + 1)) - 1
                grown[level, index] = Tile(level, index), write_tile(levels[level])
                node = subtree_root(levels[level])
                levels[level] = []
                level += 1
        for level, hashes in enumerate(levels):
            if hashes and size >> TILE_HEIGHT * level != self.size >> TILE_HEIGHT * level:
                index = size >> TILE_HEIGHT * (level + 1)
                grown[level, index] = Tile(level, index, len(hashes)), write_tile(hashes)
        edge = TileEdge(size, tuple(tuple(level) for level in levels))
        return edge, tuple(grown[place] for place in sorted(grown))

    def root(self) -> bytes:
        """Give the root of the log's tree (RFC 6962 2.1)."""
        root = b""
        for hashes in self.levels:
            end = len(hashes)
            for height in range(TILE_HEIGHT):
                if len(hashes) >> height & 1:
                    subtree = subtree_root(hashes[end - (1 << height) : end])
                    root = node_hash(subtree, root) if root else subtree
                    end -= 1 << height
        return root or EMPTY_ROOT


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
