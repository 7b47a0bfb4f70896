"""Which games this dealer has, among dealers that share a store.

A node beats five times a lease, from the event loop, so that a loop which hangs loses its lease
like a process that died. At each beat it takes over games that nobody alive owns, a bounded number
at a time, of which each living node takes its own share first. Leases only decide when a game may
be taken over: that a stale owner writes nothing is up to the store, which checks the epoch of each
append. So nothing here can fork a game; at worst it deals a game late.

While its source of randomness fails, a node opens no hand. So it takes nothing then, and leaves
what it has between hands to the others, if any lives: with them it goes on.

A node that could not renew its lease in time lets go of all its tables, for others may have the
games, and takes back what nobody took when it reaches the store again. Its own games it takes at
once, those of others only a lease later: they may only have had the same outage.

A tournament is had with all of its tables or not at all: it is claimed, left to others and let go
of under its own name, as a game that is alone is under its. Where "game" stands here, either is
meant.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, Protocol, TypeVar
from zlib import crc32

import structlog

from dealer_service.observe.tracing import spanning
from dealer_service.store.api import SignedAt, Store
from dealer_service.store.leases import Beat, Leases, Node, Owner
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.tables.clock import Timer  # noqa: TC001 - it annotates attributes alone
from dealer_service.tables.floor import Floor
from dealer_service.tables.owned import (
    Owned,
    find_owned,
    place,
    recover_owned,
    remove,
    running,
    tables_of,
)
from dealer_service.tables.recovery import Recovered
from dealer_service.tables.refused import Refused, elsewhere, moving
from dealer_service.tables.store_time import StoreTime
from dealer_service.tables.timescale import Reading
from dealer_service.tables.tournament.recovery import RecoveredTournament

BEATS: Final = 5
"""So many beats a lease."""

AT_ONCE: Final = 64
"""A node takes over so many games, then looks again at what is left."""

GIVE_UP_LEASES: Final = 12
"""A node that can not reach the store for so many leases stops, and starts anew."""

ASIDE_LEASES: Final = 12
"""A game that could not be recovered is tried again after so many leases."""

_LOOK: Final = 1_000
_RECOVERIES: Final = 2
_CHECKED: Final = 16
_FATAL: Final = frozenset({Reason.NODE_REPLACED, Reason.STORE_WENT_BACK})
_PASSES: Final = frozenset({Reason.STORE_UNREACHABLE})
"""What may be over at the next beat, and is of no one game."""

T = TypeVar("T")
_log = structlog.get_logger("ownership")


class Events(Protocol):
    """Who hears of what befalls the node as a whole."""

    def store_away(self) -> None:
        """Hear that the lease ran out, the store out of reach: no table is served."""
        ...

    def store_back(self) -> None:
        """Hear that the store was reached again."""
        ...

    def replaced(self, fault: BaseException) -> None:
        """Hear why this process must stop: its name is another's, or the store went back."""
        ...


class Ownership:
    """The node, its lease, and the games that it takes and lets go of.

    `remember` keeps each beat durably, and `signed` tells what this node itself last signed of
    a log; `may_deal` says whether the source of randomness is well. Times are the house's clock's,
    in milliseconds.
    """

    def __init__(  # noqa: PLR0913 - what a node is made of
        self,
        floor: Floor,
        store: Store,
        leases: Leases,
        node: Node,
        lease_ms: int,
        *,
        remember: Callable[[Beat], None],
        signed: Callable[[str], SignedAt | None],
        may_deal: Callable[[], bool],
        events: Events,
    ) -> None:
        self.node = node
        self._floor = floor
        self._house = floor.house
        self._store = store
        self._leases = leases
        self._lease_ms = lease_ms
        self._remember = remember
        self._signed = signed
        self._may_deal = may_deal
        self._events = events
        self._timer: Timer | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._beater = ThreadPoolExecutor(1, "lease")
        self._recoverer = ThreadPoolExecutor(_RECOVERIES, "recovery")
        self._time = StoreTime(self._house.clock)
        self._heard: Reading | None = None
        self._beaten_at = 0
        self._take_from = 0
        self._is_beating = False
        self._is_taking = True
        self._is_leaving = False
        self._has_joined = False
        self._has_left = False
        self._mislaid: set[str] = set()
        self._unreleased: set[str] = set()
        self._aside: dict[str, int] = {}
        self._seen_free: frozenset[str] = frozenset()
        self._checked = 0

    # The life of a node.

    def join(self) -> Beat:
        """Become the node; blocks. StoreError."""
        self._beaten_at = self._house.clock.now()
        self._take_from = self._beaten_at + self._lease_ms
        join = partial(self._leases.join, self.node, self._lease_ms)
        beat, self._heard = self._time.ask(join)
        self._has_joined = True
        self._floor.others = self
        return beat

    def set_clock(self) -> None:
        """Go by the store's time from now on, before anything is decided; blocks. StoreError."""
        heard = self._time.begin(self._heard, self._leases.beat, self._remember)
        self._beaten_at = self._time.asked_at(heard, self._beaten_at)
        self._take_from = self._beaten_at + self._lease_ms

    def start(self) -> None:
        """Beat from now on, and take nothing yet."""
        self._tick()

    async def take_all(self) -> None:
        """Take over every game that can be, before anything is served.

        For a restore, after which no game goes on. StoreError or CannotRecover.
        """
        while games := await self._run(self._recoverer, partial(self._leases.claimable, _LOOK)):
            for game in games:
                recovery = self._recovery(game, closes=True)
                recovered = await self._run(self._recoverer, recovery)
                if recovered is not None:
                    place(self._floor, recovered)

    def take_games(self) -> None:
        """Take games over from now on."""
        self._is_taking = False
        self._spawn(self._take_over())

    async def release(self, game: str) -> None:
        """Own a game no longer, so that another node can take it at once."""
        self._unreleased.add(game)
        await self._release_all()

    def take_no_more(self) -> None:
        """Take over no further games; what is here stays."""
        self._is_leaving = True

    async def leave(self) -> None:
        """End the lease, where it began, and release every game. Once is enough.

        The tables have stopped before, or have not begun.
        """
        if self._has_left:
            return
        self._is_leaving = self._has_left = True
        self._stop_beating()
        while self._tasks:
            await asyncio.wait(self._tasks)
        if self._has_joined:
            try:
                await self._run(self._beater, self._leases.leave)
            except StoreError as error:
                # Then the lease runs out by itself.
                _log.warning("leave_failed", reason=error.reason)
        self.close()

    def close(self) -> None:
        """Beat no more, and let go of the threads, whatever they do."""
        self._is_leaving = True
        self._stop_beating()
        self._beater.shutdown(wait=False, cancel_futures=True)
        self._recoverer.shutdown(wait=False, cancel_futures=True)

    # What the floor asks.

    async def whereabouts(self, game: str) -> Refused:
        """Say where a game is dealt that has no table here."""
        owner = await self._house.read(lambda _: self._leases.owner(game))
        if owner is None or not owner.is_alive or owner.node.name == self.node.name:
            return moving()
        return elsewhere(owner.node.name, owner.node.address)

    def find_mine(self, games: Sequence[str]) -> frozenset[str]:
        """Give those games that are over for which this node does what is to be done; blocks."""
        owners = self._leases.owners(games)
        return frozenset(
            game
            for game in games
            if (owner := owners.get(game)) is None
            or not owner.is_alive
            or owner.node.name == self.node.name
        )

    def mislaid(self, game: str) -> None:
        """Note a game that lost its table: it is taken back unless another node owns it."""
        self._mislaid.add(game)

    # Beats.

    def _stop_beating(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tick(self) -> None:
        """Beat, and see whether the lease has run out; called five times a lease."""
        clock = self._house.clock
        self._timer = clock.call_at(clock.now() + max(1, self._lease_ms // BEATS), self._tick)
        if clock.now() >= self._beaten_at + self._lease_ms:
            self._go_away()
        if not self._is_beating:
            self._is_beating = True
            self._spawn(self._beat())

    async def _beat(self) -> None:
        began = self._house.clock.now()
        some = self._some_owned()
        try:
            gone, heard = await self._run(self._beater, partial(self._renew, some))
        except StoreError as error:
            self._missed(error)
            return
        finally:
            self._is_beating = False
        self._time.follow(heard)
        began = self._time.asked_at(heard, began)
        if began - self._beaten_at > 2 * self._lease_ms // BEATS:
            # Others may have been cut off from the store with this node: they come first.
            self._take_from = began + self._lease_ms
        self._beaten_at = began
        self._house.metrics.beaten()
        for owned in some:
            if owned.game in gone:
                self._house.metrics.fencings.inc()
                remove(self._floor, owned)
                owned.let_go()
                _log.warning("game_taken_over", game=owned.game)
        if self._house.clock.now() < began + self._lease_ms:
            self._come_back()
            await self._take_over()

    def _renew(self, some: Sequence[Owned]) -> tuple[frozenset[str], Reading | None]:
        """Beat, and give those of some games that another node owns meanwhile.

        And what the beat told of the store's time.
        """
        beat, heard = self._time.ask(self._leases.beat)
        self._remember(beat)
        owners = self._leases.owners([owned.game for owned in some])
        gone = (game for game, owner in owners.items() if owner.node.name != self.node.name)
        return frozenset(gone), heard

    def _some_owned(self) -> Sequence[Owned]:
        """Give some games in turn: a frozen machine may not know how long it was away."""
        owned = find_owned(self._floor)
        if not owned:
            return ()
        self._checked %= len(owned)
        some = owned[self._checked : self._checked + _CHECKED]
        self._checked += _CHECKED
        return some

    def _missed(self, error: StoreError) -> None:
        if error.reason in _FATAL:
            self._go_away()
            self._is_leaving = True
            self._events.replaced(error)
            return
        # The gap to the beat that comes next is judged as longer than it was.
        now = self._house.clock.now()
        self._take_from = now + self._lease_ms
        if now - self._beaten_at > GIVE_UP_LEASES * self._lease_ms:
            self._is_leaving = True
            self._events.replaced(error)
        _log.warning("beat_failed", reason=error.reason)

    def _go_away(self) -> None:
        if self._floor.is_away:
            return
        games = self._floor.let_go()
        self._mislaid |= set(games)
        _log.error("lease_ran_out", games=len(games))
        self._events.store_away()

    def _come_back(self) -> None:
        if self._floor.is_away:
            self._floor.come_back()
            _log.info("lease_is_back")
            self._events.store_back()

    # Taking over.

    async def _take_over(self) -> None:
        """Take what may be taken, until nothing is left or the lease is gone."""
        if self._is_taking:
            return
        self._is_taking = True
        try:
            while not self._is_leaving and not self._floor.is_away:
                if self._unreleased:
                    await self._release_all()
                if not self._may_deal() and await self._leave_to_others():
                    return
                mine, now = frozenset(self._mislaid), self._house.clock.now()
                self._aside = {game: at for game, at in self._aside.items() if at > now}
                games = await self._run(self._recoverer, partial(self._find, mine, now))
                went_well = await asyncio.gather(*(self._take(game) for game in games))
                if len(games) < AT_ONCE or not any(went_well):
                    return
        except StoreError as error:
            self._missed(error)
        finally:
            self._is_taking = False

    def _find(self, mine: frozenset[str], now: int) -> list[str]:
        """Give the games to take now: those of this node's own, and its share of the others."""
        free = [game for game in self._leases.claimable(_LOOK) if game not in self._aside]
        if now < self._take_from:
            owners = self._leases.owners(free)
            share = [game for game in free if _is_unclaimed(owners.get(game), self.node.name)]
        else:
            # What the node whose share it was has not taken by now is anybody's.
            names = [node.name for node in self._leases.living()]
            place = names.index(self.node.name) if self.node.name in names else 0
            share = [
                game
                for game in free
                if crc32(game.encode()) % max(1, len(names)) == place or game in self._seen_free
            ]
            self._seen_free = frozenset(free)
        return [*mine, *(game for game in share if game not in mine)][:AT_ONCE]

    async def _leave_to_others(self) -> bool:
        """Release what is between hands, if another node lives; says whether one does. StoreError.

        An open hand that has its deck is played on here.
        """
        living = await self._run(self._recoverer, self._leases.living)
        if all(node.name == self.node.name for node in living):
            return False
        resting = [owned for owned in find_owned(self._floor) if owned.is_between_hands]
        await asyncio.gather(*(owned.stop(moving()) for owned in resting))
        for owned in resting:
            remove(self._floor, owned)
            self._unreleased.add(owned.game)
            _log.info("game_left_to_others", game=owned.game)
        self._unreleased |= {game for game in self._mislaid if running(self._floor, game) is None}
        self._mislaid.clear()
        await self._release_all()
        return True

    async def _release_all(self) -> None:
        """Release what has no table here; what can not be is tried again at the next beat."""
        games = tuple(game for game in self._unreleased if running(self._floor, game) is None)
        if not games:
            return
        try:
            await self._run(self._beater, partial(self._leases.release, games))
        except StoreError as error:
            _log.warning("release_failed", games=len(games), reason=error.reason)
        else:
            self._unreleased.difference_update(games)

    async def _take(self, game: str) -> bool:
        """Take over one game; what goes wrong with it is logged, and tried again later."""
        if running(self._floor, game) is not None:
            self._mislaid.discard(game)
            return True
        self._unreleased.discard(game)
        try:
            with spanning(self._house.tracing, "take over", game=game):
                recovered = await self._run(self._recoverer, self._recovery(game))
        except StoreError as error:
            if error.reason in _FATAL:
                self._missed(error)
            elif error.reason in _PASSES:
                # Whether it was claimed is unknown.
                self._mislaid.add(game)
                _log.warning("take_over_failed", game=game, reason=error.reason)
            else:
                # Such as a key that is missing here: another node may have it.
                _log.error("take_over_failed", game=game, reason=error.reason, why=str(error))
                await self._put_aside(game)
            return False
        except Exception as fault:  # noqa: BLE001 - one game that is broken stops no other
            _log.error("take_over_failed", game=game, exc_info=fault)
            await self._put_aside(game)
            return False
        await self._place(game, recovered)
        return True

    async def _put_aside(self, game: str) -> None:
        """Leave a game to the others, and try it again much later."""
        self._aside[game] = self._house.clock.now() + ASIDE_LEASES * self._lease_ms
        self._mislaid.discard(game)
        await self.release(game)

    def _recovery(
        self, game: str, *, closes: bool = False
    ) -> Callable[[], Recovered | RecoveredTournament | None]:
        return partial(recover_owned, self._house, self._store, game, self._signed, closes=closes)

    async def _place(self, game: str, recovered: Recovered | RecoveredTournament | None) -> None:
        if recovered is None:
            self._mislaid.discard(game)
        elif self._floor.is_away:
            self._mislaid.add(game)
        elif self._is_leaving:
            self._mislaid.discard(game)
            await self.release(game)
        else:
            self._mislaid.discard(game)
            self._aside.pop(game, None)
            owned = place(self._floor, recovered)
            owned.start(restarted=True)
            if not self._may_deal():
                # It was not there to be told when the source failed.
                for table in tables_of(owned):
                    table.randomness_failed()
            self._house.metrics.takeovers.inc()
            _log.info("game_taken", game=game)

    # The rest.

    async def _run(self, executor: ThreadPoolExecutor, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(executor, call)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            self._events.replaced(fault)


def _is_unclaimed(owner: Owner | None, name: str) -> bool:
    return owner is None or owner.node.name == name
