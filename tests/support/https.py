"""A small https server that gives what a test lets it give."""

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.support.certificates import Issued


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
        tls = issued.write(folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls.certificate, tls.key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    site.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        site.release.set()
        server.shutdown()
        server.server_close()
        thread.join()
