"""How every call is taken: who calls, is the message well formed, and what became of it.

One wrapper for all methods, so that none can forget to ask: the token and the table of roles
first, then the form of the request, then the call itself. Answers are handed on as bytes, which
lets an answer from the store, or a message for many watchers, be serialised once.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

import grpc
import structlog
from google.protobuf.message import DecodeError, Message
from google.rpc import status_pb2

from dealer_service.access.bearer import Bearer
from dealer_service.access.gate import expired
from dealer_service.access.roles import METHODS, Caller, Method
from dealer_service.rpc.admission import Admission, NotAdmitted, Shown
from dealer_service.rpc.errors import (
    abort,
    code_of,
    status_of,
    status_of_malformed,
    status_of_unforeseen,
)
from dealer_service.rpc.sight import Seen, Sight
from dealer_service.rpc.streams import Stalled, Streams
from dealer_service.rpc.validate import Malformed, Violation, validate
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.tables.refused import Refused, read_too_slowly, store_away

M = TypeVar("M", bound=Message)
Unary = Callable[[Caller, M], Awaitable[bytes]]
Streaming = Callable[[Caller, M], AsyncGenerator[bytes, None]]

_AWAY: Final = frozenset(
    {Reason.STORE_UNREACHABLE, Reason.STORE_FULL, Reason.STORE_FAILED, Reason.STORE_CLOSED}
)
"""Why a store can not be read for now: the dealer's own events tell of it, not every call."""

_log = structlog.get_logger("rpc")


@dataclass(frozen=True, slots=True)
class Door:
    """Takes every call: `admission` lets it in, and `sight` sees what becomes of it."""

    admission: Admission
    sight: Sight
    streams: Streams = field(default_factory=Streams)

    def unary(
        self, method: str, request: type[M], run: Unary[M]
    ) -> "grpc.RpcMethodHandler[bytes, bytes]":
        """Make the handler of a call with one answer."""
        rule = METHODS[method]

        async def handle(content: bytes, context: "grpc.aio.ServicerContext[Any, Any]") -> bytes:
            seen = self.sight.call(method, context)
            try:
                shown, read = self.admission.shown(context), partial(_read, request, content)
                _, caller, message = await self.let_in(rule, len(content), shown, read, seen)
                answer = await run(caller, message)
                seen.answered()
                return answer  # noqa: TRY300 - it is seen however it ends
            except Exception as error:  # noqa: BLE001 - every fault leaves as a status
                await refuse(seen, context, error)
            finally:
                seen.end()
            raise AssertionError

        return grpc.unary_unary_rpc_method_handler(handle, as_it_is, as_it_is)

    def streaming(
        self, method: str, request: type[M], run: Streaming[M]
    ) -> "grpc.RpcMethodHandler[bytes, bytes]":
        """Make the handler of a call with a stream of answers."""
        rule = METHODS[method]

        async def handle(content: bytes, context: "grpc.aio.ServicerContext[Any, Any]") -> None:
            seen = self.sight.stream(method, context)
            try:
                shown, read = self.admission.shown(context), partial(_read, request, content)
                bearer, caller, message = await self.let_in(rule, len(content), shown, read, seen)
                async with self.open_stream(bearer):
                    feed = run(caller, message)
                    await self.streams.send_all(context, feed, partial(refuse, seen, context))
                seen.answered()
            except Exception as error:  # noqa: BLE001 - every fault leaves as a status
                await refuse(seen, context, error)
            finally:
                seen.end()

        return grpc.unary_stream_rpc_method_handler(handle, as_it_is, as_it_is)

    async def let_in(
        self, rule: Method, size: int, shown: Shown, read: Callable[[], M], seen: Seen
    ) -> tuple[Bearer, Caller, M]:
        """Judge a call of `size` bytes: whose it is, what it asks, and whether it may.

        `read` gives its message, well formed; it is not called for who is nobody. NotAdmitted,
        Malformed.
        """
        bearer = await self.admission.admit(rule, size, shown)
        seen.admitted(bearer.first)
        message = read()
        seen.asks(message)
        caller = await self.admission.caller(bearer, rule, message)
        if caller is not bearer.first:
            seen.admitted(caller)
        return bearer, caller, message

    @asynccontextmanager
    async def open_stream(self, bearer: Bearer) -> AsyncIterator["Term"]:
        """Count a stream as the caller's while it is open, and end it when its term is over."""
        allowance = bearer.allowance
        refused = allowance.open_stream()
        if refused is not None:
            raise NotAdmitted(refused)
        term = Term(bearer.expires, self.admission.now)
        try:
            async with term.until:
                yield term
        except TimeoutError:
            if not term.until.expired():
                raise
            raise NotAdmitted(expired(term.expires)) from None
        finally:
            term.is_over = True
            allowance.close_stream()


class Term:
    """How long a token lets a stream go on; `expires` is in seconds since 1970."""

    __slots__ = ("_now", "expires", "is_over", "until")

    def __init__(self, expires: int, now: Callable[[], float]) -> None:
        self.expires = expires
        self.is_over = False
        self._now = now
        self.until = asyncio.timeout(expires - now())

    def extend(self, expires: int) -> None:
        """Let it go on until another token expires, where that is later."""
        if expires > self.expires and not (self.is_over or self.until.expired()):
            self.expires = expires
            left = expires - self._now()
            self.until.reschedule(asyncio.get_running_loop().time() + left)


async def refuse(
    seen: Seen, context: "grpc.aio.ServicerContext[Any, Any]", error: Exception
) -> None:
    """End a call with the status of what went wrong; raises AbortError."""
    # Aborted already, or the caller has gone.
    if isinstance(error, grpc.aio.AbortError | grpc.aio.InternalError):
        raise error
    await abort(context, explain(seen, error))


def explain(seen: Seen, error: Exception) -> status_pb2.Status:
    """Give the status of what went wrong, and see it."""
    reason, status = _explain(read_too_slowly() if isinstance(error, Stalled) else error)
    seen.refused(code_of(status), reason)
    return status


def _explain(error: Exception) -> tuple[str, status_pb2.Status]:
    """Give the stable reason and the whole status of what went wrong."""
    if isinstance(error, StoreError) and error.reason in _AWAY:
        error = store_away()
    match error:
        case Refused():
            refusal = error.refusal
            reason = str(refusal.reason)
            metadata = {name: str(value) for name, value in refusal.numbers.items()}
            return reason, status_of(reason, refusal.message, metadata | dict(error.words))
        case Malformed():
            return "MALFORMED_REQUEST", status_of_malformed(error)
        case NotAdmitted():
            told = error.refusal
            reason = str(told.reason)
            return reason, status_of(reason, told.message, dict(told.metadata))
        case _:
            _log.error("call_failed", exc_info=error)
            return "DEALER_FAULT", status_of_unforeseen()


def _read(request: type[M], content: bytes) -> M:
    try:
        message = request.FromString(content)
    except DecodeError:
        fault = Violation("", f"the bytes are no {request.DESCRIPTOR.name}")
        raise Malformed((fault,)) from None
    validate(message)
    return message


def as_it_is(content: bytes) -> bytes:
    """Give bytes: answers are serialised by whoever gives them."""
    return content
