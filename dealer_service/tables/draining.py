"""How a dealer comes to its end without breaking a hand off.

No further hand opens; open ones are played on for a while, and calls are served as ever. Where the
store is shared, a table whose hand is over goes to another dealer at once.
"""

import asyncio
from collections.abc import Awaitable, Callable

from dealer_service.tables.floor import Floor
from dealer_service.tables.refused import moving
from dealer_service.tables.table import Table
from dealer_service.tables.tournament.tournament import Tournament

Release = Callable[[str], Awaitable[None]]


async def drain(floor: Floor, within_ms: int, release: Release | None) -> None:
    """Return when no hand is open any more, or the time is over.

    `release(game)` lets another dealer have a game; None where there is no other.
    """
    floor.open_no_more()
    clock, loop = floor.house.clock, asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()
    alone = [table for table in floor.tables if table.host is None]
    resting = [asyncio.ensure_future(_rest(floor, table, release)) for table in alone]
    resting += [asyncio.ensure_future(_rest_all(floor, one, release)) for one in floor.tournaments]
    all_rest = asyncio.ensure_future(_all(resting))

    def end() -> None:
        if not ended.done():
            ended.set_result(None)

    timer = clock.call_at(clock.now() + within_ms, end)
    try:
        await asyncio.wait([all_rest, ended], return_when=asyncio.FIRST_COMPLETED)
    finally:
        timer.cancel()
        for one in resting:
            one.cancel()
        await all_rest


async def _all(tables: list["asyncio.Task[None]"]) -> None:
    await asyncio.gather(*tables, return_exceptions=True)


async def _rest(floor: Floor, table: Table, release: Release | None) -> None:
    await asyncio.shield(table.come_to_rest())
    if release is not None:
        await table.stop(moving())
        floor.remove(table)
        await release(table.game)


async def _rest_all(floor: Floor, tournament: Tournament, release: Release | None) -> None:
    """Let a tournament's tables come to rest: it goes to another dealer as a whole."""
    await asyncio.shield(tournament.come_to_rest())
    if release is not None:
        await tournament.stop(moving())
        floor.remove_tournament(tournament)
        await release(tournament.game)
