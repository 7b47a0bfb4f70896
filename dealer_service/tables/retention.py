"""Finished games: each gets its file, and is forgotten by the store when it has been over for long.

So do tournaments, each forgotten with all of its tables when the last of them has been over for
long, and never one of them alone.

A file is written when its game is revealed; at the start, and once an hour, all finished games are
looked through, so that none is missed. The store forgets a game only after its file was read back
and is, by its hash, what the store would give. When a file can not be written, such as on a full
disk, nothing is forgotten and it is tried again, later each time.

Of a store that several dealers share, a game's file is written by the node that owns it, or by any
where that one is gone.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from dealer_service.rules.entry import GameOpened
from dealer_service.store.api import UNFINISHED, LogHead, LogState, Store
from dealer_service.store.refusal import StoreError
from dealer_service.tables.archive import Archive
from dealer_service.tables.clock import Timer  # noqa: TC001 - it annotates attributes alone
from dealer_service.tables.house import House
from dealer_service.tables.lines import decode, read_time
from dealer_service.tables.past import COVERED_MS
from dealer_service.tables.refused import Refused
from dealer_service.tables.shelf import Shelf

SWEEP_MS: Final = 3_600_000
"""How often all finished games are looked through, at least; more often for a short `retain`."""

FIRST_RETRY_MS: Final = 1_000
LONGEST_RETRY_MS: Final = 60_000
MOST_PENDING: Final = 10_000
"""So many games are known as to be written; when there are more, all are looked through again."""

_PAGE: Final = 100

FindMine = Callable[[Sequence[str]], Collection[str]]
"""Gives those of some games that fall to this node; it blocks."""

_log = structlog.get_logger("archive")


class Retention:
    """Keeps the shelf in `directory`; without one nothing is kept, and this does nothing.

    `retain` is in seconds from the reveal, None where nothing is forgotten.
    """

    def __init__(self, directory: Path | None, retain: float | None) -> None:
        self.shelf = None if directory is None else Shelf(directory)
        self._retain = None if retain is None else int(retain * 1000)
        self._pending: dict[str, None] = {}
        self._sweeps = True
        self._called = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._timer: Timer | None = None
        self._retry = 0

    def note(self, game: str) -> None:
        """Learn that a game of this dealer is revealed."""
        if self.shelf is None:
            return
        if len(self._pending) >= MOST_PENDING:
            self._pending.clear()
            self._sweeps = True
        self._pending[game] = None
        if not self._retry:
            self._called.set()

    def start(self, house: House, *, find_mine: FindMine) -> None:
        """Begin, with what was revealed while the dealer was down.

        `find_mine(games)` gives those of which this node is the one that writes the file.
        """
        if self.shelf is not None:
            work = _Work(house, self.shelf, self._retain, find_mine)
            self._task = asyncio.ensure_future(self._run(house, work))

    async def stop(self) -> None:
        """Begin nothing more; what is half written is left out, and comes at the next start."""
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        if self.shelf is not None:
            self.shelf.close()

    async def _run(self, house: House, work: "_Work") -> None:
        while True:
            try:
                await self._catch_up(work)
            except (OSError, StoreError) as fault:
                if not self._retry:
                    _log.error("archive_failed", reason=str(fault))
                house.metrics.archive_failures.inc()
                self._retry = min(2 * self._retry or FIRST_RETRY_MS, LONGEST_RETRY_MS)
                self._ring_after(house, self._retry)
            else:
                if self._retry:
                    _log.info("archive_is_back")
                self._retry = 0
                every = SWEEP_MS if self._retain is None else min(SWEEP_MS, self._retain)
                self._ring_after(house, max(every, FIRST_RETRY_MS), sweeps=True)
            house.metrics.archive_pending.set(len(self._pending))
            await self._called.wait()
            self._called.clear()

    async def _catch_up(self, work: "_Work") -> None:
        """Do all that is to be done now; OSError or StoreError where that can not be."""
        if self._sweeps:
            await work.sweep()
            self._sweeps = False
        while self._pending:
            game = next(iter(self._pending))
            await work.pass_over_broken(game, work.write(game))
            self._pending.pop(game, None)

    def _ring_after(self, house: House, ms: int, *, sweeps: bool = False) -> None:
        def ring() -> None:
            self._sweeps = self._sweeps or sweeps
            self._called.set()

        if self._timer is not None:
            self._timer.cancel()
        self._timer = house.clock.call_at(house.clock.now() + ms, ring)


class _Work:
    """What is done with finished games, one at a time."""

    def __init__(
        self,
        house: House,
        shelf: Shelf,
        retain: int | None,
        find_mine: FindMine,
    ) -> None:
        self._house = house
        self._shelf = shelf
        self._retain = retain
        self._find_mine = find_mine
        self._archive = Archive(house)

    async def sweep(self) -> None:
        """Look through all finished games, then all finished tournaments, a page at a time."""
        await self._shelf.do(self._shelf.prepare)
        await self._sweep(tournaments=False)
        await self._sweep(tournaments=True)

    async def _sweep(self, *, tournaments: bool) -> None:
        after = 0
        while True:
            page = partial(_page, after=after, find_mine=self._find_mine, tournaments=tournaments)
            heads, mine = await self._house.read(page)
            for head in mine:
                await self.pass_over_broken(head.log, self._look_at(head))
            if len(heads) < _PAGE:
                return
            after = heads[-1].number

    async def pass_over_broken(self, game: str, work: Awaitable[None]) -> None:
        """Do something for one game; what is wrong with it alone keeps no other game from its file.

        OSError or StoreError, which concern all of them.
        """
        try:
            await work
        except (OSError, StoreError):
            raise
        except Exception as fault:  # noqa: BLE001 - a log that does not fit together, whatever it is
            self._house.metrics.archive_failures.inc()
            _log.error("archive_failed", game=game, exc_info=fault)

    async def _look_at(self, head: LogHead) -> None:
        await self.write(head.log)
        if self._retain is None or head.owned_as != head.log:
            return
        heads = await self._house.read(partial(_all_of, head=head))
        over = [await self._house.read(partial(_over_since, head=one)) for one in heads]
        # Who is told later has been told everything by then.
        if heads and all(
            times is not None and times[0] + max(self._retain, times[1]) <= self._house.clock.now()
            for times in over
        ):
            await self._forget(head.log, [one.log for one in heads])

    async def write(self, game: str) -> None:
        """Write a game's file, unless it is there."""
        if await self._shelf.do(partial(self._shelf.has, game)):
            return
        draft = await self._shelf.do(partial(self._shelf.draft, game))
        try:
            async for chunk in self._archive.game_file(game):
                await self._shelf.do(partial(draft.write, chunk))
            await self._shelf.do(draft.finish)
        except Refused:
            # Another node has written the file, and the store has forgotten the game, just now.
            draft.drop()
            return
        except BaseException:
            # Also when the dealer stops in the middle of it.
            draft.drop()
            raise
        self._house.metrics.filed.inc()
        _log.info("game_filed", game=game, file=str(self._shelf.path(game)))

    async def _forget(self, name: str, games: Sequence[str]) -> None:
        """Let the store forget a game, or a tournament with its tables: those whose files it has.

        Nothing is forgotten where one of the files is not what the store would give.
        """
        for game in games:
            if not await self._is_filed(game):
                return
        # It may take a while for a long game: whoever reads of another one is not kept waiting.
        store = await self._house.read(lambda store: store)
        if await self._shelf.do(partial(store.archive, name)):
            self._house.metrics.forgotten.inc(len(games))
            _log.info("game_archived", game=name, games=len(games))

    async def _is_filed(self, game: str) -> bool:
        """Write a game's file, unless it is there, and say whether it is what the store gives."""
        await self.write(game)
        digest = hashlib.sha256()
        try:
            async for chunk in self._archive.game_file(game):
                digest.update(chunk)
        except Refused:
            return False
        filed = await self._shelf.do(partial(self._shelf.digest, game))
        if filed != digest.digest():
            self._house.metrics.archive_failures.inc()
            _log.error("archive_differs", game=game, file=str(self._shelf.path(game)))
        return filed == digest.digest()


def _all_of(store: Store, *, head: LogHead) -> tuple[LogHead, ...]:
    """Give a game's head, or those of a tournament that are to be forgotten together.

    None as long as one of these goes on.
    """
    heads = store.group(head.log) if head.is_tournament else (head,)
    if any(one.facts.state in UNFINISHED for one in heads):
        return ()
    return tuple(one for one in heads if one.facts.state is LogState.REVEALED)


def _page(
    store: Store, *, after: int, find_mine: FindMine, tournaments: bool
) -> tuple[tuple[LogHead, ...], list[LogHead]]:
    heads = store.heads(state=LogState.REVEALED, tournaments=tournaments, after=after, limit=_PAGE)
    mine = find_mine([head.log for head in heads])
    return heads, [head for head in heads if head.log in mine]


def _over_since(store: Store, *, head: LogHead) -> tuple[int, int] | None:
    """Give the time of a log's last line, and the delay of its game; None where they are gone."""
    first = store.lines(head.log, 0, 1)
    last = store.lines(head.log, head.next_index - 1, 1)
    if not first or not last:
        return None
    if head.is_tournament:
        return read_time(last[0]), 0
    _, opened = decode(first[0])
    delay = opened.rules.watch_delay_ms if isinstance(opened, GameOpened) else None
    return read_time(last[0]), delay + COVERED_MS if delay else 0
