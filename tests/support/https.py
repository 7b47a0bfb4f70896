"""A small https server that gives what a test lets it give."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.support.certificates import Issued
from tests.support.running import running, secure


@dataclass
class Site:
    """What is given at any path, with how often it was asked for."""

    content: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    asked: int = 0
    port: int = 0
    release: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        """Answer at once, until a test takes that back."""
        self.release.set()

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}/jwks"


@contextmanager
def serving_https(issued: Issued | None, folder: Path) -> Iterator[Site]:
    """Serve on a free port of loopback; without a certificate over plain http."""
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked += 1
            site.release.wait(30)
            self.send_response(site.status)
            for name, value in site.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(site.content)))
            self.end_headers()
            self.wfile.write(site.content)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if issued is not None:
        secure(server, issued, folder)
    site.port = server.server_address[1]
    with running(server):
        try:
            yield site
        finally:
            site.release.set()
