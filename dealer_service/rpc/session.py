"""PlayService.Session: the calls and streams of many players over one stream.

A call here is what its own RPC would be: the same door lets it in by its own bearer's token, and
the same code answers it, so that one that was made here is answered likewise elsewhere. What
differs is what it costs: a message brings many calls, and all that is answered in one turn of the
loop leaves in one message (`Outbox`).

What a caller can make wait is bounded: a session reads no further while it has too many calls
under way or too much to send, and its watches wait while there is too much to send, so that each
one's own backlog rules (`tables.watchers`). Whoever takes nothing at all is ended as any reader is
(`Streams`). When the stream is over, by whatever cause, so is everything that was begun in it.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NoReturn

import grpc
from google.protobuf.message import DecodeError, Message

from cutcard.v1 import play_pb2
from dealer_service.access.bearer import Bearer
from dealer_service.access.refusal import AccessRefusal, Reason
from dealer_service.access.roles import METHODS, Caller, Method
from dealer_service.rpc.admission import NotAdmitted, Shown
from dealer_service.rpc.bearers import Bearers, Kept, require_token
from dealer_service.rpc.calls import Door, as_it_is, explain, refuse
from dealer_service.rpc.errors import status_of
from dealer_service.rpc.outbox import FULL, Outbox, Told, tag_of
from dealer_service.rpc.sight import Seen
from dealer_service.rpc.validate import Malformed, Violation, validate
from dealer_service.tables.refused import stopping

MAX_CALLS: Final = 1_000
"""Calls with one answer under way; the stream is read no further before one has ended."""

MAX_WATCHES: Final = 10_000

AT_ONCE: Final = 64
"""Calls of a message that are begun before whoever else waits for the loop has its turn."""

_REFUSED: Final = tag_of("refused")
_END: Final = tag_of("end")
_STOPPED: Final = status_of(
    "CANCELLED", "the caller gave the call up", {}, grpc.StatusCode.CANCELLED
).SerializeToString()

_TOO_MANY: Final = AccessRefusal(
    Reason.TOO_MANY_STREAMS,
    f"a session may have {MAX_WATCHES} streams at a time: end one first",
    (("streams", str(MAX_WATCHES)),),
)

_Context = grpc.aio.ServicerContext[Any, Any]


@dataclass(frozen=True, slots=True)
class _Served:
    """A method as a session serves it: its path, its rule, what answers it, and in which field."""

    path: str
    rule: Method
    run: Callable[[Caller, Any], Any]
    tag: bytes
    streams: bool


@dataclass(frozen=True, slots=True)
class _Asked:
    """A call as it came: its number, its bearer's, and what it asks."""

    served: _Served
    number: int
    bearer: int
    message: Message


class Sessions:
    """All sessions of a dealer."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._open: set[_Session] = set()
        self._is_stopping = False

    def stop(self) -> None:
        """Let every session end when what is under way in it has been answered."""
        self._is_stopping = True
        for session in self._open:
            session.stop(stopping())

    def handler(
        self,
        service: str,
        unary: Mapping[str, tuple[type[Message], Callable[[Caller, Any], Any]]],
        streaming: Mapping[str, tuple[type[Message], Callable[[Caller, Any], Any]]],
    ) -> "grpc.RpcMethodHandler[bytes, bytes]":
        """Make the handler of a service's Session, which carries all of its other methods.

        They are given by their names: what each is asked with, and what answers it.
        """
        asked = play_pb2.SessionCall.DESCRIPTOR.oneofs_by_name["asked"].fields
        fields = {one.message_type.full_name: one.name for one in asked if one.message_type}
        served: dict[str, _Served] = {}
        for name, (request, run) in {**unary, **streaming}.items():
            path, field = f"/{service}/{name}", fields[request.DESCRIPTOR.full_name]
            is_stream = name in streaming
            served[field] = _Served(path, METHODS[path], run, tag_of(field), is_stream)
        handle = partial(self._handle, f"/{service}/Session", served)
        return grpc.stream_stream_rpc_method_handler(handle, as_it_is, as_it_is)

    async def _handle(
        self, method: str, served: Mapping[str, _Served], _requests: object, context: _Context
    ) -> None:
        door = self._door
        seen = door.sight.stream(method, context)
        try:
            shown = door.admission.shown(context)
            bearer = await door.admission.admit(METHODS[method], 0, shown)
            seen.admitted(bearer.first)
            async with door.open_stream(bearer) as term:
                bearers = Bearers(door.admission, shown, Kept(bearer.first, term))
                session = _Session(door, served, context, bearers)
                self._open.add(session)
                if self._is_stopping:
                    session.stop(stopping())
                try:
                    end = partial(refuse, seen, context)
                    await door.streams.send_all(context, session.messages(), end)
                finally:
                    self._open.discard(session)
                    await session.close()
            seen.answered()
        except Exception as error:  # noqa: BLE001 - every fault leaves as a status
            await refuse(seen, context, error)
        finally:
            seen.end()


class _Session:
    """One session: what was begun in it, and what is to be sent."""

    __slots__ = (
        "_bearers", "_calls", "_context", "_door", "_ends_now", "_fault", "_fewer", "_is_over",
        "_more", "_outbox", "_reader", "_room", "_served", "_watches",
    )  # fmt: skip

    def __init__(
        self, door: Door, served: Mapping[str, _Served], context: _Context, bearers: Bearers
    ) -> None:
        self._door, self._served, self._context = door, served, context
        self._bearers = bearers
        self._outbox = Outbox()
        self._calls: dict[int, asyncio.Task[None]] = {}
        self._watches: set[int] = set()
        self._reader: asyncio.Task[None] | None = None
        self._is_over = self._ends_now = False
        self._fault: Exception | None = None
        # What waits until there is something to send, until the outbox is not full any more, and
        # until fewer calls are under way.
        self._more: asyncio.Future[None] | None = None
        self._room = asyncio.Event()
        self._room.set()
        self._fewer = asyncio.Event()
        self._fewer.set()

    async def messages(self) -> AsyncGenerator[bytes, None]:
        """Read what the caller sends, and give what is to be sent; raises why it ends."""
        self._reader = asyncio.create_task(self._read_all())
        outbox, create_future = self._outbox, asyncio.get_running_loop().create_future
        try:
            while True:
                if len(outbox):
                    message = outbox.take()
                    if outbox.held < FULL:
                        self._room.set()
                    yield message
                elif self._ends_now or (self._is_over and not self._calls):
                    break
                else:
                    self._more = create_future()
                    await self._more
            if self._fault is not None:
                raise self._fault
        finally:
            self._give_up()

    def stop(self, why: Exception) -> None:
        """Read nothing more, and end for a reason when all that is under way has ended."""
        self._fault = self._fault or why
        self._is_over = True
        if self._reader is not None:
            self._reader.cancel()
        self._wake()

    async def close(self) -> None:
        """Give up whatever is left, and return when nothing of it is."""
        self._give_up()
        left = list(self._calls.values())
        if self._reader is not None:
            left.append(self._reader)
        await asyncio.gather(*left, return_exceptions=True)
        await self._bearers.close()

    def _give_up(self) -> None:
        if self._reader is not None:
            self._reader.cancel()
        for task in self._calls.values():
            task.cancel()

    # What comes in.

    async def _read_all(self) -> None:
        read = self._context.read
        try:
            while (content := await read()) is not grpc.aio.EOF:
                await self._take(content)
                await self._room.wait()
        except Exception as fault:  # noqa: BLE001 - whatever it was, the session ends by it
            self._fault = self._fault or fault
            self._ends_now = True
        else:
            # What has one answer still gets it; a stream would never end.
            for number in self._watches:
                self._calls[number].cancel()
        self._is_over = True
        self._wake()

    async def _take(self, content: bytes) -> None:
        try:
            request = play_pb2.SessionRequest.FromString(content)
        except DecodeError:
            _refuse("", "the bytes are no SessionRequest")
        for bearer in request.bearers:
            violation = self._bearers.set(bearer.bearer, bearer.token)
            if violation is not None:
                raise Malformed((violation,))
        fewer = self._fewer
        for place, call in enumerate(request.calls):
            if place and not place % AT_ONCE:
                await asyncio.sleep(0)
            if not fewer.is_set():
                await fewer.wait()
            self._begin(call)
        loop = asyncio.get_running_loop()
        for number in self._calls.keys() & request.stopped:
            # A task that is cancelled before it began would answer nothing.
            loop.call_soon(self._stop_call, number)

    def _begin(self, call: play_pb2.SessionCall) -> None:
        number, field = call.call, call.WhichOneof("asked")
        if field is None:
            _refuse("calls.asked", f"must be a request that this dealer knows, in call {number}")
        if number in self._calls:
            _refuse("calls.call", f"must be no call's that has not ended, as {number} has not")
        served, asked = self._served[field], getattr(call, field)
        shown = self._bearers.find(call.bearer)
        if served.streams:
            # Whatever else came with it need not be kept as long as it runs.
            alone = type(asked)()
            alone.CopyFrom(asked)
            asked = alone
            if len(self._watches) < MAX_WATCHES:
                self._watches.add(number)
        carried = self._carry(_Asked(served, number, call.bearer, asked), shown)
        self._calls[number] = asyncio.create_task(carried)
        if len(self._calls) - len(self._watches) >= MAX_CALLS:
            self._fewer.clear()

    def _stop_call(self, number: int) -> None:
        task = self._calls.get(number)
        if task is not None:
            task.cancel()

    # What is begun.

    async def _carry(self, call: _Asked, shown: Shown | None) -> None:
        """Do what a call asks, and give it its last answer, however it ends."""
        sight, path = self._door.sight, call.served.path
        streams = call.served.streams
        seen = (sight.stream if streams else sight.call)(path, self._context)
        try:
            work = self._watch if streams else self._answer
            tag, body = await work(call, require_token(shown, call.bearer), seen)
            seen.answered()
        except asyncio.CancelledError:
            tag, body = _REFUSED, _STOPPED
        except Exception as error:  # noqa: BLE001 - every fault leaves as a status
            tag, body = _REFUSED, explain(seen, error).SerializeToString()
        finally:
            seen.end()
        self._ended(call.number, tag, body)

    async def _answer(self, call: _Asked, shown: Shown, seen: Seen) -> tuple[bytes, bytes]:
        _, caller = await self._let_in(call, shown, seen)
        return call.served.tag, await call.served.run(caller, call.message)

    async def _watch(self, call: _Asked, shown: Shown, seen: Seen) -> tuple[bytes, bytes]:
        if call.number not in self._watches:
            raise NotAdmitted(_TOO_MANY)
        holder, caller = await self._let_in(call, shown, seen)
        served, outbox, room = call.served, self._outbox, self._room
        told, tag = Told(call.number), served.tag
        async with self._door.open_stream(holder) as term:
            kept = Kept(caller, term, served.rule, call.message)
            with self._bearers.keeping(call.bearer, shown, kept):
                async with aclosing(served.run(caller, call.message)) as feed:
                    async for message in feed:
                        if not room.is_set():
                            await room.wait()
                        outbox.tell(told, tag, message)
                        self._added()
        return _END, b""

    async def _let_in(self, call: _Asked, shown: Shown, seen: Seen) -> tuple[Bearer, Caller]:
        read, size = partial(_well_formed, call.message), call.message.ByteSize()
        holder, caller, _ = await self._door.let_in(call.served.rule, size, shown, read, seen)
        return holder, caller

    def _ended(self, number: int, tag: bytes, body: bytes) -> None:
        """Give a call its last answer."""
        del self._calls[number]
        self._watches.discard(number)
        if not self._fewer.is_set() and len(self._calls) - len(self._watches) < MAX_CALLS:
            self._fewer.set()
        self._outbox.add(number, tag, body)
        self._added()

    def _added(self) -> None:
        if self._outbox.held >= FULL:
            self._room.clear()
        self._wake()

    def _wake(self) -> None:
        if self._more is not None and not self._more.done():
            self._more.set_result(None)


def _well_formed(message: Message) -> Message:
    validate(message)
    return message


def _refuse(field: str, description: str) -> NoReturn:
    raise Malformed((Violation(field, description),)) from None
