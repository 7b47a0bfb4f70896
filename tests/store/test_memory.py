"""The faults of the store in memory: every call can fail, before or after what it does."""

from collections.abc import Callable

import pytest

from dealer_service.store.api import (
    Appended,
    LogFacts,
    LogState,
    LostLog,
    SealedSecret,
    SignedAt,
    Store,
)
from dealer_service.store.memory import Fault, MemoryStore
from dealer_service.store.refusal import Reason, StoreError
from tests.support.stores import change, root, unit

READS: dict[str, Callable[[Store], object]] = {
    "head": lambda store: store.head("a"),
    "group": lambda store: store.group("t"),
    "heads": lambda store: store.heads(),
    "lines": lambda store: store.lines("a", 0, 9),
    "checkpoints": lambda store: store.checkpoints("a"),
    "last_checkpoint": lambda store: store.last_checkpoint("a"),
    "answer": lambda store: store.answer("games", "ann", "r"),
    "sealed_secrets": lambda store: store.sealed_secrets("a"),
    "spent": lambda store: store.spent("a"),
    "movements": lambda store: store.movements(0, 9),
    "notices": lambda store: store.notices(9),
}
CHANGES: dict[str, Callable[[Store], object]] = {
    "append_all": lambda store: store.append_all([unit(change("a", 1, b"y"))]),
    "claim": lambda store: store.claim("a"),
    "claim_group": lambda store: store.claim_group("t"),
    "reseal": lambda store: store.reseal("a", SealedSecret(1, b"old"), SealedSecret(1, b"new")),
    "archive": lambda store: store.archive("over"),
    "mark_lost": lambda store: store.mark_lost([LostLog("a", SignedAt(9, root(9)))]),
}


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore()
    secrets = (SealedSecret(1, b"old"),)
    over = change("over", 0, b"x", facts=LogFacts(LogState.REVEALED))
    event = change("t", 0, b"x", facts=LogFacts(tournament="t"))
    store.append_all([unit(change("a", 0, b"x", secrets=secrets), over, event)])
    return store


def changed(store: Store) -> dict[str, bool]:
    head = store.head("a")
    assert head is not None
    return {
        "append_all": head.next_index == 2,
        "claim": head.epoch == 2 and head.facts.state is LogState.OPEN,
        "claim_group": store.group("t")[0].epoch == 2,
        "reseal": store.sealed_secrets("a")[0].sealed == b"new",
        "archive": store.lines("over", 0, 9) == (),
        "mark_lost": head.facts.state is LogState.LOST,
    }


@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("call", CHANGES)
def test_a_change_fails_with_or_without_its_effect(
    store: MemoryStore, call: str, fault: Fault
) -> None:
    store.script(call, fault)
    with pytest.raises(StoreError) as failed:
        CHANGES[call](store)
    assert failed.value.reason is Reason.STORE_FAILED
    with pytest.raises(StoreError):
        store.head("a")
    kept = changed(store.reopened())
    assert kept == {name: name == call and fault is Fault.PERSISTED for name in CHANGES}


@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("call", READS)
def test_a_read_fails_once_and_the_store_goes_on(
    store: MemoryStore, call: str, fault: Fault
) -> None:
    store.script(call, fault)
    with pytest.raises(StoreError):
        READS[call](store)
    READS[call](store)


def test_a_fault_waits_for_its_turn(store: MemoryStore) -> None:
    store.script("append_all", Fault.NOT_PERSISTED, skip=2)
    for index in (1, 2):
        assert store.append_all([unit(change("a", index, b"y"))]) == [Appended()]
    with pytest.raises(StoreError):
        store.append_all([unit(change("a", 3, b"z"))])


def test_a_reopened_store_shares_nothing_with_the_one_before(store: MemoryStore) -> None:
    again = store.reopened()
    again.append_all([unit(change("a", 1, b"y"))])
    assert again.lines("a", 0, 9) == (b"x", b"y")
    with pytest.raises(StoreError, match="closed"):
        store.lines("a", 0, 9)
