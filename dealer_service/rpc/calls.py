"""How every call is taken: who calls, is the message well formed, and what became of it.

One wrapper for all methods, so that none can forget to ask: the token and the table of roles
first, then the form of the request, then the call itself. Answers are handed on as bytes, which
lets an answer from the store, or a message for many watchers, be serialised once.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import grpc
import structlog
from google.protobuf.message import DecodeError, Message

from dealer_service.access.refusal import AccessRefusal
from dealer_service.access.roles import Caller
from dealer_service.access.tokens import Gate
from dealer_service.rpc.errors import (
    abort,
    status_of,
    status_of_malformed,
    status_of_unforeseen,
)
from dealer_service.rpc.validate import Malformed, Violation, validate
from dealer_service.tables.refused import Refused

M = TypeVar("M", bound=Message)
Unary = Callable[[Caller, M], Awaitable[bytes]]
Streaming = Callable[[Caller, M], AsyncGenerator[bytes, None]]

_log = structlog.get_logger("rpc")


@dataclass(frozen=True, slots=True)
class Door:
    """Lets calls in; `now` gives seconds since 1970."""

    gate: Gate
    now: Callable[[], float]

    def unary(
        self, method: str, request: type[M], run: Unary[M]
    ) -> "grpc.RpcMethodHandler[bytes, bytes]":
        """Make the handler of a call with one answer."""

        async def handle(content: bytes, context: "grpc.aio.ServicerContext[Any, Any]") -> bytes:
            try:
                caller = self._admit(method, context)
                return await run(caller, _read(request, content))
            except Exception as error:  # noqa: BLE001 - every fault leaves as a status
                await _refuse(method, context, error)
            raise AssertionError

        return grpc.unary_unary_rpc_method_handler(handle, _as_it_is, _as_it_is)

    def streaming(
        self, method: str, request: type[M], run: Streaming[M]
    ) -> "grpc.RpcMethodHandler[bytes, bytes]":
        """Make the handler of a call with a stream of answers."""

        async def handle(
            content: bytes, context: "grpc.aio.ServicerContext[Any, Any]"
        ) -> AsyncIterator[bytes]:
            try:
                caller = self._admit(method, context)
                async with aclosing(run(caller, _read(request, content))) as answers:
                    async for answer in answers:
                        yield answer
            except Exception as error:  # noqa: BLE001 - every fault leaves as a status
                await _refuse(method, context, error)

        return grpc.unary_stream_rpc_method_handler(handle, _as_it_is, _as_it_is)

    def _admit(self, method: str, context: "grpc.aio.ServicerContext[Any, Any]") -> Caller:
        authorization = None
        for key, value in context.invocation_metadata() or ():
            if key == "authorization":
                authorization = value if isinstance(value, str) else None
        admitted = self.gate.admit(method, authorization, self.now())
        if isinstance(admitted, Caller):
            return admitted
        if admitted is None:
            message = f"{method} is open to all and has no caller"
            raise LookupError(message)
        raise _NotAdmittedError(admitted)


class _NotAdmittedError(Exception):
    def __init__(self, refusal: AccessRefusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


_UNAUTHENTICATED: Final = grpc.StatusCode.UNAUTHENTICATED
_DENIED: Final = grpc.StatusCode.PERMISSION_DENIED


async def _refuse(
    method: str, context: "grpc.aio.ServicerContext[Any, Any]", error: Exception
) -> None:
    match error:
        case grpc.aio.AbortError():
            raise error
        case Refused():
            refusal = error.refusal
            numbers = {name: str(value) for name, value in refusal.numbers.items()}
            await abort(context, status_of(str(refusal.reason), refusal.message, numbers))
        case Malformed():
            await abort(context, status_of_malformed(error))
        case _NotAdmittedError():
            told = error.refusal
            code = _DENIED if told.reason.permission else _UNAUTHENTICATED
            status = status_of(str(told.reason), told.message, dict(told.metadata), code)
            await abort(context, status)
        case _:
            _log.error("call_failed", method=method, exc_info=error)
            await abort(context, status_of_unforeseen())


def _read(request: type[M], content: bytes) -> M:
    try:
        message = request.FromString(content)
    except DecodeError:
        fault = Violation("", f"the bytes are no {request.DESCRIPTOR.name}")
        raise Malformed((fault,)) from None
    validate(message)
    return message


def _as_it_is(content: bytes) -> bytes:
    return content
