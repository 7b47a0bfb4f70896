"""C2SP `tlog-tiles`, read and proved: every hash and entry is held to a checkpoint's root.

A tile of level l and index n holds the roots of up to 256 neighbouring subtrees of 256^l leaves
each. A reader first takes the right edge, the partial tile of each level, whose hashes make the
root; any other tile is full, and its own root stands in the tile above. So nothing that a server
sends is believed, and what fails is told as a `Problem`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from audit_cli.merkle import EMPTY_ROOT, HASH_BYTES, MAX_SIZE, leaf_hash, node_hash, root_of
from audit_cli.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

TILE_WIDTH = 256
TILE_HEIGHT = 8
CHECKPOINT_PATH = "checkpoint"
MAX_BUNDLE = TILE_WIDTH * (2 + 65_535)
_MAX_CACHED = 4_096

Fetch = Callable[[str], "bytes | Problem"]
"""Gives the bytes at a path below the log's prefix, or why they can not be had."""


def tile_number(index: int) -> str:
    """Return an index as path elements of three digits: 1234067 is "x001/x234/067"."""
    path = f"{index % 1000:03}"
    while index := index // 1000:
        path = f"x{index % 1000:03}/{path}"
    return path


def _partial(width: int) -> str:
    return "" if width == TILE_WIDTH else f".p/{width}"


def hash_tile_path(level: int, index: int, width: int = TILE_WIDTH) -> str:
    """Return where a tile of hashes lies, `width` from 1 to 256 (full)."""
    return f"tile/{level}/{tile_number(index)}{_partial(width)}"


def entries_path(index: int, width: int = TILE_WIDTH) -> str:
    """Return where a bundle of entries lies, `width` from 1 to 256 (full)."""
    return f"tile/entries/{tile_number(index)}{_partial(width)}"


def split_bundle(data: bytes) -> tuple[bytes, ...] | Problem:
    """Return the entries of a bundle, each behind its length in two bytes, big-endian."""
    entries = []
    at = 0
    while at < len(data):
        start = at + 2
        at = start + int.from_bytes(data[at:start], "big")
        if start > len(data) or at > len(data):
            return Problem("a bundle of entries that ends within one")
        entries.append(data[start:at])
    return tuple(entries)


def tile_width(size: int, level: int, index: int) -> int:
    """Return how many hashes of a tile a tree of `size` has: 0 to 256."""
    whole = size >> (TILE_HEIGHT * level)
    return max(0, min(TILE_WIDTH, whole - index * TILE_WIDTH))


class TileReader:
    """A log's tree of one size and root, read from tiles; `open_tiles` makes one."""

    __slots__ = ("_edge", "_fetch", "_full", "root", "size")

    def __init__(
        self, fetch: Fetch, size: int, root: bytes, edge: dict[int, tuple[bytes, ...]]
    ) -> None:
        self._fetch = fetch
        self.size = size
        self.root = root
        self._edge = edge
        self._full: dict[tuple[int, int], tuple[bytes, ...]] = {}

    def tile(  # noqa: PLR0911  (one return a kind of refusal)
        self, level: int, index: int
    ) -> tuple[bytes, ...] | Problem:
        """Return the proved hashes of a tile, as many as the tree has of it."""
        width = tile_width(self.size, level, index)
        if width == 0:
            return Problem(f"tile {index} of level {level} is beyond the tree of {self.size:,}")
        if width < TILE_WIDTH:
            return self._edge[level]
        known = self._full.get((level, index))
        if known is not None:
            return known
        above = self.tile(level + 1, index // TILE_WIDTH)
        if isinstance(above, Problem):
            return above
        hashes = _fetch_hashes(self._fetch, level, index, TILE_WIDTH)
        if isinstance(hashes, Problem):
            return hashes
        if root_of(hashes) != above[index % TILE_WIDTH]:
            return Problem(f"{hash_tile_path(level, index)} is not of the tree that is signed")
        if len(self._full) >= _MAX_CACHED:
            self._full.pop(next(iter(self._full)))
        self._full[level, index] = hashes
        return hashes

    def node(self, height: int, index: int) -> bytes | Problem:
        """Return the root of the perfect subtree of 2^height leaves from leaf index x 2^height."""
        level, rest = divmod(height, TILE_HEIGHT)
        first = index << rest
        tile = self.tile(level, first // TILE_WIDTH)
        if isinstance(tile, Problem):
            return tile
        start = first % TILE_WIDTH
        hashes = tile[start : start + (1 << rest)]
        if len(hashes) < 1 << rest:
            return Problem(f"a subtree that ends beyond the tree of {self.size:,}")
        return root_of(hashes)

    def span(self, start: int, end: int) -> bytes | Problem:
        """Return the RFC 6962 root of the leaves from `start` (a subtree's first) to `end`."""
        result: bytes | None = None
        while end > start:
            # The smallest perfect subtree stands at the right end.
            height = ((end - start) & -(end - start)).bit_length() - 1
            end -= 1 << height
            peak = self.node(height, end >> height)
            if isinstance(peak, Problem):
                return peak
            result = peak if result is None else node_hash(peak, result)
        return EMPTY_ROOT if result is None else result

    def root_at(self, size: int) -> bytes | Problem:
        """Return the root that the log had at an earlier `size`, 0 to its own."""
        if not 0 <= size <= self.size:
            return Problem(f"size {size:,} is not within the log's {self.size:,}")
        return self.span(0, size)

    def inclusion(self, index: int) -> tuple[bytes, ...] | Problem:
        """Return the path, leaf to root, of the entry at `index` (RFC 6962 2.1.1)."""
        if not 0 <= index < self.size:
            return Problem(f"entry {index:,} is not within the log's {self.size:,}")
        return self._siblings(_halves(index, 0, self.size))

    def consistency(self, first: int) -> tuple[bytes, ...] | Problem:
        """Return the proof from size `first`, from 1 on, to the tree's own (RFC 6962 2.1.2)."""
        if not 0 < first <= self.size:
            return Problem(f"size {first:,} is not within the log's {self.size:,}")
        return self._siblings(_prefix_spans(first, self.size))

    def _siblings(self, spans: list[tuple[int, int]]) -> tuple[bytes, ...] | Problem:
        path = []
        for start, end in spans:
            root = self.span(start, end)
            if isinstance(root, Problem):
                return root
            path.append(root)
        return tuple(path)

    def entries(self, start: int = 0, end: int | None = None) -> Iterator[bytes | Problem]:
        """Give the entries from `start` to `end` (the tree's size), each held to its leaf's hash.

        Ends behind the first Problem.
        """
        end = self.size if end is None else min(end, self.size)
        for index in range(start // TILE_WIDTH, (end + TILE_WIDTH - 1) // TILE_WIDTH):
            bundle = self._bundle(index)
            if isinstance(bundle, Problem):
                yield bundle
                return
            first = index * TILE_WIDTH
            yield from bundle[max(0, start - first) : end - first]

    def _bundle(self, index: int) -> tuple[bytes, ...] | Problem:
        hashes = self.tile(0, index)
        if isinstance(hashes, Problem):
            return hashes
        width = len(hashes)
        data = _fetch_either(self._fetch, entries_path(index, width), entries_path(index))
        if isinstance(data, Problem):
            return data
        entries = split_bundle(data)
        if isinstance(entries, Problem):
            return Problem(f"{entries_path(index, width)}: {entries.reason}")
        if len(entries) < width or any(
            leaf_hash(entry) != leaf for entry, leaf in zip(entries, hashes, strict=False)
        ):
            return Problem(f"{entries_path(index, width)} is not of the tree that is signed")
        return entries[:width]


def open_tiles(fetch: Fetch, size: int, root: bytes) -> TileReader | Problem:
    """Return a reader of the tree that a checkpoint signs, once its right edge makes the root."""
    if not 0 <= size <= MAX_SIZE:
        return Problem(f"a log of {size} entries")
    edge: dict[int, tuple[bytes, ...]] = {}
    whole = size
    level = 0
    made: bytes | None = None
    while whole:
        width = whole % TILE_WIDTH
        if width:
            hashes = _fetch_hashes(fetch, level, whole // TILE_WIDTH, width)
            if isinstance(hashes, Problem):
                return hashes
            edge[level] = hashes
            made = _fold(hashes, made)
        whole >>= TILE_HEIGHT
        level += 1
    if (EMPTY_ROOT if made is None else made) != root:
        return Problem(
            f"the tiles of size {size:,} do not make the root that is signed",
            "the log's server sends what its key did not sign",
        )
    return TileReader(fetch, size, root, edge)


def _fold(hashes: tuple[bytes, ...], right: bytes | None) -> bytes | None:
    """Join a tile's perfect subtrees, from the right, with what stands right of them."""
    end = len(hashes)
    while end:
        width = end & -end
        peak = root_of(hashes[end - width : end])
        right = peak if right is None else node_hash(peak, right)
        end -= width
    return right


def _fetch_hashes(fetch: Fetch, level: int, index: int, width: int) -> tuple[bytes, ...] | Problem:
    path = hash_tile_path(level, index, width)
    data = _fetch_either(fetch, path, hash_tile_path(level, index))
    if isinstance(data, Problem):
        return data
    if len(data) not in {width * HASH_BYTES, TILE_WIDTH * HASH_BYTES}:
        return Problem(f"{path} has {len(data):,} bytes, not {width * HASH_BYTES:,}")
    return tuple(data[at : at + HASH_BYTES] for at in range(0, width * HASH_BYTES, HASH_BYTES))


def _fetch_either(fetch: Fetch, path: str, full: str) -> bytes | Problem:
    """Fetch a partial tile, or the full one that may have taken its place."""
    data = fetch(path)
    if isinstance(data, Problem) and path != full:
        whole = fetch(full)
        return data if isinstance(whole, Problem) else whole
    return data


def _halves(index: int, start: int, end: int) -> list[tuple[int, int]]:
    """Return the spans beside the way from the leaf at `index` to the root, from the leaf up."""
    spans = []
    while end - start > 1:
        middle = start + (1 << (end - start - 1).bit_length() - 1)
        if index < middle:
            spans.append((middle, end))
            end = middle
        else:
            spans.append((start, middle))
            start = middle
    return spans[::-1]


def _prefix_spans(first: int, size: int) -> list[tuple[int, int]]:
    """Return the spans of RFC 6962 2.1.2's proof from `first` to `size` leaves, in its order."""
    spans = []
    start, end = 0, size
    while first != end:
        middle = start + (1 << (end - start - 1).bit_length() - 1)
        if first <= middle:
            spans.append((middle, end))
            end = middle
        else:
            spans.append((start, middle))
            start = middle
    if start:
        spans.append((start, end))
    return spans[::-1]
