"""Players of a tournament by the typed client, who play as plainly as can be, at a real dealer."""

import asyncio
from pathlib import Path
from typing import Any

from cutcard.v1 import tournament_entry_pb2
from dealer_service.access.roles import Role
from dealer_service.access.tokens import issue
from dealer_service.client import (
    Act,
    Contest,
    Dealer,
    MyTurn,
    TournamentEvent,
    TournamentFollower,
)
from tests.support.service import ORIGIN, Service


def structure(players: int = 3, *, seats: int = 3, **fields: Any) -> tournament_entry_pb2.Structure:
    """Give a structure whose hands need no waiting."""
    made = tournament_entry_pb2.Structure(
        **{"players_max": players, "stack": 200, "buy_in": 10, "fee": 1} | fields
    )
    made.rules.seats = seats
    made.rules.link_ms = made.rules.link_ms or 2_000
    return made


def token(service: Service, name: str, role: Role = Role.PLAYER) -> str:
    """Issue a token of the dealer's own key."""
    now = service.clock.now() / 1000
    return issue(service.dealer.keys.token, name, role, ttl=3600, now=now, origin=ORIGIN)


def dealer(service: Service, name: str, role: Role = Role.PLAYER) -> Dealer:
    """Connect as a player."""
    return Dealer.connect(service.address, token(service, name, role), key=service.key)


class Player:
    """Goes all in whenever it may, and keeps all that it was told."""

    def __init__(self, contest: Contest) -> None:
        self.contest = contest
        self.heard: list[TournamentEvent] = []

    def of(self, kind: type[Any]) -> list[Any]:
        """Give what was heard of a kind."""
        return [one for one in self.heard if isinstance(one, kind)]

    async def play(self) -> "Player":
        """Play to the end."""
        async for event in self.contest:
            self.heard.append(event)
            if isinstance(event, MyTurn):
                await self.take_turn(event)
            await self.mind(event)
        return self

    async def mind(self, event: TournamentEvent) -> None:
        """Do what else there is to do; nothing."""

    async def take_turn(self, turn: MyTurn) -> None:
        """Go all in, or call."""
        bounds = turn.decision.bet or turn.decision.raise_to
        if bounds is not None:
            act = Act.BET if turn.decision.bet else Act.RAISE
            await self.contest.act(act, bounds.high, decision=turn.decision)
        else:
            act = Act.CALL if turn.decision.call else Act.CHECK
            await self.contest.act(act, decision=turn.decision)


async def play_all(
    service: Service,
    tournament: str,
    folder: Path,
    *names: str,
    links: bool = True,
    follower: TournamentFollower | None = None,
    made: type[Player] = Player,
) -> list[Player]:
    """Enter as all of these and play to the end."""
    dealers = [dealer(service, name) for name in names]
    try:
        players = [
            made(
                await one.enter(
                    tournament, directory=folder / one.player, links=links, follower=follower
                )
            )
            for one in dealers
        ]
        async with asyncio.timeout(60):
            return list(await asyncio.gather(*(player.play() for player in players)))
    finally:
        for one in dealers:
            await one.close()
