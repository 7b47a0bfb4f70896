"""One document of a web server that was named: no redirect, and bounds on its time and its size.

The URL was looked at by who asks. What it is trusted for is theirs to judge, too.
"""

import ssl
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from io import BufferedIOBase
from typing import IO, Final, NoReturn

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
    secure = urllib.request.HTTPSHandler(context=ssl.create_default_context())
    opener = urllib.request.build_opener(secure, _NoRedirect)
    wanted = urllib.request.Request(  # noqa: S310 - the scheme was looked at by who asks
        url, headers={"Accept": accept}
    )
    with opener.open(wanted, timeout=seconds / 2) as answer:
        return read_until(answer, most, until, seconds)


def read_until(answer: BufferedIOBase, most: int, until: float, seconds: float) -> bytes:
    """Read what comes, up to a little more than `most` bytes; TimeoutError when it is `until`."""
    content = b""
    # What has come is looked at, and not waited for to be much: else one byte at a time would do.
    while len(content) <= most and (part := answer.read1(_READ_AT_ONCE)):
        content += part
        if len(content) <= most and time.monotonic() > until:
            message = f"not whole after {seconds:.0f} seconds"
            raise TimeoutError(message)
    return content


def why_unreached(error: Exception) -> str:
    """Say why there is no document, without the URL, which may hold what is nobody's business."""
    if isinstance(error, urllib.error.HTTPError):
        return f"status {error.code}"
    reason = getattr(error, "reason", error)
    return str(reason) or type(error).__name__


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
