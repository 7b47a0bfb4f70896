"""PlayService.Session: every call in it is what its own RPC is."""

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest

from cutcard.v1 import play_pb2, play_pb2_grpc
from dealer_service.rpc import session, streams
from dealer_service.rpc.server import MAX_REQUEST_BYTES
from dealer_service.rpc.sight import Seen, Sight
from tests.rpc.test_streams import SOON, handlers, unread
from tests.support.every_call import GAME, PLAY, SHARED, invoke
from tests.support.scraping import LOOPBACK, scrape
from tests.support.service import (
    Bot,
    Service,
    Told,
    fresh_id,
    read_refusal,
    refusal,
    seated,
    serving,
    stop,
    waiting,
    watching,
)
from tests.support.talk import Talk, reason_in, refusal_in, status_in, talking

FIELDS = {
    field.message_type.name.removesuffix("Request"): field.name
    for field in play_pb2.SessionCall.DESCRIPTOR.oneofs_by_name["asked"].fields
    if field.message_type is not None
}
"""The field of each method."""


def add_chips(game: str, amount: int = 1, request_id: str = "") -> play_pb2.AddChipsRequest:
    return play_pb2.AddChipsRequest(request_id=request_id or fresh_id(), game=game, amount=amount)


def table(game: str) -> play_pb2.GetTableRequest:
    return play_pb2.GetTableRequest(game=game)


async def playing(service: Service, **rules: Any) -> tuple[str, list[Bot]]:
    """Bring ann and bob into a hand that goes on as nobody acts."""
    game = await service.open_game(**rules)
    bots = await seated(service, game, "ann", "bob", policy=waiting)
    await bots[0].until(lambda bot: bot.decision)
    return game, bots


async def fold(bots: list[Bot]) -> None:
    """Let whoever is to act fold, which ends a hand of two."""
    decision = bots[0].decision
    assert decision is not None
    (one,) = [bot for bot in bots if bot.seat == decision.seat]
    await one.act(decision.hand, decision.turn, play_pb2.ACT_FOLD)


async def broken_at(talk: Talk) -> str:
    """Wait for the end of a session whose form was broken; the field that is wrong."""
    over = await talk.until_over()
    assert isinstance(over, Told)
    assert (over.code, over.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_REQUEST")
    ((field, _),) = over.violations
    return field


class TestACall:
    def test_has_its_field_whatever_its_method(self) -> None:
        (service,) = play_pb2.DESCRIPTOR.services_by_name.values()
        assert FIELDS.keys() | {"Session"} == {method.name for method in service.methods}
        answers = play_pb2.SessionAnswer.DESCRIPTOR.fields_by_name
        for method in service.methods:
            if method.name != "Session":
                assert answers[FIELDS[method.name]].message_type == method.output_type

    async def test_is_refused_as_its_own_rpc(self, service: Service) -> None:
        """With the same code, reason, words and details."""
        requests = {name: (PLAY | SHARED)[name] for name in FIELDS}
        header = service.header("ann")
        async with talking(service, header) as talk:
            for name, request in requests.items():
                answer = await talk.ask(**{FIELDS[name]: request})
                told = await refusal(invoke(service, name, request, header))
                status = status_in(answer)
                assert (name, status.code) == (name, told.code.value[0])
                assert (name, status.message) == (name, told.message)
                assert refusal_in(answer)[1:] == (told.reason, told.metadata)

    async def test_of_the_wrong_form_is_told_each_field(self, service: Service) -> None:
        request = play_pb2.ActRequest(request_id="short", game="no game", hand=1, turn=1)
        told = await refusal(service.play.Act(request, metadata=service.header("ann")))
        async with talking(service) as talk:
            status = status_in(await talk.ask(act=request))
        assert told.reason == "MALFORMED_REQUEST"
        assert {field for field, _ in told.violations} == {"request_id", "game", "act"}
        assert all(field.encode() in status.details[1].value for field, _ in told.violations)

    async def test_is_answered_as_its_own_rpc(self, service: Service) -> None:
        game, bots = await playing(service)
        async with talking(service, bots[0].header) as talk:
            answer = await talk.ask(get_table=table(game))
            assert answer.get_table == await bots[0].table()
            answer = await talk.ask(get_statistics=play_pb2.GetStatisticsRequest(game=game))
            assert answer.get_statistics.people_only
        await stop(bots)

    async def test_changes_what_its_own_rpc_changes(self, service: Service) -> None:
        """A player sits, plays and leaves in a session, and all of it stands in the log."""
        game = await service.open_game()
        (bob,) = await seated(service, game, "bob")
        async with talking(service) as talk:
            seat = play_pb2.TakeSeatRequest(
                request_id=fresh_id(), game=game, stack=200, accepts_reveal="all_cards"
            )
            sat = (await talk.ask(take_seat=seat)).take_seat
            decision = await bob.until(
                lambda bot: bot.decision and bot.decision.seat == sat.seat and bot.decision
            )
            act = play_pb2.ActRequest(
                request_id=fresh_id(),
                game=game,
                hand=decision.hand,
                turn=decision.turn,
                act=play_pb2.ACT_FOLD,
            )
            acted = (await talk.ask(act=act)).act
            left = play_pb2.LeaveSeatRequest(request_id=fresh_id(), game=game)
            size = (await talk.ask(leave_seat=left)).leave_seat.size
        entries = await service.entries(game)
        assert "acted" in {kind for kind, _ in entries[: acted.size]}
        kinds = [kind for kind, body in entries[:size] if body.get("player") == "ann"]
        assert (kinds[0], kinds[-1]) == ("seat_taken", "seat_left")
        await bob.stop()

    async def test_needs_no_company_and_minds_none(self, service: Service) -> None:
        """Many in one message, good ones and bad ones, are each answered."""
        games = [await service.open_game() for _ in range(3)]
        asked = [games[0], GAME, games[1], "no game", games[2]]
        async with talking(service) as talk:
            calls = [talk.call(get_table=table(game)) for game in asked]
            await talk.send(*calls)
            answers = [await talk.next(call) for call in calls]
        assert [one.get_table.game for one in answers[::2]] == games
        assert [reason_in(one) for one in answers[1::2]] == ["NO_SUCH_GAME", "MALFORMED_REQUEST"]

    async def test_is_counted_by_its_own_name(self, tmp_path: Path) -> None:
        async with serving(tmp_path, metrics=LOOPBACK) as service:
            game = await service.open_game()
            async with talking(service) as talk:
                await talk.ask(get_table=table(game))
                await talk.ask(get_table=table(GAME))
                watch = talk.call(watch=watching(game))
                await talk.send(watch)
                await talk.next(watch)
                seen = await scrape(service)
        assert seen.get("cutcard_streams", method="PlayService/Session") == 1
        assert seen.get("cutcard_streams", method="PlayService/Watch") == 1
        for status in ("OK", "NOT_FOUND"):
            labels = {"method": "PlayService/GetTable", "status": status}
            assert seen.get("cutcard_call_seconds_count", **labels) == 1
        refused = seen.all("cutcard_refusals_total")
        assert refused == {("PlayService/GetTable", "NO_SUCH_GAME"): 1}


class TestAChange:
    async def test_that_was_made_in_a_session_is_not_made_again_by_a_call(
        self, service: Service
    ) -> None:
        game = await service.open_game()
        await service.pause(game)
        ann = await Bot(service, "ann").sit(game, watch=False)
        request = add_chips(game, request_id="the-same-id")
        async with talking(service, ann.header) as talk:
            first = (await talk.ask(add_chips=request)).add_chips
        again = await service.play.AddChips(request, metadata=ann.header)
        assert again == first
        kinds = [kind for kind, _ in await service.entries(game)]
        assert kinds.count("chips_added") == 1

    async def test_that_was_made_by_a_call_is_not_made_again_in_a_session(
        self, service: Service
    ) -> None:
        game = await service.open_game()
        await service.pause(game)
        ann = await Bot(service, "ann").sit(game, watch=False)
        request = add_chips(game, request_id="the-same-id")
        first = await service.play.AddChips(request, metadata=ann.header)
        async with talking(service, ann.header) as talk:
            calls = [talk.call(add_chips=request) for _ in range(4)]
            await talk.send(*calls)
            again = [(await talk.next(call)).add_chips for call in calls]
        assert again == [first] * 4

    async def test_with_the_id_of_another_is_refused(self, service: Service) -> None:
        game = await service.open_game()
        await service.pause(game)
        ann = await Bot(service, "ann").sit(game, watch=False)
        await service.play.AddChips(add_chips(game, 1, "the-same-id"), metadata=ann.header)
        async with talking(service, ann.header) as talk:
            answer = await talk.ask(add_chips=add_chips(game, 2, "the-same-id"))
        assert reason_in(answer) == "REQUEST_ID_REUSED"


class TestACallThatIsStopped:
    async def test_is_answered_once_by_that(self, service: Service) -> None:
        game, bots = await playing(service)
        async with talking(service, bots[0].header) as talk:
            waits = talk.call(add_chips=add_chips(game))
            await talk.send(waits)
            await talk.send(stopped=(waits.call,))
            code, reason, _ = refusal_in(await talk.next(waits))
            assert (code, reason) == (grpc.StatusCode.CANCELLED.value[0], "CANCELLED")
            # Its number may stand for another call from here on.
            again = play_pb2.SessionCall(call=waits.call, get_table=table(game))
            await talk.send(again)
            assert (await talk.next(again)).get_table.game == game
        await stop(bots)

    async def test_in_the_message_that_brought_it_is_answered_as_well(
        self, service: Service
    ) -> None:
        game, bots = await playing(service)
        async with talking(service, bots[0].header) as talk:
            waits = talk.call(add_chips=add_chips(game))
            await talk.send(waits, stopped=(waits.call,))
            assert reason_in(await talk.next(waits)) == "CANCELLED"
        await stop(bots)

    async def test_when_it_has_ended_is_none(self, service: Service) -> None:
        game = await service.open_game()
        async with talking(service) as talk:
            call = talk.call(get_table=table(game))
            await talk.send(call)
            await talk.next(call)
            await talk.send(stopped=(call.call, 12_345))
            assert (await talk.ask(get_table=table(game))).HasField("get_table")
            assert [list(one.calls) for one in talk.heard].count([call.call]) == 1


class TestTheEnd:
    async def test_of_what_the_caller_sends_lets_what_has_one_answer_be_answered(
        self, service: Service
    ) -> None:
        game, bots = await playing(service)
        async with talking(service, bots[0].header) as talk:
            waits, watch = talk.call(add_chips=add_chips(game)), talk.call(watch=watching(game))
            await talk.send(waits, watch)
            await talk.next(watch)
            await talk.stream.done_writing()
            assert reason_in(await talk.last(watch)) == "CANCELLED"
            await fold(bots)
            assert (await talk.next(waits)).HasField("add_chips")
            assert await talk.until_over() == "OK"
        await stop(bots)

    async def test_by_a_caller_that_vanishes_leaves_nothing(self, service: Service) -> None:
        game, bots = await playing(service)
        audience = service.table(game).audience
        before = len(audience)
        async with talking(service, bots[0].header) as talk:
            waits, watch = talk.call(add_chips=add_chips(game)), talk.call(watch=watching(game))
            await talk.send(waits, watch)
            await talk.next(watch)
            assert len(audience) == before + 1
        await bots[0].until_given(lambda: len(audience) == before)
        await bots[0].until_given(lambda: not handlers("Session"))
        await stop(bots)

    async def test_of_the_dealer_is_told_when_all_else_was(self, tmp_path: Path) -> None:
        async with serving(tmp_path, grace=30) as service:
            game, bots = await playing(service)
            talk = Talk(service.play, bots[0].header)
            waits, watch = talk.call(add_chips=add_chips(game)), talk.call(watch=watching(game))
            await talk.send(waits, watch)
            await talk.next(watch)
            await stop(bots)
            await service.dealer.stop()
            assert reason_in(await talk.next(waits)) == "STOPPING"
            assert reason_in(await talk.last(watch)) == "STOPPING"
            over = await talk.until_over()
            assert isinstance(over, Told)
            assert (over.code, over.reason) == (grpc.StatusCode.UNAVAILABLE, "STOPPING")

    async def test_of_the_dealer_is_that_of_a_session_which_begins_meanwhile(
        self, service: Service
    ) -> None:
        service.dealer._sessions.stop()
        async with talking(service) as talk:
            over = await talk.until_over()
        assert isinstance(over, Told)
        assert (over.code, over.reason) == (grpc.StatusCode.UNAVAILABLE, "STOPPING")

    async def test_comes_with_a_call_that_asks_nothing(self, service: Service) -> None:
        game = await service.open_game()
        async with talking(service) as talk:
            await talk.send(talk.call(get_table=table(game)), talk.call())
            assert await broken_at(talk) == "calls.asked"

    async def test_comes_with_a_number_that_is_a_calls_under_way(self, service: Service) -> None:
        game = await service.open_game()
        async with talking(service) as talk:
            watch = talk.call(watch=watching(game))
            await talk.send(watch)
            await talk.next(watch)
            await talk.send(play_pb2.SessionCall(call=watch.call, get_table=table(game)))
            assert await broken_at(talk) == "calls.call"

    async def test_comes_with_bytes_that_are_no_message(self, service: Service) -> None:
        channel: Any = service.channel
        path = "/cutcard.v1.PlayService/Session"
        stream = channel.stream_stream(path)(metadata=service.header("ann"))
        await stream.write(b"\xff\xff\xff")
        told = await refusal(stream.read())
        assert (told.code, told.reason) == (
            grpc.StatusCode.INVALID_ARGUMENT,
            "MALFORMED_REQUEST",
        )

    async def test_comes_with_a_message_that_is_too_large(self, service: Service) -> None:
        """The dealer goes on, and what came before it has been answered."""
        game = await service.open_game()
        async with talking(service) as talk:
            assert (await talk.ask(get_table=table(game))).HasField("get_table")
            long = play_pb2.LeaveSeatRequest(reference="x" * MAX_REQUEST_BYTES)
            await talk.send(talk.call(leave_seat=long))
            assert await talk.until_over() == "RESOURCE_EXHAUSTED"
        async with talking(service) as talk:
            assert (await talk.ask(get_table=table(game))).HasField("get_table")

    async def test_comes_to_who_does_not_read(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What was watched in it is let go of at once."""
        monkeypatch.setattr(streams, "PATIENCE", SOON)
        game = await service.open_game()
        audience = service.table(game).audience
        async with unread(service) as channel:
            play = play_pb2_grpc.PlayServiceStub(channel)
            stream: Any = play.Session(metadata=service.header("ann"))
            call = play_pb2.SessionCall(call=1, watch=watching(game))
            await stream.write(play_pb2.SessionRequest(calls=[call]))
            eve = Bot(service, "eve")
            await eve.until_given(lambda: len(audience) == 1)
            await eve.until_given(lambda: len(audience) == 0)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                [message async for message in stream]
        told = read_refusal(caught.value)
        assert (told.code, told.reason) == (
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "READ_TOO_SLOWLY",
        )


async def test_no_more_is_read_while_too_many_calls_are_under_way(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "MAX_CALLS", 1)
    game, bots = await playing(service)
    async with talking(service, bots[0].header) as talk:
        waits, looks = talk.call(add_chips=add_chips(game)), talk.call(get_table=table(game))
        await talk.send(waits, looks)
        await bots[0].until_given(lambda: service.table(game)._deferred)
        await fold(bots)
        await talk.next(looks)
        assert [list(one.calls) for one in talk.heard] == [[waits.call], [looks.call]]
    await stop(bots)


async def test_streams_of_a_session_are_bounded(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "MAX_WATCHES", 1)
    game = await service.open_game()
    async with talking(service) as talk:
        first, second = (talk.call(watch=watching(game)) for _ in range(2))
        await talk.send(first, second)
        most = {"streams": "10000"}
        assert refusal_in(await talk.next(second))[1:] == ("TOO_MANY_STREAMS", most)
        await talk.send(stopped=(first.call,))
        await talk.last(first)
        third = talk.call(watch=watching(game))
        await talk.send(third)
        assert (await talk.next(third)).HasField("watch")


async def test_a_message_of_many_calls_lets_others_have_their_turns(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more of its streams are begun at a time than are let in between."""
    monkeypatch.setattr(session, "AT_ONCE", 10)
    begun: list[int] = []
    stream = Sight.stream

    def count(sight: Sight, method: str, context: Any) -> Seen:
        coroutines = [task.get_coro() for task in asyncio.all_tasks()]
        begun.append(sum("_Session._carry" in str(one) for one in coroutines))
        return stream(sight, method, context)

    async with talking(service) as talk:
        monkeypatch.setattr(Sight, "stream", count)
        calls = [talk.call(9, watch=watching(GAME)) for _ in range(200)]
        await talk.send(*calls)
        assert {reason_in(await talk.next(call)) for call in calls} == {"TOKEN_MISSING"}
    assert max(begun) == 10
