"""The group commit: order, durability before the answer, and what a failure does."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future

import pytest

from dealer_service.store.api import Append, Appended, AppendResult, Conflict, SignedAt
from dealer_service.store.commit import BATCH, CommitClosed, GroupCommit, StoreFailed
from dealer_service.store.memory import Fault, MemoryStore
from dealer_service.store.refusal import Reason, StoreError
from tests.support.stores import change, root, signed, unit

Waits = Future[AppendResult]


class Gate:
    """A store that holds each batch until it is let through, so that others queue up."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.batches: list[int] = []
        self.entered = threading.Semaphore(0)
        self.open = threading.Semaphore(0)

    def append_all(self, appends: Sequence[Append]) -> list[AppendResult]:
        self.batches.append(len(appends))
        self.entered.release()
        assert self.open.acquire(timeout=60)
        return self.store.append_all(appends)

    def __getattr__(self, name: str) -> object:
        return getattr(self.store, name)


class Pages:
    """A journal in memory, which fails when told to."""

    def __init__(self) -> None:
        self.batches: list[dict[str, SignedAt]] = []
        self.fails = False

    def record(self, signed: Mapping[str, SignedAt]) -> None:
        if self.fails:
            raise StoreError(Reason.JOURNAL_FAILED, "the disk is gone")
        self.batches.append(dict(signed))


class House:
    """A committer over a store in memory, with its promises kept on its own thread."""

    def __init__(self, store: MemoryStore | Gate) -> None:
        self.journal = Pages()
        self.failures: list[BaseException] = []
        self.told = threading.Event()
        self.commit: GroupCommit[Waits] = GroupCommit(
            store,  # type: ignore[arg-type] # Gate stands for a whole store by passing calls on
            self.journal,
            new_promise=Future,
            deliver=lambda news: news(),
            on_failure=self._note,
        )

    def _note(self, error: BaseException) -> None:
        self.failures.append(error)
        self.told.set()


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def house(store: MemoryStore) -> Iterator[House]:
    house = House(store)
    yield house
    house.commit.close()


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
def gated(gate: Gate) -> Iterator[House]:
    house = House(gate)
    yield house
    for _ in range(1000):
        gate.open.release()
    house.commit.close()


def line(log: str, index: int) -> Append:
    return unit(change(log, index, b"%d" % index))


def test_units_are_written_in_the_order_of_their_submission(
    house: House, store: MemoryStore
) -> None:
    promises = [house.commit.submit(line("a", index)) for index in range(500)]
    assert [promise.result(60) for promise in promises] == [Appended()] * 500
    assert list(store.every_line("a")) == [b"%d" % index for index in range(500)]


def test_what_waits_is_written_together_up_to_a_batch(gate: Gate, gated: House) -> None:
    first = gated.commit.submit(line("a", 0))
    assert gate.entered.acquire(timeout=60)
    rest = [gated.commit.submit(line("a", index)) for index in range(1, BATCH + 11)]
    for _ in range(3):
        gate.open.release()
    assert [promise.result(60) for promise in (first, *rest)] == [Appended()] * (BATCH + 11)
    assert gate.batches == [1, BATCH, 10]


def test_nothing_is_told_before_it_is_durable(gate: Gate, gated: House) -> None:
    promise = gated.commit.submit(line("a", 0))
    assert gate.entered.acquire(timeout=60)
    assert not promise.done()
    gate.open.release()
    assert promise.result(60) == Appended()


def test_a_refused_unit_fails_alone(gate: Gate, gated: House) -> None:
    gated.commit.submit(line("z", 0))
    assert gate.entered.acquire(timeout=60)
    asked = (line("a", 0), line("a", 5), line("b", 0))
    promises = [gated.commit.submit(append) for append in asked]
    gate.open.release()
    gate.open.release()
    results = [promise.result(60) for promise in promises]
    assert results == [Appended(), Conflict("a", 5, 1), Appended()]
    assert gate.batches == [1, 3]


def test_the_journal_gets_each_log_s_last_signed_size_once_a_batch(
    gate: Gate, gated: House
) -> None:
    gated.commit.submit(line("z", 0))
    assert gate.entered.acquire(timeout=60)
    asked = (
        unit(change("a", 0, b"0", b"1", signed=(signed(1), signed(2, 1)))),
        unit(change("b", 0, b"0", signed=(signed(1),))),
        unit(change("a", 2, b"2", signed=(signed(3, 2),))),
        unit(change("b", 9, b"refused", signed=(signed(10, 1),))),
    )
    promises = [gated.commit.submit(append) for append in asked]
    gate.open.release()
    gate.open.release()
    assert isinstance(promises[-1].result(60), Conflict)
    assert gated.journal.batches[1:] == [{"a": SignedAt(3, root(3)), "b": SignedAt(1, root(1))}]


@pytest.mark.parametrize("fault", Fault)
def test_a_failed_store_ends_everything(house: House, store: MemoryStore, fault: Fault) -> None:
    store.script("append_all", fault)
    promise = house.commit.submit(line("a", 0))
    with pytest.raises(StoreFailed, match="must start again"):
        promise.result(60)
    assert house.told.wait(60)
    assert len(house.failures) == 1
    with pytest.raises(StoreFailed):
        house.commit.submit(line("a", 0))
    kept = store.reopened().lines("a", 0, 9)
    assert kept == ((b"0",) if fault is Fault.PERSISTED else ())


def test_what_waits_behind_a_failure_fails_too(gate: Gate, gated: House) -> None:
    gate.store.script("append_all", Fault.NOT_PERSISTED)
    promises = [gated.commit.submit(line("a", 0))]
    assert gate.entered.acquire(timeout=60)
    promises += [gated.commit.submit(line("b", index)) for index in range(100)]
    gate.open.release()
    for promise in promises:
        with pytest.raises(StoreFailed):
            promise.result(60)
    assert gate.batches == [1]


def test_no_submission_is_forgotten_whenever_the_failure_comes(store: MemoryStore) -> None:
    """Each is refused at once or its promise is broken, in a race of four callers."""
    store.script("append_all", Fault.NOT_PERSISTED, skip=20)
    house = House(store)
    ended: list[int] = []

    def call(log: str) -> None:
        promises: list[Waits] = []
        while True:
            try:
                promises.append(house.commit.submit(line(log, len(promises))))
            except StoreFailed:
                break
        ended.append(sum(promise.exception(60) is not None for promise in promises))

    callers = [threading.Thread(target=call, args=(log,)) for log in "abcd"]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(ended) == 4
    assert sum(ended) > 0
    house.commit.close()


def test_a_failed_journal_breaks_the_promise_of_what_is_in_the_store(
    house: House, store: MemoryStore
) -> None:
    """Its signature must not leave: the next start finds the store ahead, which is fine."""
    house.journal.fails = True
    promise = house.commit.submit(unit(change("a", 0, b"x", signed=(signed(1),))))
    with pytest.raises(StoreFailed, match="the disk is gone"):
        promise.result(60)
    assert store.lines("a", 0, 1) == (b"x",)


def test_closing_writes_what_waits_and_takes_no_more(house: House, store: MemoryStore) -> None:
    promises = [house.commit.submit(line("a", index)) for index in range(200)]
    house.commit.close()
    assert all(promise.done() for promise in promises)
    assert len(store.lines("a", 0, 999)) == 200
    with pytest.raises(CommitClosed):
        house.commit.submit(line("a", 200))
    house.commit.close()


def test_a_cancelled_promise_does_not_hold_up_others(gate: Gate, gated: House) -> None:
    promises = [gated.commit.submit(line("a", index)) for index in range(3)]
    assert gate.entered.acquire(timeout=60)
    promises[0].cancel()
    for _ in range(3):
        gate.open.release()
    assert promises[2].result(60) == Appended()
    assert gate.store.lines("a", 0, 9) == (b"0", b"1", b"2")


async def test_in_an_event_loop_a_batch_is_told_in_one_call(gate: Gate) -> None:
    loop = asyncio.get_running_loop()
    calls: list[Callable[[], None]] = []

    def deliver(news: Callable[[], None]) -> None:
        calls.append(news)
        loop.call_soon_threadsafe(news)

    commit: GroupCommit[asyncio.Future[AppendResult]] = GroupCommit(
        gate,  # type: ignore[arg-type] # Gate stands for a whole store by passing calls on
        Pages(),
        new_promise=loop.create_future,
        deliver=deliver,
        on_failure=lambda _error: None,
    )
    first = commit.submit(line("a", 0))
    assert await asyncio.to_thread(gate.entered.acquire, timeout=60)
    rest = [commit.submit(line("a", index)) for index in range(1, 51)]
    gate.open.release()
    gate.open.release()
    assert await asyncio.gather(first, *rest) == [Appended()] * 51
    assert len(calls) == 2
    await asyncio.to_thread(commit.close)


async def test_a_loop_that_has_ended_does_not_stop_the_writing(store: MemoryStore) -> None:
    def gone(_news: Callable[[], None]) -> None:
        message = "Event loop is closed"
        raise RuntimeError(message)

    failures: list[BaseException] = []
    commit: GroupCommit[Waits] = GroupCommit(
        store, Pages(), new_promise=Future, deliver=gone, on_failure=failures.append
    )
    for index in range(3):
        commit.submit(line("a", index))
    commit.close()
    assert len(store.lines("a", 0, 9)) == 3
    assert failures == []
