"""The dealer as a process: opens what it keeps, takes its games over, serves, and stops cleanly.

A start and a recovery are the same thing: whatever the store holds is taken over, and the same
hand goes on. A store that lacks lines which were signed is not served, unless the operator accepts
the restore. When the store fails while serving, the process stops: only what the store holds when
it starts again is true.

Of a store that dealers share, games are taken over while this one serves already (`Ownership`). At
a signal open hands are played on for a while, and tables between hands go to other dealers; at
a second one the dealer stops at once.
"""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

import structlog

from dealer_service.access.gate import Gate
from dealer_service.access.key_sources import JwkKeys, OwnKeys, open_token_keys
from dealer_service.beacon.following import Following  # noqa: TC001 - it annotates an attribute
from dealer_service.config import SettingError, Settings
from dealer_service.exposure import require_safe
from dealer_service.fairness.randomness import Entropy, operating_system
from dealer_service.keys import open_keys
from dealer_service.membership import Membership
from dealer_service.publishing.edition import CannotPublish
from dealer_service.publishing.opening import open_publishing, require_unpublished
from dealer_service.publishing.outside import Outside
from dealer_service.publishing.publishing import Publishing  # noqa: TC001 - it annotates an attribute
from dealer_service.rng_core import find_core
from dealer_service.rpc.admission import Admission
from dealer_service.rpc.calls import Door
from dealer_service.rpc.health import Ailment
from dealer_service.rpc.outlook import Outlook  # noqa: TC001 - it annotates an attribute alone
from dealer_service.rpc.server import Server, game_services
from dealer_service.rpc.session import Sessions
from dealer_service.starting import (
    open_outlook,
    open_rounds,
    prove_randomness,
    tell_unprotected,
)
from dealer_service.store.api import AppendResult, LogHead, Store, signed_heads
from dealer_service.store.commit import GroupCommit
from dealer_service.store.directory import DirectoryLock
from dealer_service.store.leases import Node, leases_of
from dealer_service.store.opening import open_store
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.signed_journal import SignedJournal
from dealer_service.tables.afar import Afar
from dealer_service.tables.clock import Clock, SystemClock
from dealer_service.tables.draining import drain
from dealer_service.tables.floor import Floor
from dealer_service.tables.house import House
from dealer_service.tables.lineage import ancestors
from dealer_service.tables.ownership import GIVE_UP_LEASES, Ownership
from dealer_service.tables.recovery import CannotRecover
from dealer_service.tables.resealing import Resealing
from dealer_service.tables.retention import Retention
from dealer_service.tables.vigil import Vigil
from dealer_service.taking_stock import CannotStart, take_shared_stock, take_stock

__all__ = ["CannotStart", "Dealer"]

T = TypeVar("T")
_log = structlog.get_logger("dealer")


class Dealer:
    """A running dealer. `start` it, then `serve` until something stops it, or `stop` it."""

    def __init__(
        self,
        settings: Settings,
        *,
        entropy: Entropy = operating_system,
        clock: Clock | None = None,
        open_store: Callable[[Settings], Store] = lambda settings: open_store(
            settings.store_url,
            settings.store,
            settings.cluster.lease,
            GIVE_UP_LEASES * settings.cluster.lease,
        ),
    ) -> None:
        self.settings = settings
        self.port = 0
        self._vigil = Vigil(entropy)
        self._clock = clock or SystemClock()
        self._open_store = open_store
        self._stopping = asyncio.Event()
        self._hurry = asyncio.Event()
        self._lock: DirectoryLock | None = None
        self._ownership: Ownership | None = None
        self._failure: BaseException | None = None
        self._reader = ThreadPoolExecutor(1, "reader")
        self._store: Store | None = None
        self._journal: SignedJournal | None = None
        self._outlook: Outlook | None = None
        self._rounds: Following | None = None
        self._publishing: Publishing | None = None
        self._outside: Outside | None = None
        self._retention = Retention(settings.archive, settings.retain)
        self._resealing = Resealing()
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
        require_safe(settings, os.environ)
        self._lock = DirectoryLock(settings.directory)
        self._outlook = outlook = open_outlook(settings)
        core = find_core()
        prove_randomness(self._vigil.gate)
        self.keys = open_keys(settings, self._vigil.gate)
        self._rounds = await open_rounds(settings, self._clock)
        loop = asyncio.get_running_loop()
        self._store = store = self._open_store(settings)
        leases = leases_of(store)
        if leases is None and settings.store_url:
            message = "the store at the URL is none that dealers can share"
            raise CannotStart(message)
        membership = None if leases is None else Membership(settings, leases, self._vigil.gate)
        heads = tuple(signed_heads(store))
        signed_before = any(head.signed is not None for head in heads)
        is_new = membership is not None and membership.is_new
        self._journal = journal = SignedJournal(
            settings.signed_journal,
            settings.origin,
            may_make=settings.accept_restore or is_new or not signed_before,
            node=membership.name if membership is not None else "",
        )
        self._commit = commit = GroupCommit(
            store,
            journal,
            new_promise=loop.create_future,
            deliver=loop.call_soon_threadsafe,
            on_failure=lambda error: loop.call_soon_threadsafe(self._fail, error),
            witness=outlook.witness,
        )
        with _publishing(settings):
            self._outside = Outside(settings, self.keys.signer, outlook.metrics)
            self._publishing = open_publishing(
                settings,
                store,
                journal,
                signer=self.keys.signer,
                read=self._read,
                committer=commit,
                cosigning=self._outside.cosigning,
                metrics=outlook.metrics,
                failed=self._fail,
                node="" if membership is None else membership.name,
            )
        house = House(
            origin=settings.origin,
            clock=self._clock,
            entropy=self._vigil.gate,
            signer=self.keys.signer,
            sealer=self.keys.sealer,
            committer=commit,
            read=self._read,
            halted=self._halted,
            unhealthy=outlook.unhealthy,
            healthy=outlook.healthy,
            recovered=self._resealing.note,
            metrics=outlook.metrics,
            tracing=outlook.tracing,
            revealed=self._retention.note,
            shelf=self._retention.shelf,
            is_shared=leases is not None,
            published=self._publishing,
            rounds=self._rounds,
        )
        self.floor = Floor(house)
        self._token_keys = token_keys = await asyncio.to_thread(
            open_token_keys, settings.tokens, self.keys.token_key, settings.origin
        )
        gate = Gate(token_keys, settings.limits)
        admission = Admission(
            gate, time.time, partial(ancestors, house), proxies=settings.limits.proxies
        )
        door = Door(admission, outlook.sight)
        self._sessions = sessions = Sessions(door)
        services = game_services(self.floor, door, sessions)
        self.server = Server(services, outlook.health, outlook.metrics)
        self.port = self.server.listen(settings.address, settings.tls)
        with _recovering():
            await self._take_over(store, heads, journal, membership)
        await self._begin_publishing(store)
        # Clocks begin anew before the first call comes, so that no call finds one run out.
        self._vigil.begin(self.floor)
        self._resealing.start(self.floor)
        self.floor.start()
        outlook.begin(self.floor, commit)
        self._retention.start(house, find_mine=self._find_mine)
        await self.server.start()
        if self._ownership is not None:
            self._ownership.take_games()
        tell_unprotected(settings)
        _log.info(
            "serving",
            address=settings.address,
            port=self.port,
            origin=settings.origin,
            key=str(self.keys.signer.verifier),
            games=len(self.floor.tables),
            rng_core=core.number,
            fingerprint=core.fingerprint,
        )

    async def _take_over(
        self,
        store: Store,
        heads: Sequence[LogHead],
        journal: SignedJournal,
        membership: Membership | None,
    ) -> None:
        """Judge the store, take over what is there, and close what was restored.

        CannotStart, StoreError, or CannotRecover where the log of a game does not fit together.
        """
        settings = self.settings
        if membership is None:
            heads = await self._mend(store, heads)
            stock = take_stock(settings, store, heads, journal)
            self.floor.recover(store, closes=stock.closes)
        else:
            self._ownership = self._own(store, membership, journal)
            await asyncio.to_thread(_join, self._ownership, membership)
            self._ownership.start()
            heads = await self._mend(store, heads)
            stock = take_shared_stock(settings, store, heads, journal, membership)
            self.floor.remember(store)
            if stock.closes:
                await self._ownership.take_all()
        if stock.closes:
            await self.floor.close_restored(stock.signed)

    async def _mend(self, store: Store, heads: Sequence[LogHead]) -> Sequence[LogHead]:
        """Make the dealer's log of a restored store whole, where the publication has its lines."""
        if self._publishing is None or not self.settings.accept_restore:
            return heads
        with _publishing(self.settings):
            await self._publishing.mend()
        return tuple(signed_heads(store))

    async def _begin_publishing(self, store: Store) -> None:
        """Publish the dealer's log from now on, to those to whom the settings serve it."""
        assert self._outside is not None
        with _publishing(self.settings):
            if self._publishing is None:
                require_unpublished(store)
            else:
                await self._publishing.begin()
                self._publishing.start()
        try:
            self._outside.begin()
        except OSError as error:
            address = self.settings.publication_listen
            message = f"can not serve the publication on {address}: {error}"
            raise CannotStart(message) from error

    @property
    def metrics_port(self) -> int:
        """The port at which metrics are served; 0 where they are not."""
        return self._outlook.port if self._outlook is not None else 0

    @property
    def publication_port(self) -> int:
        """The port at which the dealer's log is served; 0 where it is not."""
        return 0 if self._outside is None else self._outside.port

    async def serve(self) -> None:
        """Serve until a signal or a failure; raises what failed."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._end)
        await self._stopping.wait()
        await self.drain()
        await self.stop()
        if self._failure is not None:
            raise self._failure

    async def drain(self) -> None:
        """Let open hands end, and others take the tables, for as long as the settings give.

        Ends at once where the dealer has failed, or when it is told a second time to stop.
        """
        if self._hurry.is_set():
            return
        _log.info("draining")
        if self._outlook is not None:
            self._outlook.health.ail(Ailment.DRAINING)
        release = None
        if self._ownership is not None:
            self._ownership.take_no_more()
            release = self._ownership.release
        draining = asyncio.ensure_future(
            drain(self.floor, int(self.settings.drain * 1000), release)
        )
        hurried = asyncio.ensure_future(self._hurry.wait())
        await asyncio.wait([draining, hurried], return_when=asyncio.FIRST_COMPLETED)
        for one in (draining, hurried):
            one.cancel()
        await asyncio.gather(draining, hurried, return_exceptions=True)

    async def stop(self) -> None:
        """Decide nothing more, write what was decided, and let go of everything."""
        _log.info("stopping")
        self._vigil.end()
        await self.floor.stop()
        if self._publishing is not None:
            await self._publishing.stop()
        if self._ownership is not None:
            await self._ownership.leave()
        self._sessions.stop()
        await self.server.stop(self.settings.grace)
        await self._let_go()
        _log.info("stopped")

    async def _let_go(self) -> None:
        await self._retention.stop()
        await self._resealing.stop()
        if self._publishing is not None:
            await self._publishing.stop()
        if self._outside is not None:
            await self._outside.close()
        if self._rounds is not None:
            await self._rounds.stop()
        if self._ownership is not None:
            # After a start that failed its lease has not ended yet.
            await self._ownership.leave()
        if self._commit is not None:
            await asyncio.to_thread(self._commit.close)
        if self._token_keys is not None:
            self._token_keys.close()
        if self._outlook is not None:
            await self._outlook.close()
        self._reader.shutdown()
        for kept in (self._store, self._journal, self._lock):
            if kept is not None:
                kept.close()

    def _own(self, store: Store, membership: Membership, journal: SignedJournal) -> Ownership:
        """Make the node that this dealer is among others."""
        node = Node(membership.name, membership.address(self.settings, self.port))
        self.floor.afar = Afar(self.floor.house, membership.leases)
        return Ownership(
            self.floor,
            store,
            membership.leases,
            node,
            int(self.settings.cluster.lease * 1000),
            remember=membership.remember,
            signed=journal.last.get,
            may_deal=lambda: self._vigil.gate.is_open,
            events=self,
        )

    def _find_mine(self, games: Sequence[str]) -> Collection[str]:
        return games if self._ownership is None else self._ownership.find_mine(games)

    def store_away(self) -> None:
        """Tell that the lease ran out, the store out of reach: no table is served."""
        if self._outlook is not None:
            self._outlook.health.ail(Ailment.LEASE)

    def store_back(self) -> None:
        """Tell that the store was reached again."""
        if self._outlook is not None:
            self._outlook.health.recover(Ailment.LEASE)

    def replaced(self, fault: BaseException) -> None:
        """Stop: the node's name is another's, or the store went back or stays away."""
        self._fail(fault)

    def _end(self) -> None:
        if self._stopping.is_set():
            self._hurry.set()
        self._stopping.set()

    async def _read(self, call: Callable[[Store], T]) -> T:
        loop = asyncio.get_running_loop()
        assert self._store is not None
        return await loop.run_in_executor(self._reader, call, self._store)

    def _halted(self, game: str, fault: BaseException) -> None:
        """Tell of a table that halted, and stop where no other could go on either."""
        if self._outlook is not None:
            self._outlook.halted(game, fault)
        if isinstance(fault, StoreError) and fault.reason is Reason.KEY_UNREACHABLE:
            self._fail(fault)

    def _fail(self, fault: BaseException) -> None:
        if self._outlook is not None:
            self._outlook.failed(fault)
        self._failure = self._failure or fault
        self._stopping.set()
        self._hurry.set()


def _join(ownership: Ownership, membership: Membership) -> None:
    membership.joined(ownership.join())
    ownership.set_clock()


@contextmanager
def _publishing(settings: Settings) -> Iterator[None]:
    """Turn why nothing can be published into why the dealer does not start."""
    try:
        yield
    except (CannotPublish, SettingError) as fault:
        raise CannotStart(str(fault)) from fault
    except OSError as error:
        message = f"can not publish in {settings.publication}: {error}"
        raise CannotStart(message) from error


@contextmanager
def _recovering() -> Iterator[None]:
    """Turn what is wrong with one game into why the dealer does not start: none is left out."""
    try:
        yield
    except CannotRecover as fault:
        message = (
            f"{fault}. Nothing was changed: keep the store as it is, bring back its newest backup "
            "beside it and start with that, and report this"
        )
        raise CannotStart(message) from fault
