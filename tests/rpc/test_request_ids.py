"""The same request id again: the same answer, byte for byte, and no second effect."""

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest

from cutcard.v1 import operate_pb2, play_pb2
from dealer_service.tables import requests as tables_requests
from tests.support.service import Bot, Service, fresh_id, refusal, seated, serving, waiting


def take_seat(game: str, **changes: Any) -> play_pb2.TakeSeatRequest:
    request = play_pb2.TakeSeatRequest(
        request_id="the-same-id",
        game=game,
        stack=200,
        accepts_reveal="all_cards",
    )
    request.MergeFrom(play_pb2.TakeSeatRequest(**changes))
    return request


async def open_paused(service: Service) -> str:
    game = await service.open_game()
    await service.pause(game)
    return game


async def test_asked_at_the_same_time_it_is_done_once(service: Service) -> None:
    game = await open_paused(service)
    header = service.header("ann")
    calls = [service.play.TakeSeat(take_seat(game), metadata=header) for _ in range(8)]
    answers = {answer.SerializeToString() for answer in await asyncio.gather(*calls)}
    assert len(answers) == 1
    assert [kind for kind, _ in await service.entries(game)].count("seat_taken") == 1
    assert len(await service.chips()) == 1


async def test_asked_again_later_it_has_the_same_answer(service: Service) -> None:
    game = await open_paused(service)
    header = service.header("ann")
    first = await service.play.TakeSeat(take_seat(game), metadata=header)
    await Bot(service, "bob").sit(game)
    size = len(await service.lines(game))
    again = await service.play.TakeSeat(take_seat(game), metadata=header)
    assert again.SerializeToString() == first.SerializeToString()
    assert len(await service.lines(game)) == size


async def test_asked_again_after_a_restart_it_has_the_same_answer(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        game = await open_paused(service)
        first = await service.play.TakeSeat(take_seat(game), metadata=service.header("ann"))
        opened = operate_pb2.OpenGameRequest(request_id="open-once")
        answer = await service.operate.OpenGame(opened, metadata=service.operator)
    async with serving(tmp_path) as service:
        size = len(await service.lines(game))
        again = await service.play.TakeSeat(take_seat(game), metadata=service.header("ann"))
        assert again == first
        assert len(await service.lines(game)) == size
        assert await service.operate.OpenGame(opened, metadata=service.operator) == answer
        told = await refusal(
            service.play.TakeSeat(take_seat(game, seat=2), metadata=service.header("ann"))
        )
        assert told.reason == "REQUEST_ID_REUSED"


async def test_asked_again_when_the_game_is_over_it_has_the_same_answer(service: Service) -> None:
    """A caller whose connection broke before the answer learns that its game was closed."""
    game = await open_paused(service)
    await Bot(service, "ann").sit(game)
    close = operate_pb2.CloseGameRequest(request_id="close-once", game=game)
    first = await service.operate.CloseGame(close, metadata=service.operator)
    assert service.dealer.floor.running(game) is None
    assert await service.operate.CloseGame(close, metadata=service.operator) == first
    other = operate_pb2.CloseGameRequest(request_id="close-once", game=game, reference="x")
    told = await refusal(service.operate.CloseGame(other, metadata=service.operator))
    assert told.reason == "REQUEST_ID_REUSED"


async def test_with_other_content_it_is_refused_and_changes_nothing(service: Service) -> None:
    game = await open_paused(service)
    header = service.header("ann")
    await service.play.TakeSeat(take_seat(game), metadata=header)
    before = await service.lines(game)
    others: list[dict[str, Any]] = [{"stack": 201}, {"seat": 3}, {"reference": "another"}]
    for changes in others:
        told = await refusal(service.play.TakeSeat(take_seat(game, **changes), metadata=header))
        assert (told.code, told.reason) == (grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED")
    leave = play_pb2.LeaveSeatRequest(request_id="the-same-id", game=game)
    told = await refusal(service.play.LeaveSeat(leave, metadata=header))
    assert told.reason == "REQUEST_ID_REUSED"
    assert await service.lines(game) == before


async def test_callers_and_games_have_ids_of_their_own(service: Service) -> None:
    games = [await open_paused(service) for _ in range(2)]
    for game in games:
        for name in ("ann", "bob"):
            await service.play.TakeSeat(take_seat(game), metadata=service.header(name))
        kinds = [kind for kind, _ in await service.entries(game)]
        assert kinds.count("seat_taken") == 2


async def test_a_refused_request_may_be_made_again(service: Service) -> None:
    """A refusal changes nothing, so that it does not use its id up."""
    game = await open_paused(service)
    header = service.header("ann")
    told = await refusal(service.play.TakeSeat(take_seat(game, stack=1000), metadata=header))
    assert told.reason == "BUY_IN_OUT_OF_RANGE"
    assert (await service.play.TakeSeat(take_seat(game), metadata=header)).seat == 1


async def test_an_act_asked_again_is_done_once(service: Service) -> None:
    game = await service.open_game()
    ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
    turn = await ann.until(lambda bot: bot.decision)
    mine = ann if turn.seat == 1 else bob
    request = play_pb2.ActRequest(
        request_id=fresh_id(), game=game, hand=1, turn=1, act=play_pb2.ACT_CALL
    )
    answers = await asyncio.gather(
        *[service.play.Act(request, metadata=mine.header) for _ in range(4)]
    )
    assert len({answer.size for answer in answers}) == 1
    assert [kind for kind, _ in await service.entries(game)].count("acted") == 1


async def test_an_id_that_the_filter_takes_for_known_is_looked_up_and_done(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A false positive costs a look-up; the request is new all the same, and done once."""
    monkeypatch.setattr(tables_requests.Filter, "may_hold", lambda *_: True)
    game = await open_paused(service)
    header = service.header("ann")
    calls = [service.play.TakeSeat(take_seat(game), metadata=header) for _ in range(5)]
    assert {answer.seat for answer in await asyncio.gather(*calls)} == {1}
    assert [kind for kind, _ in await service.entries(game)].count("seat_taken") == 1


async def test_an_answer_that_memory_has_let_go_comes_from_the_store(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables_requests, "REMEMBERED", 0)
    game = await open_paused(service)
    header = service.header("ann")
    first = await service.play.TakeSeat(take_seat(game), metadata=header)
    await Bot(service, "bob").sit(game, watch=False)
    await Bot(service, "cid").sit(game, watch=False)
    assert ("player:ann", "the-same-id") not in service.table(game).requests._known
    assert await service.play.TakeSeat(take_seat(game), metadata=header) == first
