"""A person in the terminal who went away from a tournament, and plays again."""

import asyncio
from pathlib import Path

from dealer_service.access.roles import Role
from dealer_service.client import CaughtUp, TableChanged
from dealer_service.commands.places import InTournament
from dealer_service.tables.clock import SystemClock
from tests.support.service import serving
from tests.support.tournament_players import Player, dealer, structure


async def test_who_plays_again_is_absent_no_more(tmp_path: Path) -> None:
    async with serving(tmp_path / "dealer", clock=SystemClock()) as service:
        async with dealer(service, "operator", Role.OPERATOR) as operator:
            rules = structure(2, seats=2, stack=20_000)
            tournament = (await operator.tournaments.open(rules)).tournament
        async with dealer(service, "ann") as first, dealer(service, "bob") as other:
            bob = asyncio.create_task(
                Player(await other.enter(tournament, directory=tmp_path / "bob")).play()
            )
            contest = await first.enter(tournament, directory=tmp_path / "ann")
            place = InTournament(contest, first.tournaments.withdraw)
            async with asyncio.timeout(30):
                async for event in place:
                    if isinstance(event, CaughtUp):
                        await place.leave()
                        break
            async with dealer(service, "ann") as again:
                contest = await again.enter(tournament, directory=tmp_path / "ann")
                async with asyncio.timeout(30):
                    async for event in InTournament(contest, again.tournaments.withdraw):
                        if isinstance(event, TableChanged) and event.kind == "came_back":
                            break
                assert not contest.is_away
            bob.cancel()
