"""The dealer as a process: opens what it keeps, takes its games over, serves, and stops cleanly.

A start and a recovery are the same thing: whatever the store holds is taken over, and the same
hand goes on. A store that lacks lines which were signed is not served, unless the operator accepts
the restore. When the store fails while serving, the process stops: only what the store holds when
it starts again is true.
"""

import asyncio
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import structlog

from dealer_service.access.gate import Gate
from dealer_service.access.key_sources import JwkKeys, OwnKeys, open_token_keys
from dealer_service.config import Settings, check_address
from dealer_service.fairness.randomness import Entropy, operating_system
from dealer_service.keys import open_keys
from dealer_service.observe.tracing import TracingUnavailable
from dealer_service.rpc.admission import Admission
from dealer_service.rpc.calls import Door
from dealer_service.rpc.outlook import Outlook
from dealer_service.rpc.server import Server
from dealer_service.store.api import AppendResult, Store, every_head
from dealer_service.store.commit import GroupCommit
from dealer_service.store.restore import Standing, Verdict, compare, lost_logs
from dealer_service.store.signed_journal import SignedJournal
from dealer_service.store.sqlite import SqliteStore
from dealer_service.tables.clock import Clock, SystemClock
from dealer_service.tables.floor import Floor
from dealer_service.tables.house import House
from dealer_service.tables.lineage import ancestors
from dealer_service.transcript.merkle import Tree, leaf_hash

T = TypeVar("T")
_log = structlog.get_logger("dealer")


class CannotStart(Exception):  # noqa: N818 - says what the dealer can not do
    """Why the dealer does not start; the text says what to do."""


class Dealer:
    """A running dealer. `start` it, then `serve` until something stops it, or `stop` it."""

    def __init__(
        self,
        settings: Settings,
        *,
        entropy: Entropy = operating_system,
        clock: Clock | None = None,
        open_store: Callable[[Settings], Store] = lambda settings: SqliteStore(settings.store),
    ) -> None:
        self.settings = settings
        self.port = 0
        self._entropy = entropy
        self._clock = clock or SystemClock()
        self._open_store = open_store
        self._stopping = asyncio.Event()
        self._failure: BaseException | None = None
        self._reader = ThreadPoolExecutor(1, "reader")
        self._store: Store | None = None
        self._journal: SignedJournal | None = None
        self._outlook: Outlook | None = None
        self._commit: GroupCommit[asyncio.Future[AppendResult]] | None = None
        self._token_keys: OwnKeys | JwkKeys | None = None

    async def start(self) -> None:
        """Take over what the store holds, and serve. CannotStart or StoreError where it can not.

        What was opened is let go of again when starting fails.
        """
        try:
            await self._start()
        except BaseException:
            await self._let_go()
            raise

    async def _start(self) -> None:
        settings = self.settings
        check_address(settings.address, allow_plaintext=settings.allow_plaintext)
        self._outlook = outlook = _open_outlook(settings)
        self.keys = open_keys(settings, self._entropy)
        loop = asyncio.get_running_loop()
        self._store = store = self._open_store(settings)
        heads = tuple(every_head(store))
        signed_before = any(head.signed is not None for head in heads)
        self._journal = journal = SignedJournal(
            settings.signed_journal,
            settings.origin,
            may_make=settings.accept_restore or not signed_before,
        )
        self._judge(store, compare(journal.last, heads))
        self._commit = commit = GroupCommit(
            store,
            journal,
            new_promise=loop.create_future,
            deliver=loop.call_soon_threadsafe,
            on_failure=lambda error: loop.call_soon_threadsafe(self._fail, error),
            witness=outlook.witness,
        )
        house = House(
            origin=settings.origin,
            clock=self._clock,
            entropy=self._entropy,
            signer=self.keys.signer,
            sealer=self.keys.sealer,
            committer=commit,
            read=self._read,
            halted=outlook.halted,
            unhealthy=outlook.unhealthy,
            healthy=outlook.healthy,
            metrics=outlook.metrics,
            tracing=outlook.tracing,
        )
        self.floor = Floor(house)
        self.floor.recover(store)
        if settings.accept_restore:
            await self.floor.close_restored(journal.last)
        self._token_keys = token_keys = await asyncio.to_thread(
            open_token_keys, settings.tokens, self.keys.token, settings.origin
        )
        gate = Gate(token_keys, settings.limits)
        admission = Admission(gate, time.time, partial(ancestors, house))
        self.server = Server(self.floor, Door(admission, outlook.sight), outlook.health)
        self.port = self.server.listen(settings.address, settings.tls)
        # Clocks begin anew before the first call comes, so that no call finds one run out.
        self.floor.start()
        outlook.begin(self.floor, commit)
        await self.server.start()
        _log.info(
            "serving",
            address=settings.address,
            port=self.port,
            origin=settings.origin,
            key=str(self.keys.signer.verifier),
            games=len(self.floor.tables),
        )

    async def serve(self) -> None:
        """Serve until a signal or a failure; raises what failed."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stopping.set)
        await self._stopping.wait()
        await self.stop()
        if self._failure is not None:
            raise self._failure

    async def stop(self) -> None:
        """Decide nothing more, write what was decided, and let go of everything."""
        _log.info("stopping")
        await self.floor.stop()
        await self.server.stop(self.settings.grace)
        await self._let_go()
        _log.info("stopped")

    async def _let_go(self) -> None:
        if self._commit is not None:
            await asyncio.to_thread(self._commit.close)
        if self._token_keys is not None:
            self._token_keys.close()
        if self._outlook is not None:
            await self._outlook.close()
        self._reader.shutdown()
        for kept in (self._store, self._journal):
            if kept is not None:
                kept.close()

    def _judge(self, store: Store, verdicts: tuple[Verdict, ...]) -> None:
        behind = [one for one in verdicts if one.standing is Standing.STORE_BEHIND]
        if not behind:
            return
        if not self.settings.accept_restore:
            named = ", ".join(
                f"{one.log} (has {one.next_index} lines, signed to "
                f"{one.journal.size if one.journal else 0})"
                for one in behind[:5]
            )
            message = (
                f"the store lacks lines that were signed, in {len(behind)} games: {named}. Bring "
                "back the newest store; or start once with --accept-restore, which voids open "
                "hands, closes the games that are whole, and lists the others as lost"
            )
            raise CannotStart(message)
        lost = lost_logs(verdicts, partial(_root_at, store))
        store.mark_lost(lost)
        for one in lost:
            _log.error("log_lost", game=one.log, signed_size=one.signed.size)

    async def _read(self, call: Callable[[Store], T]) -> T:
        loop = asyncio.get_running_loop()
        assert self._store is not None
        return await loop.run_in_executor(self._reader, call, self._store)

    def _fail(self, fault: BaseException) -> None:
        if self._outlook is not None:
            self._outlook.failed(fault)
        self._failure = fault
        self._stopping.set()


def _open_outlook(settings: Settings) -> Outlook:
    try:
        return Outlook(settings)
    except TracingUnavailable as error:
        raise CannotStart(str(error)) from None


def _root_at(store: Store, log: str, size: int) -> bytes:
    tree = Tree()
    for line in store.every_line(log):
        if tree.size == size:
            break
        tree.append(leaf_hash(line))
    return tree.root(size)
