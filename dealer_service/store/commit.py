"""Group commit: one thread writes what waits, in order, and tells all of it at once.

Up to 64 waiting units become one transaction; then the signed journal is synced, if anything was
signed; only then are the promises kept, in one call into the event loop. So nothing is
acknowledged, streamed or signed to the outside before it is durable in both. While units come in
company the committer waits a moment for more of it: a commit costs more than what it writes.

Of a shared store another dealer tells its watchers what the store has, a checkpoint too, which the
journal lacks if this dealer dies at that moment. That counts only if the store goes back as well:
see "Restoring a shared store" in deploy/OPERATIONS.md.

A failure of either is final: whether the batch was written is unknown. Every waiting and every
later unit fails with StoreFailed, and `on_failure` is told once, from the committer's thread; the
process then stops, and derives what is true from the store when it starts again.
"""

import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import Final, Generic, Protocol, TypeVar

from dealer_service.store.api import Append, Appended, AppendResult, SignedAt, Store

BATCH: Final = 64
LINGER_SECONDS: Final = 0.012
"""How long a batch waits for company, when the one before had some.

A batch costs some 0.7 ms of CPU time however few units it has, ten times what a unit adds.
"""


class StoreFailed(Exception):  # noqa: N818 - names the state that the dealer is in
    """The store or the signed journal failed: what was not acknowledged may or may not be kept."""


class CommitClosed(Exception):  # noqa: N818 - names the state that the committer is in
    """The committer was closed; this unit was not written."""


class Promise(Protocol):
    """What a caller waits for: a future of asyncio or of concurrent.futures."""

    def done(self) -> bool:
        """Say whether it is kept or cancelled."""
        ...

    def set_result(self, result: AppendResult, /) -> None:
        """Keep it."""
        ...

    def set_exception(self, exception: BaseException, /) -> None:
        """Break it."""
        ...


class Journal(Protocol):
    """The committer's half of the signed journal."""

    def record(self, signed: Mapping[str, SignedAt], /) -> None:
        """Make a batch durable."""
        ...


@dataclass(frozen=True, slots=True)
class Written:
    """A batch that is durable: when what happened to it, by `time.perf_counter`.

    `queued` holds for each unit when it was submitted, and its mark. `synced` is None where nothing
    was signed, and so no journal was written.
    """

    queued: Sequence[tuple[float, object]]
    began: float
    stored: float
    synced: float | None


class Witness(Protocol):
    """Whoever measures a committer; it must not fail."""

    def mark(self) -> object:
        """Give what to remember of a unit; called in `submit`."""
        ...

    def written(self, batch: Written, /) -> None:
        """Take note of a batch; called in the committer's thread, when it was told."""
        ...


class Unseen:
    """A witness that sees nothing."""

    __slots__ = ()

    def mark(self) -> object:
        """Remember nothing."""
        return None

    def written(self, batch: Written, /) -> None:
        """Take no note."""


P = TypeVar("P", bound=Promise)
_Outcomes = list[tuple[P, AppendResult]]
_Waiting = tuple[Append, P, tuple[float, object]]


class GroupCommit(Generic[P]):
    """The committer of one store.

    `new_promise` is called in `submit` (such as `loop.create_future`); `deliver` runs a function
    where promises may be kept (such as `loop.call_soon_threadsafe`).
    """

    def __init__(  # noqa: PLR0913 - what a committer is made of
        self,
        store: Store,
        journal: Journal,
        *,
        new_promise: Callable[[], P],
        deliver: Callable[[Callable[[], None]], object],
        on_failure: Callable[[BaseException], object],
        witness: Witness | None = None,
    ) -> None:
        self._store = store
        self._journal = journal
        self._new_promise = new_promise
        self._deliver = deliver
        self._on_failure = on_failure
        self._witness = witness or Unseen()
        self._submitted = 0
        self._done = 0
        self._began: float | None = None
        self._queue: SimpleQueue[_Waiting[P] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._failed: StoreFailed | None = None
        self._closed = False
        self._closing = threading.Event()
        self._busy = False
        self._thread = threading.Thread(target=self._run, name="committer", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many units were submitted and are not durable yet."""
        return self._submitted - self._done

    def writing_for(self) -> float:
        """Give how many seconds the batch that is being written takes already; 0 without one."""
        began = self._began
        return 0.0 if began is None else perf_counter() - began

    def submit(self, append: Append) -> P:
        """Queue a unit behind those submitted before; its promise gives the result.

        CommitClosed, or StoreFailed, is raised at once where the unit can not be written.
        """
        promise = self._new_promise()
        with self._lock:
            if self._failed is not None:
                raise StoreFailed(str(self._failed)) from self._failed
            if self._closed:
                message = "the dealer is stopping; nothing was written"
                raise CommitClosed(message)
            self._queue.put((append, promise, (perf_counter(), self._witness.mark())))
            self._submitted += 1
        return promise

    def close(self) -> None:
        """Write all that waits, then end the thread; the store stays open."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._closing.set()
                self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        going_on = True
        while going_on:
            batch, going_on = self._next_batch()
            if not batch:
                continue
            self._began = began = perf_counter()
            try:
                results = self._store.append_all([append for append, _, _ in batch])
                stored = perf_counter()
                signed = _last_signed(batch, results)
                self._journal.record(signed)
            except BaseException as error:  # noqa: BLE001 - whatever it was, no promise is left open
                self._fail(error, batch)
                return
            synced = perf_counter() if signed else None
            outcomes = [
                (promise, result) for (_, promise, _), result in zip(batch, results, strict=True)
            ]
            self._tell(partial(_keep, outcomes))
            self._began = None
            self._done += len(batch)
            queued = [mark for _, _, mark in batch]
            self._witness.written(Written(queued, began, stored, synced))

    def _next_batch(self) -> tuple[list[_Waiting[P]], bool]:
        item = self._queue.get()
        if self._busy:
            self._closing.wait(LINGER_SECONDS)
        batch: list[_Waiting[P]] = []
        with contextlib.suppress(Empty):
            while item is not None:
                batch.append(item)
                if len(batch) == BATCH:
                    break
                item = self._queue.get_nowait()
        self._busy = len(batch) > 1
        return batch, item is not None

    def _fail(self, error: BaseException, batch: list[_Waiting[P]]) -> None:
        failed = StoreFailed(f"the store failed, and the dealer must start again: {error}")
        failed.__cause__ = error
        with self._lock:
            self._failed = failed
            with contextlib.suppress(Empty):
                while True:
                    item = self._queue.get_nowait()
                    if item is not None:
                        batch.append(item)
        self._tell(partial(_break, [promise for _, promise, _ in batch], failed))
        self._on_failure(error)

    def _tell(self, news: Callable[[], None]) -> None:
        # A loop that has ended refuses the call; then nobody waits for the news any more.
        with contextlib.suppress(RuntimeError):
            self._deliver(news)


def _last_signed(
    batch: Sequence[tuple[Append, object, object]], results: Sequence[AppendResult]
) -> dict[str, SignedAt]:
    signed: dict[str, SignedAt] = {}
    for (append, _, _), result in zip(batch, results, strict=True):
        if isinstance(result, Appended):
            for change in append.logs:
                if change.signed:
                    last = change.signed[-1]
                    signed[change.log] = SignedAt(last.size, last.root)
    return signed


def _keep(outcomes: Sequence[tuple[Promise, AppendResult]]) -> None:
    for promise, result in outcomes:
        if not promise.done():
            promise.set_result(result)


def _break(promises: Sequence[Promise], failed: StoreFailed) -> None:
    for promise in promises:
        if not promise.done():
            promise.set_exception(failed)
