"""Fetches a publication's files, from a folder or over HTTP: the shell around `tiles`.

Nothing that comes is believed (`tiles` holds it to a signed root), so a fetch bounds only time and
bytes, and says why a file can not be had. An address is http or https, without credentials.
"""

from __future__ import annotations

import gzip
import http.client
import io
import urllib.error
import urllib.parse
import urllib.request
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from audit_cli.log.tiles import MAX_BUNDLE
from audit_cli.problem import Problem, printable

if TYPE_CHECKING:
    from audit_cli.log.tiles import Fetch

TIMEOUT_S: Final = 15.0
_SCHEMES = frozenset({"http", "https"})
_AGENT = "cutcard-audit"


def is_address(where: str) -> bool:
    """Whether a text names a publication by an address, not by a folder."""
    return urllib.parse.urlsplit(where).scheme.lower() in _SCHEMES


def open_publication(where: str, timeout: float = TIMEOUT_S) -> Fetch | Problem:
    """Return how the files below an address or folder are fetched; a Problem where it is neither.

    `timeout` in seconds is for each wait on the network.
    """
    if is_address(where):
        parts = urllib.parse.urlsplit(where)
        if not parts.hostname or "@" in parts.netloc or parts.query or parts.fragment:
            return Problem(
                "no address of a publication", "http or https, a host and perhaps a path"
            )
        return _over_http(where.rstrip("/"), timeout)
    folder = Path(where)
    if not folder.is_dir():
        return Problem("no such folder", "a folder with a checkpoint and tiles, or an http address")
    return _from_folder(folder)


def _from_folder(folder: Path) -> Fetch:
    def fetch(path: str) -> bytes | Problem:
        try:
            with (folder / path).open("rb") as file:
                return _bounded(path, file.read(MAX_BUNDLE + 1))
        except OSError as error:
            return Problem(f"{path}: {(error.strerror or str(error)).lower()}")

    return fetch


def _over_http(prefix: str, timeout: float) -> Fetch:
    opener = urllib.request.build_opener(_NoOtherScheme())

    def fetch(path: str) -> bytes | Problem:
        headers = {"Accept-Encoding": "gzip, identity", "User-Agent": _AGENT}
        request = urllib.request.Request(f"{prefix}/{path}", headers=headers)  # noqa: S310
        try:
            with opener.open(request, timeout=timeout) as answer:
                data = answer.read(MAX_BUNDLE + 1)
                if answer.headers.get("Content-Encoding", "").lower() == "gzip":
                    data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(MAX_BUNDLE + 1)
                return _bounded(path, data)
        except urllib.error.HTTPError as error:
            return Problem(f"{path}: the server answers {error.code}")
        except (OSError, EOFError, zlib.error, http.client.HTTPException, ValueError) as error:
            return Problem(f"{path}: {printable(str(error) or type(error).__name__).lower()}")

    return fetch


class _NoOtherScheme(urllib.request.HTTPRedirectHandler):
    """Follows a redirect to http or https alone, which urllib leaves open to ftp too."""

    def redirect_request(  # type: ignore[override]
        self, *arguments: object
    ) -> urllib.request.Request | None:
        address = arguments[-1]
        if not (isinstance(address, str) and is_address(address)):
            return None
        return super().redirect_request(*arguments)


def _bounded(path: str, data: bytes) -> bytes | Problem:
    if len(data) > MAX_BUNDLE:
        return Problem(f"{path} has more than {MAX_BUNDLE:,} bytes", "no file of a log is as large")
    return data
