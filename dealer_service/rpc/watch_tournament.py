"""Watching a tournament: what was logged from any line on, then what happens, to everybody."""

from collections.abc import AsyncGenerator
from typing import Final

from cutcard.v1 import tournament_pb2
from dealer_service.access.roles import Caller
from dealer_service.rpc.streams import Stalled
from dealer_service.rpc.watch import over, require_line, too_slow
from dealer_service.store.api import LogHead, LogState
from dealer_service.tables.floor import Floor
from dealer_service.tables.refused import (
    Refused,
    ServiceReason,
    archived,
    no_such_tournament,
)
from dealer_service.tables.replay import replay
from dealer_service.tables.tournament.tournament import Tournament
from dealer_service.tables.watchers import Batch, TooSlow

_OVER: Final = frozenset({LogState.REVEALED, LogState.LOST})


class WatchTournament:
    """The stream of a tournament."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor

    async def watch(
        self, _caller: Caller, asked: tournament_pb2.WatchTournamentRequest
    ) -> AsyncGenerator[bytes, None]:
        """Stream a tournament from a line on; ends with one that is closed."""
        start: int = getattr(asked, "from")
        messages = await self._messages(asked.tournament, start)
        try:
            async for message in messages:
                try:
                    yield message
                except Stalled as stalled:
                    await messages.athrow(stalled)
        finally:
            await messages.aclose()

    async def _messages(self, tournament: str, start: int) -> AsyncGenerator[bytes, None]:
        if self._floor.running_tournament(tournament) is None:
            head = await self._head(tournament)
            if head.facts.state is LogState.ARCHIVED:
                raise archived()
            if head.facts.state in _OVER:
                return over(self._floor.house, head, start, wire)
        try:
            return _live(await self._floor.tournament(tournament), start)
        except Refused as refusal:
            if refusal.refusal.reason != ServiceReason.GAME_OVER:
                raise
            # It closed between the two looks.
            return over(self._floor.house, await self._head(tournament), start, wire)

    async def _head(self, tournament: str) -> LogHead:
        head = await self._floor.house.read(lambda store: store.head(tournament))
        if head is None or not head.is_tournament:
            raise no_such_tournament()
        return head


def wire(batch: Batch) -> bytes:
    """Serialise lines of a tournament; once, however many watchers they go to."""
    if batch.wire is None:
        batch.wire = tournament_pb2.WatchTournamentResponse(
            first=batch.first, lines=batch.lines, checkpoint=batch.checkpoint
        ).SerializeToString()
    return batch.wire


async def _live(tournament: Tournament, start: int) -> AsyncGenerator[bytes, None]:
    """Tell a tournament that runs: what was, then what becomes."""
    standing = tournament.standing
    require_line(start, standing.size)
    # From here on nothing is missed: what becomes durable meanwhile waits in the backlog.
    watcher = tournament.audience.join("", start)
    try:
        async for batch in replay(tournament.house, tournament.game, start, standing.size):
            yield wire(batch)
            watcher.resume = batch.end
        if standing.checkpoint_size == standing.size:
            yield wire(Batch(standing.size, checkpoint=standing.checkpoint))
        async for message in watcher:
            if isinstance(message, Batch):
                yield wire(message)
        # Unless it is at its end, it goes on later: the watcher is told so.
        tournament.require_running()
    except (TooSlow, Stalled) as slow:
        raise too_slow(watcher.resume) from slow
    finally:
        tournament.audience.leave(watcher)
