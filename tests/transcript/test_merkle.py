"""The tree is RFC 6962's at every size, and only honest proofs verify."""

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.transcript.merkle import (
    EMPTY_ROOT,
    Frontier,
    Tree,
    leaf_hash,
    node_hash,
    tree_root,
    verify_consistency,
    verify_inclusion,
)
from dealer_service.transcript.refusal import Reason, TranscriptError
from tests.support.known_answers import known_answers, vectors

RFC = known_answers("rfc6962.json")
LEAVES = [bytes.fromhex(value) for value in RFC["leaf_hashes"]]
ROOTS = [bytes.fromhex(value) for value in RFC["roots"]]


def unhex(values: list[str]) -> list[bytes]:
    return [bytes.fromhex(value) for value in values]


def unbase64(value: str | None) -> bytes:
    return base64.b64decode(value or "")


def root_by_definition(leaves: list[bytes]) -> bytes:
    """RFC 6962 2.1, word for word."""
    if not leaves:
        return EMPTY_ROOT
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return node_hash(root_by_definition(leaves[:split]), root_by_definition(leaves[split:]))


def leaves_of(size: int) -> list[bytes]:
    return [leaf_hash(index.to_bytes(2, "big")) for index in range(size)]


TREE = Tree(leaves_of(300))


def test_leaf_and_node_hashes_are_told_apart_by_their_first_byte() -> None:
    hasher = RFC["hasher"]
    assert EMPTY_ROOT.hex() == hasher["empty_root"]
    assert leaf_hash(b"").hex() == hasher["leaf_of_empty_string"]
    assert leaf_hash(hasher["leaf"]["data_ascii"].encode()).hex() == hasher["leaf"]["hash"]
    left, right = hasher["node"]["left_ascii"].encode(), hasher["node"]["right_ascii"].encode()
    assert node_hash(left, right).hex() == hasher["node"]["hash"]


def test_leaves_and_roots_are_the_known_ones() -> None:
    assert [leaf_hash(bytes.fromhex(leaf)) for leaf in RFC["leaves"]] == LEAVES
    tree = Tree(LEAVES)
    assert [tree.root(size) for size in range(9)] == ROOTS


@pytest.mark.parametrize("case", vectors("checkpoint.json"), ids=lambda case: case["log_origin"])
def test_the_vectors_lines_have_the_vectors_roots(case: dict[str, Any]) -> None:
    hashes = [leaf_hash(line.encode()) for line in case["lines"]]
    assert hashes == unhex(case["leaf_hashes"])
    tree = Tree(hashes)
    assert [tree.root(size + 1) for size in range(len(hashes))] == unhex(case["roots"])


@pytest.mark.parametrize("case", RFC["inclusion"])
def test_known_inclusion_proofs_are_given_and_verify(case: dict[str, Any]) -> None:
    index, size, proof = case["leaf_index"], case["tree_size"], unhex(case["proof"])
    assert list(Tree(LEAVES).inclusion(index, size)) == proof
    assert verify_inclusion(bytes.fromhex(case["leaf_hash"]), index, size, proof, ROOTS[size])


@pytest.mark.parametrize("case", RFC["consistency"])
def test_known_consistency_proofs_are_given_and_verify(case: dict[str, Any]) -> None:
    old, new, proof = case["first_size"], case["second_size"], unhex(case["proof"])
    assert list(Tree(LEAVES).consistency(old, new)) == proof
    assert verify_consistency(old, new, proof, ROOTS[old], ROOTS[new])


@pytest.mark.parametrize(
    "case", known_answers("merkle_proofs/inclusion.json"), ids=lambda case: case["path"]
)
def test_public_inclusion_proofs(case: dict[str, Any]) -> None:
    proof = [unbase64(node) for node in case["proof"] or []]
    leaf, root = unbase64(case["leafHash"]), unbase64(case["root"])
    held = verify_inclusion(leaf, case["leafIdx"], case["treeSize"], proof, root)
    assert held is not case["wantErr"]


@pytest.mark.parametrize(
    "case", known_answers("merkle_proofs/consistency.json"), ids=lambda case: case["path"]
)
def test_public_consistency_proofs(case: dict[str, Any]) -> None:
    proof = [unbase64(node) for node in case["proof"] or []]
    old_root, new_root = unbase64(case["root1"]), unbase64(case["root2"])
    held = verify_consistency(case["size1"], case["size2"], proof, old_root, new_root)
    assert held is not case["wantErr"]


@pytest.mark.parametrize("size", [*range(70), 127, 128, 129, 255, 256, 257, 300])
def test_the_root_at_each_size_is_that_of_the_definition(size: int) -> None:
    expected = root_by_definition(leaves_of(size))
    assert TREE.root(size) == expected
    assert TREE.frontier(size).root() == expected
    assert tree_root(leaves_of(size)) == expected


@given(st.lists(st.binary(min_size=32, max_size=32), max_size=70), st.data())
def test_a_frontier_goes_on_as_its_tree_does(leaves: list[bytes], data: st.DataObject) -> None:
    tree = Tree(leaves)
    start = data.draw(st.integers(0, len(leaves)))
    frontier = tree.frontier(start)
    for leaf in leaves[start:]:
        frontier = frontier.append(leaf)
    assert frontier == tree.frontier()
    assert frontier.root() == tree.root()


@given(st.data())
def test_every_leaf_is_proved_at_every_size(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 300))
    index = data.draw(st.integers(0, size - 1))
    proof, root = TREE.inclusion(index, size), TREE.root(size)
    assert verify_inclusion(TREE.leaf(index), index, size, proof, root)
    other = data.draw(st.integers(0, size - 1))
    assert verify_inclusion(TREE.leaf(other), index, size, proof, root) == (other == index)
    assert verify_inclusion(TREE.leaf(index), other, size, proof, root) == (other == index)


@given(st.data())
def test_every_size_is_proved_to_extend_every_smaller_one(data: st.DataObject) -> None:
    new = data.draw(st.integers(1, 300))
    old = data.draw(st.integers(1, new))
    proof = TREE.consistency(old, new)
    old_root, new_root = TREE.root(old), TREE.root(new)
    assert verify_consistency(old, new, proof, old_root, new_root)
    assert not verify_consistency(old, new, proof, bytes(32), new_root)
    assert not verify_consistency(old, new, proof, old_root, bytes(32))


@given(st.data())
def test_a_changed_proof_fails(data: st.DataObject) -> None:
    new = data.draw(st.integers(2, 300))
    old = data.draw(st.integers(1, new - 1))
    proof = list(TREE.consistency(old, new))
    at = data.draw(st.integers(0, len(proof) - 1))
    for changed in (
        [*proof[:at], bytes(32), *proof[at + 1 :]],
        [*proof[:at], *proof[at + 1 :]],
        [*proof, bytes(32)],
    ):
        assert not verify_consistency(old, new, changed, TREE.root(old), TREE.root(new))
    path = list(TREE.inclusion(old - 1, new))
    at = data.draw(st.integers(0, len(path) - 1))
    leaf, root = TREE.leaf(old - 1), TREE.root(new)
    for changed in (
        [*path[:at], bytes(32), *path[at + 1 :]],
        [*path[:at], *path[at + 1 :]],
        [*path, bytes(32)],
    ):
        assert not verify_inclusion(leaf, old - 1, new, changed, root)


def test_a_consistency_proof_from_size_0_is_refused() -> None:
    assert not verify_consistency(0, 5, (), EMPTY_ROOT, TREE.root(5))
    assert not verify_consistency(0, 0, (), EMPTY_ROOT, EMPTY_ROOT)
    with pytest.raises(TranscriptError) as refused:
        TREE.consistency(0, 5)
    assert refused.value.reason is Reason.TREE_RANGE


def test_a_proof_of_more_than_63_hashes_is_refused() -> None:
    """The longest path of a tree below 2^63 leaves has 63."""
    node, path = LEAVES[0], []
    for depth in range(64):
        path.append(leaf_hash(bytes([depth])))
        node = node_hash(node, path[-1])
        held = verify_inclusion(LEAVES[0], 0, 1 << (depth + 1), path, node)
        assert held is (len(path) <= 63)


def test_the_52_card_tree_refuses_what_is_no_path_of_it() -> None:
    """Position 51 has four hashes: six, one more, an index beyond, an inner node as a leaf fail."""
    tree = Tree(leaves_of(52))
    root, leaf, path = tree.root(), tree.leaf(51), tree.inclusion(51)
    assert len(path) == 4
    assert verify_inclusion(leaf, 51, 52, path, root)
    assert not verify_inclusion(leaf, 51, 52, tree.inclusion(0), root)
    assert not verify_inclusion(leaf, 51, 52, (*path, bytes(32)), root)
    assert not verify_inclusion(leaf, 52, 52, path, root)
    assert not verify_inclusion(leaf, -1, 52, path, root)
    inner = node_hash(tree.leaf(50), leaf)
    assert not verify_inclusion(inner, 25, 52, path[1:], root)
    assert not verify_inclusion(inner, 51, 52, path[1:], root)
    assert not verify_inclusion(inner, 50, 52, path, root)


@pytest.mark.parametrize("size", [0, 31, 33])
def test_hashes_of_another_length_are_refused(size: int) -> None:
    odd = bytes(size)
    assert not verify_inclusion(odd, 0, 1, (), odd)
    assert not verify_inclusion(LEAVES[0], 0, 2, (odd,), ROOTS[2])
    assert not verify_consistency(1, 2, (LEAVES[1],), odd, ROOTS[2])
    assert not verify_consistency(1, 2, (LEAVES[1],), ROOTS[1], odd)
    assert not verify_consistency(1, 2, (odd,), ROOTS[1], ROOTS[2])
    with pytest.raises(TranscriptError) as refused:
        Tree([odd])
    assert refused.value.reason is Reason.BAD_HASH


@pytest.mark.parametrize(
    "ask",
    [
        lambda tree: tree.root(9),
        lambda tree: tree.root(-1),
        lambda tree: tree.leaf(8),
        lambda tree: tree.leaf(-1),
        lambda tree: tree.frontier(9),
        lambda tree: tree.inclusion(8),
        lambda tree: tree.inclusion(-1),
        lambda tree: tree.inclusion(3, 3),
        lambda tree: tree.inclusion(0, 9),
        lambda tree: tree.consistency(5, 4),
        lambda tree: tree.consistency(1, 9),
    ],
)
def test_nothing_is_told_of_sizes_beyond_the_tree(ask: Any) -> None:
    with pytest.raises(TranscriptError) as refused:
        ask(Tree(LEAVES))
    assert refused.value.reason is Reason.TREE_RANGE


@pytest.mark.parametrize(
    ("size", "subtrees"), [(-1, ()), (1, ()), (0, (bytes(32),)), (4, (bytes(32),) * 2)]
)
def test_a_frontier_has_one_subtree_for_each_bit_of_its_size(
    size: int, subtrees: tuple[bytes, ...]
) -> None:
    with pytest.raises(TranscriptError) as refused:
        Frontier(size, subtrees)
    assert refused.value.reason is Reason.TREE_RANGE
