"""A tournament at a dealer in the test's own process, called over the wire and no further."""

import asyncio
from typing import Any

from cutcard.v1 import play_pb2, tournament_entry_pb2, tournament_pb2
from dealer_service.access.roles import Role
from tests.support.service import PATIENCE, Bot, Service, fresh_id, read

Shares = dict[str, int]


def structure(players: int = 3, *, seats: int = 3, **fields: Any) -> tournament_entry_pb2.Structure:
    """Give a small structure whose hands end at once."""
    given = {"players_max": players, "stack": 200, "buy_in": 10, "fee": 1} | fields
    made = tournament_entry_pb2.Structure(**given)
    made.rules.seats = seats
    return made


def all_in(_bot: Bot, decision: play_pb2.Decision) -> tuple[int, int]:
    """Bet all there is, whenever that may be."""
    if decision.HasField("bet"):
        return play_pb2.ACT_BET, decision.bet.to
    if decision.HasField("raise"):
        return play_pb2.ACT_RAISE, getattr(decision, "raise").to
    return (play_pb2.ACT_CALL, 0) if decision.call else (play_pb2.ACT_CHECK, 0)


class Event:
    """One tournament, with everything that may be called of it."""

    def __init__(self, service: Service, tournament: str) -> None:
        self.service, self.id = service, tournament
        self.bots: list[Bot] = []

    @classmethod
    async def open(
        cls, service: Service, made: tournament_entry_pb2.Structure, reference: str = ""
    ) -> "Event":
        request = tournament_pb2.OpenTournamentRequest(
            request_id=fresh_id(), structure=made, reference=reference
        )
        answer = await service.tournaments.OpenTournament(request, metadata=service.operator)
        return cls(service, answer.tournament)

    async def call(
        self, method: str, who: str = "", role: Role = Role.PLAYER, **fields: Any
    ) -> Any:
        """Make a call as a player, or as the operator where none is named."""
        kind = getattr(tournament_pb2, f"{method}Request")
        given: dict[str, Any] = {"tournament": self.id} | fields
        if "request_id" in kind.DESCRIPTOR.fields_by_name:
            given.setdefault("request_id", fresh_id())
        header = self.service.header(who, role) if who else self.service.operator
        return await getattr(self.service.tournaments, method)(kind(**given), metadata=header)

    async def register(self, *names: str, role: Role = Role.PLAYER, **fields: Any) -> None:
        for name in names:
            given = {"accepts_reveal": "all_cards"} | fields
            await self.call("Register", name, role, **given)

    async def lobby(self, who: str = "") -> tournament_pb2.GetTournamentResponse:
        answer = await self.call("GetTournament", who)
        assert isinstance(answer, tournament_pb2.GetTournamentResponse)
        return answer

    async def players(self) -> dict[str, tournament_pb2.TournamentPlayer]:
        return {one.player: one for one in (await self.lobby()).players}

    async def sit(self, policy: Any = all_in) -> None:
        """Have everybody that sits play by a policy, at the table where it sits now."""
        for name, one in (await self.players()).items():
            if one.game:
                bot = Bot(self.service, name, links=False, policy=policy)
                bot.seat = one.seat
                bot.watch(one.game)
                self.bots.append(bot)

    async def watch(self, start: int = 0, until: str = "") -> list[tuple[str, dict[str, Any]]]:
        """Read the log's lines from one on, to the end or the first of a kind."""
        request = tournament_pb2.WatchTournamentRequest(tournament=self.id, **{"from": start})
        header = self.service.header("watcher", Role.WATCHER)
        stream = self.service.tournaments.WatchTournament(request, metadata=header)
        told: list[tuple[str, dict[str, Any]]] = []
        try:
            async with asyncio.timeout(PATIENCE):
                async for message in stream:
                    assert not message.lines or message.first == start + len(told)
                    told += [read(line) for line in message.lines]
                    if until and any(kind == until for kind, _ in told):
                        break
        finally:
            stream.cancel()
        return told

    async def stop(self) -> None:
        for bot in self.bots:
            await bot.stop()
