"""The client among several dealers: it finds its game, and plays on when the owner is gone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from dealer_service.access.roles import Role
from dealer_service.client import (
    Act,
    CaughtUp,
    Dealer,
    HandOver,
    MyTurn,
    Seat,
)
from dealer_service.client.calls import Patience, Surroundings
from tests.support.audits import judge, tell
from tests.support.nodes import Nodes, sharing
from tests.support.service import Bot, Service, time_of, waiting
from tests.support.service import seated as seated_bots


def around(nodes: Nodes) -> Surroundings:
    """Give a client the tests' clock: dealers' times run no quicker than its own."""
    return Surroundings(
        monotonic=lambda: nodes.clock.now() / 1000,
        patience=Patience(attempt=5, total=600, first_wait=0.01, longest_wait=0.05),
    )


def client(nodes: Nodes, name: str, *at: Service, role: Role = Role.PLAYER) -> Dealer:
    token = dict(at[0].header(name, role))["authorization"].removeprefix("Bearer ")
    return Dealer.connect([one.address for one in at], token, surroundings=around(nodes))


class Player:
    """A seat that checks and calls where it may, and whose events are kept."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.waits = asyncio.Event()
        self.waits.set()
        self.turn = asyncio.Event()
        self.over = asyncio.Event()
        self.task = asyncio.create_task(self._play())

    async def _play(self) -> None:
        async for event in self.seat:
            if isinstance(event, HandOver):
                self.over.set()
            if isinstance(event, MyTurn):
                self.turn.set()
                await self.waits.wait()
                await self.seat.act(Act.CALL if event.decision.call else Act.CHECK)


@asynccontextmanager
async def seated(
    nodes: Nodes, game: str, folder: Path, at: tuple[Service, ...]
) -> AsyncIterator[list[Player]]:
    async with AsyncExitStack() as stack:
        players = []
        for name in ("ann", "bob"):
            dealer = await stack.enter_async_context(client(nodes, name, *at))
            seat = await dealer.sit(game, stack=200, directory=folder / name)
            players.append(Player(seat))
        yield players
        for player in players:
            player.task.cancel()
        await asyncio.gather(*(player.task for player in players), return_exceptions=True)


@pytest.mark.parametrize("way", ["the other", "both"])
async def test_a_hand_whose_owner_dies_ends_with_the_same_deck(tmp_path: Path, way: str) -> None:
    """Whichever addresses the players were given, as long as one of them still answers."""
    async with sharing(tmp_path, "one", "two") as nodes:
        one, two = nodes.services["one"], nodes.services["two"]
        at = {"the other": (two,), "both": (one, two)}[way]
        game = await one.open_game(max_hands=1, turn_ms=600_000, link_ms=600_000)
        async with asyncio.timeout(30), seated(nodes, game, tmp_path, at) as players:
            for player in players:
                player.waits.clear()
            await asyncio.wait(
                [asyncio.create_task(player.turn.wait()) for player in players],
                return_when=asyncio.FIRST_COMPLETED,
            )
            assert nodes.owner(game) == "one"
            committed = next(b for k, b in await one.entries(game) if k == "deck_committed")
            nodes.kill("one")
            for player in players:
                player.waits.set()
            await nodes.lease()
            assert nodes.owner(game) == "two"
            await asyncio.gather(*(player.over.wait() for player in players))
            eve = Bot(two, "eve")
            eve.watch(game)
            assert await eve.until_over() == "end"
            await eve.stop()
            entries = await two.entries(game)
            assert next(b for k, b in entries if k == "deck_committed") == committed
            assert all(player.seat.refused is None for player in players)
            acts = [body["turn"] for kind, body in entries if kind == "acted"]
            assert acts == list(range(1, len(acts) + 1))
            report = judge(await two.file(game), key=two.key)
            assert report.exit_status() == 0, tell(report)


async def test_a_watcher_an_operator_and_a_file_find_the_game_at_any_node(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        one, two = nodes.services["one"], nodes.services["two"]
        game = await one.open_game(turn_ms=600_000)
        async with client(nodes, "house", two, role=Role.OPERATOR) as house:
            await house.operator.pause(game)
            assert (await house.operator.get_game(game)).state == "paused"
            spectator = await house.watch(game)
            async for event in spectator:
                if isinstance(event, CaughtUp):
                    break
            await house.operator.resume(game)
            assert await house.download(game, tmp_path / "game") > 0
            # The change was made at the owner; what is read is read where it was asked.
            assert one.table(game).standing.state.paused is False


async def test_who_is_told_later_is_so_at_every_node(tmp_path: Path) -> None:
    """Also where the game is not dealt, and the owner's own time is not known."""
    delay = 20_000
    async with sharing(tmp_path, "one", "two") as nodes:
        one, two = nodes.services["one"], nodes.services["two"]
        game = await one.open_game(turn_ms=600_000, pause_ms=1_000, watch_delay_ms=delay)
        here, there = Bot(one, "eve"), Bot(two, "eve")
        house = Bot(two, "house", links=False)
        house.header = two.operator
        for bot in (here, there, house):
            bot.watch(game)
            await bot.until(lambda bot: bot.lines)
        bots = await seated_bots(one, game, "ann", "bob", policy=waiting)
        await house.until(lambda bot: bot.decision)
        dealt = time_of(house.lines[max(house.lines)])
        young = nodes.clock.now() - delay
        for bot in (here, there):
            assert all(time_of(line) <= young for index, line in bot.lines.items() if index)
            assert (await bot.table()).size == 1
        while nodes.clock.now() < dealt + delay:
            await nodes.beat()
        for bot in (here, there):
            await bot.until_line("dealt")
        for bot in (*bots, here, there, house):
            await bot.stop()
