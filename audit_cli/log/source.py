"""Fetches a published log, from a web server or a folder: what `tiles.Fetch` asks for.

One connection is kept for all of a look, since a log of a million lines is thousands of files.
Nothing is believed here, only bounded: the size of an answer, also unpacked, and the time that a
server may take. Redirections are not followed, so that the place that is named is the place that
is read.
"""

from __future__ import annotations

import http.client
import socket
import threading
import zlib
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from audit_cli.inputs import UsageError, reason, shown
from audit_cli.log.tiles import CHECKPOINT_PATH, MAX_BUNDLE
from audit_cli.problem import Problem, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from audit_cli.log.tiles import Fetch

MAX_CHECKPOINT: Final = 1024 * 1024

_SECONDS: Final = 30  # of silence
_LONGEST: Final = 300.0  # for a whole file, however it trickles
_OK: Final = 200
_GZIP: Final = 31  # zlib's name for a gzip header of the largest window
_ALLOWED: Final = "give the log's prefix as http://… or https://…, or a folder"


@contextmanager
def opened_source(name: str) -> Iterator[Fetch]:
    """Give a way to fetch the files below a prefix, until the block ends.

    `name` is an http or https URL, or a folder that exists; UsageError for anything else.
    """
    if "://" not in name:
        folder = Path(name)
        if not folder.is_dir():
            message = f"{shown(name)} is no folder and no URL"
            raise UsageError(message, _ALLOWED)
        yield _Folder(folder)
        return
    site = _Site(name)
    try:
        yield site
    finally:
        site.close()


def _limit(path: str) -> int:
    return MAX_CHECKPOINT if path == CHECKPOINT_PATH else MAX_BUNDLE


class _Folder:
    """Files of a folder."""

    __slots__ = ("_folder",)

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, path: str) -> bytes | Problem:
        limit = _limit(path)
        try:
            with (self._folder / path).open("rb") as file:
                data = file.read(limit + 1)
        except OSError as error:
            return Problem(f"can not read {path}: {reason(error)}")
        return data if len(data) <= limit else _too_large(path)


class _Site:
    """Files of a web server, over one connection that is opened again when it is gone."""

    __slots__ = ("_connection", "_held", "_is_cut", "_prefix")

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            message = f"{shown(url)} is no URL: {error}"
            raise UsageError(message, _ALLOWED) from None
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            message = f"{shown(url)} is no http or https URL"
            raise UsageError(message, _ALLOWED)
        if parts.query or parts.fragment or parts.username is not None:
            message = f"{shown(url)} is more than the address of files"
            raise UsageError(message, "leave user, query and fragment out")
        secure = parts.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        self._connection = kind(parts.hostname, port, timeout=_SECONDS)
        self._prefix = parts.path.rstrip("/")
        self._held: socket.socket | None = None
        self._is_cut = False

    def close(self) -> None:
        self._connection.close()
        self._held = None

    def __call__(self, path: str) -> bytes | Problem:
        self._is_cut = False
        timer = threading.Timer(_LONGEST, self._cut)
        timer.daemon = True
        timer.start()
        try:
            data = self._get_twice(path)
        finally:
            timer.cancel()
        if self._is_cut:
            self.close()
            return Problem(f"{path} did not come whole within {_LONGEST:g} seconds")
        return data

    def _cut(self) -> None:
        """End what is read: a server that sends a byte now and then would never let go."""
        self._is_cut = True
        held = self._held
        if held is not None:
            with suppress(OSError):
                socket.socket.shutdown(held, socket.SHUT_RDWR)

    def _get_twice(self, path: str) -> bytes | Problem:
        kept = self._connection.sock is not None
        try:
            return self._get(path)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            if not kept or self._is_cut:
                return _unreachable(path, error)
        # A kept connection may have been closed at the other end meanwhile: once more, by a new
        # one.
        try:
            return self._get(path)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            return _unreachable(path, error)

    def _get(self, path: str) -> bytes | Problem:
        headers = {"Accept-Encoding": "gzip, identity"}
        if self._connection.sock is None:
            self._connection.connect()
            # An answer that ends its connection takes the socket away from that as it begins.
            self._held = self._connection.sock
        if self._is_cut:
            raise TimeoutError
        self._connection.request("GET", f"{self._prefix}/{path}", headers=headers)
        answer = self._connection.getresponse()
        limit = _limit(path)
        data = answer.read(limit + 1)
        if not answer.isclosed():
            # What is left of the answer would be taken for the next one's beginning.
            self._connection.close()
        if len(data) > limit:
            return _too_large(path)
        if answer.status != _OK:
            target = answer.getheader("Location")
            hint = "" if target is None else f"it points to {printable(target, 200)}"
            return Problem(f"{path}: the server answers {answer.status}", hint)
        encoding = (answer.getheader("Content-Encoding") or "identity").strip().lower()
        if encoding == "gzip":
            return _unpacked(path, data, limit)
        if encoding != "identity":
            return Problem(f"{path} comes in the encoding {printable(encoding)!r}, not asked for")
        return data


def _unpacked(path: str, data: bytes, limit: int) -> bytes | Problem:
    stream = zlib.decompressobj(_GZIP)
    try:
        plain = stream.decompress(data, limit + 1)
    except zlib.error:
        return Problem(f"{path} is not the gzip that its server says")
    if len(plain) > limit:
        return _too_large(path)
    if not stream.eof:
        return Problem(f"{path} is cut short")
    return plain


def _too_large(path: str) -> Problem:
    return Problem(f"{path} is larger than any of a log", f"at most {_limit(path):,} bytes")


def _unreachable(path: str, error: OSError | http.client.HTTPException) -> Problem:
    words = reason(error) if isinstance(error, OSError) else type(error).__name__
    return Problem(f"can not fetch {path}: {words}")
