"""Watching: what was logged from any line on, then what happens, to each who may see it."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace

from cutcard.v1 import play_pb2
from dealer_service.access.roles import Caller
from dealer_service.rpc.convert import wire
from dealer_service.rpc.delay import Delay, is_delayed
from dealer_service.rpc.streams import Stalled
from dealer_service.store.api import LogHead, LogState
from dealer_service.tables.afar import Followed
from dealer_service.tables.floor import Floor
from dealer_service.tables.house import House
from dealer_service.tables.past import DelayRule
from dealer_service.tables.refused import Refused, ServiceReason, archived, lost, refused
from dealer_service.tables.replay import replay
from dealer_service.tables.standing import Standing
from dealer_service.tables.table import Table
from dealer_service.tables.watchers import Batch, TooSlow


class _Moved(Exception):  # noqa: N818 - the watcher is told at another time from here on
    def __init__(self, resume: int) -> None:
        super().__init__(f"moved at {resume}")
        self.resume = resume


class Watch:
    """The stream of a game."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._delay = Delay(floor)

    async def watch(
        self, caller: Caller, asked: play_pb2.WatchRequest
    ) -> AsyncGenerator[bytes, None]:
        """Stream a game from a line on; ends with a game that is closed and revealed."""
        start: int = getattr(asked, "from")
        has_moved = False
        while True:
            rule = await self._delay.rule(caller, asked.game)
            if rule is not None:
                messages = self._later(caller, asked.game, rule, start, has_moved=has_moved)
            else:
                messages = await self._now(caller, asked.game, start)
            try:
                async with aclosing(messages):
                    async for message in messages:
                        try:
                            yield message
                        except Stalled as stalled:
                            await messages.athrow(stalled)
            except _Moved as moved:
                # It has sat down or left its seat: the stream goes on from there.
                start, has_moved = moved.resume, True
            else:
                return

    async def _now(self, caller: Caller, game: str, start: int) -> AsyncGenerator[bytes, None]:
        """Tell a game as it goes."""
        table = self._floor.running(game)
        if table is None:
            head = await self._floor.head(game)
            if head.facts.state is LogState.ARCHIVED:
                raise archived()
            if head.facts.state in {LogState.REVEALED, LogState.LOST}:
                return over(self._floor.house, head, start, wire)
        try:
            return _live(await self._floor.watched(game, _player(caller)), caller, start)
        except Refused as refusal:
            if refusal.refusal.reason != ServiceReason.GAME_OVER:
                raise
            # It was revealed between the two looks.
            return await self._now(caller, game, start)

    async def _later(
        self, caller: Caller, game: str, rule: DelayRule, start: int, *, has_moved: bool
    ) -> AsyncGenerator[bytes, None]:
        """Tell a game by its delay; who has moved here knows more of it than is told by then."""
        house = self._floor.house
        delayed = await house.delays.open(house, game, rule)
        size, signed, stands = delayed.size, delayed.signed, delayed.as_it_stands()
        watcher = delayed.audience.join(_player(caller), start)
        try:
            if await self._delay.rule(caller, game) is None:
                # It sat down while its stream began.
                raise _Moved(start)
            if not has_moved:
                require_line(start, size)
            async for batch in replay(house, game, start, size, signed):
                yield wire(batch)
                watcher.resume = batch.end
            if start <= size:
                yield wire(stands)
            async for message in watcher:
                if isinstance(message, Batch) and (rest := _behind(message, start)) is not None:
                    yield wire(rest)
            if watcher.moved:
                raise _Moved(watcher.resume)
            if delayed.fault is not None:
                raise delayed.fault
        except (TooSlow, Stalled) as slow:
            raise too_slow(watcher.resume) from slow
        finally:
            delayed.audience.leave(watcher)
            house.delays.leave(game, delayed)


async def _live(table: Table | Followed, caller: Caller, start: int) -> AsyncGenerator[bytes, None]:
    """Tell a game that runs: what was, then what is, then what becomes."""
    standing, player = table.standing, _player(caller)
    if is_delayed(caller, standing.state):
        raise _Moved(start)
    require_line(start, standing.size)
    # From here on nothing is missed: what becomes durable meanwhile waits in the backlog.
    watcher = table.audience.join(player, start)
    try:
        async for batch in replay(table.house, table.game, start, standing.size):
            yield wire(batch)
            watcher.resume = batch.end
        own = standing.openings.get(player) if standing.state.play else None
        if own is not None:
            yield wire(own)
        yield wire(_as_it_stands(standing))
        async for message in watcher:
            yield wire(message)
        if watcher.moved:
            raise _Moved(watcher.resume)
        # Unless the game is at its end, it goes on later: the watcher is told so.
        table.require_running()
    except (TooSlow, Stalled) as slow:
        raise too_slow(watcher.resume) from slow
    finally:
        table.audience.leave(watcher)


def _player(caller: Caller) -> str:
    return caller.name if caller.plays else ""


def _behind(batch: Batch, start: int) -> Batch | None:
    """Give the part of a batch that is not told yet, of one whose lines before `start` are."""
    if start <= batch.first:
        return batch
    if batch.end <= start:
        return None
    return replace(batch, first=start, lines=batch.lines[start - batch.first :], wire=None)


def _as_it_stands(standing: Standing) -> Batch:
    covered = standing.checkpoint_size == standing.size
    return Batch(
        standing.size,
        checkpoint=standing.checkpoint if covered else "",
        decision=standing.decision,
        deadline=standing.deadline,
    )


async def over(
    house: House, head: LogHead, start: int, serialise: Callable[[Batch], bytes]
) -> AsyncGenerator[bytes, None]:
    """Tell a log that is over; of a lost one what is left, and then that it is lost."""
    require_line(start, head.next_index)
    resume = start
    try:
        async for batch in replay(house, head.log, start, head.next_index):
            yield serialise(batch)
            resume = batch.end
    except Stalled as slow:
        raise too_slow(resume) from slow
    if resume < head.next_index:
        # The store has just forgotten the rest.
        raise archived()
    if head.facts.state is LogState.LOST:
        raise lost(head.signed_size)


def too_slow(resume: int) -> Refused:
    """Build the refusal of a watcher that reads too slowly."""
    why = f"the watcher reads too slowly: watch again from {resume}"
    return refused(ServiceReason.WATCHED_TOO_SLOWLY, why, {"resume": resume})


def require_line(start: int, size: int) -> None:
    """Raise Refused NO_SUCH_LINE where a log does not reach to `start`."""
    if start > size:
        message = f"the log has {size} lines: watch from {size} at most"
        raise refused(ServiceReason.NO_SUCH_LINE, message, {"size": size})
