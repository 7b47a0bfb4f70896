"""A receiver of traces by OTLP over HTTP, which keeps every span that it is sent."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.support.running import running


class Receiver:
    """Where it listens, and what it was sent: spans, the bytes, and what says who sent them."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.paths: set[str] = set()
        self.content = b""
        self.spans: list[Span] = []
        self.resource: dict[str, str] = {}

    def take(self, path: str, content: bytes) -> None:
        self.paths.add(path)
        self.content += content
        for group in ExportTraceServiceRequest.FromString(content).resource_spans:
            self.resource |= {one.key: one.value.string_value for one in group.resource.attributes}
            for scope in group.scope_spans:
                self.spans += scope.spans

    def named(self, name: str) -> list[Span]:
        """Give the spans of a name."""
        return [span for span in self.spans if span.name == name]


def attributes(span: Span) -> dict[str, Any]:
    """Give a span's attributes."""
    found = {}
    for one in span.attributes:
        kind = one.value.WhichOneof("value")
        assert kind is not None
        found[one.key] = getattr(one.value, kind)
    return found


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Listen until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                content = gzip.decompress(content)
            receiver.take(self.path, content)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver = Receiver(server.server_port)
    with running(server):
        yield receiver
