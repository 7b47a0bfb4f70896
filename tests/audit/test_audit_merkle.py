"""RFC 6962 trees and RFC 9162 proofs, against public vectors and by recursion."""

from base64 import b64decode
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit_cli.merkle import (
    EMPTY_ROOT,
    Frontier,
    inclusion_path,
    leaf_hash,
    node_hash,
    root_of,
    tree_levels,
    verify_consistency,
    verify_inclusion,
)
from tests.support.game_files import tree_root
from tests.support.known_answers import known_answers

RFC6962 = known_answers("rfc6962.json")


def _hashes(values: list[str] | None) -> list[bytes]:
    return [b64decode(value) for value in values or []]


def test_leaves_and_nodes_hash_as_published() -> None:
    hasher = RFC6962["hasher"]
    assert EMPTY_ROOT.hex() == hasher["empty_root"]
    assert leaf_hash(b"").hex() == hasher["leaf_of_empty_string"]
    assert leaf_hash(b"L123456").hex() == hasher["leaf"]["hash"]
    assert node_hash(b"N123", b"N456").hex() == hasher["node"]["hash"]


def test_roots_of_all_sizes_are_as_published() -> None:
    leaves = [bytes.fromhex(leaf) for leaf in RFC6962["leaf_hashes"]]
    frontier = Frontier()
    assert frontier.root().hex() == RFC6962["roots"][0]
    for size, leaf in enumerate(leaves, 1):
        frontier.append(leaf)
        assert frontier.size == size
        assert frontier.root().hex() == RFC6962["roots"][size]
        assert root_of(leaves[:size]).hex() == RFC6962["roots"][size]


@pytest.mark.parametrize("case", RFC6962["inclusion"])
def test_inclusion_proofs_are_made_and_accepted(case: dict[str, Any]) -> None:
    index, size = case["leaf_index"], case["tree_size"]
    leaves = [bytes.fromhex(leaf) for leaf in RFC6962["leaf_hashes"][:size]]
    proof = [bytes.fromhex(step) for step in case["proof"]]
    assert inclusion_path(tree_levels(leaves), index) == proof
    root = bytes.fromhex(RFC6962["roots"][size])
    assert verify_inclusion(index, size, leaves[index], proof, root) is None
    assert verify_inclusion(index, size, leaves[index], [*proof, root], root) is not None


@pytest.mark.parametrize("case", RFC6962["consistency"])
def test_consistency_proofs_are_accepted(case: dict[str, Any]) -> None:
    first, second = case["first_size"], case["second_size"]
    roots = [bytes.fromhex(root) for root in RFC6962["roots"]]
    proof = [bytes.fromhex(step) for step in case["proof"]]
    assert verify_consistency(first, second, roots[first], roots[second], proof) is None
    longer = [*proof, roots[1]]
    assert verify_consistency(first, second, roots[first], roots[second], longer) is not None


@pytest.mark.parametrize(
    "case", known_answers("merkle_proofs/inclusion.json"), ids=lambda case: case["path"]
)
def test_public_inclusion_cases(case: dict[str, Any]) -> None:
    wrong = verify_inclusion(
        case["leafIdx"],
        case["treeSize"],
        b64decode(case["leafHash"]),
        _hashes(case["proof"]),
        b64decode(case["root"]),
    )
    assert (wrong is not None) == case["wantErr"]


@pytest.mark.parametrize(
    "case", known_answers("merkle_proofs/consistency.json"), ids=lambda case: case["path"]
)
def test_public_consistency_cases(case: dict[str, Any]) -> None:
    wrong = verify_consistency(
        case["size1"],
        case["size2"],
        b64decode(case["root1"]),
        b64decode(case["root2"]),
        _hashes(case["proof"]),
    )
    assert (wrong is not None) == case["wantErr"]


def test_consistency_from_size_zero_is_refused() -> None:
    assert verify_consistency(0, 0, EMPTY_ROOT, EMPTY_ROOT, []) is not None
    assert verify_consistency(0, 1, EMPTY_ROOT, leaf_hash(b""), []) is not None


def test_more_than_63_hashes_are_refused() -> None:
    step = bytes(32)
    assert "at most 63" in str(verify_inclusion(0, 2**63 - 1, step, [step] * 64, step))
    assert "at most 63" in str(verify_consistency(1, 2**63 - 1, step, step, [step] * 64))


def test_a_deck_proof_of_the_wrong_shape_is_refused() -> None:
    """Six hashes for position 51, an index beyond the size, an inner node as a leaf."""
    leaves = [leaf_hash(bytes([p])) for p in range(52)]
    levels = tree_levels(leaves)
    root = levels[-1][0]
    last, first = inclusion_path(levels, 51), inclusion_path(levels, 0)
    assert len(last) == 4
    assert verify_inclusion(51, 52, leaves[51], last, root) is None
    assert verify_inclusion(51, 52, leaves[51], [*last, root, root], root) is not None
    assert verify_inclusion(51, 52, leaves[51], first, root) is not None
    assert verify_inclusion(52, 52, leaves[51], last, root) is not None
    assert verify_inclusion(-1, 52, leaves[0], first, root) is not None
    assert verify_inclusion(0, 52, levels[1][0], first[1:], root) is not None


@given(st.integers(1, 70), st.integers(0, 69))
def test_made_proofs_hold_for_their_leaf_alone(size: int, index: int) -> None:
    index %= size
    leaves = [leaf_hash(bytes([p])) for p in range(size)]
    levels = tree_levels(leaves)
    root = levels[-1][0]
    assert root == tree_root(leaves)
    path = inclusion_path(levels, index)
    assert verify_inclusion(index, size, leaves[index], path, root) is None
    other = sha256(b"other").digest()
    assert verify_inclusion(index, size, other, path, root) is not None
    assert verify_inclusion((index + 1) % size, size, leaves[index], path, root) is not None or (
        size == 1
    )
