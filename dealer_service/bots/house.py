"""The house players of one table: seated one after another, and played at the same time."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from dealer_service.bots.choosing import Chance
from dealer_service.bots.level import Level
from dealer_service.bots.player import HousePlayer, Manner, Stay
from dealer_service.client import Dealer, Event


def draw_chance(seed: int | None, player: str) -> Chance:
    """Give a player's own chance: the same again for the same seed, else the system's.

    It decides how a house player plays and nothing else; no card depends on it.
    """
    if seed is None:
        return random.SystemRandom().random
    return random.Random(f"{seed}/{player}").random  # noqa: S311 - a mood, not a card


async def seat_players(  # noqa: PLR0913 - what players are seated with
    dealers: Sequence[Dealer],
    game: str,
    directory: Path,
    manner: Manner,
    *,
    levels: Sequence[Level] = (),
    seed: int | None = None,
    ponder: Callable[[], Awaitable[None]] | None = None,
    hear: Callable[[Event], None] | None = None,
) -> list[HousePlayer]:
    """Seat one house player for each connection, in its order; CallRefusedError, FileError.

    Their records and chains are in `directory`. `levels` are dealt out in turn, where there are
    any, in place of the manner's own. `hear` is told what the first of them hears.
    """
    players: list[HousePlayer] = []
    for number, dealer in enumerate(dealers):
        seat = await dealer.sit(game, stack=manner.stack, directory=directory)
        own = replace(manner, level=levels[number % len(levels)]) if levels else manner
        chance = draw_chance(seed, dealer.player)
        told = hear if not players else None
        players.append(HousePlayer(seat, own, chance, ponder=ponder, hear=told))
    return players


async def play_all(
    players: Sequence[HousePlayer], begin: Callable[[], Awaitable[object]] | None = None
) -> list[Stay]:
    """Play every seat to its end; `begin` is called when all of them are at the table."""
    running = [asyncio.ensure_future(player.run()) for player in players]
    try:
        if begin is not None:
            await asyncio.gather(*(player.caught_up.wait() for player in players))
            await begin()
        return list(await asyncio.gather(*running))
    finally:
        for stay in running:
            stay.cancel()
        await asyncio.gather(*running, return_exceptions=True)
