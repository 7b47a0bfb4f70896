"""A tournament whose players never come: its tables play it to the end by the clock alone."""

import asyncio
from typing import Any

from cutcard.v1 import entry_pb2, tournament_entry_pb2, tournament_pb2
from dealer_service.tables.tournament.tournament import Tournament
from tests.support.service import PATIENCE, Service, fresh_id


def structure_of(
    *, players: int = 4, seats: int = 2, hands: int = 3, **rules: Any
) -> tournament_entry_pb2.Structure:
    """Give the structure of a tournament that starts when so many are in.

    Its levels are of so many hands, and in the third the blinds are as high as the stacks.
    """
    levels = [
        tournament_entry_pb2.Level(small_blind=n, big_blind=2 * n, chip_unit=25, length=hands)
        for n in (25, 100, 1_000, 5_000)
    ]
    return tournament_entry_pb2.Structure(
        name="Night event",
        rules=entry_pb2.RuleSet(seats=seats, **rules),
        stack=1_000,
        players_max=players,
        level_by="hands",
        levels=levels,
        buy_in=100,
        fee=10,
    )


async def open_event(service: Service, **structure: Any) -> str:
    """Open a tournament of such a structure."""
    request = tournament_pb2.OpenTournamentRequest(
        request_id=fresh_id(), structure=structure_of(**structure)
    )
    answer = await service.tournaments.OpenTournament(request, metadata=service.operator)
    return answer.tournament


def registering(event: str) -> tournament_pb2.RegisterRequest:
    """Ask for a place, without the promise to give links."""
    return tournament_pb2.RegisterRequest(
        request_id=fresh_id(), tournament=event, accepts_reveal="all_cards"
    )


async def register(service: Service, event: str, *names: str) -> None:
    """Let players register who will give no links."""
    for name in names:
        await service.tournaments.Register(registering(event), metadata=service.header(name))


def running(service: Service, event: str) -> Tournament:
    """Give a tournament that runs at a dealer."""
    found = service.dealer.floor.running_tournament(event)
    assert found is not None
    return found


async def play_out(service: Service, event: str) -> None:
    """Let time pass until a tournament is over."""
    async with asyncio.timeout(PATIENCE):
        while service.dealer.floor.running_tournament(event) is not None:
            service.advance(500)
            await asyncio.sleep(0)
