"""A table with a fault stops by itself: nothing leaves it, nobody waits, the others play on."""

from pathlib import Path
from typing import Any

import grpc
import pytest

from cutcard.v1 import operate_pb2, play_pb2
from dealer_service.tables.dealing import Dealing
from tests.support.service import Bot, Service, fresh_id, refusal, seated, serving, stop, waiting


async def first_turn(service: Service) -> tuple[str, Bot, Bot]:
    """Bring two players to the first turn; the first of the two is to act."""
    game = await service.open_game(turn_ms=600_000)
    ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
    turn = await ann.until(lambda bot: bot.decision)
    await bob.until(lambda bot: bot.decision)
    return (game, ann, bob) if turn.seat == 1 else (game, bob, ann)


def break_dealing(monkeypatch: pytest.MonkeyPatch, dealing: Dealing) -> None:
    """Let the table's next unit fail when half of it is made."""
    begin = dealing.make

    def make(*args: Any, **how: Any) -> Any:
        begin(*args, **how)
        message = "a fault in the middle"
        raise RuntimeError(message)

    monkeypatch.setattr(dealing, "make", make)


async def test_everybody_is_told_and_nothing_leaves(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, mine, other = await first_turn(service)
    stored, heard = await service.lines(game), len(mine.lines)
    add = play_pb2.AddChipsRequest(request_id=fresh_id(), game=game, amount=1)
    adding = service.play.AddChips(add, metadata=other.header)
    await mine.until_given(lambda: service.table(game)._deferred)
    break_dealing(monkeypatch, service.table(game).dealing)
    told = await refusal(mine.act(1, 1, play_pb2.ACT_CALL))
    assert (told.code, told.reason) == (grpc.StatusCode.UNAVAILABLE, "TABLE_HALTED")
    # Whoever waited, watched or comes later hears the same.
    assert (await refusal(adding)).reason == "TABLE_HALTED"
    for bot in (mine, other):
        over = await bot.until_over()
        assert not isinstance(over, str)
        assert over.reason == "TABLE_HALTED"
        assert len(bot.lines) == heard
    assert (await refusal(mine.leave())).reason == "TABLE_HALTED"
    late = Bot(service, "eve")
    late.watch(game)
    over = await late.until_over()
    assert not isinstance(over, str)
    assert over.reason == "TABLE_HALTED"
    assert len(late.lines) == len(stored)
    service.advance(3_600_000)
    assert await service.lines(game) == stored


async def test_other_tables_play_on(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    game, mine, _ = await first_turn(service)
    break_dealing(monkeypatch, service.table(game).dealing)
    await refusal(mine.act(1, 1, play_pb2.ACT_CALL))
    again = await service.open_game(max_hands=1)
    ann, _ = await seated(service, again, "ann", "bob")
    assert await ann.until_over() == "end"


async def test_starting_again_goes_on_from_what_is_durable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path) as service:
        game, mine, other = await first_turn(service)
        stored = await service.lines(game)
        break_dealing(monkeypatch, service.table(game).dealing)
        await refusal(mine.act(1, 1, play_pb2.ACT_CALL))
        await stop([mine, other])
    async with serving(tmp_path) as service:
        assert (await service.lines(game))[: len(stored)] == stored
        again = Bot(service, mine.name, policy=waiting)
        again.game = game
        assert await again.act(1, 1, play_pb2.ACT_CALL) > len(stored)


async def test_a_table_that_another_owner_took_over_says_and_writes_nothing(
    service: Service,
) -> None:
    """The store refuses a unit under an old epoch; what it held is told to nobody."""
    game, mine, other = await first_turn(service)
    stored = await service.lines(game)
    store = service.dealer._store
    assert store is not None
    assert store.claim(game) is not None
    told = await refusal(mine.act(1, 1, play_pb2.ACT_CALL))
    assert (told.code, told.reason) == (grpc.StatusCode.UNAVAILABLE, "STORE_FAILED")
    over = await other.until_over()
    assert not isinstance(over, str)
    assert over.reason == "TABLE_HALTED"
    assert await service.lines(game) == stored


async def test_links_that_wait_are_not_left_waiting(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = await service.open_game()
    await service.pause(game)
    ann, bob = await seated(service, game, "ann", "bob")
    ann.gives_links = bob.gives_links = False
    await service.resume(game)
    line = await ann.until_line("hand_opened")
    await ann.until(lambda bot: max(bot.checkpoints) == len(bot.lines))
    request = play_pb2.GiveLinkRequest(
        game=game, hand=1, link=ann.link_before(line["seats"][0]["anchor"])
    )
    waits = service.play.GiveLink(request, metadata=ann.header)
    dealing = service.table(game).dealing
    await ann.until_given(lambda: dealing.links)
    break_dealing(monkeypatch, dealing)
    seat = play_pb2.TakeSeatRequest(
        request_id=fresh_id(), game=game, stack=200, accepts_reveal="all_cards"
    )
    told = await refusal(service.play.TakeSeat(seat, metadata=service.header("cid")))
    assert told.reason == "TABLE_HALTED"
    assert (await refusal(waits)).reason == "TABLE_HALTED"


async def test_a_game_that_is_durable_and_not_here_yet_is_told_to_be_opening(
    service: Service,
) -> None:
    """Between the store's word and the table's start a caller is told to come again."""
    game = await service.open_game()
    table = service.dealer.floor._tables.pop(game)
    close = operate_pb2.CloseGameRequest(request_id=fresh_id(), game=game)
    told = await refusal(service.operate.CloseGame(close, metadata=service.operator))
    assert (told.code, told.reason) == (grpc.StatusCode.UNAVAILABLE, "GAME_OPENING")
    eve = Bot(service, "eve")
    eve.watch(game)
    over = await eve.until_over()
    assert not isinstance(over, str)
    assert over.reason == "GAME_OPENING"
    service.dealer.floor._tables[game] = table
    assert (await service.operate.CloseGame(close, metadata=service.operator)).size
