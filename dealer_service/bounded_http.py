"""A small HTTP server in threads of its own, with a bound on how many are served at a time.

Whoever comes when all threads are taken is turned away and waits for nobody, so that readers over
HTTP never hold up the dealing. Below every part of the dealer: metrics and the publication are
served by it.
"""

import contextlib
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class BoundedServer:
    """It serves from the moment that it is made until it is closed."""

    def __init__(
        self, host: str, port: int, handler: type[BaseHTTPRequestHandler], *, most: int, name: str
    ) -> None:
        """Listen on an IP address or a name, for `most` at a time; OSError where that can not be.

        `name` is the thread's.
        """
        self._server = _server(host, port, handler, most)
        self._thread = threading.Thread(target=self._server.serve_forever, name=name, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self._server.server_address[1])

    def close(self) -> None:
        """Answer nobody any more; this blocks for a moment."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextlib.contextmanager
def read_for(connection: socket.socket, seconds: float) -> Iterator[None]:
    """Have nothing more come by a connection after `seconds` in the block, however it trickles.

    What is answered still goes out.
    """

    def end() -> None:
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RD)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    most: int

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._free = threading.BoundedSemaphore(self.most)
        self.request_queue_size = self.most
        super().__init__(address, handler)

    def server_bind(self) -> None:
        # Unlike the library's, without a look-up of the host's name.
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """Say nothing of a reader that hangs up."""


def _server(host: str, port: int, handler: type[BaseHTTPRequestHandler], bound: int) -> _Server:
    class Server(_Server):
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        most = bound

    return Server((host, port), handler)
