"""Calls at a node that does not deal the game: sent to its owner, or told from the store."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

from cutcard.v1 import entry_pb2, operate_pb2, play_pb2
from dealer_service.tables.afar import IDLE_LOOKS
from tests.support.nodes import moved, sharing
from tests.support.service import (
    Bot,
    Service,
    calling,
    fresh_id,
    refusal,
    refusal_of_stream,
    seated,
    stop,
    waiting,
    watching,
)

Call = Callable[[Service, str], Awaitable[Any]]


def playing(name: str, **fields: Any) -> Call:
    """Make a call of a player named ann."""
    kind = getattr(play_pb2, f"{name}Request")
    return lambda service, game: getattr(service.play, name)(
        kind(game=game, **fields), metadata=service.header("ann")
    )


def operating(name: str, **fields: Any) -> Call:
    """Make a call of an operator."""
    kind = getattr(operate_pb2, f"{name}Request")
    return lambda service, game: getattr(service.operate, name)(
        kind(game=game, **fields), metadata=service.operator
    )


ID = "a-request-of-its-own"
NEED_A_TABLE: dict[str, Call] = {
    "TakeSeat": playing("TakeSeat", request_id=ID, stack=200, accepts_reveal="all_cards"),
    "LeaveSeat": playing("LeaveSeat", request_id=ID),
    "AddChips": playing("AddChips", request_id=ID, amount=5),
    "SitOut": playing("SitOut", request_id=ID),
    "ComeBack": playing("ComeBack", request_id=ID),
    "Anchor": playing("Anchor", request_id=ID, anchor=bytes(32)),
    "GiveLink": playing("GiveLink", hand=1, link=bytes(32)),
    "Act": playing("Act", request_id=ID, hand=1, turn=1, act=play_pb2.ACT_CHECK),
    "Show": playing("Show", request_id=ID, hand=1),
    "Prefer": playing("Prefer", request_id=ID),
    "PreSelect": playing("PreSelect", hand=1, act=play_pb2.PRE_ACT_CHECK_FOLD),
    "GetTable": playing("GetTable"),
    "PauseGame": operating("PauseGame", request_id=ID),
    "ResumeGame": operating("ResumeGame", request_id=ID),
    "CloseGame": operating("CloseGame", request_id=ID),
    "VoidHand": operating("VoidHand", request_id=ID, hand=1),
    "RemovePlayer": operating("RemovePlayer", request_id=ID, player="ann"),
}


@pytest.mark.parametrize("name", NEED_A_TABLE)
async def test_a_call_that_needs_the_table_is_sent_to_the_owner(tmp_path: Path, name: str) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        one, two = nodes.services["one"], nodes.services["two"]
        game = await one.open_game()
        told = await refusal(NEED_A_TABLE[name](two, game))
        assert (told.code, told.reason) == (grpc.StatusCode.UNAVAILABLE, "GAME_ELSEWHERE")
        assert told.metadata == {"owner": one.address, "node": "one"}
        # Between two owners it is to be called again.
        nodes.shared.now += 60_000
        told = await refusal(NEED_A_TABLE[name](two, game))
        assert (told.code, told.reason) == (grpc.StatusCode.UNAVAILABLE, "GAME_MOVING")


async def test_what_is_read_is_read_at_any_node(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        one, two = nodes.services["one"], nodes.services["two"]
        game = await one.open_game("mine", max_hands=1)
        ann, bob = await seated(one, game, "ann", "bob")
        await ann.until_over()
        running = await one.open_game()
        for at in (one, two):
            assert (await at.summary(running)).state == "open"
        assert await two.lines(game) == await one.lines(game)
        assert await two.file(game) == await one.file(game)
        assert (await two.summary(game)) == (await one.summary(game))
        assert await two.chips() == await one.chips()
        # A game that is over needs no table.
        look = play_pb2.GetTableRequest(game=game)
        here = await one.play.GetTable(look, metadata=one.operator)
        assert await two.play.GetTable(look, metadata=two.operator) == here
        await stop([ann, bob])


async def test_a_game_is_opened_once_however_many_nodes_are_asked(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        one, two = nodes.services["one"], nodes.services["two"]
        rules = entry_pb2.RuleSet()
        request = operate_pb2.OpenGameRequest(request_id=fresh_id(), rules=rules)
        opened = [
            await at.operate.OpenGame(request, metadata=at.operator) for at in (one, two, two)
        ]
        assert opened[1:] == opened[:1] * 2
        assert len(nodes.shared.content.logs) == 1
        assert nodes.owner(opened[0].game) == "one"
        other = operate_pb2.OpenGameRequest(
            request_id=request.request_id, rules=rules, reference="another"
        )
        told = await refusal(two.operate.OpenGame(other, metadata=two.operator))
        assert (told.code, told.reason) == (grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED")
        assert len(nodes.shared.content.logs) == 1


async def test_a_request_that_the_owner_answered_is_answered_at_any_node(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        one, two = nodes.services["one"], nodes.services["two"]
        game = await one.open_game()
        request = operate_pb2.PauseGameRequest(request_id=fresh_id(), game=game)
        first = await one.operate.PauseGame(request, metadata=one.operator)
        assert await two.operate.PauseGame(request, metadata=two.operator) == first


class TestWatching:
    async def test_a_watcher_sees_the_same_as_at_the_owner(self, tmp_path: Path) -> None:
        """Lines, checkpoints, proofs of opened cards, and whose turn it is until when."""
        async with sharing(tmp_path, "one", "two") as nodes:
            one, two = nodes.services["one"], nodes.services["two"]
            game = await one.open_game(max_hands=2, turn_ms=600_000)
            here, there = Bot(one, "eve"), Bot(two, "eve")
            here.watch(game)
            there.watch(game)
            await there.until_line("game_opened")
            bots = await seated(one, game, "ann", "bob")
            for bot in (here, there):
                assert await bot.until_over() == "end"
            assert there.lines == here.lines
            assert there.checkpoints == here.checkpoints
            assert proofs(there) == proofs(here)
            assert proofs(there)
            assert turns(there) <= turns(here)
            assert not there.openings
            await stop([*bots, here, there])

    async def test_one_who_comes_in_the_middle_is_told_what_was(self, tmp_path: Path) -> None:
        async with sharing(tmp_path, "one", "two") as nodes:
            one, two = nodes.services["one"], nodes.services["two"]
            game = await one.open_game(turn_ms=600_000)
            bots = await seated(one, game, "ann", "bob", policy=waiting)
            turn = await bots[0].until(lambda bot: bot.decision)
            eve = Bot(two, "eve")
            eve.watch(game, 3)
            assert await eve.until(lambda bot: bot.decision) == turn
            assert min(eve.lines) == 3
            assert eve.lines.items() <= bots[0].lines.items()
            # From beyond the end nothing can be watched, and the latest line is known at once.
            size = (await one.summary(game)).size
            eve.watch(game, size)
            stream = two.play.Watch(watching(game, size + 1), metadata=two.header("eve"))
            assert (await refusal_of_stream(stream)).reason == "NO_SUCH_LINE"
            await stop([*bots, eve])

    async def test_who_has_a_seat_is_sent_to_the_owner(self, tmp_path: Path) -> None:
        async with sharing(tmp_path, "one", "two") as nodes:
            one, two = nodes.services["one"], nodes.services["two"]
            game = await one.open_game()
            ann = await Bot(one, "ann").sit(game)
            stream = two.play.Watch(watching(game), metadata=two.header("ann"))
            told = await refusal_of_stream(stream)
            assert told.reason == "GAME_ELSEWHERE"
            assert told.metadata["owner"] == one.address
            await ann.stop()

    async def test_who_sits_down_while_watching_is_sent_there(self, tmp_path: Path) -> None:
        async with sharing(tmp_path, "one", "two") as nodes:
            one, two = nodes.services["one"], nodes.services["two"]
            game = await one.open_game()
            there, other = Bot(two, "ann"), Bot(two, "eve")
            there.watch(game)
            other.watch(game)
            await there.until_line("game_opened")
            ann = await Bot(one, "ann").sit(game)
            over = await there.until_over()
            assert not isinstance(over, str)
            assert (over.reason, over.metadata["owner"]) == ("GAME_ELSEWHERE", one.address)
            await other.until_line("seat_taken")
            assert not other.over
            await stop([ann, there, other])

    async def test_the_stream_goes_on_when_the_game_comes_here(self, tmp_path: Path) -> None:
        async with sharing(tmp_path, "one", "two") as nodes:
            one, two = nodes.services["one"], nodes.services["two"]
            game = await one.open_game(turn_ms=600_000, max_hands=1)
            bots = await seated(one, game, "ann", "bob", policy=waiting)
            await bots[0].until(lambda bot: bot.decision)
            eve = Bot(two, "eve")
            eve.watch(game)
            await eve.until(lambda bot: bot.decision)
            await nodes.lease()
            nodes.kill("one")
            await nodes.lease()
            again = [moved(bot, two, policy=calling) for bot in bots]
            assert await eve.until_over() == "end"
            assert list(eve.lines.values()) == await two.lines(game)
            await stop([*bots, *again, eve])

    async def test_nothing_is_looked_for_when_nobody_watches_any_more(self, tmp_path: Path) -> None:
        async with sharing(tmp_path, "one", "two") as nodes:
            one, two = nodes.services["one"], nodes.services["two"]
            game = await one.open_game()
            eve = Bot(two, "eve")
            eve.watch(game)
            await eve.until_line("game_opened")
            await eve.stop()
            afar = two.dealer.floor.afar
            assert afar is not None
            await eve.until_given(lambda: not len(afar._games[game].audience))
            for _ in range(IDLE_LOOKS + 1):
                afar._forget_idle()
            await eve.until_given(lambda: afar._looking is None)
            assert not afar._games

    async def test_a_dealer_that_stops_tells_its_watchers(self, tmp_path: Path) -> None:
        async with sharing(tmp_path, "one", "two") as nodes:
            game = await nodes.services["one"].open_game()
            eve = Bot(nodes.services["two"], "eve")
            eve.watch(game)
            await eve.until_line("game_opened")
            await nodes.stop("two")
            over = await eve.until_over()
            assert not isinstance(over, str)
            assert over.reason == "STOPPING"


async def test_chips_are_followed_at_any_node(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        one, two = nodes.services["one"], nodes.services["two"]
        game = await one.open_game()
        request = operate_pb2.FollowChipsRequest()
        stream = two.operate.FollowChips(request, metadata=two.operator)
        ann = await Bot(one, "ann").sit(game)
        async with asyncio.timeout(30):
            moved_chips: Any = await stream.read()
        assert (moved_chips.player, moved_chips.game) == ("ann", game)
        stream.cancel()
        await ann.stop()


def proofs(bot: Bot) -> dict[tuple[int, int], tuple[bytes, ...]]:
    """Give every proof of an opened card that was heard."""
    return {
        (proof.hand, proof.position): tuple(proof.proof)
        for message in bot.heard
        for proof in message.proofs
    }


def turns(bot: Bot) -> set[tuple[int, int, int]]:
    """Give hand, turn and deadline of every turn that was told."""
    return {
        (message.decision.hand, message.decision.turn, message.decision.deadline)
        for message in bot.heard
        if message.HasField("decision")
    }
