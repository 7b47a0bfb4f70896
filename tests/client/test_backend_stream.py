"""One stream for all calls: what leaves by it, who is answered, and what becomes of it all."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import grpc.aio
import jwt
import pytest

from cutcard.v1 import play_pb2
from dealer_service.client import lane
from dealer_service.client.bearer import Bearer
from dealer_service.client.carried import CarriedPlay
from dealer_service.client.errors import read_error
from dealer_service.rpc.errors import status_of
from tests.support.scripted_sessions import PATIENCE, ScriptedNode, Stream, scripted

GAMES = [f"{number:032x}" for number in range(2_000)]
UNAUTHENTICATED = status_of("TOKEN_EXPIRED", "the token has expired", {})


def token(name: str, **claims: Any) -> str:
    return jwt.encode({"sub": name} | claims, "k" * 32, algorithm="HS256")


def header(name: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token(name)}"),)


@pytest.fixture
async def node() -> AsyncIterator[ScriptedNode]:
    async with scripted() as serving, asyncio.timeout(PATIENCE):
        yield serving


@pytest.fixture
async def channel(node: ScriptedNode) -> AsyncIterator[grpc.aio.Channel]:
    async with grpc.aio.insecure_channel(node.address) as connected:
        yield connected


@pytest.fixture
async def play(channel: grpc.aio.Channel) -> AsyncIterator[CarriedPlay]:
    carried = CarriedPlay(channel, Bearer(token("backend")), lambda: 0.0)
    yield carried
    await carried.close()


def ask(play: CarriedPlay, game: str, name: str = "ann", **how: Any) -> "asyncio.Task[Any]":
    request = play_pb2.GetTableRequest(game=game)
    return asyncio.ensure_future(play.GetTable(request, metadata=header(name), **how))


def lines(*texts: bytes, first: int = 0) -> play_pb2.WatchResponse:
    return play_pb2.WatchResponse(first=first, lines=texts)


def told(numbers: list[int], what: play_pb2.WatchResponse) -> play_pb2.SessionAnswer:
    return play_pb2.SessionAnswer(calls=numbers, watch=what)


def ended(*numbers: int) -> play_pb2.SessionAnswer:
    return play_pb2.SessionAnswer(calls=numbers, end=play_pb2.SessionEnd())


class TestAsking:
    async def test_what_is_asked_in_one_turn_leaves_in_one_message(
        self, node: ScriptedNode, play: CarriedPlay
    ) -> None:
        names = ("ann", "ben", "cleo")
        asking = [ask(play, GAMES[i], names[i % 3]) for i in range(30)]
        stream = await node.stream(calls=30)
        assert len(stream.came) == 1
        await stream.answer_all()
        assert [one.game for one in await asyncio.gather(*asking)] == GAMES[:30]

    async def test_a_token_goes_along_once_however_often_it_asks(
        self, node: ScriptedNode, play: CarriedPlay
    ) -> None:
        for turn in range(3):
            asking = [ask(play, GAMES[0], name) for name in ("ann", "ben")]
            stream = await node.stream(calls=2 * (turn + 1))
            await stream.answer_all()
            await asyncio.gather(*asking)
        assert stream.token == token("backend")
        tokens = dict(stream.bearers)
        assert sorted(tokens.values()) == sorted([token("ann"), token("ben")])
        assert len(stream.bearers) == 2
        asked_by = [tokens[call.bearer] for call in stream.calls]
        assert asked_by == [token("ann"), token("ben")] * 3

    async def test_who_shows_no_token_is_not_taken_for_the_backend_itself(
        self, node: ScriptedNode, play: CarriedPlay
    ) -> None:
        asking = asyncio.ensure_future(play.GetTable(play_pb2.GetTableRequest(game=GAMES[0])))
        stream = await node.stream(calls=1)
        assert stream.bearers == []
        assert stream.calls[0].bearer != 0
        await stream.answer_all()
        await asking

    async def test_no_message_is_longer_than_a_dealer_takes(
        self, node: ScriptedNode, play: CarriedPlay
    ) -> None:
        """A dealer takes 64 KiB."""
        asking = [ask(play, GAMES[i] * 20, f"player-{i}-{'x' * 500}") for i in range(200)]
        stream = await node.stream(calls=200)
        assert len(stream.came) > 1
        assert max(message.ByteSize() for message in stream.came) < 64 * 1024
        await stream.answer_all()
        await asyncio.gather(*asking)

    async def test_a_call_that_no_dealer_would_take_fails_alone(
        self, node: ScriptedNode, play: CarriedPlay
    ) -> None:
        other = ask(play, GAMES[0])
        with pytest.raises(grpc.aio.AioRpcError, match="bytes at most") as refused:
            await ask(play, "a" * 64 * 1024)
        assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        stream = await node.stream(calls=1)
        await stream.answer_all()
        await other
        assert len(node.streams) == 1

    async def test_numbers_of_tokens_are_given_anew_where_there_are_too_many(
        self, node: ScriptedNode, play: CarriedPlay, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The one that asked last the longest time ago makes room, and is shown again later."""
        monkeypatch.setattr(lane, "_MOST_BEARERS", 2)
        asked = ("ann", "ben", "ann", "cleo", "ben")
        for count, name in enumerate(asked, 1):
            asking = ask(play, GAMES[0], name)
            stream = await node.stream(calls=count)
            await stream.answer_all()
            await asking
        names: dict[int, str] = {}
        for message, name in zip(stream.came, asked, strict=True):
            names |= {one.bearer: one.token for one in message.bearers}
            assert names[message.calls[0].bearer] == token(name)
            assert len(names) <= 2

    async def test_the_dealer_is_never_to_know_more_of_tokens_than_it_keeps(
        self, node: ScriptedNode, play: CarriedPlay, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """One that is long makes several be forgotten, whose numbers are free again."""
        small = len(header("ann0")[0][1])
        monkeypatch.setattr(lane, "_MOST_SHOWN", 5 * small)
        asked = [f"ann{number}" for number in range(4)] + ["x" * 2 * small, "ann8", "ann9", "ann0"]
        known: dict[int, str] = {}
        for count, name in enumerate(asked, 1):
            asking = ask(play, GAMES[0], name)
            stream = await node.stream(calls=count)
            await stream.answer_all()
            await asking
            for one in stream.came[-1].bearers:
                known[one.bearer] = one.token
            shown = [f"Bearer {one}" for one in known.values() if one]
            assert sum(map(len, shown)) <= 5 * small
            assert known[stream.calls[-1].bearer] == token(name)
        assert max(known) <= 4

    async def test_calls_beyond_the_room_of_one_stream_go_by_another(
        self, node: ScriptedNode, play: CarriedPlay, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A dealer reads a stream no further while too many calls wait there."""
        monkeypatch.setattr(lane, "MOST_CALLS", 2)
        asking = [ask(play, GAMES[i]) for i in range(2)]
        first = await node.stream(1, calls=2)
        asking.append(ask(play, GAMES[2]))
        second = await node.stream(2, calls=1)
        await second.answer_all()
        await asking[2]
        await node.until(lambda: second.is_over)
        await first.answer_all()
        await asyncio.gather(*asking)
        assert not first.is_over

    async def test_so_do_watches(
        self, node: ScriptedNode, play: CarriedPlay, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lane, "MOST_WATCHES", 1)
        watches = [play.Watch(play_pb2.WatchRequest(game=GAMES[0]))]
        first = await node.stream(1, calls=1)
        watches.append(play.Watch(play_pb2.WatchRequest(game=GAMES[1])))
        second = await node.stream(2, calls=1)
        await first.answer(ended(first.calls[0].call))
        assert await watches[0].read() is grpc.aio.EOF
        # There is room again on the second alone, as the first carried nothing.
        await node.until(lambda: first.is_over)
        assert not second.is_over
        watches[1].cancel()


class TestGivingUp:
    async def test_a_call_that_is_cancelled_is_taken_back(
        self, node: ScriptedNode, play: CarriedPlay
    ) -> None:
        asking = ask(play, GAMES[0])
        stream = await node.stream(calls=1)
        asking.cancel()
        await node.until(lambda: bool(stream.stopped))
        assert stream.stopped == [stream.calls[0].call]

    async def test_a_call_is_not_waited_for_beyond_its_time(
        self, node: ScriptedNode, play: CarriedPlay
    ) -> None:
        with pytest.raises(grpc.aio.AioRpcError) as late:
            await ask(play, GAMES[0], timeout=0.01)
        assert late.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        again = ask(play, GAMES[1])
        stream = await node.stream(calls=1)
        await node.until(lambda: GAMES[1] in {call.get_table.game for call in stream.calls})
        # Its late answer is nobody's.
        await stream.answer_all()
        assert (await again).game == GAMES[1]

    async def test_a_call_that_is_given_up_at_once_never_leaves(
        self, node: ScriptedNode, play: CarriedPlay
    ) -> None:
        given_up = ask(play, GAMES[0])
        await asyncio.sleep(0)
        given_up.cancel()
        asking = ask(play, GAMES[1])
        stream = await node.stream(calls=1)
        assert [call.get_table.game for call in stream.calls] == [GAMES[1]]
        await stream.answer_all()
        await asking

    async def test_a_watch_that_is_cancelled_is_taken_back(
        self, node: ScriptedNode, play: CarriedPlay
    ) -> None:
        watch = play.Watch(play_pb2.WatchRequest(game=GAMES[0]), metadata=header("ann"))
        stream = await node.stream(calls=1)
        assert watch.cancel()
        assert not watch.cancel()
        await node.until(lambda: stream.stopped == [stream.calls[0].call])
        with pytest.raises(asyncio.CancelledError):
            await watch.read()

    async def test_what_is_closed_ends_its_stream_and_all_that_waits(
        self, node: ScriptedNode, play: CarriedPlay
    ) -> None:
        asking = ask(play, GAMES[0])
        watch = play.Watch(play_pb2.WatchRequest(game=GAMES[0]))
        stream = await node.stream(calls=2)
        await play.close()
        await node.until(lambda: stream.is_over)
        for waits in (asking, watch.read()):
            with pytest.raises(grpc.aio.AioRpcError, match="closed here"):
                await waits


class TestWatching:
    async def watching(
        self, node: ScriptedNode, play: CarriedPlay, *names: str
    ) -> tuple[Stream, list[lane.CarriedWatch], list[int]]:
        request = play_pb2.WatchRequest(game=GAMES[0], **{"from": 7})
        watches = [play.Watch(request, metadata=header(name)) for name in names]
        stream = await node.stream(calls=len(names))
        return stream, watches, [call.call for call in stream.calls]

    async def test_what_comes_once_is_told_to_all_whom_it_names(
        self, node: ScriptedNode, play: CarriedPlay
    ) -> None:
        stream, watches, numbers = await self.watching(node, play, "ann", "ben", "cleo")
        assert all(
            call.watch == play_pb2.WatchRequest(game=GAMES[0], **{"from": 7})
            for call in stream.calls
        )
        own = play_pb2.WatchResponse(openings=[play_pb2.Opening(hand=1, card="As")])
        await stream.answer(
            told(numbers, lines(b"one")),
            told(numbers[1:2], own),
            told(numbers[:2], lines(b"two", first=1)),
            ended(*numbers),
        )
        heard = [[message async for message in watch] for watch in watches]
        assert heard == [
            [lines(b"one"), lines(b"two", first=1)],
            [lines(b"one"), own, lines(b"two", first=1)],
            [lines(b"one")],
        ]
        assert [await watch.read() for watch in watches] == [grpc.aio.EOF] * 3

    async def test_a_refusal_comes_behind_what_was_told(
        self, node: ScriptedNode, play: CarriedPlay
    ) -> None:
        stream, (watch,), (number,) = await self.watching(node, play, "ann")
        moved = status_of("GAME_MOVING", "the game is being moved", {})
        await stream.answer(
            told([number], lines(b"one")),
            play_pb2.SessionAnswer(calls=[number], refused=moved.SerializeToString()),
        )
        assert await watch.read() == lines(b"one")
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await watch.read()
        assert read_error(refused.value).refusal.reason == "GAME_MOVING"

    async def test_who_does_not_read_holds_up_nobody_else(
        self, node: ScriptedNode, play: CarriedPlay, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It is told what came in time, then to watch again, and its watch is taken back."""
        monkeypatch.setattr(lane, "MOST_UNREAD", 1_000)
        stream, (slow, quick), numbers = await self.watching(node, play, "ann", "ben")
        for index in range(3):
            await stream.answer(told(numbers, lines(b"x" * 400, first=index)))
            assert await quick.read() == lines(b"x" * 400, first=index)
        await node.until(lambda: bool(stream.stopped))
        assert stream.stopped == [numbers[0]]
        assert [await slow.read() for _ in range(3)] == [
            lines(b"x" * 400, first=index) for index in range(3)
        ]
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await slow.read()
        assert read_error(refused.value).refusal.reason == "READ_TOO_SLOWLY"
        await stream.answer(told(numbers[1:], lines(b"more", first=3)))
        assert await quick.read() == lines(b"more", first=3)


class TestRefusals:
    async def test_a_refusal_is_the_one_that_a_call_of_its_own_gets(
        self, node: ScriptedNode, play: CarriedPlay
    ) -> None:
        asking = ask(play, GAMES[0])
        stream = await node.stream(calls=1)
        status = status_of("RATE_LIMITED", "again in 70 ms", {"retry_after_ms": "70"})
        await stream.answer(
            play_pb2.SessionAnswer(calls=[stream.calls[0].call], refused=status.SerializeToString())
        )
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await asking
        error = refused.value
        assert (error.code(), error.details()) == (
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "again in 70 ms",
        )
        trailers = dict(error.trailing_metadata())
        assert trailers == {"grpc-status-details-bin": status.SerializeToString()}
        assert read_error(error).refusal.retry_after == 0.07

    @pytest.mark.parametrize("content", [b"\xff", b"", b"\x08\xff\x01"])
    async def test_bytes_that_are_no_refusal_fail_the_call_and_nothing_else(
        self, node: ScriptedNode, play: CarriedPlay, content: bytes
    ) -> None:
        asking = ask(play, GAMES[0])
        stream = await node.stream(calls=1)
        number = stream.calls[0].call
        await stream.answer(play_pb2.SessionAnswer(calls=[number], refused=content))
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await asking
        assert refused.value.code() is grpc.StatusCode.UNKNOWN
        assert not stream.is_over

    async def test_an_answer_of_no_kind_fails_the_call_and_one_to_nobody_is_passed_over(
        self, node: ScriptedNode, play: CarriedPlay
    ) -> None:
        first, second = ask(play, GAMES[0]), ask(play, GAMES[1])
        stream = await node.stream(calls=2)
        numbers = [call.call for call in stream.calls]
        await stream.answer(
            told([numbers[1], 99], lines(b"for no watch")),
            ended(98),
            play_pb2.SessionAnswer(calls=numbers[:1]),
        )
        with pytest.raises(grpc.aio.AioRpcError):
            await first
        await stream.answer_all()
        assert (await second).game == GAMES[1]

    async def test_an_answer_to_another_question_fails_the_call(
        self, node: ScriptedNode, play: CarriedPlay
    ) -> None:
        asking = ask(play, GAMES[0])
        stream = await node.stream(calls=1)
        number = stream.calls[0].call
        await stream.answer(
            play_pb2.SessionAnswer(calls=[number], act=play_pb2.ActResponse(size=7))
        )
        with pytest.raises(grpc.aio.AioRpcError, match="did not answer what it was asked"):
            await asking

    @pytest.mark.parametrize("last", [{}, {"act": play_pb2.ActResponse()}], ids=["none", "an act"])
    async def test_a_watch_is_at_its_end_only_where_the_dealer_says_so(
        self, node: ScriptedNode, play: CarriedPlay, last: dict[str, Any]
    ) -> None:
        watch = play.Watch(play_pb2.WatchRequest(game=GAMES[0]), metadata=header("ann"))
        stream = await node.stream(calls=1)
        await stream.answer(play_pb2.SessionAnswer(calls=[stream.calls[0].call], **last))
        with pytest.raises(grpc.aio.AioRpcError, match="did not answer what it was asked"):
            await watch.read()

    async def test_what_comes_behind_the_end_of_a_watch_is_passed_over(
        self, node: ScriptedNode, play: CarriedPlay
    ) -> None:
        watch = play.Watch(play_pb2.WatchRequest(game=GAMES[0]), metadata=header("ann"))
        asking = ask(play, GAMES[0])
        stream = await node.stream(calls=2)
        number = stream.calls[0].call
        behind = told([number], lines(b"behind"))
        await stream.answer(told([number], lines(b"before")), ended(number), behind, ended(number))
        await stream.answer_all()
        await asking
        assert [list(one.lines) async for one in watch] == [[b"before"]]


class TestBreaks:
    async def test_calls_fail_as_their_stream_did_and_the_next_opens_another(
        self, node: ScriptedNode, play: CarriedPlay
    ) -> None:
        asking = [ask(play, GAMES[0]), ask(play, GAMES[1], "ben")]
        watch = play.Watch(play_pb2.WatchRequest(game=GAMES[0]), metadata=header("ann"))
        stream = await node.stream(calls=3)
        stream.end(status_of("STOPPING", "the dealer stops", {}))
        for waits in (*asking, watch.read()):
            with pytest.raises(grpc.aio.AioRpcError) as broken:
                await waits
            refusal = read_error(broken.value).refusal
            assert (refusal.code, refusal.reason) == ("UNAVAILABLE", "STOPPING")
        again = ask(play, GAMES[1], "ben")
        other = await node.stream(2, calls=1)
        # Nothing of the first stream holds on the second.
        assert [text for _, text in other.bearers] == [token("ben")]
        await other.answer_all()
        assert (await again).game == GAMES[1]

    async def test_a_stream_that_ends_well_has_calls_made_again(
        self, node: ScriptedNode, play: CarriedPlay
    ) -> None:
        asking = ask(play, GAMES[0])
        (await node.stream(calls=1)).end()
        with pytest.raises(grpc.aio.AioRpcError) as broken:
            await asking
        assert broken.value.code() is grpc.StatusCode.UNAVAILABLE

    async def test_where_no_dealer_takes_sessions_each_call_says_so(self) -> None:
        """A proxy that knows single calls alone refuses likewise."""
        server = grpc.aio.server()
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            play = CarriedPlay(channel, Bearer(token("backend")), lambda: 0.0)
            with pytest.raises(grpc.aio.AioRpcError, match="by no proxy") as refused:
                await ask(play, GAMES[0])
            assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
            await play.close()
        await server.stop(None)


class TestTheStreamsOwnToken:
    async def test_a_newer_one_is_shown_before_it_expires(
        self, node: ScriptedNode, channel: grpc.aio.Channel
    ) -> None:
        old, new = token("backend", exp=100), token("backend", exp=100_000)
        given = iter([old, new])
        # It expires in a second and a third: the newer one is asked for a third before.
        play = CarriedPlay(channel, Bearer(lambda: next(given)), lambda: 100 - 4 / 3)
        asking = ask(play, GAMES[0])
        stream = await node.stream(calls=1)
        await node.until(lambda: (0, new) in stream.bearers)
        await stream.answer_all()
        await asking
        assert (stream.token, len(node.streams)) == (old, 1)
        await play.close()

    async def test_where_it_expired_the_next_stream_is_opened_under_a_newer_one(
        self, node: ScriptedNode, channel: grpc.aio.Channel
    ) -> None:
        """Each player's call is made again then; its own token was no cause."""
        given = iter([token("backend", jti="1"), token("backend", jti="2")])
        play = CarriedPlay(channel, Bearer(lambda: next(given)), lambda: 0.0)
        asking = ask(play, GAMES[0])
        (await node.stream(calls=1)).end(UNAUTHENTICATED)
        with pytest.raises(grpc.aio.AioRpcError, match="newer token") as broken:
            await asking
        assert broken.value.code() is grpc.StatusCode.UNAVAILABLE
        again = ask(play, GAMES[0])
        other = await node.stream(2, calls=1)
        assert other.token == token("backend", jti="2")
        await other.answer_all()
        await again
        await play.close()

    async def test_where_there_is_none_it_is_told_apart_from_a_players(
        self, node: ScriptedNode, play: CarriedPlay
    ) -> None:
        asking = ask(play, GAMES[0])
        (await node.stream(calls=1)).end(UNAUTHENTICATED)
        with pytest.raises(grpc.aio.AioRpcError, match="token of the stream of all") as refused:
            await asking
        refusal = read_error(refused.value).refusal
        assert (refusal.code, refusal.reason) == ("UNAUTHENTICATED", "TOKEN_EXPIRED")
