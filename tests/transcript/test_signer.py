"""A signer signs only a tree that extends the last one it signed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.transcript.checkpoint import Checkpoint
from dealer_service.transcript.merkle import Tree, leaf_hash
from dealer_service.transcript.signer import Refusal, Signed, WhyNot, continuity, may_sign

ORIGIN = "dealer.example"


def tree_of(size: int, *, changed: int | None = None) -> Tree:
    return Tree(
        leaf_hash(b"changed" if index == changed else index.to_bytes(2, "big"))
        for index in range(size)
    )


def signed_at(size: int) -> Signed:
    return Signed(size, tree_of(size).root())


def reason_of(decision: Checkpoint | Refusal) -> WhyNot:
    assert isinstance(decision, Refusal)
    return decision.reason


def test_the_first_checkpoint_of_a_log_needs_no_record() -> None:
    tree = tree_of(3)
    assert may_sign(ORIGIN, None, tree) == Checkpoint(ORIGIN, 3, tree.root())


@given(last=st.integers(0, 40), more=st.integers(0, 40))
def test_a_log_that_grew_is_signed_at_any_size_from_the_last(last: int, more: int) -> None:
    tree = tree_of(last + more)
    for size in (last, last + more // 2, last + more):
        expected = Checkpoint(ORIGIN, size, tree.root(size))
        assert may_sign(ORIGIN, signed_at(last), tree, size) == expected


def test_the_same_size_is_signed_again_alike() -> None:
    """A retry after a lost answer gives the same checkpoint, hence the same signature."""
    tree = tree_of(5)
    assert may_sign(ORIGIN, signed_at(5), tree) == Checkpoint(ORIGIN, 5, tree.root())


@given(last=st.integers(1, 40), more=st.integers(0, 40), data=st.data())
def test_a_log_whose_signed_lines_changed_is_never_signed(
    last: int, more: int, data: st.DataObject
) -> None:
    changed = data.draw(st.integers(0, last - 1))
    fork = tree_of(last + more, changed=changed)
    assert reason_of(may_sign(ORIGIN, signed_at(last), fork)) is WhyNot.SIGNED_LINES_CHANGED


@given(last=st.integers(1, 40), data=st.data())
def test_a_log_that_lost_signed_lines_is_never_signed(last: int, data: st.DataObject) -> None:
    left = data.draw(st.integers(0, last - 1))
    refusal = may_sign(ORIGIN, signed_at(last), tree_of(left))
    assert reason_of(refusal) is WhyNot.SIGNED_LINES_LOST
    assert isinstance(refusal, Refusal)
    assert (refusal.size, refusal.last_signed_size) == (left, last)


@given(last=st.integers(1, 40), data=st.data())
def test_a_size_never_goes_back(last: int, data: st.DataObject) -> None:
    size = data.draw(st.integers(0, last - 1))
    refusal = may_sign(ORIGIN, signed_at(last), tree_of(last + 3), size)
    assert reason_of(refusal) is WhyNot.SIZE_WENT_BACK


@pytest.mark.parametrize("last", [None, signed_at(2)])
def test_a_size_beyond_the_log_is_refused(last: Signed | None) -> None:
    assert reason_of(may_sign(ORIGIN, last, tree_of(3), 4)) is WhyNot.SIZE_BEYOND_LOG


def test_a_negative_size_is_refused() -> None:
    assert reason_of(may_sign(ORIGIN, None, tree_of(3), -1)) is WhyNot.SIZE_WENT_BACK


def test_a_refusal_tells_both_sizes() -> None:
    refusal = may_sign(ORIGIN, signed_at(9), tree_of(7))
    assert isinstance(refusal, Refusal)
    assert "7" in refusal.message
    assert "9" in refusal.message


def test_a_restored_log_can_be_judged_without_signing() -> None:
    assert continuity(None, tree_of(0)) is None
    assert continuity(signed_at(4), tree_of(6)) is None
    fault = continuity(signed_at(4), tree_of(3))
    assert fault is not None
    assert fault.reason is WhyNot.SIGNED_LINES_LOST
