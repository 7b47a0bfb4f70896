"""What is over is let go of: a dealer that serves for months keeps no more than what runs."""

import asyncio
import gc
import weakref
from typing import Any

from tests.support.service import Service, seated, stop


async def gone(*parts: "weakref.ref[Any]") -> None:
    """Wait until nothing refers to any of these; no garbage is collected meanwhile."""
    gc.disable()
    try:
        async with asyncio.timeout(30):
            while any(part() is not None for part in parts):  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0)
    finally:
        gc.enable()


async def test_the_table_of_a_game_that_is_over_is_let_go_of(service: Service) -> None:
    """Whatever clock was set for it."""
    game = await service.open_game(max_hands=2, turn_ms=3_600_000, pause_ms=0)
    bots = await seated(service, game, "ann", "bob")
    table = service.table(game)
    parts: list[weakref.ref[Any]] = [weakref.ref(table), weakref.ref(table.dealing)]
    del table
    for bot in bots:
        await bot.until_over()
    await stop(bots)
    await gone(*parts)
