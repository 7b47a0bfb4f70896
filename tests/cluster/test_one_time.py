"""Dealers whose machines' clocks differ deal by one time, the store's: players notice nothing."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import structlog

from dealer_service.client import Act, Dealer, HandOver, MyTurn, Seat
from dealer_service.client.calls import Patience, Surroundings
from dealer_service.config import Cluster, Settings
from dealer_service.fairness.randomness import operating_system
from dealer_service.keys import make_keys
from dealer_service.store.postgres import PostgresStore
from dealer_service.tables.clock import SystemClock
from tests.support.audits import judge, tell
from tests.support.nodes import Nodes, sharing
from tests.support.postgres import give_back, lend_database
from tests.support.service import (
    ORIGIN,
    PATIENCE,
    Bot,
    Service,
    listing,
    seated,
    serving,
    stop,
    time_of,
    waiting,
)

MINUTE = 60_000
RULES: dict[str, Any] = {"turn_ms": 600_000, "link_ms": 600_000}


@pytest.fixture(params=[MINUTE, -MINUTE], ids=["ahead", "behind"])
def wrong(request: pytest.FixtureRequest) -> int:
    """By how much the second machine's clock is wrong."""
    ahead: int = request.param
    return ahead


class Player:
    """A real client's seat, which checks and calls from when it may act."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.may_act = asyncio.Event()
        self.turn = asyncio.Event()
        self.over = asyncio.Event()
        self.task = asyncio.create_task(self._play())

    async def _play(self) -> None:
        async for event in self.seat:
            if isinstance(event, MyTurn):
                self.turn.set()
                await self.may_act.wait()
                await self.seat.act(Act.CALL if event.decision.call else Act.CHECK)
            elif isinstance(event, HandOver):
                self.over.set()


async def sit(
    stack: AsyncExitStack, folder: Path, game: str, around: Surroundings, *at: Service
) -> list[Player]:
    """Seat two real clients, and return when one of them is to act."""
    players = []
    for name in ("ann", "bob"):
        token = dict(at[0].header(name))["authorization"].removeprefix("Bearer ")
        connecting = Dealer.connect([one.address for one in at], token, surroundings=around)
        dealer = await stack.enter_async_context(connecting)
        players.append(Player(await dealer.sit(game, stack=200, directory=folder / name)))
    turns = [asyncio.create_task(player.turn.wait()) for player in players]
    await asyncio.wait(turns, return_when=asyncio.FIRST_COMPLETED)
    for turn in turns:
        turn.cancel()
    return players


async def play_on(players: list[Player], game: str, at: Service) -> list[bytes]:
    """Let the hand end and be proved, at the dealer that has it now; gives the game's lines."""
    for player in players:
        player.may_act.set()
    # A client that refuses the game hears of no end.
    ends = [asyncio.create_task(player.over.wait()) for player in players]
    await asyncio.wait([*ends, *(player.task for player in players)], return_when="FIRST_COMPLETED")
    assert [player.seat.refused for player in players] == [None, None]
    await asyncio.gather(*ends)
    eve = Bot(at, "eve")
    eve.watch(game)
    assert await eve.until_over() == "end"
    await eve.stop()
    lines = await at.lines(game)
    report = judge(await at.file(game), key=at.key)
    assert report.exit_status() == 0, tell(report)
    for player in players:
        player.task.cancel()
    await asyncio.gather(*(player.task for player in players), return_exceptions=True)
    return lines


async def started(nodes: Nodes, wrong: int) -> tuple[Service, Service]:
    """Start a dealer whose machine's clock is right, and another."""
    one = await nodes.start("one", clock=nodes.machine(0))
    return one, await nodes.start("two", clock=nodes.machine(wrong))


async def test_a_hand_goes_on_at_a_dealer_whose_machines_clock_is_wrong(
    tmp_path: Path, wrong: int
) -> None:
    async with asyncio.timeout(PATIENCE), sharing(tmp_path) as nodes, AsyncExitStack() as stack:
        one, two = await started(nodes, wrong)
        around = Surroundings(
            monotonic=lambda: nodes.clock.now() / 1000,
            patience=Patience(attempt=5, total=600, first_wait=0.01, longest_wait=0.05),
        )
        game = await one.open_game(max_hands=1, **RULES)
        players = await sit(stack, tmp_path, game, around, one, two)
        before = nodes.shared.now
        nodes.kill("one")
        await nodes.lease()
        assert nodes.owner(game) == "two"
        lines = await play_on(players, game, two)
        after = [at for at in map(time_of, lines) if at > before]
        assert after
        assert all(abs(at - nodes.shared.now) < 1_000 for at in after)


async def test_who_is_told_later_is_so_by_a_dealer_whose_machines_clock_is_wrong(
    tmp_path: Path, wrong: int
) -> None:
    delay = 30_000
    async with asyncio.timeout(PATIENCE), sharing(tmp_path) as nodes:
        one, two = await started(nodes, wrong)
        game = await one.open_game(watch_delay_ms=delay, **RULES)
        bots = await seated(one, game, "ann", "bob", policy=waiting)
        await bots[0].until(lambda bot: bot.decision)
        ask = listing(game, 0, 1_000)
        for _ in range(delay // 1_000 - 1):
            await nodes.beat()
            answer = await two.fair.ListEntries(ask, metadata=two.header("eve"))
            assert answer.size == 1
        await nodes.beat(2)
        answer = await two.fair.ListEntries(ask, metadata=two.header("eve"))
        assert answer.size > 5
        await stop(bots)


async def test_a_machine_that_was_halted_catches_up_at_its_next_beat(tmp_path: Path) -> None:
    """No clock of it counted the time, as when a virtual machine is moved."""
    async with asyncio.timeout(PATIENCE), sharing(tmp_path) as nodes:
        one = await nodes.start("one", clock=nodes.machine(0))
        nodes.shared.now += MINUTE
        with structlog.testing.capture_logs() as logs:
            await nodes.beat()
        assert "clock_set_forward" in [line["event"] for line in logs]
        game = await one.open_game()
        assert abs(time_of((await one.lines(game))[0]) - nodes.shared.now) < 1_000


async def test_a_node_that_reaches_its_store_keeps_its_games_over_a_correction(
    tmp_path: Path,
) -> None:
    """A clock that is set forward by more than a lease makes no lease run out."""
    async with asyncio.timeout(PATIENCE), sharing(tmp_path) as nodes:
        one = await nodes.start("one", clock=nodes.machine(0))
        game = await one.open_game()
        nodes.shared.now += MINUTE
        with structlog.testing.capture_logs() as logs:
            await nodes.beat(3)
        events = {line["event"] for line in logs}
        assert "clock_set_forward" in events
        assert "lease_ran_out" not in events
        assert one.dealer.floor.running(game) is not None


@pytest.fixture
def url() -> Iterator[str]:
    lent = lend_database()
    yield lent
    give_back(lent)


async def test_the_same_with_a_real_database_and_time_that_passes(
    tmp_path: Path, url: str, wrong: int
) -> None:
    async with asyncio.timeout(2 * PATIENCE), AsyncExitStack() as stack:
        services: list[Service] = []
        for name, ahead in (("one", 0), ("two", wrong)):
            folder = tmp_path / name
            if services:
                folder.mkdir(mode=0o700)
                for key in (tmp_path / "one").glob("*.key"):
                    (folder / key.name).write_bytes(key.read_bytes())
                    (folder / key.name).chmod(0o600)
            else:
                make_keys(Settings(folder, ORIGIN, store_url=url), operating_system)
            clock = SystemClock(wall=lambda ahead=ahead: time.time_ns() + ahead * 1_000_000)  # type: ignore[misc]
            serve = serving(
                folder,
                clock=clock,
                open_store=lambda _: PostgresStore(url),
                cluster=Cluster(node=name, lease=1.0),
            )
            services.append(await stack.enter_async_context(serve))
        one, two = services
        game = await one.open_game(max_hands=1, **RULES)
        around = Surroundings(patience=Patience(attempt=5, total=60, longest_wait=0.1))
        players = await sit(stack, tmp_path, game, around, one, two)
        await one.dealer.stop()
        lines = await play_on(players, game, two)
        times = [time_of(line) for line in lines]
        assert times == sorted(times)
        assert times[-1] - times[0] < MINUTE
        assert abs(times[-1] - time.time() * 1000) < MINUTE / 2
