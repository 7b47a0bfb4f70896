"""RFC 6962 Merkle trees: hashes, a streaming frontier, and proofs checked as RFC 9162 says.

Proofs are lists of 32-byte hashes, leaf to root. A consistency proof from size 0 proves nothing
and is refused, as are proofs of more than 63 hashes and hashes of another length.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

EMPTY_ROOT = sha256().digest()
HASH_BYTES = 32
MAX_PROOF = 63
MAX_SIZE = 2**63 - 1

# All nodes begin alike: they go on from copies of one hash, which is the quicker way.
_begin_node = sha256(b"\1").copy


def leaf_hash(data: bytes) -> bytes:
    """SHA-256(0x00 || data) (RFC 6962 2.1)."""
    return sha256(b"\0" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """SHA-256(0x01 || left || right) (RFC 6962 2.1)."""
    node = _begin_node()
    node.update(left + right)
    return node.digest()


class Frontier:
    """The right edge of a growing tree: its root at any moment, in memory of the log of its size.

    `size` counts the leaves. Holds the roots of the largest perfect subtrees, left to right.
    """

    __slots__ = ("_peaks", "size")

    def __init__(self) -> None:
        self._peaks: list[bytes] = []
        self.size = 0

    def append(self, leaf: bytes) -> None:
        """Add one leaf hash of 32 bytes."""
        self.size += 1
        peaks = self._peaks
        size = self.size
        while not size & 1:
            leaf = node_hash(peaks.pop(), leaf)
            size >>= 1
        peaks.append(leaf)

    def extend(self, leaves: Iterable[bytes]) -> None:
        """Add leaf hashes, one after another."""
        size, peaks, begin_node = self.size, self._peaks, _begin_node
        push, pop = peaks.append, peaks.pop
        for leaf in leaves:
            size += 1
            right, height = leaf, size
            while not height & 1:
                node = begin_node()
                node.update(pop() + right)
                right = node.digest()
                height >>= 1
            push(right)
        self.size = size

    def root(self) -> bytes:
        """Return the root of all leaves so far; SHA-256 of nothing where there is none."""
        if not self._peaks:
            return EMPTY_ROOT
        root = self._peaks[-1]
        for peak in reversed(self._peaks[:-1]):
            root = node_hash(peak, root)
        return root


def tree_levels(leaves: Sequence[bytes]) -> list[list[bytes]]:
    """All nodes by height: level 0 is the leaf hashes, the last level is the root alone.

    A node without a right neighbour stands unchanged in the next level, which gives RFC 6962's
    shape for every size.
    """
    begin_node = _begin_node
    level = list(leaves)
    levels = [level]
    while len(level) > 1:
        above: list[bytes] = []
        add = above.append
        pairs = iter(level)
        for left, right in zip(pairs, pairs, strict=False):
            node = begin_node()
            node.update(left + right)
            add(node.digest())
        if len(level) & 1:
            above.append(level[-1])
        levels.append(above)
        level = above
    return levels


def root_of(leaves: Sequence[bytes]) -> bytes:
    """Return the RFC 6962 root over leaf hashes."""
    return tree_levels(leaves)[-1][0] if leaves else EMPTY_ROOT


def inclusion_path(levels: Sequence[Sequence[bytes]], index: int) -> list[bytes]:
    """Return the proof, leaf to root, of the leaf at `index` in a tree from `tree_levels`."""
    path = []
    for level in levels[:-1]:
        sibling = index ^ 1
        if sibling < len(level):
            path.append(level[sibling])
        index >>= 1
    return path


def verify_inclusion(
    index: int, size: int, leaf: bytes, proof: Sequence[bytes], root: bytes
) -> str | None:
    """None when `leaf` is at `index` of the tree of `size` with `root`; else the reason, in words.

    RFC 9162 2.1.3.2.
    """
    if not 0 <= index < size or size > MAX_SIZE:
        return f"index {index} is not within a tree of size {size}"
    misshapen = _misshapen([leaf, root], proof)
    if misshapen is not None:
        return misshapen
    node, last, result = index, size - 1, leaf
    for step in proof:
        if last == 0:
            return f"the proof has more than the hashes that size {size} needs"
        if node & 1 or node == last:
            result = node_hash(step, result)
            while not node & 1 and node:
                node >>= 1
                last >>= 1
        else:
            result = node_hash(result, step)
        node >>= 1
        last >>= 1
    if last != 0:
        return f"the proof has fewer than the hashes that index {index} of size {size} needs"
    if result != root:
        return "the proof leads to another root"
    return None


def verify_consistency(
    first: int, second: int, first_root: bytes, second_root: bytes, proof: Sequence[bytes]
) -> str | None:
    """None when the tree of size `first` is a prefix of that of size `second`; else the reason.

    RFC 9162 2.1.4.2; a first size of 0 is refused.
    """
    if 0 < first == second <= MAX_SIZE:
        if proof:
            return "a proof between equal sizes is empty"
        return None if first_root == second_root else "one size has two roots"
    misshapen = _misshapen([first_root, second_root], proof)
    roots = misshapen or consistency_roots(first, second, first_root, proof)
    if isinstance(roots, str):
        return roots
    if roots[0] != first_root:
        return "the proof leads to another first root"
    if roots[1] != second_root:
        return "the proof leads to another second root"
    return None


def consistency_roots(  # noqa: C901  (RFC 9162 2.1.4.2, a step a line)
    first: int, second: int, first_root: bytes, proof: Sequence[bytes]
) -> tuple[bytes, bytes] | str:
    """Return the two roots to which a consistency proof leads, or why it leads to none.

    Where `first` is a power of two the proof begins at `first_root` itself. Where the second is
    the root of a tree, the first is that of its first `first` leaves, whatever `first_root` says.
    """
    if not 0 < first < second or second > MAX_SIZE:
        return f"nothing is proved from size {first} to size {second}"
    misshapen = _misshapen([first_root], proof)
    if misshapen is not None:
        return misshapen
    if not proof:
        return f"an empty proof from size {first} to size {second}"
    path = list(proof)
    if first & (first - 1) == 0:
        path.insert(0, first_root)
    node, last = first - 1, second - 1
    while node & 1:
        node >>= 1
        last >>= 1
    old = new = path[0]
    for step in path[1:]:
        if last == 0:
            return "the proof has more hashes than the sizes need"
        if node & 1 or node == last:
            old = node_hash(step, old)
            new = node_hash(step, new)
            while not node & 1 and node:
                node >>= 1
                last >>= 1
        else:
            new = node_hash(new, step)
        node >>= 1
        last >>= 1
    if last != 0:
        return "the proof has fewer hashes than the sizes need"
    return old, new


def _misshapen(hashes: Sequence[bytes], proof: Sequence[bytes]) -> str | None:
    if len(proof) > MAX_PROOF:
        return f"a proof of {len(proof)} hashes; at most {MAX_PROOF} are possible"
    if any(len(value) != HASH_BYTES for value in (*hashes, *proof)):
        return f"a hash that is not {HASH_BYTES} bytes"
    return None
