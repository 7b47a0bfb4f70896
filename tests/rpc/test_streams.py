"""Streams end, and hold nothing back, whoever does not read them and however a connection dies."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc.aio
import pytest

from cutcard.v1 import (
    fairness_pb2,
    fairness_pb2_grpc,
    operate_pb2,
    operate_pb2_grpc,
    play_pb2_grpc,
)
from dealer_service.client import Dealer as Client
from dealer_service.client.routes import KEEPALIVE
from dealer_service.rpc import server, streams
from dealer_service.tables.watchers import Audience
from tests.support.bare_http2 import Ask, call
from tests.support.service import (
    Bot,
    Service,
    calling,
    read_refusal,
    seated,
    serving,
    stop,
    waiting,
    watching,
)
from tests.support.silent_proxy import silent_proxy

SOON = 0.05
"""A deadline of the dealer's that a test need not wait for long."""

# A caller whose flow control lets nothing come before it is read.
UNREAD = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 5))


@asynccontextmanager
async def unread(service: Service) -> AsyncIterator[grpc.aio.Channel]:
    """Connect as a caller to whom nothing is sent that it does not read."""
    async with grpc.aio.insecure_channel(service.address, options=UNREAD) as channel:
        yield channel


async def until_empty(service: Service, audience: Audience) -> None:
    await Bot(service, "eve").until_given(lambda: len(audience) == 0)


class TestAStreamThatIsNotRead:
    async def test_is_let_go_of_and_told_where_to_go_on(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The watcher is gone at once; the caller is told when it reads at last."""
        monkeypatch.setattr(streams, "PATIENCE", SOON)
        game = await service.open_game()
        audience = service.table(game).audience
        async with unread(service) as channel:
            play = play_pb2_grpc.PlayServiceStub(channel)
            stream = play.Watch(watching(game), metadata=service.header("eve"))
            await Bot(service, "eve").until_given(lambda: len(audience) == 1)
            await until_empty(service, audience)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                [message async for message in stream]
        told = read_refusal(caught.value)
        assert told.reason == "WATCHED_TOO_SLOWLY"
        assert told.code is grpc.StatusCode.RESOURCE_EXHAUSTED
        # Whether the message that waited will arrive is not known, so it comes again.
        assert told.metadata == {"resume": "0"}

    async def test_of_a_game_that_is_over_is_ended_as_well(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with serving(tmp_path) as service:
            game = await service.open_game(max_hands=1)
            ann, _ = await seated(service, game, "ann", "bob")
            await ann.until_over()
        monkeypatch.setattr(streams, "PATIENCE", SOON)
        async with serving(tmp_path) as service, unread(service) as channel:
            play = play_pb2_grpc.PlayServiceStub(channel)
            stream = play.Watch(watching(game), metadata=service.header("eve"))
            told = await ended_unread(service, stream)
        assert (told.reason, told.metadata) == ("WATCHED_TOO_SLOWLY", {"resume": "0"})

    @pytest.mark.parametrize("what", ["chips", "file"])
    async def test_of_any_other_kind_is_ended_as_well(
        self, service: Service, monkeypatch: pytest.MonkeyPatch, what: str
    ) -> None:
        monkeypatch.setattr(streams, "PATIENCE", SOON)
        game = await service.open_game(max_hands=1)
        await Bot(service, "ann").sit(game, watch=False)
        async with unread(service) as channel:
            if what == "chips":
                operate = operate_pb2_grpc.OperateServiceStub(channel)
                asked = operate_pb2.FollowChipsRequest()
                stream: Any = operate.FollowChips(asked, metadata=service.operator)
            else:
                fair = fairness_pb2_grpc.FairnessServiceStub(channel)
                stream = fair.GetGameFile(file_of(game), metadata=service.operator)
            told = await ended_unread(service, stream)
        assert (told.reason, told.code) == ("READ_TOO_SLOWLY", grpc.StatusCode.RESOURCE_EXHAUSTED)

    async def test_holds_back_nobody(self, service: Service) -> None:
        """A whole game is played while watchers, a player's own among them, read nothing."""
        game = await service.open_game(max_hands=3)
        async with unread(service) as channel:
            play = play_pb2_grpc.PlayServiceStub(channel)
            names = ("ann", "eve")
            deaf = [play.Watch(watching(game), metadata=service.header(name)) for name in names]
            audience = service.table(game).audience
            await Bot(service, "eve").until_given(lambda: len(audience) == len(deaf))
            ann, bob = await seated(service, game, "ann", "bob")
            assert [await bot.until_over() for bot in (ann, bob)] == ["end", "end"]
            for stream in deaf:
                stream.cancel()

    @pytest.mark.parametrize("is_late", [False, True])
    async def test_is_forgotten_when_its_caller_hangs_up(
        self, service: Service, monkeypatch: pytest.MonkeyPatch, *, is_late: bool
    ) -> None:
        """Before its deadline and after it."""
        monkeypatch.setattr(streams, "PATIENCE", SOON if is_late else 60.0)
        game = await service.open_game()
        audience = service.table(game).audience
        async with unread(service) as channel:
            play = play_pb2_grpc.PlayServiceStub(channel)
            stream = play.Watch(watching(game), metadata=service.header("eve"))
            await Bot(service, "eve").until_given(lambda: len(audience) == 1)
            if is_late:
                await until_empty(service, audience)
            stream.cancel()
            await until_empty(service, audience)
            await Bot(service, "eve").until_given(lambda: not handlers("Watch"))


class TestADeadConnection:
    async def test_is_noticed_by_the_dealer(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A peer that has vanished without a word: its stream is let go of."""
        monkeypatch.setattr(server, "OPTIONS", impatient(server.OPTIONS))
        async with serving(tmp_path) as service, silent_proxy(service.dealer.port) as proxy:
            game = await service.open_game()
            audience = service.table(game).audience
            async with grpc.aio.insecure_channel(f"127.0.0.1:{proxy.port}") as channel:
                play = play_pb2_grpc.PlayServiceStub(channel)
                stream = play.Watch(watching(game), metadata=service.header("eve"))
                await stream.read()
                assert len(audience) == 1
                proxy.silence()
                await until_empty(service, audience)
                stream.cancel()

    async def test_is_noticed_where_the_peer_reads_its_socket_no_more(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It lets everything be sent that there is, and takes nothing, not even pings."""
        monkeypatch.setattr(server, "OPTIONS", impatient(server.OPTIONS))
        async with serving(tmp_path) as service:
            game = await service.open_game()
            token = dict(service.header("eve"))["authorization"].removeprefix("Bearer ")
            asked = Ask("/cutcard.v1.PlayService/Watch", token, watching(game).SerializeToString())
            deaf = await call(service.dealer.port, asked, deaf=True)
            await deaf.told
            audience = service.table(game).audience
            await until_empty(service, audience)
            deaf.hang_up()

    async def test_is_noticed_by_the_client_which_comes_back(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The dealer has vanished without a word: the client goes on over a new connection."""
        monkeypatch.setattr("dealer_service.client.routes.KEEPALIVE", impatient(KEEPALIVE))
        game = await service.open_game()
        async with silent_proxy(service.dealer.port) as proxy:
            token = dict(service.header("ann"))["authorization"].removeprefix("Bearer ")
            async with Client.connect(f"127.0.0.1:{proxy.port}", token) as client:
                spectator = await client.watch(game)
                await anext(spectator)
                before = proxy.connections
                proxy.silence()
                bots = await seated(service, game, "bob", "cid")
                seats: set[int] = set()
                while seats != {1, 2}:
                    await anext(spectator)
                    seats = {seat.seat for seat in spectator.view.seats}
                assert proxy.connections > before
            await stop(bots)


class TestComingBack:
    async def test_from_any_line_after_many_hands_and_minutes(self, service: Service) -> None:
        """Whatever line a watcher saw last, it goes on with the next, up to what happens now."""
        game = await service.open_game(pause_ms=1000, turn_ms=600_000)
        bots = await seated(service, game, "ann", "bob", policy=calling)
        ann = bots[0]
        for hand in range(1, 7):
            await ann.until_line("hand_opened", hand=hand)
            await ann.until(is_awarded)
            await service.settled(game)
            service.advance(120_000)
            for bot in bots:
                bot.policy = calling if hand < 6 else waiting
        turn = await ann.until(lambda bot: bot.decision and bot.decision.hand == 7 and bot.decision)
        await service.settled(game)
        stored = await service.lines(game)
        for start in range(len(stored) + 1):
            again = Bot(service, "ann", links=False, policy=waiting)
            again.watch(game, start)
            assert await again.until(lambda bot: bot.decision) == turn
            assert [again.lines[index] for index in sorted(again.lines)] == stored[start:]
            assert again.openings == [one for one in ann.openings if one.hand == turn.hand]
            await again.stop()
        await stop(bots)


def is_awarded(bot: Bot) -> bool:
    """Say whether the chips of the last hand that opened are won."""
    kinds = [kind for kind, _ in bot.entries()]
    return "awarded" in kinds[len(kinds) - kinds[::-1].index("hand_opened") :]


async def ended_unread(service: Service, stream: Any) -> Any:
    """Read nothing of a stream before the dealer has ended it, and give the refusal."""
    await Bot(service, "eve").until_given(lambda: endings() or stream.done())
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        [message async for message in stream]
    return read_refusal(caught.value)


def endings() -> list[Any]:
    """List the tasks in this process that end streams."""
    return [task for task in asyncio.all_tasks() if "object _end at" in repr(task.get_coro())]


def handlers(method: str) -> list[Any]:
    """List the dealer's tasks that answer a method."""
    return [task for task in asyncio.all_tasks() if f"/{method}]" in task.get_name()]


def impatient(options: Any) -> tuple[tuple[str, int], ...]:
    """Give channel options that notice a dead peer at once."""
    times = {
        "grpc.keepalive_time_ms": 100,
        "grpc.keepalive_timeout_ms": 100,
        "grpc.http2.ping_timeout_ms": 100,
    }
    assert times.keys() <= {name for name, _ in options}
    return tuple((name, times.get(name, value)) for name, value in options)


def file_of(game: str) -> Any:
    return fairness_pb2.GetGameFileRequest(game=game)
