"""A tournament whose players never come: its tables play it to the end by the clock alone."""

from typing import Any

from cutcard.v1 import entry_pb2, tournament_entry_pb2, tournament_pb2
from dealer_service.tables.tournament.tournament import Tournament
from tests.support.service import Service, fresh_id


async def open_event(service: Service, *, players: int = 4, seats: int = 2, **rules: Any) -> str:
    """Open a tournament that starts when so many are in.

    Its levels are of three hands, and in the third the blinds are as high as the stacks.
    """
    levels = [
        tournament_entry_pb2.Level(small_blind=n, big_blind=2 * n, chip_unit=25, length=3)
        for n in (25, 100, 1_000, 5_000)
    ]
    structure = tournament_entry_pb2.Structure(
        name="Night event",
        rules=entry_pb2.RuleSet(seats=seats, **rules),
        stack=1_000,
        players_max=players,
        level_by="hands",
        levels=levels,
        buy_in=100,
        fee=10,
    )
    request = tournament_pb2.OpenTournamentRequest(request_id=fresh_id(), structure=structure)
    answer = await service.tournaments.OpenTournament(request, metadata=service.operator)
    return answer.tournament


async def register(service: Service, event: str, *names: str) -> None:
    """Let players register who will give no links."""
    for name in names:
        request = tournament_pb2.RegisterRequest(
            request_id=fresh_id(), tournament=event, accepts_reveal="all_cards"
        )
        await service.tournaments.Register(request, metadata=service.header(name))


def running(service: Service, event: str) -> Tournament:
    """Give a tournament that runs at a dealer."""
    found = service.dealer.floor.running_tournament(event)
    assert found is not None
    return found
