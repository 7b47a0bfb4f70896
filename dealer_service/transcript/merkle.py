"""The Merkle tree of RFC 6962: roots, inclusion proofs, consistency proofs, and their checking.

`Tree` keeps the hash of every complete subtree, so that appending is O(1) on average and any
root or proof of any earlier size is O(log n). `Frontier` keeps only the complete subtrees of one
size, enough to go on appending without the leaves. `root_from`, `inclusion_from` and
`consistency_from` give the same from complete subtrees that are kept anywhere. Verifying follows
RFC 9162 2.1.3.2 and 2.1.4.2 and answers False to anything malformed; a consistency proof from
size 0 proves nothing and is refused.
"""

import hmac
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, TypeAlias

from dealer_service.transcript.refusal import Reason, TranscriptError

HASH_BYTES: Final = 32
MAX_PROOF_HASHES: Final = 63
EMPTY_ROOT: Final = sha256(b"").digest()

Subtrees: TypeAlias = Callable[[int, int], bytes]
"""Gives the hash over the 2^height leaves from index * 2^height on, for (height, index)."""


def leaf_hash(line: bytes) -> bytes:
    """SHA-256(0x00 || line), the leaf of one line without its newline (RFC 6962 2.1)."""
    return sha256(b"\x00" + line).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """SHA-256(0x01 || left || right), an inner node (RFC 6962 2.1)."""
    return sha256(b"\x01" + left + right).digest()


def tree_root(leaf_hashes: Iterable[bytes]) -> bytes:
    """Give the root over a list of leaf hashes; of none it is SHA-256 of nothing."""
    return Tree(leaf_hashes).root()


@dataclass(frozen=True, slots=True)
class Frontier:
    """The complete subtrees of a tree of `size` leaves, largest first: all that appending needs."""

    size: int = 0
    subtrees: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        require_hashes(self.subtrees)
        if self.size < 0 or len(self.subtrees) != self.size.bit_count():
            message = f"a tree of {self.size} leaves does not have {len(self.subtrees)} subtrees"
            raise TranscriptError(Reason.TREE_RANGE, message)

    def append(self, leaf: bytes) -> "Frontier":
        """Give the frontier with one more leaf hash."""
        subtrees = list(self.subtrees)
        node, size = leaf, self.size
        while size & 1:
            node = node_hash(subtrees.pop(), node)
            size >>= 1
        return Frontier(self.size + 1, (*subtrees, node))

    def root(self) -> bytes:
        """Give the root of the tree (RFC 6962 2.1)."""
        if not self.subtrees:
            return EMPTY_ROOT
        root = self.subtrees[-1]
        for subtree in reversed(self.subtrees[:-1]):
            root = node_hash(subtree, root)
        return root


class Tree:
    """An append-only tree over leaf hashes that answers for each of its earlier sizes too."""

    __slots__ = ("_levels",)

    def __init__(self, leaf_hashes: Iterable[bytes] = ()) -> None:
        # _levels[k][i] is the hash over the 2^k leaves from i * 2^k on.
        self._levels: list[list[bytes]] = [[]]
        self.extend(leaf_hashes)

    @property
    def size(self) -> int:
        """The number of leaves."""
        return len(self._levels[0])

    def append(self, leaf: bytes) -> None:
        """Append one leaf hash of 32 bytes."""
        require_hashes((leaf,))
        node = leaf
        for level in self._levels:
            level.append(node)
            if len(level) & 1:
                return
            node = node_hash(level[-2], level[-1])
        self._levels.append([node])

    def extend(self, leaf_hashes: Iterable[bytes]) -> None:
        """Append leaf hashes in order."""
        for leaf in leaf_hashes:
            self.append(leaf)

    def leaf(self, index: int) -> bytes:
        """Give the leaf hash at `index`; TranscriptError TREE_RANGE beyond the tree."""
        self._require(0 <= index < self.size, f"index {index}")
        return self._levels[0][index]

    def root(self, size: int | None = None) -> bytes:
        """Give the root of the first `size` leaves, of all without it (RFC 6962 2.1)."""
        size = self.size if size is None else size
        self._require(0 <= size <= self.size, f"size {size}")
        return root_from(self._subtree, size)

    def frontier(self, size: int | None = None) -> Frontier:
        """Give the complete subtrees of the first `size` leaves, of all without it."""
        size = self.size if size is None else size
        self._require(0 <= size <= self.size, f"size {size}")
        heights = [height for height in range(size.bit_length())[::-1] if size >> height & 1]
        ends = [size >> height for height in heights]
        subtrees = (self._levels[h][end - 1] for h, end in zip(heights, ends, strict=True))
        return Frontier(size, tuple(subtrees))

    def inclusion(self, index: int, size: int | None = None) -> tuple[bytes, ...]:
        """Give the path of leaf `index` in the tree of `size` leaves (RFC 6962 2.1.1)."""
        size = self.size if size is None else size
        self._require(0 <= index < size <= self.size, f"index {index} in size {size}")
        return inclusion_from(self._subtree, index, size)

    def consistency(self, old: int, new: int | None = None) -> tuple[bytes, ...]:
        """Give the proof that the tree of `new` leaves extends that of `old` (RFC 6962 2.1.2).

        TranscriptError TREE_RANGE unless 1 <= old <= new <= the tree's size.
        """
        new = self.size if new is None else new
        self._require(1 <= old <= new <= self.size, f"sizes {old} to {new}")
        return consistency_from(self._subtree, old, new)

    def _subtree(self, height: int, index: int) -> bytes:
        return self._levels[height][index]

    def _require(self, holds: bool, what: str) -> None:
        if not holds:
            message = f"{what} is not of a tree of {self.size} leaves"
            raise TranscriptError(Reason.TREE_RANGE, message)


def root_from(subtrees: Subtrees, size: int) -> bytes:
    """Give the root of the first `size` leaves of what `subtrees` gives (RFC 6962 2.1)."""
    return _over(subtrees, 0, size) if size else EMPTY_ROOT


def inclusion_from(subtrees: Subtrees, index: int, size: int) -> tuple[bytes, ...]:
    """Give the path, leaf to root, of leaf `index` < `size` (RFC 6962 2.1.1)."""
    path: list[bytes] = []
    low, high = 0, size
    while high - low > 1:
        middle = low + _largest_power_below(high - low)
        if index < middle:
            path.append(_over(subtrees, middle, high))
            high = middle
        else:
            path.append(_over(subtrees, low, middle))
            low = middle
    return tuple(reversed(path))


def consistency_from(subtrees: Subtrees, old: int, new: int) -> tuple[bytes, ...]:
    """Give the proof that `new` leaves extend the first `old`, 1 <= old <= new (RFC 6962 2.1.2)."""
    path: list[bytes] = []
    low, high = 0, new
    while high != old:
        middle = low + _largest_power_below(high - low)
        if old <= middle:
            path.append(_over(subtrees, middle, high))
            high = middle
        else:
            path.append(_over(subtrees, low, middle))
            low = middle
    if low:
        path.append(_over(subtrees, low, high))
    return tuple(reversed(path))


def verify_inclusion(
    leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes
) -> bool:
    """Say whether `proof` shows leaf hash `leaf` at `index` under `root` (RFC 9162 2.1.3.2)."""
    if not 0 <= index < size or not _well_formed((leaf, root), proof):
        return False
    node, last = index, size - 1
    result = leaf
    for sibling in proof:
        if last == 0:
            return False
        if node & 1 or node == last:
            result = node_hash(sibling, result)
            while node and not node & 1:
                node, last = node >> 1, last >> 1
        else:
            result = node_hash(result, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and hmac.compare_digest(result, root)


def verify_consistency(
    old: int, new: int, proof: Sequence[bytes], old_root: bytes, new_root: bytes
) -> bool:
    """Say whether `proof` shows the tree of `new` leaves to extend `old` (RFC 9162 2.1.4.2).

    False from size 0, whatever the proof: every tree extends the empty one.
    """
    if not 1 <= old <= new:
        return False
    if old == new:
        return not proof and hmac.compare_digest(old_root, new_root)
    if not _well_formed((old_root, new_root), proof):
        return False
    path = list(proof) if old & (old - 1) else [old_root, *proof]
    if not path:
        return False
    node, last = old - 1, new - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    old_result = new_result = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if node & 1 or node == last:
            old_result = node_hash(sibling, old_result)
            new_result = node_hash(sibling, new_result)
            while node and not node & 1:
                node, last = node >> 1, last >> 1
        else:
            new_result = node_hash(new_result, sibling)
        node, last = node >> 1, last >> 1
    both = hmac.compare_digest(old_result, old_root) and hmac.compare_digest(new_result, new_root)
    return last == 0 and both


def _over(subtrees: Subtrees, low: int, high: int) -> bytes:
    """Hash the leaves from `low` to `high`, a range that the tree's own splitting gives."""
    width = high - low
    if width & (width - 1) == 0:
        height = width.bit_length() - 1
        return subtrees(height, low >> height)
    middle = low + _largest_power_below(width)
    return node_hash(_over(subtrees, low, middle), _over(subtrees, middle, high))


def _largest_power_below(width: int) -> int:
    return 1 << ((width - 1).bit_length() - 1)


def _well_formed(hashes: Iterable[bytes], proof: Sequence[bytes]) -> bool:
    if len(proof) > MAX_PROOF_HASHES:
        return False
    return all(len(value) == HASH_BYTES for value in (*hashes, *proof))


def require_hashes(hashes: Iterable[bytes]) -> None:
    """Raise TranscriptError BAD_HASH for one that is not of 32 bytes."""
    for value in hashes:
        if len(value) != HASH_BYTES:
            message = f"a tree's hash has {HASH_BYTES} bytes, not {len(value)}"
            raise TranscriptError(Reason.BAD_HASH, message)
