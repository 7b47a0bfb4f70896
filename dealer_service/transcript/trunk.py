"""A growing tree that keeps no more of the past than the roots still to come need.

`merkle.Tree` answers for every earlier size and so keeps two hashes a line for as long as a log
grows. Who signs a log needs its root at the last signed size and at those that follow; of all
before, the complete subtrees along the right edge are enough (RFC 6962 2.1).
"""

from collections.abc import Iterable
from typing import Final

from dealer_service.transcript.merkle import EMPTY_ROOT, HASH_BYTES, node_hash
from dealer_service.transcript.refusal import Reason, TranscriptError

_SPARE: Final = 32
"""So many leaves are kept beyond what is needed before any is forgotten."""


class Trunk:
    """The hashes of a log's tree that its roots from some size on are made of."""

    __slots__ = ("_from", "_levels", "_starts", "size")

    def __init__(self, leaf_hashes: Iterable[bytes] = ()) -> None:
        self.size = 0
        # _levels[k][i] is the hash over the 2^k leaves from (_starts[k] + i) * 2^k on.
        self._levels: list[list[bytes]] = [[]]
        self._starts = [0]
        self._from = 0
        for leaf in leaf_hashes:
            self.append(leaf)

    def append(self, leaf: bytes) -> None:
        """Append one leaf hash of 32 bytes."""
        if len(leaf) != HASH_BYTES:
            message = f"a tree's hash has {HASH_BYTES} bytes, not {len(leaf)}"
            raise TranscriptError(Reason.BAD_HASH, message)
        place, node = self.size, leaf
        self.size += 1
        for level in self._levels:
            level.append(node)
            if not place & 1:
                return
            place >>= 1
            node = node_hash(level[-2], level[-1])
        self._levels.append([node])
        self._starts.append(0)

    def forget_before(self, size: int) -> None:
        """Let go of what no root of `size` leaves or more is made of."""
        if size - self._starts[0] <= _SPARE:
            return
        self._from = size
        for height, level in enumerate(self._levels):
            first = max(0, (size >> height) - 1)
            del level[: first - self._starts[height]]
            self._starts[height] = first

    def root(self, size: int | None = None) -> bytes:
        """Give the root of the first `size` leaves, of all without it.

        TranscriptError TREE_RANGE for a size beyond the tree, or one that was forgotten.
        """
        size = self.size if size is None else size
        if not self._from <= size <= self.size:
            message = f"size {size} is not from {self._from} to {self.size}"
            raise TranscriptError(Reason.TREE_RANGE, message)
        node, place = b"", size
        for level, start in zip(self._levels, self._starts, strict=True):
            if place & 1:
                subtree = level[place - 1 - start]
                node = node_hash(subtree, node) if node else subtree
            place >>= 1
        return node or EMPTY_ROOT
