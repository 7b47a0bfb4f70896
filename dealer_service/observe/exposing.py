"""What is served over plain HTTP for collectors: GET /metrics and GET /healthz, nothing else.

The server has threads of its own, so that a collector never holds up the dealing; what depends on
the dealing is measured by the dealer's own loop just before, and a loop that does not answer in
time is what the collector then hears (503). There is nothing secret in it: no card, name or game.
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Final

from dealer_service.bounded_http import BoundedServer, read_for
from dealer_service.observe.metrics import CONTENT_TYPE, Metrics

MOST_CONNECTIONS: Final = 16
SECONDS: Final = 5.0
"""So long a request may take to come, and the dealer to measure."""

_PLAIN: Final = "text/plain; charset=utf-8"
_LATE: Final = b"the dealer does not answer\n"


@dataclass(frozen=True, slots=True)
class Page:
    """An answer: its status, type and content."""

    status: HTTPStatus
    kind: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Source:
    """What the pages are made of.

    `measure(seconds)` has the dealer set what is only measured when somebody asks, and says
    whether it did in that time; `services` gives each service's name and whether it serves, the
    whole dealer first.
    """

    metrics: Metrics
    measure: Callable[[float], bool]
    services: Callable[[], dict[str, bool]]

    def page(self, path: str) -> Page:
        """Answer a GET."""
        if path not in {"/metrics", "/healthz"}:
            return Page(HTTPStatus.NOT_FOUND, _PLAIN, b"there are /metrics and /healthz\n")
        if not self.measure(SECONDS):
            return Page(HTTPStatus.SERVICE_UNAVAILABLE, _PLAIN, _LATE)
        if path == "/metrics":
            return Page(HTTPStatus.OK, CONTENT_TYPE, self.metrics.text())
        services = self.services()
        words = "".join(
            f"{name} {'SERVING' if serves else 'NOT_SERVING'}\n"
            for name, serves in services.items()
        )
        well = next(iter(services.values()))
        status = HTTPStatus.OK if well else HTTPStatus.SERVICE_UNAVAILABLE
        return Page(status, _PLAIN, words.encode())


class Exposition:
    """The HTTP server; it serves from the moment that it is made until it is closed."""

    def __init__(self, host: str, port: int, source: Source) -> None:
        """Listen on an IP address or a name; OSError where that can not be."""
        self._server = BoundedServer(
            host, port, _handler(source), most=MOST_CONNECTIONS, name="metrics"
        )

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return self._server.port

    def close(self) -> None:
        """Answer nobody any more; this blocks for a moment."""
        self._server.close()


def _handler(source: Source) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = SECONDS
        server_version = "cutcard"
        sys_version = ""

        def handle_one_request(self) -> None:
            with read_for(self.connection, SECONDS):
                super().handle_one_request()

        def do_GET(self) -> None:
            page = source.page(self.path.partition("?")[0])
            self.send_response(page.status)
            self.send_header("Content-Type", page.kind)
            self.send_header("Content-Length", str(len(page.content)))
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(page.content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Log nothing: a scrape is no event."""

    return Handler
