"""GetStatistics: what each player did over the hands of a game so far, counted from its lines.

Counting goes on from where it last ended, so that asking again costs the lines that are new; those
who are told later are told the counts of the lines that they are told.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from cutcard.v1 import play_pb2
from dealer_service.access.roles import Caller
from dealer_service.rpc.delay import Delay
from dealer_service.rules.statistics import Count, count_on, tell
from dealer_service.store.api import LogState, Store
from dealer_service.tables.floor import Floor
from dealer_service.tables.lines import decode
from dealer_service.tables.refused import archived, lost

REMEMBERED: Final = 256
"""Of so many games the counts are kept, to go on from."""

PAGE: Final = 1_000
"""So many lines are counted at a time: other reads of the store come in between."""


@dataclass(frozen=True, slots=True)
class _Counted:
    """The counts over the first `size` lines of a game."""

    size: int = 0
    count: Count = field(default_factory=Count)


class Statistics:
    """The statistics of all games of a dealer."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._delay = Delay(floor)
        # Who is told later is told fewer lines, which grow likewise.
        self._counted: OrderedDict[tuple[str, bool], _Counted] = OrderedDict()

    async def get_statistics(self, caller: Caller, asked: play_pb2.GetStatisticsRequest) -> bytes:
        """Give the counts of every player that was dealt in."""
        game = asked.game
        past = await self._delay.past(caller, game)
        size = await self._size(game) if past is None else past.size
        counted = await self._count(game, size, is_past=past is not None)
        told = tell(counted.count)
        message = play_pb2.GetStatisticsResponse(
            people_only=told.people_only,
            players=[
                play_pb2.PlayerStatistics(
                    player=one.player,
                    hands=one.hands,
                    vpip=one.vpip,
                    pfr=one.pfr,
                    showdowns=one.showdowns,
                    won_at_showdown=one.won_at_showdown,
                )
                for one in told.players
            ],
            size=counted.size,
        )
        return message.SerializeToString()

    async def _size(self, game: str) -> int:
        """Give the durable size of a game that may be told at once; any node knows it."""
        table = self._floor.running(game)
        if table is not None:
            return table.standing.size
        head = await self._floor.head(game)
        if head.facts.state is LogState.ARCHIVED:
            raise archived()
        if head.facts.state is LogState.LOST:
            raise lost(head.signed_size)
        return head.next_index

    async def _count(self, game: str, size: int, *, is_past: bool) -> _Counted:
        key = game, is_past
        counted = self._counted.get(key, _Counted())
        if counted.size > size:
            counted = _Counted()
        while counted.size < size:
            until = min(size, counted.size + PAGE)
            counted = await self._floor.house.read(
                partial(_count_on, log=game, counted=counted, until=until)
            )
            if counted.size < until:
                # The store has just forgotten the rest.
                raise archived()
        self._counted[key] = counted
        self._counted.move_to_end(key)
        if len(self._counted) > REMEMBERED:
            self._counted.popitem(last=False)
        return counted


def _count_on(store: Store, *, log: str, counted: _Counted, until: int) -> _Counted:
    count = counted.count
    lines = store.lines(log, counted.size, until - counted.size)
    for line in lines:
        _, entry = decode(line)
        count = count_on(count, entry)
    return _Counted(counted.size + len(lines), count)
