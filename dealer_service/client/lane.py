"""One stream of PlayService.Session: what many players ask leaves by it, and their answers come.

What is asked in one turn of the event loop leaves in one message, and a token goes along once for
all that it asks. An answer goes to the calls that it names and to nobody else. A call that is given
up is taken back at the dealer. When the stream ends, every call that is not answered fails as the
stream did; the stream's own token is replaced by a newer one before it expires, so that this seldom
is for the token's sake.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from typing import Final, TypeAlias

import grpc.aio
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import DecodeError, Message
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from cutcard.v1 import play_pb2, play_pb2_grpc
from dealer_service.client.bearer import Bearer, expiry
from dealer_service.client.errors import DETAILS

SCHEME: Final = "Bearer "
MOST_CALLS: Final = 800
"""So many calls have room on one stream, of which a dealer lets 1,000 be under way."""

MOST_WATCHES: Final = 8_000
"""So many watches do, of which a dealer lets there be 10,000."""

MOST_UNREAD: Final = 8 * 1024 * 1024
"""Bytes that wait for who reads a watch; who lets more wait goes on by a watch of its own."""

_FULL: Final = 16 * 1024
_MOST_BYTES: Final = 32 * 1024
"""A message leaves when it has the one, and a call has the other at most: 64 KiB are taken."""

_MOST_STOPPED: Final = 1_000
_MOST_BEARERS: Final = 4_000
_MOST_SHOWN: Final = 3 * 1024 * 1024
"""Characters of all tokens that a dealer is to know at a time, of which it takes 4 MiB."""

_MOST_NUMBER: Final = 2**32 - 1
_NOBODY: Final = _MOST_NUMBER
"""The number of no bearer: who shows no token is refused as such, and is not the stream's own."""

_RENEW_SECONDS: Final = 60.0
_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}

_Stream: TypeAlias = "grpc.aio.StreamStreamCall[play_pb2.SessionRequest, play_pb2.SessionResponse]"


def failure(
    code: grpc.StatusCode, details: str, trailers: grpc.aio.Metadata | None = None
) -> grpc.aio.AioRpcError:
    """Make the error that a call of its own would have raised."""
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), trailers or grpc.aio.Metadata(), details)


def refusal(content: bytes) -> grpc.aio.AioRpcError:
    """Make the error of a refusal: the bytes of a google.rpc.Status."""
    try:
        status = Status.FromString(content)
    except DecodeError:
        return failure(grpc.StatusCode.UNKNOWN, "the dealer refused the call, and does not say why")
    code = _CODES.get(status.code, grpc.StatusCode.UNKNOWN)
    if code is grpc.StatusCode.OK:
        code = grpc.StatusCode.UNKNOWN
    return failure(code, status.message, grpc.aio.Metadata((DETAILS, content)))


def _no_answer() -> grpc.aio.AioRpcError:
    return failure(grpc.StatusCode.UNKNOWN, "the dealer did not answer what it was asked")


def _unread() -> grpc.aio.AioRpcError:
    """Refuse a watch that is not read in time here, as a dealer refuses one there."""
    info, told = ErrorInfo(reason="READ_TOO_SLOWLY", domain="cutcard.v1"), AnyMessage()
    told.Pack(info)
    code, message = grpc.StatusCode.RESOURCE_EXHAUSTED, "what was told was not read in time"
    status = Status(code=code.value[0], message=message, details=[told])
    return failure(code, message, grpc.aio.Metadata((DETAILS, status.SerializeToString())))


class CarriedWatch:
    """A watch that a lane carries, read as a stream of its own is."""

    __slots__ = ("_error", "_is_over", "_lane", "_number", "_reader", "_told", "_unread")

    def __init__(self, lane: "Lane", number: int) -> None:
        self._lane, self._number = lane, number
        self._told: deque[tuple[play_pb2.WatchResponse, int]] = deque()
        self._unread = 0
        self._is_over = False
        self._error: BaseException | None = None
        self._reader: asyncio.Future[None] | None = None

    def __aiter__(self) -> AsyncIterator[play_pb2.WatchResponse]:
        return self

    async def __anext__(self) -> play_pb2.WatchResponse:
        told = await self.read()
        if told is grpc.aio.EOF:
            raise StopAsyncIteration
        assert isinstance(told, play_pb2.WatchResponse)
        return told

    async def read(self) -> object:
        """Wait for what is told next, EOF at the end; AioRpcError as a stream of its own."""
        while not self._told:
            if self._is_over:
                if self._error is not None:
                    raise self._error
                return grpc.aio.EOF
            self._reader = asyncio.get_running_loop().create_future()
            await self._reader
        told, size = self._told.popleft()
        self._unread -= size
        return told

    def cancel(self) -> bool:
        """Give the watch up; False where it is over."""
        if self._is_over:
            return False
        self._lane.give_up(self._number)
        self._told.clear()
        self.end(asyncio.CancelledError())
        return True

    def put(self, told: play_pb2.WatchResponse, size: int) -> None:
        """Take what is told, of so many bytes."""
        if self._told:
            # What waits keeps alive nothing of what came with it for others.
            alone = play_pb2.WatchResponse()
            alone.CopyFrom(told)
            told = alone
        self._told.append((told, size))
        self._unread += size
        if self._unread > MOST_UNREAD:
            self._lane.give_up(self._number)
            self.end(_unread())
        self._wake()

    def end(self, error: BaseException | None) -> None:
        """Let it be over behind what was told, well or with an error."""
        self._is_over, self._error = True, error
        self._wake()

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)


_Waiting: TypeAlias = "asyncio.Future[play_pb2.SessionAnswer] | CarriedWatch"


class Lane:
    """One stream; it is open from the beginning, and over when it is closed or breaks.

    `over` is told when it takes no more calls, before these fail, and `idle` when all are answered.
    """

    def __init__(
        self,
        stub: play_pb2_grpc.PlayServiceStub,
        bearer: Bearer,
        wall: Callable[[], float],
        over: "Callable[[Lane], None]",
        idle: "Callable[[Lane], None]",
    ) -> None:
        self._bearer, self._wall, self._over, self._idle = bearer, wall, over, idle
        self._token = bearer.token
        self._stream: _Stream = stub.Session(
            metadata=(("authorization", f"{SCHEME}{self._token}"),)
        )
        self._calls: dict[int, _Waiting | None] = {}
        self._asked: deque[tuple[play_pb2.SessionCall, str]] = deque()
        self._watches: set[int] = set()
        self._stopped: list[int] = []
        self._newer = ""
        # Who is known by which number, how long their tokens are together, and what is not used.
        self._bearers: OrderedDict[str, int] = OrderedDict()
        self._shown = 0
        self._free: list[int] = []
        self._number = 0
        self._wanted = asyncio.Event()
        self._is_over = False
        self._task = asyncio.ensure_future(self._run())

    @property
    def has_room(self) -> bool:
        """Whether it takes another call, and another watch."""
        watches = len(self._watches)
        return len(self._calls) - watches < MOST_CALLS and watches < MOST_WATCHES

    async def ask(self, kind: str, request: Message, header: str, seconds: float | None) -> Message:
        """Make a call and give its answer; `kind` is its field's name, `header` says who calls.

        AioRpcError as a call of its own would raise it.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[play_pb2.SessionAnswer] = loop.create_future()
        number = self._free_number()
        self._send(number, kind, request, header, answer)
        timer = None if seconds is None else loop.call_later(seconds, _fail_late, answer)
        try:
            told = await answer
        finally:
            if timer is not None:
                timer.cancel()
            if self._calls.get(number) is answer:
                self.give_up(number)
        if told.WhichOneof("answer") != kind:
            raise _no_answer()
        given: Message = getattr(told, kind)
        return given

    def watch(self, request: play_pb2.WatchRequest, header: str) -> CarriedWatch:
        """Begin a watch; AioRpcError as for `ask`."""
        number = self._free_number()
        watch = CarriedWatch(self, number)
        self._send(number, "watch", request, header, watch)
        self._watches.add(number)
        return watch

    def give_up(self, number: int) -> None:
        """Take a call back; whether it was made, nobody says any more."""
        if number in self._calls:
            self._calls[number] = None
            self._stopped.append(number)
            self._wanted.set()

    def drop(self) -> None:
        """End the stream at once, and all that is under way."""
        self._task.cancel()

    async def close(self) -> None:
        """End the stream, and wait until it is over."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    def _free_number(self) -> int:
        number = self._number % _MOST_NUMBER + 1
        while number in self._calls:
            number = number % _MOST_NUMBER + 1
        return number

    def _send(
        self,
        number: int,
        kind: str,
        request: Message,
        header: str,
        waiting: "_Waiting",
    ) -> None:
        call = play_pb2.SessionCall(call=number, **{kind: request})  # type: ignore[arg-type]
        if call.ByteSize() + len(header) > _MOST_BYTES:
            why = f"a call has {_MOST_BYTES} bytes at most, with its token"
            raise failure(grpc.StatusCode.RESOURCE_EXHAUSTED, why)
        self._number = number
        self._calls[number] = waiting
        self._asked.append((call, header))
        self._wanted.set()

    async def _run(self) -> None:
        """Carry until the stream is over; then nothing of it is left."""
        beside = [asyncio.ensure_future(self._write()), asyncio.ensure_future(self._renew())]
        why = failure(grpc.StatusCode.CANCELLED, "the stream was closed here")
        try:
            why = await self._read()
            self._leave()
            why = await self._explain(why)
        finally:
            self._leave()
            for task in beside:
                task.cancel()
            self._stream.cancel()
            self._fail_all(why)

    def _leave(self) -> None:
        if not self._is_over:
            self._is_over = True
            self._over(self)

    async def _read(self) -> grpc.aio.AioRpcError:
        """Hand on what comes, and give why nothing more does."""
        try:
            while isinstance(message := await self._stream.read(), play_pb2.SessionResponse):
                for answer in message.answers:
                    self._take(answer)
        except grpc.aio.AioRpcError as error:
            return error
        return failure(grpc.StatusCode.UNAVAILABLE, "the dealer ended the stream of all calls")

    def _take(self, answer: play_pb2.SessionAnswer) -> None:
        kind = answer.WhichOneof("answer")
        if kind == "watch":
            told, size = answer.watch, answer.ByteSize()
            for number in answer.calls:
                watch = self._calls.get(number)
                if isinstance(watch, CarriedWatch):
                    watch.put(told, size)
            return
        for number in answer.calls:
            waiting = self._pop(number)
            refused = refusal(answer.refused) if kind == "refused" else None
            if isinstance(waiting, CarriedWatch):
                waiting.end(None if kind == "end" else refused or _no_answer())
            elif waiting is not None and not waiting.done():
                if refused is not None:
                    waiting.set_exception(refused)
                else:
                    waiting.set_result(answer)
        if not self._calls:
            self._idle(self)

    def _pop(self, number: int) -> "_Waiting | None":
        self._watches.discard(number)
        return self._calls.pop(number, None)

    async def _write(self) -> None:
        """Send what is wanted; a stream that is over is noticed by who reads it."""
        try:
            while True:
                await self._wanted.wait()
                self._wanted.clear()
                while self._asked or self._stopped or self._newer:
                    await self._stream.write(self._message())
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            return
        except BaseException:
            self._stream.cancel()
            raise

    def _message(self) -> play_pb2.SessionRequest:
        message, size = play_pb2.SessionRequest(), 0
        if self._newer:
            message.bearers.add(bearer=0, token=self._newer)
            size, self._newer = len(self._newer), ""
        while self._asked and size < _FULL:
            call, header = self._asked.popleft()
            if self._calls.get(call.call) is None:
                # It was given up before it left.
                self._pop(call.call)
                continue
            call.bearer, is_new = self._name(header, message)
            if is_new:
                message.bearers.add(bearer=call.bearer, token=header.removeprefix(SCHEME))
                size += len(header)
            message.calls.append(call)
            size += call.ByteSize()
        if not self._asked:
            message.stopped.extend(self._stopped[:_MOST_STOPPED])
            del self._stopped[:_MOST_STOPPED]
        return message

    def _name(self, header: str, message: play_pb2.SessionRequest) -> tuple[int, bool]:
        """Give the number of a bearer, and whether the dealer has to be told whose it is.

        Whom it need not know any more, a message tells it.
        """
        if not header:
            return _NOBODY, False
        number = self._bearers.get(header)
        if number is not None:
            self._bearers.move_to_end(header)
            return number, False
        self._shown += len(header)
        while len(self._bearers) >= _MOST_BEARERS or (self._bearers and self._shown > _MOST_SHOWN):
            # Who asked last the longest time ago: nobody of the message that is filled.
            oldest, freed = self._bearers.popitem(last=False)
            self._shown -= len(oldest)
            self._free.append(freed)
            message.bearers.add(bearer=freed)
        number = self._free.pop() if self._free else len(self._bearers) + 1
        self._bearers[header] = number
        return number, True

    async def _renew(self) -> None:
        """Show a newer token of the stream's own before the one that it has expires."""
        while (expires := expiry(self._token)) is not None:
            left = expires - self._wall()
            if left <= 0:
                return
            await asyncio.sleep(max(1.0, left - min(_RENEW_SECONDS, left / 4)))
            if await self._bearer.renew(self._token):
                self._newer = self._token = self._bearer.token
                self._wanted.set()

    async def _explain(self, why: grpc.aio.AioRpcError) -> grpc.aio.AioRpcError:
        """Tell the players what a refusal of the stream itself means to their calls."""
        if why.code() is grpc.StatusCode.UNIMPLEMENTED:
            here = "no dealer takes a stream of all calls here: call one itself, by no proxy"
            return failure(why.code(), here)
        if why.code() is not grpc.StatusCode.UNAUTHENTICATED:
            return why
        if await self._bearer.renew(self._token):
            renewed = "the stream of all calls is opened anew under a newer token"
            return failure(grpc.StatusCode.UNAVAILABLE, renewed)
        details = f"the token of the stream of all calls: {why.details()}"
        return failure(why.code(), details, why.trailing_metadata())

    def _fail_all(self, why: grpc.aio.AioRpcError) -> None:
        calls, self._calls = self._calls, {}
        self._asked.clear()
        self._bearers.clear()
        for waiting in calls.values():
            # An error of its own for each, as each is raised elsewhere.
            error = failure(why.code(), why.details() or "", why.trailing_metadata())
            if isinstance(waiting, CarriedWatch):
                waiting.end(error)
            elif waiting is not None and not waiting.done():
                waiting.set_exception(error)


def _fail_late(answer: "asyncio.Future[play_pb2.SessionAnswer]") -> None:
    if not answer.done():
        why = "the dealer did not answer in time"
        answer.set_exception(failure(grpc.StatusCode.DEADLINE_EXCEEDED, why))
