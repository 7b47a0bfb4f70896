"""Keeps one game's stream alive: connects, verifies, notices what is overdue, connects anew.

After a break it goes on from the last line that is under a checkpoint; lines that come again must
be the same bytes. It ends when the game is revealed, when the verifier refuses, or when the
dealer refuses the call itself for a reason that asking again does not change.
"""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Final

import grpc
import grpc.aio

from cutcard.v1 import play_pb2, play_pb2_grpc
from dealer_service.client.calls import Caller
from dealer_service.client.errors import read_error
from dealer_service.client.refusing import Refused
from dealer_service.client.verifier import Progress, Verifier
from dealer_service.client.wire import read_message, watch_request

_Stream = grpc.aio.UnaryStreamCall[play_pb2.WatchRequest, play_pb2.WatchResponse]

# Asking again does not help against these.
_FINAL: Final = frozenset(
    {
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.OUT_OF_RANGE,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.DATA_LOSS,
    }
)
# What has come by now may still lie in a buffer: it is looked at before anything is overdue.
_GLANCE_SECONDS: Final = 0.05


@dataclass(frozen=True, slots=True)
class Broken:
    """The stream broke, and is being opened anew."""

    why: str


async def follow(
    stub: play_pb2_grpc.PlayServiceStub, caller: Caller, game: str, verifier: Verifier
) -> AsyncGenerator[Progress | Refused | Broken, None]:
    """Give what each message proved, in order; CallRefusedError when the dealer takes no call."""
    around = caller.surroundings
    waits = around.waits()
    broken = False
    while True:
        stream: _Stream | None = None
        try:
            if broken:
                size = await _ask_size(stub, caller, game)
                verifier.interrupted(around.monotonic(), size)
            stream = stub.Watch(watch_request(game, verifier.covered), metadata=caller.metadata)
            while (step := await _next(stream, verifier, caller)) is not None:
                waits = around.waits()
                yield step
                if isinstance(step, Refused):
                    return
            why = "the dealer ended the stream"
        except grpc.aio.AioRpcError as error:
            if error.code() in _FINAL:
                raise read_error(error) from None
            why = str(read_error(error))
        finally:
            if stream is not None:
                stream.cancel()
        if verifier.finished:
            return
        broken = True
        yield Broken(why)
        await around.sleep(next(waits))


async def _ask_size(stub: play_pb2_grpc.PlayServiceStub, caller: Caller, game: str) -> int:
    request = play_pb2.GetTableRequest(game=game)
    timeout = caller.surroundings.patience.attempt
    return (await stub.GetTable(request, timeout=timeout, metadata=caller.metadata)).size


async def _next(stream: _Stream, verifier: Verifier, caller: Caller) -> Progress | Refused | None:
    """Wait for the next message, or until one is overdue; None at the stream's end."""
    monotonic = caller.surroundings.monotonic
    reading = asyncio.ensure_future(stream.read())
    try:
        while not reading.done():
            deadline = verifier.deadline
            left = None if deadline is None else max(_GLANCE_SECONDS, deadline - monotonic())
            await asyncio.wait({reading}, timeout=left)
            if not reading.done() and (refused := verifier.overdue(monotonic())):
                return refused
        response = reading.result()
    finally:
        reading.cancel()
    if not isinstance(response, play_pb2.WatchResponse):
        return None
    return verifier.receive(read_message(response), monotonic())
