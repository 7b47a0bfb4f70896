"""Watching: what was logged from any line on, then what happens, to each who may see it."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from cutcard.v1 import play_pb2
from dealer_service.access.roles import Caller, Role
from dealer_service.rpc.convert import wire
from dealer_service.rpc.streams import Stalled
from dealer_service.store.api import LogHead, LogState
from dealer_service.tables.floor import Floor
from dealer_service.tables.refused import Refused, ServiceReason, refused
from dealer_service.tables.replay import replay
from dealer_service.tables.standing import Standing
from dealer_service.tables.table import Table
from dealer_service.tables.watchers import Batch, TooSlow


class Watch:
    """The stream of a game."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor

    async def watch(
        self, caller: Caller, asked: play_pb2.WatchRequest
    ) -> AsyncGenerator[bytes, None]:
        """Stream a game from a line on; ends with a game that is closed and revealed."""
        start: int = getattr(asked, "from")
        player = caller.name if caller.role is Role.PLAYER else ""
        table = self._floor.running(asked.game)
        if table is None:
            head = await self._floor.head(asked.game)
            if head.facts.state in {LogState.REVEALED, LogState.LOST}:
                messages = self._over(head, start)
            else:
                messages = _live(await self._floor.table(asked.game), player, start)
        else:
            messages = _live(table, player, start)
        async with aclosing(messages):
            async for message in messages:
                try:
                    yield message
                except Stalled as stalled:
                    await messages.athrow(stalled)

    async def _over(self, head: LogHead, start: int) -> AsyncGenerator[bytes, None]:
        """Tell a game that is over; of a lost one what is left, and then that it is lost."""
        _require_line(start, head.next_index)
        resume = start
        try:
            async for batch in replay(self._floor.house, head.log, start, head.next_index):
                yield wire(batch)
                resume = batch.end
        except Stalled as slow:
            raise _too_slow(resume) from slow
        if head.facts.state is LogState.LOST:
            await self._floor.table(head.log)


async def _live(table: Table, player: str, start: int) -> AsyncGenerator[bytes, None]:
    """Tell a game that runs: what was, then what is, then what becomes."""
    standing = table.standing
    _require_line(start, standing.size)
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
        # Unless the game is at its end, it goes on later: the watcher is told so.
        table.require_running()
    except (TooSlow, Stalled) as slow:
        raise _too_slow(watcher.resume) from slow
    finally:
        table.audience.leave(watcher)


def _as_it_stands(standing: Standing) -> Batch:
    covered = standing.checkpoint_size == standing.size
    return Batch(
        standing.size,
        checkpoint=standing.checkpoint if covered else "",
        decision=standing.decision,
        deadline=standing.deadline,
    )


def _too_slow(resume: int) -> Refused:
    why = f"the watcher reads too slowly: watch again from {resume}"
    return refused(ServiceReason.WATCHED_TOO_SLOWLY, why, {"resume": resume})


def _require_line(start: int, size: int) -> None:
    if start > size:
        message = f"the log has {size} lines: watch from {size} at most"
        raise refused(ServiceReason.NO_SUCH_LINE, message, {"size": size})
