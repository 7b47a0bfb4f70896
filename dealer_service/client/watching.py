"""Keeps one game's stream alive: connects, verifies, notices what is overdue, connects anew.

After a break it goes on from the last line that is under a checkpoint; lines that come again must
be the same bytes. It ends when the game is revealed, when the verifier refuses, or when the
dealer refuses the call itself for a reason that asking again does not change. When another node is
named as the game's owner, by this stream or by another call, it goes on there.
"""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, Final

import grpc.aio

from cutcard.v1 import play_pb2
from dealer_service.client.calls import Caller, Failed, Tries, header
from dealer_service.client.errors import read_error
from dealer_service.client.refusing import Refused
from dealer_service.client.routes import Link
from dealer_service.client.verifier import Progress, Verifier
from dealer_service.client.wire import read_message, watch_request

_Stream = grpc.aio.UnaryStreamCall[play_pb2.WatchRequest, play_pb2.WatchResponse]

# What has come by now may still lie in a buffer: it is looked at before anything is overdue.
_GLANCE_SECONDS: Final = 0.05


@dataclass(frozen=True, slots=True)
class Broken:
    """The stream broke, and is being opened anew."""

    why: str


class _Moved(Exception):  # noqa: N818 - the game has moved
    """The game's calls go to another node now."""


async def follow(
    caller: Caller, game: str, verifier: Verifier
) -> AsyncGenerator[Progress | Refused | Broken, None]:
    """Give what each message proved, in order; CallRefusedError when the dealer takes no call."""
    around = caller.surroundings
    tries = Tries(caller, game, None)
    broken = False
    while True:
        token, wait, heard = caller.bearer.token, 0.0, False
        async with caller.routes.use(game) as link:
            stream: _Stream | None = None
            moved = caller.routes.moved(game, link.address)
            try:
                if broken:
                    size = await _ask_size(link, caller, token, game)
                    verifier.interrupted(around.monotonic(), size)
                request = watch_request(game, verifier.covered)
                stream = link.play.Watch(request, metadata=header(token))
                while (step := await _next(stream, verifier, caller, moved)) is not None:
                    tries.succeeded()
                    heard = True
                    yield step
                    if isinstance(step, Refused):
                        return
                why, wait = "the dealer ended the stream", tries.next_wait()
            except _Moved:
                why = "another node deals the game"
            except grpc.aio.AioRpcError as error:
                why = str(read_error(error))
                wait = await tries.judge(Failed(error, link.address, token))
            finally:
                moved.cancel()
                if stream is not None:
                    stream.cancel()
        if verifier.finished:
            return
        broken = True
        if heard or wait:
            yield Broken(why)
        await around.sleep(wait)


async def _ask_size(link: Link, caller: Caller, token: str, game: str) -> int:
    request = play_pb2.GetTableRequest(game=game)
    timeout = caller.surroundings.patience.attempt
    answer = await link.play.GetTable(request, timeout=timeout, metadata=header(token))
    return answer.size


async def _next(
    stream: _Stream, verifier: Verifier, caller: Caller, moved: "asyncio.Future[None]"
) -> Progress | Refused | None:
    """Wait for the next message, or until one is overdue; None at the stream's end."""
    monotonic = caller.surroundings.monotonic
    reading = asyncio.ensure_future(stream.read())
    try:
        while not reading.done():
            deadline = verifier.deadline
            left = None if deadline is None else max(_GLANCE_SECONDS, deadline - monotonic())
            waited: set[asyncio.Future[Any]] = {reading, moved}
            await asyncio.wait(waited, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                break
            if moved.done():
                raise _Moved
            if refused := verifier.overdue(monotonic()):
                return refused
        response = reading.result()
    finally:
        reading.cancel()
    if not isinstance(response, play_pb2.WatchResponse):
        return None
    return verifier.receive(read_message(response), monotonic(), caller.surroundings.slept())
