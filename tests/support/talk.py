"""A session as a caller drives it by hand: numbers, bearers, and answers as they come."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import grpc
import grpc.aio
from google.rpc import error_details_pb2, status_pb2

from cutcard.v1 import play_pb2, play_pb2_grpc
from tests.support.service import PATIENCE, Service, Told, read_refusal


class Talk:
    """One session; `heard` is every answer in order, whatever call it is for."""

    def __init__(self, stub: play_pb2_grpc.PlayServiceStub, header: Any) -> None:
        self.stream: Any = stub.Session(metadata=header)
        self.heard: list[play_pb2.SessionAnswer] = []
        self.messages: list[play_pb2.SessionResponse] = []
        self.over: Told | str = ""
        self._numbers = count(1)
        self._read: dict[int, int] = {}
        self._news = asyncio.Condition()
        self._hearing = asyncio.create_task(self._hear())

    async def send(
        self,
        *calls: play_pb2.SessionCall,
        bearers: dict[int, str] | None = None,
        stopped: tuple[int, ...] = (),
    ) -> None:
        """Send one message."""
        request = play_pb2.SessionRequest(calls=calls, stopped=stopped)
        for bearer, token in (bearers or {}).items():
            request.bearers.add(bearer=bearer, token=token)
        await self.stream.write(request)

    def call(self, bearer: int = 0, **asked: Any) -> play_pb2.SessionCall:
        """Write a call with a number of its own."""
        return play_pb2.SessionCall(call=next(self._numbers), bearer=bearer, **asked)

    async def ask(self, bearer: int = 0, **asked: Any) -> play_pb2.SessionAnswer:
        """Make a call and give its first answer."""
        call = self.call(bearer, **asked)
        await self.send(call)
        return await self.next(call)

    async def next(self, call: play_pb2.SessionCall) -> play_pb2.SessionAnswer:
        """Wait for the next answer to a call."""
        async with asyncio.timeout(PATIENCE), self._news:
            while True:
                told = [one for one in self.heard if call.call in one.calls]
                taken = self._read.get(call.call, 0)
                if len(told) > taken:
                    self._read[call.call] = taken + 1
                    return told[taken]
                assert not self.over, self.over
                await self._news.wait()

    async def until_line(self, call: play_pb2.SessionCall, word: bytes) -> play_pb2.SessionAnswer:
        """Wait for a watch to be told a line with a word in it."""
        while True:
            answer = await self.next(call)
            assert answer.HasField("watch"), answer
            if any(word in line for line in answer.watch.lines):
                return answer

    async def last(self, call: play_pb2.SessionCall) -> play_pb2.SessionAnswer:
        """Wait for what ends a stream."""
        while (answer := await self.next(call)).WhichOneof("answer") == "watch":
            pass
        return answer

    def told(self, call: play_pb2.SessionCall) -> list[play_pb2.WatchResponse]:
        """Give what a watch was told so far."""
        return [one.watch for one in self.heard if call.call in one.calls and one.HasField("watch")]

    async def until_over(self) -> Told | str:
        """Wait for the end of the session; "OK", or why."""
        async with asyncio.timeout(PATIENCE), self._news:
            while not self.over:
                await self._news.wait()
        return self.over

    async def close(self) -> None:
        """Hang up."""
        self.stream.cancel()
        await asyncio.gather(self._hearing, return_exceptions=True)

    async def _hear(self) -> None:
        over: Told | str = "OK"
        try:
            async for message in self.stream:
                async with self._news:
                    self.messages.append(message)
                    self.heard += message.answers
                    self._news.notify_all()
        except grpc.aio.AioRpcError as error:
            has_details = "grpc-status-details-bin" in dict(error.trailing_metadata() or ())
            over = read_refusal(error) if has_details else error.code().name
        async with self._news:
            self.over = over
            self._news.notify_all()


@asynccontextmanager
async def talking(service: Service, header: Any = None) -> AsyncIterator[Talk]:
    """Open a session, as the player "ann" unless another is said."""
    talk = Talk(service.play, header or service.header("ann"))
    try:
        yield talk
    finally:
        await talk.close()


def token_of(header: Any) -> str:
    """Give the token that a header bears."""
    authorization: str = dict(header)["authorization"]
    return authorization.removeprefix("Bearer ")


def status_in(answer: play_pb2.SessionAnswer) -> status_pb2.Status:
    """Read the refusal in an answer."""
    assert answer.WhichOneof("answer") == "refused", answer
    return status_pb2.Status.FromString(answer.refused)


def refusal_in(answer: play_pb2.SessionAnswer) -> tuple[int, str, dict[str, str]]:
    """Read of a refusal its code, its reason and its metadata."""
    status, info = status_in(answer), error_details_pb2.ErrorInfo()
    (told,) = [one for one in status.details if one.Is(info.DESCRIPTOR)]
    told.Unpack(info)
    return status.code, info.reason, dict(info.metadata)


def reason_in(answer: play_pb2.SessionAnswer) -> str:
    """Read why an answer refuses."""
    return refusal_in(answer)[1]
