"""A store that fails: nothing leaves, callers are told, the dealer stops, a restart knows."""

from pathlib import Path

import grpc
import pytest

from cutcard.v1 import operate_pb2, play_pb2
from dealer_service.config import Settings
from dealer_service.store.api import Store
from dealer_service.store.memory import Fault, MemoryStore
from dealer_service.store.refusal import StoreError
from tests.support.audits import judge, tell
from tests.support.service import (
    Bot,
    Service,
    calling,
    fresh_id,
    refusal,
    seated,
    serving,
    stop,
    waiting,
)


class Shelf:
    """A store in memory that a dealer opens, and finds again when it starts again."""

    def __init__(self) -> None:
        self.store: MemoryStore | None = None

    def open(self, _settings: Settings) -> Store:
        self.store = MemoryStore() if self.store is None else self.store.reopened()
        return self.store

    def fail(self, fault: Fault) -> None:
        assert self.store is not None
        self.store.script("append_all", fault)


async def at_the_first_turn(service: Service) -> tuple[str, Bot, Bot]:
    """Bring two players to the first turn; the first of the two is to act."""
    game = await service.open_game(turn_ms=600_000)
    ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
    turn = await ann.until(lambda bot: bot.decision)
    await bob.until(lambda bot: bot.decision)
    return (game, ann, bob) if turn.seat == 1 else (game, bob, ann)


@pytest.mark.parametrize("fault", Fault)
async def test_an_act_that_the_store_fails_is_not_acknowledged_and_not_told(
    tmp_path: Path, fault: Fault
) -> None:
    shelf = Shelf()
    request = play_pb2.ActRequest(request_id="the-one-act", hand=1, turn=1, act=play_pb2.ACT_CALL)
    async with serving(tmp_path, open_store=shelf.open) as service:
        game, mine, other = await at_the_first_turn(service)
        size = len(mine.lines)
        shelf.fail(fault)
        request.game = game
        told = await refusal(service.play.Act(request, metadata=mine.header))
        assert (told.code, told.reason) == (grpc.StatusCode.UNAVAILABLE, "STORE_FAILED")
        # The streams end, and say that it is no end of the game.
        for bot in (mine, other):
            over = await bot.until_over()
            assert not isinstance(over, str)
            assert over.reason == "TABLE_HALTED"
            assert len(bot.lines) == size
        # Whoever calls now is told to come back, and nothing is written any more.
        told = await refusal(mine.leave())
        assert told.code is grpc.StatusCode.UNAVAILABLE
        opening = operate_pb2.OpenGameRequest(request_id=fresh_id())
        told = await refusal(service.operate.OpenGame(opening, metadata=service.operator))
        assert (told.code, told.reason) == (grpc.StatusCode.UNAVAILABLE, "STORE_FAILED")
        await service.dealer._stopping.wait()
    async with serving(tmp_path, open_store=shelf.open) as service:
        kinds = [kind for kind, _ in await service.entries(game)]
        assert kinds.count("acted") == (1 if fault is Fault.PERSISTED else 0)
        # The same request again: the answer that was stored, or the act for the first time.
        await service.play.Act(request, metadata=service.header(mine.name))
        kinds = [kind for kind, _ in await service.entries(game)]
        assert kinds.count("acted") == 1


@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("skip", range(8))
async def test_the_truth_is_derived_wherever_the_store_fails(
    tmp_path: Path, fault: Fault, skip: int
) -> None:
    """From opening a game to the end of a hand: the next start goes on from what is there."""
    shelf = Shelf()
    request = operate_pb2.OpenGameRequest(request_id="open-once")
    request.rules.max_hands = 1
    sent: list[dict[int, bytes]] = []
    async with serving(tmp_path, open_store=shelf.open) as service:
        assert shelf.store is not None
        shelf.store.script("append_all", fault, skip=skip)
        bots: list[Bot] = []
        told = grpc.StatusCode.UNAVAILABLE
        try:
            game = (await service.operate.OpenGame(request, metadata=service.operator)).game
            for name in ("ann", "bob"):
                bots.append(Bot(service, name, seed=name.encode() * 10 + b"xx"))
                await bots[-1].sit(game)
        except grpc.aio.AioRpcError as error:
            told = error.code()
        assert told is grpc.StatusCode.UNAVAILABLE
        await service.dealer._stopping.wait()
        sent = [dict(bot.lines) for bot in bots]
        await stop(bots)
    async with serving(tmp_path, open_store=shelf.open) as service:
        game = (await service.operate.OpenGame(request, metadata=service.operator)).game
        lines = await service.lines(game)
        for heard in sent:
            assert all(lines[index] == line for index, line in heard.items())
        again = []
        for name in ("ann", "bob"):
            bot = Bot(service, name, policy=calling, seed=name.encode() * 10 + b"xx")
            bot.new_anchor(game)
            bot.watch(game)
            again.append(bot)
            held = (await bot.table()).my_seat
            bot.seat = held or (await bot.sit(game, watch=False)).seat
            if bot.decision is not None and bot.decision.seat == bot.seat:
                bot._decide(bot.decision)
        await again[0].until_over()
        content = await service.file(game)
        report = judge(content, key=service.key)
        assert report.exit_status() == 0, tell(report)


async def test_links_that_wait_are_told_that_the_store_failed(tmp_path: Path) -> None:
    shelf = Shelf()
    async with serving(tmp_path, open_store=shelf.open) as service:
        game = await service.open_game()
        await service.pause(game)
        ann, bob = await seated(service, game, "ann", "bob")
        ann.gives_links = bob.gives_links = False
        await service.resume(game)
        line = await ann.until_line("hand_opened")
        await ann.until(lambda bot: max(bot.checkpoints) == len(bot.lines))
        links = [bot.link_before(line["seats"][n]["anchor"]) for n, bot in enumerate((ann, bob))]
        shelf.fail(Fault.PERSISTED)
        request = play_pb2.GiveLinkRequest(game=game, hand=1, link=links[0])
        first = service.play.GiveLink(request, metadata=ann.header)
        await ann.until_given(lambda: service.table(game).dealing.links)
        told = await refusal(bob.give_link(1, links[1]))
        assert told.reason == "STORE_FAILED"
        assert (await refusal(first)).reason == "STORE_FAILED"


async def test_a_dealer_whose_store_failed_ends_with_the_reason(tmp_path: Path) -> None:
    shelf = Shelf()
    async with serving(tmp_path, open_store=shelf.open) as service:
        shelf.fail(Fault.NOT_PERSISTED)
        request = operate_pb2.OpenGameRequest(request_id=fresh_id())
        told = await refusal(service.operate.OpenGame(request, metadata=service.operator))
        assert told.reason == "STORE_FAILED"
        await service.dealer._stopping.wait()
        assert isinstance(service.dealer._failure, StoreError)
