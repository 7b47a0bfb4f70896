"""The dealer's log as it grows: the files that each longer log has and the shorter had not.

Of a log of any length no more is kept than the tiles and the lines of its right edge, some hundred
kilobytes; what is full goes out as a file and is let go of (C2SP tlog-tiles).
"""

from collections.abc import Callable, Sequence
from typing import Final

from dealer_service.transcript.merkle import leaf_hash
from dealer_service.transcript.tile_edge import TileEdge, edge_from
from dealer_service.transcript.tiles import (
    TILE_HEIGHT,
    TILE_WIDTH,
    Tile,
    TileReader,
    entry_bundle,
)

KEPT_TILES: Final = 1
"""So many full tiles keep their partial ones: who asks by an older checkpoint still finds them."""

File = tuple[str, bytes]


class Growth:
    """A log as it grows, from its first line or from where its files end."""

    __slots__ = ("_edge", "_lines")

    def __init__(self, edge: TileEdge | None = None, lines: Sequence[bytes] = ()) -> None:
        self._edge = edge or TileEdge()
        # Those of the bundle that is not full.
        self._lines = list(lines)

    @classmethod
    def read(cls, size: int, read: Callable[[str], bytes]) -> "Growth":
        """Take a log of `size` lines up from its files, of which `read` gives the bytes at a path.

        TranscriptError TILE_MALFORMED, or what `read` raises. Whether the tiles are those that
        were signed is for the caller to see, by `root`.
        """
        reader = TileReader(size, read)
        return cls(edge_from(reader), tuple(reader.lines(size - size % TILE_WIDTH, size)))

    @property
    def size(self) -> int:
        """The number of lines."""
        return self._edge.size

    def add(self, lines: Sequence[bytes]) -> list[File]:
        """Append lines, and give the files that the longer log has and the shorter had not."""
        first = self.size - len(self._lines)
        held = [*self._lines, *lines]
        self._edge, tiles = self._edge.grow(leaf_hash(line) for line in lines)
        files: list[File] = []
        for tile, content in tiles:
            files.append((tile.path, content))
            if tile.level == 0:
                start = tile.index * TILE_WIDTH - first
                bundle = entry_bundle(held[start : start + tile.width])
                files.append((tile.entries, bundle))
        self._lines = held[len(held) - self.size % TILE_WIDTH :]
        return files

    def root(self) -> bytes:
        """Give the root of all lines (RFC 6962 2.1)."""
        return self._edge.root()


def outgrown(before: int, size: int) -> Sequence[str]:
    """Name the folders of partial tiles that nobody asks for, once `size` lines are published.

    A tile's partial ones are needed until a later tile is full as well; `before` lines were
    published before.
    """
    folders: list[str] = []
    level = 0
    while size >> TILE_HEIGHT * level:
        last = max(0, (before >> TILE_HEIGHT * (level + 1)) - KEPT_TILES)
        now = max(0, (size >> TILE_HEIGHT * (level + 1)) - KEPT_TILES)
        for index in range(last, now):
            tile = Tile(level, index)
            folders.append(f"{tile.path}.p")
            if level == 0:
                folders.append(f"{tile.entries}.p")
        level += 1
    return folders
