"""The trunk of a tree has the tree's own roots, from the size on that it was told to keep."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.transcript.merkle import Tree, leaf_hash
from dealer_service.transcript.refusal import Reason, TranscriptError
from dealer_service.transcript.trunk import Trunk

LEAVES = [leaf_hash(b"%d" % number) for number in range(700)]
TREE = Tree(LEAVES)


def test_has_the_roots_of_the_whole_tree_as_it_grows() -> None:
    trunk = Trunk()
    assert trunk.root() == Tree().root()
    for size, leaf in enumerate(LEAVES, 1):
        trunk.append(leaf)
        assert (trunk.size, trunk.root()) == (size, TREE.root(size))


@given(st.lists(st.tuples(st.integers(1, 120), st.integers(0, 120)), max_size=12))
def test_has_every_root_from_the_kept_size_on(steps: list[tuple[int, int]]) -> None:
    """However it grows and forgets in turn."""
    trunk, kept = Trunk(), 0
    for grows, back in steps:
        for leaf in LEAVES[trunk.size : trunk.size + grows]:
            trunk.append(leaf)
        kept = max(kept, trunk.size - back)
        trunk.forget_before(kept)
        for size in range(kept, trunk.size + 1):
            assert trunk.root(size) == TREE.root(size)


def test_keeps_few_hashes_however_long_the_log_is() -> None:
    trunk = Trunk()
    for size, leaf in enumerate(LEAVES, 1):
        trunk.append(leaf)
        if size % 5 == 0:
            trunk.forget_before(size)
        assert sum(map(len, trunk._levels)) <= 100


def test_refuses_sizes_that_it_has_not() -> None:
    trunk = Trunk(LEAVES[:100])
    trunk.forget_before(90)
    for size in (89, 101):
        with pytest.raises(TranscriptError) as caught:
            trunk.root(size)
        assert caught.value.reason is Reason.TREE_RANGE


def test_refuses_what_is_no_hash() -> None:
    with pytest.raises(TranscriptError) as caught:
        Trunk([b"short"])
    assert caught.value.reason is Reason.BAD_HASH
