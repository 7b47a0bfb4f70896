"""Runs the HTTP servers of tests in threads of their own, over TLS where a test wants that."""

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import HTTPServer
from pathlib import Path

from tests.support.certificates import Issued


def secure(server: HTTPServer, issued: Issued, folder: Path) -> None:
    """Have a server speak TLS alone, with a certificate that is written to a folder."""
    tls = issued.write(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tls.certificate, tls.key)
    server.socket = context.wrap_socket(server.socket, server_side=True)


@contextmanager
def running(server: HTTPServer) -> Iterator[None]:
    """Serve until the block ends, and close the server then."""
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
