"""The dealer's log, published: a batch at a time, by whichever dealer of the store owns the log.

Every dealer has a folder of its own and shows there what the store has as signed; the one that
owns the log also brings the notices into it (`Sequencer`). When the owner dies its lease runs out,
and another one claims the log and goes on: the same path as a restart. A folder that can not be
written, such as on a full disk, holds nothing else up: it is taken up again, later each time.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import structlog

from dealer_service.observe.metrics import Metrics
from dealer_service.publishing.cosigning import Cosigning, SeenLater
from dealer_service.publishing.edition import CannotPublish, Edition
from dealer_service.publishing.mending import mend
from dealer_service.publishing.proving import Proving
from dealer_service.publishing.sequencing import (
    BATCH_NOTICES,
    FIRST_EPOCH,
    Sequencer,
    unit_of,
)
from dealer_service.store.api import (
    DEALER_LOG,
    Append,
    Appended,
    LogHead,
    LogLost,
    LogState,
    SignedAt,
    Store,
)
from dealer_service.store.commit import CommitClosed, StoreFailed
from dealer_service.store.leases import Leases
from dealer_service.store.refusal import StoreError
from dealer_service.store.restore import is_behind
from dealer_service.tables.house import Committer, Reader
from dealer_service.tables.published import LineProof
from dealer_service.transcript.note import NoteSigner
from dealer_service.transcript.noted import Stage

FIRST_RETRY: Final = 0.2
LONGEST_RETRY: Final = 10.0
LOOK_SECONDS: Final = 0.5
"""So often a dealer that does not own the log looks whether anybody does."""

_PAGE: Final = 2_048

T = TypeVar("T")
_log = structlog.get_logger("publishing")


@dataclass(frozen=True, slots=True)
class Means:
    """What publishing works with; `leases` is None where no other dealer shares the store.

    `signed` gives what the journal beside the key knows of the log, `accepts` says that a restored
    store was accepted, `failed` stops the dealer. `node` is its name among others. `batch` is in
    seconds.
    """

    signer: NoteSigner
    read: Reader
    committer: Committer
    edition: Edition
    cosigning: Cosigning
    metrics: Metrics
    failed: Callable[[BaseException], None]
    signed: Callable[[], SignedAt | None]
    accepts: bool = False
    leases: Leases | None = None
    node: str = ""
    batch: float = 0.1


class _LostOwnership(Exception):  # noqa: N818 - what happened
    """Another dealer has the log."""


class Publishing:
    """Publishes from `start` to `stop`; `begin` comes before, and proofs can be had from then on.

    It is `tables.published.Published`.
    """

    def __init__(self, means: Means) -> None:
        self._means = means
        self._edition = means.edition
        self._sequencer: Sequencer | None = None
        self._worker = ThreadPoolExecutor(1, "publishing")
        self._task: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self._is_loaded = False
        self._look_at = 0.0
        self._proving = Proving(means.edition)

    @property
    def owns_log(self) -> bool:
        """Whether this dealer is the one that writes the log."""
        return self._sequencer is not None

    # Its life.

    async def mend(self) -> None:
        """Bring back to a store that was restored what the folder has and it lacks.

        Before `begin`, of a restore that was accepted. CannotPublish, StoreError or OSError.
        """
        await self._means.read(partial(mend, edition=self._edition))

    async def begin(self) -> None:
        """Take up the folder and the log, as far as this dealer has it, before anything is dealt.

        CannotPublish, StoreError, or OSError where the folder can not be written.
        """
        head = await self._head()
        if head is not None and head.facts.state is LogState.LOST:
            raise CannotPublish(_IS_LOST)
        await self._load()
        try:
            if head is None:
                # Of a store that was lost whole, the witnesses alone still know.
                await self._unless_made(self._means.cosigning.question(0))
            elif self._means.leases is not None:
                await self._follow()
            else:
                await self._try_to_own()
        except SeenLater as fault:
            raise CannotPublish(str(fault)) from fault

    def start(self) -> None:
        """Publish from now on."""
        self._task = asyncio.ensure_future(self._run())

    async def stop(self) -> None:
        """Publish what waits, where that can be, and no more. Once is enough."""
        self._stopping.set()
        task, self._task = self._task, None
        if task is not None:
            await asyncio.wait([task])
        self._proving.stop()
        await asyncio.to_thread(self._worker.shutdown)
        self._edition.close()

    async def _run(self) -> None:
        retry = 0.0
        while True:
            is_last = self._stopping.is_set()
            try:
                await self._round()
            except (StoreFailed, CommitClosed):
                return
            except (CannotPublish, SeenLater) as fault:
                _log.critical("publishing_stopped", reason=str(fault))
                self._means.failed(fault)
                return
            except (OSError, StoreError) as fault:
                if not retry:
                    _log.error("publishing_failed", reason=str(fault))
                self._means.metrics.publish_failures.inc()
                await self._let_go()
                retry = min(2 * retry or FIRST_RETRY, LONGEST_RETRY)
            except Exception as fault:  # noqa: BLE001 - whatever it is, the dealer must not deal on
                _log.critical("publishing_stopped", exc_info=fault)
                self._means.failed(fault)
                return
            else:
                if retry:
                    _log.info("publishing_is_back")
                retry = 0.0
            if is_last:
                return
            await _wait(self._stopping, retry or self._means.batch)

    async def _let_go(self) -> None:
        """Forget what is in memory: the next round takes up the folder and the store again.

        Of several dealers another one may go on meanwhile, whose folder can be written.
        """
        was_owner, self._sequencer = self._sequencer is not None, None
        self._is_loaded = False
        self._look_at = 0.0
        leases = self._means.leases
        if leases is None or not was_owner:
            return
        self._means.cosigning.rest()
        self._look_at = time.monotonic() + 2 * LOOK_SECONDS
        with contextlib.suppress(StoreError):
            await self._means.read(lambda _: leases.release((DEALER_LOG,)))

    async def _round(self) -> None:
        if not self._is_loaded:
            await self._load()
        if self._sequencer is None:
            # A dealer alone signs again instead: a crash may have kept that from the journal.
            is_alone = self._means.leases is None
            head = await (self._head() if is_alone else self._follow())
            if head is None:
                await self._try_to_begin()
            else:
                await self._try_to_own()
        if self._sequencer is not None:
            try:
                await self._sequence(self._sequencer)
            except (_LostOwnership, SeenLater) as fault:
                # Witnesses have seen more, too, where another dealer signs on already.
                if isinstance(fault, SeenLater) and await self._is_owned_by(self._sequencer):
                    raise
                self._sequencer = None
                self._means.cosigning.rest()
                _log.warning("dealer_log_taken_over")
            else:
                if not self._sequencer.next_index:
                    # Another one was quicker to make it.
                    self._sequencer = None
        self._means.metrics.log_owned.set(self.owns_log)

    # What the folder has.

    async def _load(self) -> None:
        shown_before = await self._do(self._edition.load)
        if not shown_before:
            _log.warning("publication_made_anew", size=self._shown_size)
        await self._hold_to_shown()
        self._is_loaded = True
        self._tell()

    async def _hold_to_shown(self) -> None:
        """Require that the store has what the folder shows, and make anew what it has not whole."""
        shown = self._edition.shown
        if shown is None:
            await self._index_to(0)
            return
        head = await self._head()
        if head is None or head.next_index < shown.size:
            message = (
                f"the publication folder shows {shown.size} lines of the dealer's log, and the "
                f"store has {0 if head is None else head.next_index}: the store went back, or the "
                "folder is of another one. Nothing was changed: bring back the newest store"
            )
            raise CannotPublish(message)
        await self._hold_to(shown.size, shown.root)
        await self._index_to(shown.size)

    async def _index_to(self, size: int) -> None:
        """Put right the index, which may lag behind the folder, or be ahead of it."""
        index = self._edition.index
        have = await self._do(lambda: index.size)
        if have > size:
            await self._do(partial(index.add, size, ()))
        while have < size:
            lines = await self._lines(have, size)
            await self._do(partial(index.add, have, lines))
            have += len(lines)

    async def _hold_to(self, size: int, root: bytes) -> None:
        """Have all lines up to a signed size, hold them to what was signed, and mark it."""
        await self._extend_to(size)
        await self._do(partial(self._edition.require, size, root))
        await self._do(self._edition.mark)

    async def _extend_to(self, size: int) -> None:
        while self._edition.size < size:
            await self._extend(await self._lines(self._edition.size, size))

    async def _extend(self, lines: tuple[bytes, ...]) -> None:
        first = self._edition.size
        self._proving.note(first, await self._do(partial(self._edition.extend, lines)))

    async def _lines(self, start: int, end: int) -> tuple[bytes, ...]:
        limit = min(_PAGE, end - start)
        lines = await self._means.read(lambda store: store.lines(DEALER_LOG, start, limit))
        if not lines:
            message = f"the store lacks line {start} of the dealer's log"
            raise CannotPublish(message)
        return lines

    async def _follow(self) -> LogHead | None:
        """Show the newest checkpoint that the store has, once all its lines are here.

        Gives where the log stands in the store.
        """
        head, note = await self._means.read(partial(self._newest, size=self._shown_size))
        if not note or note == self._edition.note:
            return head
        checkpoint = self._edition.open(note)
        if checkpoint.size < max(self._edition.size, self._shown_size):
            return head
        await self._hold_to(checkpoint.size, checkpoint.root)
        await self._show(note)
        return head

    @staticmethod
    def _newest(store: Store, size: int) -> tuple[LogHead | None, str]:
        """Give the log's head, and its newest checkpoint, or none where that has `size` lines.

        A co-signed one is given again, for it may have got more of them.
        """
        head = store.head(DEALER_LOG)
        if head is None or head.facts.meta:
            return head, "" if head is None else head.facts.meta.decode()
        last = store.last_checkpoint(DEALER_LOG) if head.signed_size > size else None
        return head, "" if last is None else last.note

    async def _show(self, note: str) -> None:
        await self._do(partial(self._edition.show, note))
        self._tell()

    @property
    def _shown_size(self) -> int:
        shown = self._edition.shown
        return 0 if shown is None else shown.size

    # Who writes the log.

    async def _try_to_own(self) -> None:
        """Claim the log, where nobody alive owns it."""
        means, now = self._means, time.monotonic()
        if now < self._look_at:
            return
        self._look_at = now + LOOK_SECONDS
        leases = means.leases
        if leases is not None:
            owner = await means.read(lambda _: leases.owner(DEALER_LOG))
            if owner is not None and owner.is_alive and owner.node.name != means.node:
                return
        epoch = await means.read(lambda store: store.claim(DEALER_LOG))
        head = await self._head()
        if epoch is None or head is None:
            return
        await self._own(epoch, head)

    async def _try_to_begin(self) -> None:
        """Make the log, where none is there and a notice waits; others may try to, too."""
        if await self._means.read(lambda store: store.notices(1)):
            await self._unless_made(self._own(FIRST_EPOCH, None))

    async def _unless_made(self, act: Awaitable[None]) -> None:
        """Do what asks the witnesses of a log that is not there; SeenLater where it still is not.

        Where another dealer of the store made it meanwhile, that is what they saw.
        """
        try:
            await act
        except SeenLater:
            if await self._head() is None:
                raise

    async def _own(self, epoch: int, head: LogHead | None) -> None:
        sequencer = Sequencer(self._means.signer, self._edition, epoch, head)
        await self._take_up(sequencer)
        self._sequencer = sequencer
        _log.info("dealer_log_owned", size=sequencer.next_index)

    async def _is_owned_by(self, sequencer: Sequencer) -> bool:
        """Say whether nobody has claimed the log since."""
        head = await self._head()
        return head is None or head.epoch == sequencer.epoch

    async def _look_whether_still_mine(self, sequencer: Sequencer) -> None:
        """Find out that another one has the log, though nothing is written; _LostOwnership."""
        leases, now = self._means.leases, time.monotonic()
        if leases is None or now < self._look_at or not sequencer.next_index:
            return
        self._look_at = now + LOOK_SECONDS
        owner = await self._means.read(lambda _: leases.owner(DEALER_LOG))
        if owner is None or owner.epoch != sequencer.epoch:
            raise _LostOwnership

    async def _take_up(self, sequencer: Sequencer) -> None:
        """Go on where the owner before stopped; CannotPublish where that can not be."""
        kept = self._signed_here()
        if is_behind(kept, sequencer.last):
            assert kept is not None
            if not self._means.accepts or sequencer.next_index < kept.size:
                raise CannotPublish(_LOST)
            sequencer.last = kept
        last = sequencer.last
        if last is not None and self._edition.size <= last.size:
            await self._hold_to(last.size, last.root)
        await self._means.cosigning.question(0 if last is None else last.size)
        await self._extend_to(sequencer.next_index)

    def _signed_here(self) -> SignedAt | None:
        """Give what is known here as signed last: by the journal, or by what the folder shows."""
        kept, shown = self._means.signed(), self._edition.shown
        if shown is None or (kept is not None and kept.size >= shown.size):
            return kept
        return SignedAt(shown.size, shown.root)

    async def _sequence(self, sequencer: Sequencer) -> None:
        """Bring what waits into the log and the log to the world: one batch."""
        means, began = self._means, time.perf_counter()
        await self._look_whether_still_mine(sequencer)
        notices = await means.read(lambda store: store.notices(BATCH_NOTICES))
        if notices:
            change = sequencer.take_in(notices)
            await self._write(unit_of(change, notices))
            sequencer.taken(change)
            await self._extend(change.lines)
        if not sequencer.next_index:
            return
        if sequencer.is_covered:
            late = means.cosigning.add_late(self._edition.note)
            if late != self._edition.note:
                await self._write(unit_of(sequencer.keep(late)))
                await self._show(late)
            return
        change = await self._do(sequencer.sign)
        await self._write(unit_of(change))
        signed = sequencer.signed(change)
        note = await self._cosigned(signed, sequencer.next_index)
        if note != signed or sequencer.keeps_notes:
            await self._write(unit_of(sequencer.keep(note)))
        await self._show(note)
        sequencer.is_covered = True
        means.metrics.published(len(notices), time.perf_counter() - began)

    async def _cosigned(self, note: str, size: int) -> str:
        """Give a checkpoint with its co-signatures, or without where the dealer is stopped."""
        prove = partial(self._edition.consistency, size=size)
        gathering = asyncio.ensure_future(self._means.cosigning.gather(note, size, prove))
        stopping = asyncio.ensure_future(self._stopping.wait())
        await asyncio.wait([gathering, stopping], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if gathering.done():
            return gathering.result()
        gathering.cancel()
        await asyncio.wait([gathering])
        return note

    async def _write(self, unit: Append) -> None:
        """Have a unit written; _LostOwnership where another dealer has the log."""
        result = await self._means.committer.submit(unit)
        if isinstance(result, LogLost):
            raise CannotPublish(_LOST)
        if not isinstance(result, Appended):
            _log.warning("dealer_log_refused", why=type(result).__name__)
            raise _LostOwnership

    # Who waits for lines, and asks for proofs.

    async def wait_for(self, game: str, hand: int, stage: Stage) -> None:
        """Return when the line of that stage can be had by anybody, co-signed by the policy."""
        await self._proving.wait_for(game, hand, stage)

    async def proof(self, game: str, hand: int, stage: Stage) -> LineProof | None:
        """Prove that the line of that stage is in the log; None where it is not there yet.

        CannotPublish or OSError where the folder's files do not prove it.
        """
        return await self._proving.prove(game, hand, stage)

    def _tell(self) -> None:
        """Tell all who wait for lines that the shown checkpoint covers."""
        note = self._edition.note
        self._means.metrics.log_lines.set(self._shown_size)
        if note and self._means.cosigning.is_satisfied(note):
            self._proving.tell(note, self._shown_size)

    # The rest.

    async def _head(self) -> LogHead | None:
        return await self._means.read(lambda store: store.head(DEALER_LOG))

    async def _do(self, call: Callable[[], T]) -> T:
        """Run what blocks, one after another."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, call)


_LOST: Final = (
    "the dealer's log lacks lines that were signed, so nothing of it may be signed any more: bring "
    "back the newest store"
)


_IS_LOST: Final = (
    "the dealer's log lacks lines that were signed, and a restore without them was accepted: it is "
    "lost, and never goes on. Start without --publication, or make keys under a new name"
)


async def _wait(event: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return
