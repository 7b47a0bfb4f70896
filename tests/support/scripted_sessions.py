"""A node that serves PlayService.Session and nothing else, over real gRPC; the test says what.

It keeps every message that came, stream by stream. What it answers, the test answers by hand.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
import grpc.aio
from google.rpc import status_pb2

from cutcard.v1 import play_pb2

PATIENCE = 20.0


@dataclass(eq=False)
class Stream:
    """One stream as its node has it: what came, and how to answer."""

    token: str
    context: Any
    came: list[play_pb2.SessionRequest] = field(default_factory=list)
    is_over: bool = False
    ending: "asyncio.Future[status_pb2.Status | None]" = field(default_factory=asyncio.Future)

    @property
    def calls(self) -> list[play_pb2.SessionCall]:
        return [call for message in self.came for call in message.calls]

    @property
    def bearers(self) -> list[tuple[int, str]]:
        return [(one.bearer, one.token) for message in self.came for one in message.bearers]

    @property
    def stopped(self) -> list[int]:
        return [number for message in self.came for number in message.stopped]

    async def answer(self, *answers: play_pb2.SessionAnswer) -> None:
        """Send answers in one message."""
        await self.context.write(play_pb2.SessionResponse(answers=answers))

    async def answer_all(self) -> None:
        """Answer every GetTable that came with its own game."""
        await self.answer(
            *(
                play_pb2.SessionAnswer(
                    calls=[call.call],
                    get_table=play_pb2.GetTableResponse(game=call.get_table.game),
                )
                for call in self.calls
            )
        )

    def end(self, status: status_pb2.Status | None = None) -> None:
        """End it well, or by a status."""
        self.ending.set_result(status)


class ScriptedNode:
    """What it serves; `streams` are all that were opened."""

    def __init__(self) -> None:
        self.streams: list[Stream] = []
        self.address = ""
        self._changed = asyncio.Condition()

    async def session(self, _requests: Any, context: Any) -> None:
        """Serve one stream until the test ends it."""
        header: str = dict(context.invocation_metadata())["authorization"]
        stream = Stream(header.removeprefix("Bearer "), context)
        self.streams.append(stream)
        reading = asyncio.ensure_future(self._read(stream))
        try:
            await self._tell()
            status = await stream.ending
            if status is not None:
                details = (("grpc-status-details-bin", status.SerializeToString()),)
                code = next(one for one in grpc.StatusCode if one.value[0] == status.code)
                await context.abort(code, status.message, details)
        finally:
            reading.cancel()
            stream.is_over = True
            await asyncio.shield(asyncio.ensure_future(self._tell()))

    async def _read(self, stream: Stream) -> None:
        while (message := await stream.context.read()) is not grpc.aio.EOF:
            stream.came.append(message)
            await self._tell()

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds of what came."""
        async with self._changed:
            await asyncio.wait_for(self._changed.wait_for(holds), PATIENCE)

    async def stream(self, number: int = 1, calls: int = 0) -> Stream:
        """Wait for the stream of a number, from 1 on, and for so many calls on it."""
        await self.until(
            lambda: len(self.streams) >= number and len(self.streams[number - 1].calls) >= calls
        )
        return self.streams[number - 1]


@asynccontextmanager
async def scripted() -> AsyncIterator[ScriptedNode]:
    """Serve on a free port until the block ends."""
    node, server = ScriptedNode(), grpc.aio.server()
    handler = grpc.stream_stream_rpc_method_handler(
        node.session,
        play_pb2.SessionRequest.FromString,
        play_pb2.SessionResponse.SerializeToString,
    )
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("cutcard.v1.PlayService", {"Session": handler}),)
    )
    node.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        yield node
    finally:
        await server.stop(None)
