"""A dealer that is told to stop: hands end, tables go to others, and nobody loses a turn."""

import asyncio
from pathlib import Path
from typing import Any

from cutcard.v1 import entry_pb2, operate_pb2, play_pb2
from dealer_service.rpc.health import PLAY
from tests.support.nodes import moved, sharing
from tests.support.service import (
    PATIENCE,
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


async def first_turn(service: Service, **rules: Any) -> tuple[str, list[Bot]]:
    game = await service.open_game(**{"turn_ms": 600_000, "pause_ms": 0} | rules)
    bots = await seated(service, game, "ann", "bob", policy=waiting)
    for bot in bots:
        await bot.until(lambda bot: bot.decision)
    return game, bots


def draining(service: Service) -> "asyncio.Task[None]":
    return asyncio.create_task(service.dealer.drain())


async def done(task: "asyncio.Task[None]") -> None:
    async with asyncio.timeout(PATIENCE):
        await task


async def fold(bots: list[Bot]) -> None:
    """Let the player who is to act fold."""
    decision = bots[0].decision
    assert decision is not None
    mine = next(bot for bot in bots if bot.seat == decision.seat)
    await mine.act(decision.hand, decision.turn, play_pb2.ACT_FOLD)


async def has_begun(service: Service) -> None:
    """Return when a dealer has begun to drain."""
    probe = Bot(service, "probe")
    outlook = service.dealer._outlook
    assert outlook is not None
    await probe.until_given(lambda: not outlook.health.serves(PLAY))
    await probe.until_given(lambda: service.dealer.floor.founding.refusal is not None)


class TestAlone:
    async def test_an_open_hand_is_played_to_its_end_and_none_opens(self, tmp_path: Path) -> None:
        async with serving(tmp_path) as service:
            game, bots = await first_turn(service)
            ends = draining(service)
            await has_begun(service)
            # Calls are served as ever, but no game opens.
            assert (await service.summary(game)).state == "open"
            request = operate_pb2.OpenGameRequest(request_id=fresh_id(), rules=entry_pb2.RuleSet())
            told = await refusal(service.operate.OpenGame(request, metadata=service.operator))
            assert told.reason == "STOPPING"
            assert not ends.done()
            await fold(bots)
            await done(ends)
            await bots[0].until_line("hand_ended", hand=1)
            await service.settled(game)
            assert [kind for kind, _ in await service.entries(game)].count("hand_opened") == 1
            await stop(bots)
        async with serving(tmp_path) as service:
            again = [moved(bot, service, policy=waiting) for bot in bots]
            await again[0].until_line("hand_opened", hand=2)
            await stop(again)

    async def test_it_waits_for_no_table_between_hands(self, tmp_path: Path) -> None:
        async with serving(tmp_path) as service:
            game = await service.open_game()
            ann = await Bot(service, "ann").sit(game)
            await service.dealer.drain()
            # What is asked is still done, until it stops.
            await ann.leave()
            await ann.stop()

    async def test_it_waits_no_longer_than_it_was_told(self, tmp_path: Path) -> None:
        async with serving(tmp_path, drain=3.0) as service:
            _, bots = await first_turn(service)
            ends = draining(service)
            await has_begun(service)
            service.advance(2_999)
            assert not ends.done()
            service.advance(1)
            await done(ends)
            await stop(bots)

    async def test_told_a_second_time_it_waits_no_longer_at_all(self, tmp_path: Path) -> None:
        async with serving(tmp_path) as service:
            _, bots = await first_turn(service)
            service.dealer._end()
            ends = draining(service)
            await has_begun(service)
            service.dealer._end()
            await done(ends)
            await stop(bots)

    async def test_what_waited_for_the_hands_end_is_done_before(self, tmp_path: Path) -> None:
        async with serving(tmp_path) as service:
            game, bots = await first_turn(service)
            add = play_pb2.AddChipsRequest(request_id=fresh_id(), game=game, amount=5)
            adding = service.play.AddChips(add, metadata=bots[0].header)
            await bots[0].until_given(lambda: service.table(game)._deferred)
            ends = draining(service)
            await has_begun(service)
            await fold(bots)
            assert (await adding).stack
            await done(ends)
            await stop(bots)


class TestAmongOthers:
    async def test_a_table_between_hands_goes_to_another_at_once(self, tmp_path: Path) -> None:
        async with sharing(tmp_path, "one", "two") as nodes:
            one, two = nodes.services["one"], nodes.services["two"]
            quiet = await one.open_game()
            ann = await Bot(one, "ann").sit(quiet)
            playing, bots = await first_turn(one)
            ends = draining(one)
            await has_begun(one)
            over = await ann.until_over()
            assert not isinstance(over, str)
            assert over.reason == "GAME_MOVING"
            await nodes.beat()
            assert nodes.owner(quiet) == "two"
            assert (await refusal(ann.leave())).metadata["owner"] == two.address
            # The hand that is open ends where it is, and then this table goes, too.
            assert nodes.owner(playing) == "one"
            await fold(bots)
            await done(ends)
            await nodes.beat()
            assert nodes.owner(playing) == "two"
            again = [moved(bot, two, policy=calling) for bot in bots]
            await again[0].until_line("hand_opened", hand=2)
            await stop([ann, *bots, *again])

    async def test_it_takes_nothing_more(self, tmp_path: Path) -> None:
        async with sharing(tmp_path, "one", "two") as nodes:
            game = await nodes.services["one"].open_game()
            two = nodes.services["two"]
            await nodes.lease()
            await two.dealer.drain()
            nodes.kill("one")
            await nodes.lease()
            assert two.dealer.floor.tables == ()
            assert nodes.owner(game) == "one"

    async def test_a_hand_that_does_not_end_in_time_goes_on_at_another(
        self, tmp_path: Path
    ) -> None:
        async with sharing(tmp_path, "one", "two", drain=1.0) as nodes:
            one, two = nodes.services["one"], nodes.services["two"]
            game, bots = await first_turn(one, max_hands=1)
            committed = await bots[0].until_line("deck_committed")
            stopping = asyncio.create_task(nodes.stop("one"))
            await has_begun(one)
            nodes.clock.advance(1_000)
            await done(stopping)
            await nodes.beat()
            assert nodes.owner(game) == "two"
            again = [moved(bot, two, policy=calling) for bot in bots]
            assert await again[0].until_over() == "end"
            assert again[0].find("deck_committed") == committed
            await stop([*bots, *again])

    async def test_dealers_are_replaced_one_after_another_and_the_game_goes_on(
        self, tmp_path: Path
    ) -> None:
        """A rolling restart: the same names and folders, new processes."""
        async with sharing(tmp_path, "one", "two") as nodes:
            game = await nodes.services["one"].open_game()
            for name in ("one", "two"):
                await nodes.stop(name)
                await nodes.start(name)
                await nodes.beat()
                assert nodes.owner(game) in nodes.services
                at = nodes.services[nodes.owner(game)]
                assert at.dealer.floor.running(game) is not None
