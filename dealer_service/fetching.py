"""One document of a web server that was named: no redirect, and bounds on its time and its size.

The URL was looked at by who asks. What it is trusted for is theirs to judge, too.
"""

import contextlib
import socket
import ssl
import threading
import time
import urllib.error
import urllib.request
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from io import BufferedIOBase
from typing import IO, Any, Final, NoReturn

_READ_AT_ONCE: Final = 16 * 1024

UNREACHED: Final = (OSError, HTTPException, ValueError)
"""What `fetch` raises where there is no whole document; a status is an `HTTPError` among them.

A host that can be no name is a ValueError of the library's.
"""


def fetch(url: str, accept: str, most: int, seconds: float) -> bytes:
    """Get a document within `seconds`; more than `most` bytes of it where it is longer than that.

    Raises one of `UNREACHED`.
    """
    until = time.monotonic() + seconds
    line = _Line()
    opener = urllib.request.build_opener(_Plain(line), _Secure(line), _NoRedirect)
    wanted = urllib.request.Request(  # noqa: S310 - the scheme was looked at by who asks
        url, headers={"Accept": accept}
    )
    # Who sends a byte now and then is cut off, be it of a header or of the document.
    timer = threading.Timer(seconds, line.cut)
    timer.daemon = True
    timer.start()
    try:
        with opener.open(wanted, timeout=seconds / 2) as answer:
            content = read_until(answer, most, until, seconds)
    except UNREACHED:
        if not line.is_cut:
            raise
    finally:
        timer.cancel()
    if line.is_cut:
        raise _late(seconds)
    return content


def read_until(answer: BufferedIOBase, most: int, until: float, seconds: float) -> bytes:
    """Read what comes, up to a little more than `most` bytes; TimeoutError when it is `until`."""
    content = b""
    # What has come is looked at, and not waited for to be much: else one byte at a time would do.
    while len(content) <= most and (part := answer.read1(_READ_AT_ONCE)):
        content += part
        if len(content) <= most and time.monotonic() > until:
            raise _late(seconds)
    return content


def _late(seconds: float) -> TimeoutError:
    return TimeoutError(f"not whole after {seconds:.0f} seconds")


def why_unreached(error: Exception) -> str:
    """Say why there is no document, without the URL, which may hold what is nobody's business."""
    if isinstance(error, urllib.error.HTTPError):
        return f"status {error.code}"
    reason = getattr(error, "reason", error)
    return str(reason) or type(error).__name__


class _Line:
    """The socket of a connection, which an answer takes away from that as it begins."""

    def __init__(self) -> None:
        self.is_cut = False
        self._held: socket.socket | None = None

    def hold(self, held: socket.socket) -> None:
        """Take the socket of a new connection; TimeoutError where it came too late."""
        self._held = held
        if self.is_cut:
            raise TimeoutError

    def cut(self) -> None:
        """End what is under way."""
        self.is_cut = True
        if self._held is not None:
            # TLS itself is left alone, as another thread is using it.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(self._held, socket.SHUT_RDWR)


class _PlainConnection(HTTPConnection):
    def __init__(self, line: _Line, host: str, **options: Any) -> None:  # noqa: ANN401 - the base's
        super().__init__(host, **options)
        self._line = line

    def connect(self) -> None:
        super().connect()
        self._line.hold(self.sock)


class _SecureConnection(HTTPSConnection):
    def __init__(self, line: _Line, host: str, **options: Any) -> None:  # noqa: ANN401 - the base's
        super().__init__(host, **options)
        self._line = line

    def connect(self) -> None:
        super().connect()
        self._line.hold(self.sock)


class _Plain(urllib.request.HTTPHandler):
    def __init__(self, line: _Line) -> None:
        super().__init__()
        self._line = line

    def http_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(partial(_PlainConnection, self._line), req)


class _Secure(urllib.request.HTTPSHandler):
    def __init__(self, line: _Line) -> None:
        super().__init__()
        self._line = line

    def https_open(self, req: urllib.request.Request) -> HTTPResponse:
        made = partial(_SecureConnection, self._line, context=ssl.create_default_context())
        return self.do_open(made, req)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows nothing: a document comes from the place that was named."""

    def redirect_request(  # noqa: PLR0913, PLR0917 - urllib's own signature
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: object,
        newurl: str,
    ) -> NoReturn:
        del msg, newurl
        raise urllib.error.HTTPError(req.full_url, code, "it redirects", headers, fp)  # type: ignore[arg-type]
