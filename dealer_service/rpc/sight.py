"""What is seen of each call from outside: its measurements, its trace, and its lines in the log.

An operator's change is one line at info, done or refused: who opened, closed or voided what is
asked for later. All other refusals are lines at debug, and are counted by reason: what players
get wrong is no news at night, and a flood of it must not fill a disk. Nothing of a message but
its game and request id is looked at.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import grpc
import structlog
from google.protobuf.message import Message

from dealer_service.access.roles import Caller, Role
from dealer_service.observe.context import Call, current
from dealer_service.observe.metrics import Metrics
from dealer_service.observe.tracing import Tracing
from dealer_service.rpc.admission import subject_of

if TYPE_CHECKING:
    from opentelemetry.trace import Span

_log = structlog.get_logger("rpc")

_OK: Final = grpc.StatusCode.OK
_CANCELLED: Final = grpc.StatusCode.CANCELLED


@dataclass(frozen=True, slots=True)
class Sight:
    """Sees every call of a dealer."""

    metrics: Metrics
    tracing: Tracing | None = None

    def call(self, method: str, context: "grpc.aio.ServicerContext[Any, Any]") -> "Seen":
        """See a call with one answer begin, "/cutcard.v1.PlayService/Act"."""
        return Seen(self, method, context, streams=False)

    def stream(self, method: str, context: "grpc.aio.ServicerContext[Any, Any]") -> "Seen":
        """See a stream begin."""
        seen = Seen(self, method, context, streams=True)
        self.metrics.stream_began(seen.call.method)
        return seen


class Seen:
    """One call while it runs; `end` is called however it ends."""

    __slots__ = (
        "_began", "_code", "_is_change", "_is_operators", "_reason", "_sight", "_span", "_streams",
        "call",
    )  # fmt: skip

    def __init__(
        self,
        sight: Sight,
        method: str,
        context: "grpc.aio.ServicerContext[Any, Any]",
        *,
        streams: bool,
    ) -> None:
        self._began = perf_counter()
        self._sight = sight
        self._streams = streams
        self._code = _CANCELLED
        self._reason = ""
        self._is_change = False
        self._is_operators = False
        self.call = Call(short_name(method))
        self._span: Span | None = None
        current.set(self.call)
        if sight.tracing is not None:
            headers = _headers(context.invocation_metadata() or ())
            self._span = sight.tracing.begin_call(self.call.method, headers)

    def admitted(self, caller: Caller) -> None:
        """Learn who calls."""
        self.call.caller = caller.name
        self._is_operators = caller.role is Role.OPERATOR

    def asks(self, message: Message) -> None:
        """Learn what is asked, of a message that is well formed."""
        request_id = getattr(message, "request_id", "")
        self._is_change = bool(request_id)
        self.call.identify(self.call.caller, subject_of(message), request_id)

    def answered(self) -> None:
        """See that it was answered to its end."""
        self._code = _OK
        if self._is_change and self._is_operators:
            _log.info("operated")

    def refused(self, code: grpc.StatusCode, reason: str) -> None:
        """See that it was refused, for a stable reason."""
        self._code, self._reason = code, reason
        # A stream may be ended by another's timer.
        current.set(self.call)
        self._sight.metrics.refused(self.call.method, reason)
        tell = _log.info if self._is_change and self._is_operators else _log.debug
        tell("refused", reason=reason, status=code.name)

    def end(self) -> None:
        """See it end; where it was neither answered nor refused, the caller has gone."""
        method, status = self.call.method, self._code.name
        if self._streams:
            self._sight.metrics.stream_ended(method, status)
        else:
            self._sight.metrics.called(method, status, perf_counter() - self._began)
        if self._span is not None and self._sight.tracing is not None:
            number = self._code.value[0]
            self._sight.tracing.end_call(self._span, self.call.game, (number, status), self._reason)


def short_name(method: str) -> str:
    """Give "PlayService/Act" for "/cutcard.v1.PlayService/Act"."""
    return method.rpartition(".")[2]


def _headers(metadata: Iterable[tuple[str, str | bytes]]) -> Mapping[str, str]:
    return {key: value for key, value in metadata if isinstance(value, str)}
