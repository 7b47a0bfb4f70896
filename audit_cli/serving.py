"""A small bounded HTTP/1.1 server for what the audit serves: a witness, and a monitor's pages.

A request is read whole before it is handled, its body up to a limit; one that never ends costs a
thread for as long as nobody else needs it: with all threads in use, a new connection takes the
place of the one that has waited longest. For the open internet it stands behind a proxy, which
brings TLS.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final

from audit_cli import __version__, say
from audit_cli.inputs import UsageError, reason, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TEXT: Final = "text/plain; charset=utf-8"
JSON: Final = "application/json"
METRICS: Final = "text/plain; version=0.0.4; charset=utf-8"

_THREADS: Final = 64
_SECONDS: Final = 30
_POLL: Final = 0.1
_DRAINED: Final = 1024 * 1024
_LONGEST_SIZE: Final = 12


@dataclass(frozen=True, slots=True)
class Answer:
    """What is sent back: a status, a body, its type, and headers beyond those."""

    status: int
    body: bytes
    kind: str = TEXT
    headers: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def text(status: int, words: str) -> Answer:
        """Give a short answer in words."""
        return Answer(status, f"{words}\n".encode())


@dataclass(frozen=True, slots=True)
class Site:
    """What is served. `get` and `post` give None for a path that is not there.

    `most` is how many bytes a request's body may have.
    """

    get: Callable[[str], Answer | None]
    post: Callable[[str, bytes], Answer | None] = lambda _path, _body: None
    most: int = 0


class _Handler(BaseHTTPRequestHandler):
    """Reads requests, one after another on a connection."""

    protocol_version = "HTTP/1.1"
    # An answer is a head and a body: held back, the body would wait 40 ms for the head's receipt.
    disable_nagle_algorithm = True
    server_version = f"{say.NAME}/{__version__}"
    sys_version = ""
    timeout = _SECONDS
    server: _Server

    def do_GET(self) -> None:
        self._answer(lambda: self.server.site.get(self.path))

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        size = self.headers.get("Content-Length", "")
        if "Transfer-Encoding" in self.headers or not size:
            self._stop(HTTPStatus.LENGTH_REQUIRED, "a body needs its Content-Length")
            return
        if not (size.isascii() and size.isdigit()) or len(size) > _LONGEST_SIZE:
            self._stop(HTTPStatus.BAD_REQUEST, "a Content-Length that is no number")
            return
        most = self.server.site.most
        if int(size) > most:
            # Who sends it all before reading an answer still gets this one.
            self.rfile.read(min(int(size), _DRAINED))
            self._stop(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a body has at most {most:,} bytes")
            return
        body = self.rfile.read(int(size))
        if len(body) < int(size):
            self.close_connection = True
            return
        self._answer(lambda: self.server.site.post(self.path, body))

    def _stop(self, status: HTTPStatus, words: str) -> None:
        """Refuse a request whose body is not read: nothing can follow it on the connection."""
        self.close_connection = True
        self._send(Answer.text(status, words))

    def _answer(self, asked: Callable[[], Answer | None]) -> None:
        try:
            answer = asked() or Answer.text(HTTPStatus.NOT_FOUND, "there is nothing here")
        except Exception as error:  # noqa: BLE001  (whatever it is, the caller gets an answer)
            say.error(f"a request failed: {type(error).__name__}: {error}")
            answer = Answer.text(HTTPStatus.INTERNAL_SERVER_ERROR, "it failed here: see its log")
        self._send(answer)

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)
        self.server.rested(self.connection)

    def log_message(self, *_: Any) -> None:  # noqa: ANN401 - the base's own signature
        """Write no line for each request: metrics count them."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    # Of those who come at once, five alone would get in without a second's wait.
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], site: Site) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.site = site
        self._lock = threading.Lock()
        # Connections by how long they have waited, the longest first.
        self._waiting: dict[socket.socket, None] = {}
        super().__init__(address, _Handler)

    def rested(self, connection: socket.socket) -> None:
        """Put a connection that was answered behind all that wait longer."""
        with self._lock:
            if connection in self._waiting:
                del self._waiting[connection]
                self._waiting[connection] = None

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - base's
        with self._lock:
            if len(self._waiting) >= _THREADS:
                oldest = next(iter(self._waiting))
                del self._waiting[oldest]
                with contextlib.suppress(OSError):
                    oldest.shutdown(socket.SHUT_RDWR)
            self._waiting[request] = None
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401 - the base's own signature
        with self._lock:
            self._waiting.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, *_: Any) -> None:  # noqa: ANN401 - the base's own signature
        """Say nothing of a connection that broke: whoever broke it knows."""


def parse_address(text: str) -> tuple[str, int]:
    """Return host and port of HOST:PORT, an IPv6 host in brackets. UsageError otherwise."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if host.startswith("[") else host
    if not colon or not host or not (port.isascii() and port.isdigit()) or int(port) > 65535:
        message = f"{shown(text)} is no address: give HOST:PORT"
        raise UsageError(message, "127.0.0.1:8100, or port 0 for any that is free")
    return host, int(port)


@contextlib.contextmanager
def serving(address: tuple[str, int], site: Site) -> Iterator[str]:
    """Serve until the block ends; gives the URL. UsageError where the address can not be had."""
    try:
        server = _Server(address, site)
    except OSError as error:
        message = f"can not serve at {shown(address[0])}:{address[1]}: {reason(error)}"
        raise UsageError(message) from None
    thread = threading.Thread(target=server.serve_forever, args=(_POLL,), daemon=True)
    thread.start()
    host, port = server.server_address[:2]
    name = f"[{host!s}]" if ":" in str(host) else str(host)
    try:
        yield f"http://{name}:{port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextlib.contextmanager
def ending() -> Iterator[threading.Event]:
    """Give an event that is set when the process is asked to end: SIGTERM, or Ctrl-C."""
    ended = threading.Event()
    before = {
        number: signal.signal(number, lambda *_: ended.set())
        for number in (signal.SIGTERM, signal.SIGINT)
    }
    try:
        yield ended
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
