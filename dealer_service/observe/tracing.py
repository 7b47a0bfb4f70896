"""Traces of calls, commits and take-overs, for whoever installed the extra `trace`.

Without --trace there is no `Tracing` object, and nothing of OpenTelemetry is imported. Spans go
out by OTLP over HTTP from a thread of their own, in batches; what can not be sent is dropped, and
dealing never waits for it. Attributes are method, status, reason, game, sizes and epochs: nothing
of a request's content, of a caller's token, or of a card.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import perf_counter, time_ns
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, SpanContext

_PATH: Final = "/v1/traces"
_SECONDS: Final = 3.0
"""So long one sending may take, with all its tries."""

_MOST_LINKS: Final = 64


class TracingUnavailable(Exception):  # noqa: N818 - says what is missing
    """Traces can not be made; the text says what to do."""


class Tracing:
    """Makes spans and sends them; `close` sends the last ones."""

    def __init__(self, provider: "TracerProvider") -> None:
        from opentelemetry import trace  # noqa: PLC0415 - an extra
        from opentelemetry.trace.propagation.tracecontext import (  # noqa: PLC0415 - an extra
            TraceContextTextMapPropagator,
        )

        self._trace = trace
        self._provider = provider
        self._tracer = provider.get_tracer("cutcard")
        self._propagator = TraceContextTextMapPropagator()

    def begin_call(self, method: str, headers: Mapping[str, str]) -> "Span":
        """Begin the span of a call ("PlayService/Act"), under the caller's `traceparent`.

        It stands as the current one of the call's context.
        """
        from opentelemetry import context  # noqa: PLC0415 - an extra

        above = self._propagator.extract(headers)
        service, _, name = method.partition("/")
        span = self._tracer.start_span(
            method,
            above,
            kind=self._trace.SpanKind.SERVER,
            attributes={
                "rpc.system": "grpc",
                "rpc.service": f"cutcard.v1.{service}",
                "rpc.method": name,
            },
        )
        context.attach(self._trace.set_span_in_context(span, above))
        return span

    def end_call(self, span: "Span", game: str, status: tuple[int, str], reason: str) -> None:
        """End a call's span with its gRPC status (number and name) and the reason of a refusal."""
        number, name = status
        span.set_attribute("rpc.grpc.status_code", number)
        if game:
            span.set_attribute("cutcard.game", game)
        if reason:
            span.set_attribute("cutcard.reason", reason)
        if name in {"INTERNAL", "UNKNOWN", "UNAVAILABLE", "DATA_LOSS"}:
            span.set_status(self._trace.StatusCode.ERROR, reason or name)
        span.end()

    def mark(self) -> "SpanContext | None":
        """Give what links a later span to the one that runs now."""
        found = self._trace.get_current_span().get_span_context()
        return found if found.is_valid else None

    def commit(
        self, marks: Sequence[object], began: float, stored: float, synced: float | None
    ) -> None:
        """Tell of a batch that was written, with links to the calls that it is of.

        Times are of `time.perf_counter`.
        """
        offset = time_ns() - int(perf_counter() * 1e9)
        ends = stored if synced is None else synced
        links = [self._trace.Link(one) for one in _contexts(marks)]
        span = self._tracer.start_span(
            "commit",
            self._trace.set_span_in_context(self._trace.INVALID_SPAN),
            start_time=offset + int(began * 1e9),
            links=links,
            attributes={"cutcard.units": len(marks), "cutcard.signed": synced is not None},
        )
        span.add_event("stored", timestamp=offset + int(stored * 1e9))
        span.end(offset + int(ends * 1e9))

    @contextmanager
    def span(self, name: str, **attributes: str | int) -> Iterator[None]:
        """Put a span around something that the dealer does by itself, such as a take-over."""
        named = {f"cutcard.{key}": value for key, value in attributes.items()}
        with self._tracer.start_as_current_span(name, attributes=named, record_exception=False):
            yield

    def close(self) -> None:
        """Send what is left, for a few seconds at most; this blocks."""
        self._provider.shutdown()


def spanning(
    tracing: Tracing | None, name: str, **attributes: str | int
) -> AbstractContextManager[None]:
    """Put a span around something, where traces are made."""
    return nullcontext() if tracing is None else tracing.span(name, **attributes)


def open_tracing(url: str, version: str, node: str) -> Tracing:
    """Send traces to an OTLP/HTTP endpoint; without a path, /v1/traces is meant.

    TracingUnavailable where the extra is missing, or the URL is none.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        message = "--trace is no URL: give one such as http://127.0.0.1:4318"
        raise TracingUnavailable(message)
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError:
        message = "traces need the extra `trace`: pip install 'cutcard[dealer,trace]'"
        raise TracingUnavailable(message) from None
    endpoint = url if parts.path.strip("/") else parts._replace(path=_PATH).geturl()
    resource = Resource.create(
        {"service.name": "cutcard-dealer", "service.version": version, "service.instance.id": node}
    )
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(
        BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint, timeout=_SECONDS))
    )
    return Tracing(provider)


def _contexts(marks: Sequence[object]) -> "list[SpanContext]":
    from opentelemetry.trace import SpanContext  # noqa: PLC0415 - an extra

    found = {one.span_id: one for one in marks if isinstance(one, SpanContext)}
    return list(found.values())[:_MOST_LINKS]
