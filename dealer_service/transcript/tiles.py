"""The static files of a log (C2SP tlog-tiles): their paths, their bytes, and proofs from them.

A hash tile of level L and index N holds the roots of consecutive complete subtrees of 256^L
leaves, up to 256 of them; an entry bundle holds the same lines as the level 0 tile of its index,
each behind its length in two bytes. A tile that is not full has its width in its path, and is the
tile of one size of the log for ever: what a path once named never changes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

from dealer_service.transcript.canonical import MAX_LINE_BYTES
from dealer_service.transcript.merkle import (
    HASH_BYTES,
    Subtrees,
    consistency_from,
    inclusion_from,
    node_hash,
    root_from,
)
from dealer_service.transcript.refusal import Reason, TranscriptError

TILE_HEIGHT: Final = 8
TILE_WIDTH: Final = 1 << TILE_HEIGHT
MAX_LEVEL: Final = 63
CHECKPOINT_PATH: Final = "checkpoint"

_LENGTH_BYTES: Final = 2


@dataclass(frozen=True, slots=True, order=True)
class Tile:
    """A hash tile: its level, its index there, and its width, 1 to 256 hashes."""

    level: int
    index: int
    width: int = TILE_WIDTH

    @property
    def path(self) -> str:
        """Where its hashes are, below the log's prefix."""
        return hash_tile_path(self.level, self.index, self.width)

    @property
    def entries(self) -> str:
        """Where the lines are that a tile of level 0 is over."""
        return entries_path(self.index, self.width)


def hash_tile_path(level: int, index: int, width: int = TILE_WIDTH) -> str:
    """Name a tile's file, such as "tile/0/x001/x234/067.p/8".

    TranscriptError TREE_RANGE for a level above 63, a negative index, a width not 1 to 256.
    """
    _require_range(0 <= level <= MAX_LEVEL, f"level {level} is not 0 to {MAX_LEVEL}")
    return f"tile/{level}/{_numbered(index, width)}"


def entries_path(index: int, width: int = TILE_WIDTH) -> str:
    """Name an entry bundle's file, such as "tile/entries/000.p/8"; TranscriptError TREE_RANGE."""
    return f"tile/entries/{_numbered(index, width)}"


def tile_at(level: int, index: int, size: int) -> Tile:
    """Give the widest tile of that place in a log of `size` lines; TREE_RANGE where none is."""
    _require_range(0 <= level <= MAX_LEVEL, f"level {level} is not 0 to {MAX_LEVEL}")
    width = min(TILE_WIDTH, (size >> TILE_HEIGHT * level) - index * TILE_WIDTH)
    _require_range(index >= 0 and width > 0, f"tile {level}/{index} is not of {size} lines")
    return Tile(level, index, width)


def tiles_of(old_size: int, new_size: int) -> tuple[Tile, ...]:
    """Name what a log of `new_size` lines has and one of `old_size` had not, by level and index.

    Each level's newly full tiles, then the partial one of `new_size`. The entry bundles that
    change are those of the tiles of level 0. TranscriptError TREE_RANGE unless
    0 <= old_size <= new_size.
    """
    _require_range(0 <= old_size <= new_size, f"a log does not go from {old_size} to {new_size}")
    return tuple(_changed(old_size, new_size))


def write_tile(hashes: Sequence[bytes]) -> bytes:
    """Join 1 to 256 hashes of 32 bytes; TranscriptError TILE_MALFORMED otherwise."""
    if not 1 <= len(hashes) <= TILE_WIDTH or any(len(value) != HASH_BYTES for value in hashes):
        _refuse(f"a tile is 1 to {TILE_WIDTH} hashes of {HASH_BYTES} bytes")
    return b"".join(hashes)


def read_tile(data: bytes, width: int) -> tuple[bytes, ...]:
    """Split a tile of `width` hashes; TranscriptError TILE_MALFORMED for any other length."""
    if len(data) != width * HASH_BYTES or not 1 <= width <= TILE_WIDTH:
        _refuse(f"{len(data)} bytes are not the {width} hashes of the tile")
    return tuple(data[at : at + HASH_BYTES] for at in range(0, len(data), HASH_BYTES))


def entry_bundle(lines: Sequence[bytes]) -> bytes:
    """Join 1 to 256 lines, each behind its length; TranscriptError TILE_MALFORMED otherwise."""
    if not 1 <= len(lines) <= TILE_WIDTH or any(len(line) > MAX_LINE_BYTES for line in lines):
        _refuse(f"a bundle is 1 to {TILE_WIDTH} lines of at most {MAX_LINE_BYTES} bytes")
    return b"".join(len(line).to_bytes(_LENGTH_BYTES, "big") + line for line in lines)


def read_entry_bundle(data: bytes, width: int) -> tuple[bytes, ...]:
    """Split a bundle of exactly `width` lines; TranscriptError TILE_MALFORMED otherwise."""
    lines: list[bytes] = []
    at = 0
    while at < len(data):
        start = at + _LENGTH_BYTES
        at = start + int.from_bytes(data[at:start], "big")
        lines.append(data[start:at])
    if at != len(data) or len(lines) != width:
        _refuse(f"the bytes are not a bundle of {width} lines, each behind its length")
    return tuple(lines)


@dataclass(frozen=True, slots=True)
class TileReader:
    """Roots and proofs of a log of `size` lines from its tiles alone.

    `read` gives the bytes at a path; what it raises passes through. Only tiles of the log of
    `size` are asked for, each once a question. The tiles are taken as they are: compare `root()`
    with a signed one. Questions beyond `size` are TranscriptError TREE_RANGE, a tile of a wrong
    length is TILE_MALFORMED.
    """

    size: int
    read: Callable[[str], bytes]

    def root(self, size: int | None = None) -> bytes:
        """Give the root of the first `size` lines, of all without it (RFC 6962 2.1)."""
        size = self.size if size is None else size
        _require_range(0 <= size <= self.size, f"size {size} is not of {self.size} lines")
        return root_from(self._subtrees(), size)

    def leaf(self, index: int) -> bytes:
        """Give the leaf hash at `index`."""
        _require_range(0 <= index < self.size, f"index {index} is not of {self.size} lines")
        return self._subtrees()(0, index)

    def inclusion(self, index: int, size: int | None = None) -> tuple[bytes, ...]:
        """Give the path, leaf to root, of line `index` in the first `size` (RFC 6962 2.1.1)."""
        size = self.size if size is None else size
        holds = 0 <= index < size <= self.size
        _require_range(holds, f"index {index} in size {size} is not of {self.size} lines")
        return inclusion_from(self._subtrees(), index, size)

    def consistency(self, old: int, new: int | None = None) -> tuple[bytes, ...]:
        """Give the proof that `new` lines extend the first `old`, at least 1 (RFC 6962 2.1.2)."""
        new = self.size if new is None else new
        holds = 1 <= old <= new <= self.size
        _require_range(holds, f"sizes {old} to {new} are not of {self.size} lines")
        return consistency_from(self._subtrees(), old, new)

    def lines(self, low: int, high: int) -> Iterator[bytes]:
        """Give the lines from `low` to `high`, not included, by their bundles."""
        holds = 0 <= low <= high <= self.size
        _require_range(holds, f"lines {low} to {high} are not of {self.size} lines")
        for index in range(low // TILE_WIDTH, -(-high // TILE_WIDTH)):
            tile = tile_at(0, index, self.size)
            bundle = read_entry_bundle(self.read(tile.entries), tile.width)
            first = index * TILE_WIDTH
            yield from bundle[max(0, low - first) : high - first]

    def _subtrees(self) -> Subtrees:
        held: dict[Tile, tuple[bytes, ...]] = {}

        def subtree(height: int, index: int) -> bytes:
            level, above = divmod(height, TILE_HEIGHT)
            tile = tile_at(level, (index << above) // TILE_WIDTH, self.size)
            hashes = held.get(tile)
            if hashes is None:
                hashes = held[tile] = read_tile(self.read(tile.path), tile.width)
            return subtree_at(hashes, above, index)

        return subtree


def subtree_at(hashes: Sequence[bytes], height: int, index: int) -> bytes:
    """Give the root over 2^height hashes of a tile, for the index among all such of its level."""
    start = (index << height) % TILE_WIDTH
    return subtree_root(hashes[start : start + (1 << height)])


def subtree_root(hashes: Iterable[bytes]) -> bytes:
    """Hash a power of two of neighbouring subtrees into the one over them all."""
    level = list(hashes)
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=True)
        level = [node_hash(left, right) for left, right in pairs]
    return level[0]


def _changed(old_size: int, new_size: int) -> Iterator[Tile]:
    level = 0
    while new_size >> TILE_HEIGHT * level:
        old, new = old_size >> TILE_HEIGHT * level, new_size >> TILE_HEIGHT * level
        if old == new:
            return
        for index in range(old // TILE_WIDTH, new // TILE_WIDTH):
            yield Tile(level, index)
        if new % TILE_WIDTH:
            yield Tile(level, new // TILE_WIDTH, new % TILE_WIDTH)
        level += 1


def _numbered(index: int, width: int) -> str:
    _require_range(index >= 0, f"index {index} is below 0")
    _require_range(1 <= width <= TILE_WIDTH, f"width {width} is not 1 to {TILE_WIDTH}")
    path = f"{index % 1000:03d}"
    while index >= 1000:
        index //= 1000
        path = f"x{index % 1000:03d}/{path}"
    return path if width == TILE_WIDTH else f"{path}.p/{width}"


def _require_range(holds: bool, message: str) -> None:
    if not holds:
        raise TranscriptError(Reason.TREE_RANGE, message)


def _refuse(message: str) -> NoReturn:
    raise TranscriptError(Reason.TILE_MALFORMED, message)
