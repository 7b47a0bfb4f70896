"""The publication over HTTP, as C2SP tlog-tiles has it: GET and HEAD of its files, nothing else.

Only the names that the specification gives are answered, so that no other file of the folder, nor
of the machine, can be asked for. Tiles and bundles never change and may be kept for ever; the
checkpoint is asked for anew each time. All of it is public and proved by the log key's signature,
so it needs neither TLS nor tokens; whoever wants more readers than a dealer should serve puts any
web server before it, or in front of the folder.
"""

import contextlib
import gzip
import re
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Final

from dealer_service.bounded_http import BoundedServer, read_for
from dealer_service.transcript.tiles import CHECKPOINT_PATH

MOST_READERS: Final = 64
SECONDS: Final = 10.0
"""So long a request may take to come, and a reader to ask again."""

_INDEX: Final = r"(?:x[0-9]{3}/)*[0-9]{3}"
_WIDTH: Final = r"(?:\.p/(?:[1-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5]))?"
_LEVEL: Final = r"(?:[0-9]|[1-5][0-9]|6[0-3])"
_TILE: Final = re.compile(rf"tile/(?:entries|{_LEVEL})/{_INDEX}{_WIDTH}")
_MAX_NAME: Final = 64

_TEXT: Final = "text/plain; charset=utf-8"
_BYTES: Final = "application/octet-stream"
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_ANEW: Final = "no-cache"


@dataclass(frozen=True, slots=True)
class Page:
    """An answer: its status, content, type and for how long it may be kept."""

    status: HTTPStatus
    content: bytes
    kind: str = _TEXT
    keeping: str = _ANEW
    is_packed: bool = False
    """Whether the content is gzip."""
    may_vary: bool = False
    """Whether who takes no gzip gets the same otherwise."""


def find_page(folder: Path, target: str, *, takes_gzip: bool) -> Page:
    """Answer a GET of a path, such as "/tile/0/x001/067.p/8"; what is no name of a file is 404."""
    name = target.partition("?")[0].removeprefix("/")
    is_tile = len(name) <= _MAX_NAME and _TILE.fullmatch(name) is not None
    if name != CHECKPOINT_PATH and not is_tile:
        return Page(
            HTTPStatus.NOT_FOUND, b"there are /checkpoint, /tile/... and /tile/entries/...\n"
        )
    try:
        content = (folder / name).read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        # It may be there a moment later, and no cache may say otherwise then.
        return Page(HTTPStatus.NOT_FOUND, b"not published\n")
    except OSError:
        return Page(HTTPStatus.SERVICE_UNAVAILABLE, b"can not be read\n")
    if not is_tile:
        return Page(HTTPStatus.OK, content)
    may_pack = name.startswith("tile/entries/")
    if may_pack and takes_gzip:
        content = gzip.compress(content, 6, mtime=0)
    return Page(HTTPStatus.OK, content, _BYTES, _FOR_EVER, may_pack and takes_gzip, may_pack)


class PublicationServer:
    """The HTTP server; it serves from the moment that it is made until it is closed."""

    def __init__(self, host: str, port: int, folder: Path) -> None:
        """Listen on an IP address or a name; OSError where that can not be."""
        self._server = BoundedServer(
            host, port, _handler(folder), most=MOST_READERS, name="publication"
        )

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return self._server.port

    def close(self) -> None:
        """Answer nobody any more; this blocks for a moment."""
        self._server.close()


def _handler(folder: Path) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = SECONDS
        server_version = "cutcard"
        sys_version = ""
        disable_nagle_algorithm = True

        def handle_one_request(self) -> None:
            with read_for(self.connection, SECONDS):
                super().handle_one_request()

        def do_GET(self) -> None:
            self._answer(with_content=True)

        def do_HEAD(self) -> None:
            self._answer(with_content=False)

        def _answer(self, *, with_content: bool) -> None:
            takes_gzip = _takes_gzip(self.headers.get("Accept-Encoding", ""))
            page = find_page(folder, self.path, takes_gzip=takes_gzip)
            self.send_response(page.status)
            self.send_header("Content-Type", page.kind)
            self.send_header("Content-Length", str(len(page.content)))
            self.send_header("Cache-Control", page.keeping)
            if page.is_packed:
                self.send_header("Content-Encoding", "gzip")
            if page.may_vary:
                self.send_header("Vary", "Accept-Encoding")
            if "Content-Length" in self.headers or "Transfer-Encoding" in self.headers:
                # A body that nobody reads would be taken for the next request.
                self.send_header("Connection", "close")
            self.end_headers()
            if with_content:
                with contextlib.suppress(OSError):
                    self.wfile.write(page.content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Log nothing: a reader is no event."""

    return Handler


def _takes_gzip(accepted: str) -> bool:
    """Say whether a list of encodings names gzip, and not to refuse it (RFC 9110 12.5.3)."""
    for one in accepted.split(","):
        name, *parameters = (part.strip().lower() for part in one.split(";"))
        if name == "gzip":
            return not any(re.fullmatch(r"q=0(\.0*)?", part) for part in parameters)
    return False
