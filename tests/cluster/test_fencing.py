"""A dealer that may have lost its games says nothing more of them, and never forks one."""

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest

from cutcard.v1 import play_pb2
from dealer_service.store.api import LogHead
from dealer_service.store.leases import Node
from dealer_service.store.memory import Fault
from dealer_service.store.refusal import Reason, StoreError
from tests.support.nodes import Nodes, moved, sharing
from tests.support.service import (
    Bot,
    Service,
    Told,
    calling,
    fresh_id,
    refusal,
    seated,
    stop,
    waiting,
)


async def first_turn(service: Service, **rules: Any) -> tuple[str, Bot, Bot]:
    """Bring two players to the first turn; the first of the two is to act."""
    game = await service.open_game(**{"turn_ms": 600_000} | rules)
    ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
    turn = await ann.until(lambda bot: bot.decision)
    await bob.until(lambda bot: bot.decision)
    return (game, ann, bob) if turn.seat == 1 else (game, bob, ann)


async def take_behind_its_back(nodes: Nodes, game: str) -> None:
    """Let a node take a game whose owner stood still past its lease, and knows nothing of it."""
    frozen = nodes.services.pop("one")
    nodes.shared.now += 60_000
    two = nodes.services["two"].dealer
    assert two._ownership is not None
    # Only the second dealer's timer rings: the first one's machine stands still.
    two._ownership._tick()
    await nodes.settled()
    nodes.services["one"] = frozen
    assert nodes.owner(game) == "two"


def reason(over: Told | str) -> str:
    assert isinstance(over, Told)
    return over.reason


def head(nodes: Nodes, game: str) -> LogHead:
    return nodes.shared.content.logs[game].head


async def prepared(nodes: Nodes, **rules: Any) -> tuple[str, Bot, Bot]:
    game, mine, other = await first_turn(nodes.services["one"], **rules)
    await nodes.lease()
    return game, mine, other


async def test_a_stale_owner_lets_go_and_tells_nothing_of_what_it_could_not_write(
    tmp_path: Path,
) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        one, two = nodes.services["one"], nodes.services["two"]
        game, mine, other = await prepared(nodes)
        await take_behind_its_back(nodes, game)
        stored, heard = await two.lines(game), len(other.heard)
        told = await refusal(mine.act(1, 1, play_pb2.ACT_CALL))
        assert (told.code, told.reason) == (grpc.StatusCode.UNAVAILABLE, "GAME_MOVING")
        for bot in (mine, other):
            assert reason(await bot.until_over()) == "GAME_MOVING"
        assert len(other.heard) == heard
        assert await two.lines(game) == stored
        # Whoever calls again is told where the game is.
        told = await refusal(mine.act(1, 1, play_pb2.ACT_CALL))
        assert (told.code, told.reason) == (grpc.StatusCode.UNAVAILABLE, "GAME_ELSEWHERE")
        assert told.metadata == {"owner": two.address, "node": "two"}
        again = moved(mine, two, policy=waiting)
        assert await moved(mine, two, policy=waiting).act(1, 1, play_pb2.ACT_CALL) > len(stored)
        await stop([mine, other, again])
        assert one.dealer._failure is None


async def test_a_clock_that_rings_at_a_stale_owner_acts_for_nobody(tmp_path: Path) -> None:
    """As after SIGSTOP and SIGCONT: its timers ring before it has heard of anything."""
    async with sharing(tmp_path, "one", "two") as nodes:
        two = nodes.services["two"]
        game, mine, other = await prepared(nodes, turn_ms=8_000)
        await take_behind_its_back(nodes, game)
        stored = await two.lines(game)
        nodes.clock.advance(2_500)
        assert reason(await mine.until_over()) == "GAME_MOVING"
        assert await two.lines(game) == stored
        await stop([mine, other])


async def test_a_request_of_a_stale_owner_is_forgotten_and_done_once_at_the_new_one(
    tmp_path: Path,
) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        one, two = nodes.services["one"], nodes.services["two"]
        game, mine, other = await prepared(nodes)
        await take_behind_its_back(nodes, game)
        request = play_pb2.SitOutRequest(request_id=fresh_id(), game=game)
        told = await refusal(one.play.SitOut(request, metadata=mine.header))
        assert told.reason == "GAME_MOVING"
        first = await two.play.SitOut(request, metadata=mine.header)
        assert await two.play.SitOut(request, metadata=mine.header) == first
        # And at the old one the answer is told as it is stored.
        assert (await one.play.SitOut(request, metadata=mine.header)).size == first.size
        await stop([mine, other])


async def test_a_stale_owner_that_beats_again_hears_of_what_it_lost(tmp_path: Path) -> None:
    """A frozen machine's clock may tell it of no gap; each beat asks after some games."""
    async with sharing(tmp_path, "one", "two") as nodes:
        game, mine, other = await prepared(nodes)
        await take_behind_its_back(nodes, game)
        await nodes.beat()
        assert nodes.services["one"].dealer.floor.tables == ()
        assert reason(await other.until_over()) == "GAME_MOVING"
        assert nodes.owner(game) == "two"
        await stop([mine, other])


async def test_a_node_without_contact_lets_go_when_its_lease_has_run_out(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one") as nodes:
        one = nodes.services["one"]
        game, mine, other = await first_turn(one)
        store = nodes.stores["one"]
        store.hang()
        store.script("beat", Fault.NOT_PERSISTED)
        for skip in range(1, 9):
            store.script("beat", Fault.NOT_PERSISTED, skip=skip)
        adding = play_pb2.AddChipsRequest(request_id=fresh_id(), game=game, amount=1)
        waits = one.play.AddChips(adding, metadata=other.header)
        await mine.until_given(lambda: one.table(game)._deferred)
        await nodes.beat(4)
        assert one.dealer.floor.running(game) is not None
        await nodes.beat(2)
        assert one.dealer.floor.running(game) is None
        assert (await refusal(waits)).reason == "GAME_MOVING"
        assert reason(await mine.until_over()) == "GAME_MOVING"
        assert (await refusal(mine.leave())).reason == "GAME_MOVING"
        assert not one.dealer._outlook.health.serves("")  # type: ignore[union-attr]
        # The store is there again: nobody took the game, so it goes on here at once.
        store.go_on()
        await nodes.beat(4)
        assert one.dealer.floor.running(game) is not None
        assert one.dealer._outlook.health.serves("")  # type: ignore[union-attr]
        again = [moved(bot, one, policy=calling) for bot in (mine, other)]
        await again[0].until_line("hand_ended", hand=1)
        await stop([mine, other, *again])


async def test_what_was_under_way_when_the_lease_ran_out_is_written_once_or_not_at_all(
    tmp_path: Path,
) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        one, two = nodes.services["one"], nodes.services["two"]
        game, mine, other = await prepared(nodes)
        stored = await two.lines(game)
        hung = nodes.stores["one"]
        hung.hang()
        for skip in range(9):
            hung.script("beat", Fault.NOT_PERSISTED, skip=skip)
        request = play_pb2.ActRequest(
            request_id=fresh_id(), game=game, hand=1, turn=1, act=play_pb2.ACT_CALL
        )
        acting = one.play.Act(request, metadata=mine.header)
        await mine.until_given(lambda: one.table(game).requests._known)
        await nodes.beat(6)
        assert (await refusal(acting)).reason == "GAME_MOVING"
        assert nodes.owner(game) == "two"
        hung.go_on()
        await nodes.beat(4)
        assert await two.lines(game) == stored
        assert (await two.play.Act(request, metadata=mine.header)).size > len(stored)
        await stop([mine, other])


async def test_a_clock_that_ran_while_the_store_was_away_begins_anew(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one") as nodes:
        one = nodes.services["one"]
        game, mine, other = await first_turn(one, turn_ms=3_000)
        store = nodes.stores["one"]
        store.hang()
        acting = asyncio.create_task(mine.act(1, 1, play_pb2.ACT_CALL))
        dealing = one.table(game).dealing
        await mine.until_given(lambda: dealing.state.play and dealing.state.play.betting.turn == 2)
        await nodes.beat(4)
        store.go_on()
        await acting
        await other.until(lambda bot: bot.decision and bot.decision.turn == 2)
        await other.until(
            lambda bot: bot.decision and bot.decision.deadline >= nodes.clock.now() + 2_000
        )
        assert other.find("acted", by="clock") is None
        # From there on it runs as ever.
        await nodes.beat(4)
        assert (await other.until_line("acted", by="clock"))["turn"] == 2
        await stop([mine, other])


async def test_a_process_that_was_replaced_stops_and_says_why(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one") as nodes:
        one = nodes.services["one"]
        game = await one.open_game()
        nodes.shared.open().join(Node("one", "127.0.0.1:1"), 5_000)
        await nodes.beat()
        assert isinstance(one.dealer._failure, StoreError)
        assert one.dealer._failure.reason is Reason.NODE_REPLACED
        assert one.dealer.floor.tables == ()
        assert (await refusal(one.close_game(game))).reason in {
            "GAME_MOVING",
            "STORE_FAILED",
            "DEALER_FAULT",
        }


async def test_a_store_that_goes_back_under_a_running_node_stops_it(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one") as nodes:
        one = nodes.services["one"]
        await one.open_game()
        await nodes.beat(3)
        nodes.shared.beats -= 2
        await nodes.beat()
        assert isinstance(one.dealer._failure, StoreError)
        assert one.dealer._failure.reason is Reason.STORE_WENT_BACK


async def test_a_log_that_lacks_what_was_signed_here_is_not_taken(tmp_path: Path) -> None:
    """A replica that lacked the last writes took over, and no beat tells of it."""
    async with sharing(tmp_path, "one") as nodes:
        one = nodes.services["one"]
        game, mine, other = await first_turn(one)
        log = nodes.shared.content.logs[game]
        kept = log.copy()
        nodes.clock.advance(200)
        await one.settled(game)
        await mine.act(1, 1, play_pb2.ACT_CALL)
        nodes.clock.advance(200)
        await one.settled(game)
        assert head(nodes, game).signed_size > kept.head.signed_size
        nodes.shared.content.logs[game] = kept
        assert (await refusal(mine.leave())).reason == "GAME_MOVING"
        await nodes.beat()
        assert isinstance(one.dealer._failure, StoreError)
        assert one.dealer._failure.reason is Reason.STORE_WENT_BACK
        assert nodes.shared.content.logs[game].head.signed == kept.head.signed
        await stop([mine, other])


@pytest.mark.parametrize("fault", list(Fault))
async def test_a_beat_that_fails_once_costs_nothing(tmp_path: Path, fault: Fault) -> None:
    async with sharing(tmp_path, "one") as nodes:
        game = await nodes.services["one"].open_game()
        nodes.stores["one"].script("beat", fault)
        await nodes.beat(3)
        assert nodes.services["one"].dealer.floor.running(game) is not None
        assert nodes.services["one"].dealer._failure is None
