"""Posts to one address over HTTP/1.1: https, or http where that is allowed; one at a time.

The connection is kept from one post to the next. A post ends at its deadline, however slowly the
other side speaks, and what is answered is bounded. No proxy of the environment is used, and no
redirect is followed: what answers is what was named.
"""

import asyncio
import contextlib
import socket
import ssl
import time
import urllib.parse
from concurrent.futures import Executor
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Final

from dealer_service.config import SettingError, is_loopback

MAX_ANSWER_BYTES: Final = 64 * 1024


class Unanswered(Exception):  # noqa: N818 - what became of the post, not a fault of ours
    """No whole answer came in time; the text says why."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered: the status, the type without its parameters, and the content."""

    status: int
    kind: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Prefix:
    """The place below which posts go: the host, its port, whether TLS is spoken, and the path."""

    host: str
    port: int
    tls: bool
    path: str


def parse_prefix(url: str, *, allow_plaintext: bool = False) -> Prefix:
    """Read "https://HOST[:PORT][/PATH]"; SettingError for a URL that nothing may be posted to.

    http is for loopback, unless it is allowed; there is no user, query or fragment.
    """
    try:
        parts = urllib.parse.urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        parts, host, port = urllib.parse.SplitResult("", "", "", "", ""), "", None
    named = url.isascii() and url.isprintable() and " " not in url and bool(host) and port != 0
    bare = parts.username is None and not parts.query and not parts.fragment
    if parts.scheme not in {"http", "https"} or not named or not bare:
        message = f"{url[:200]!r} is no address of a witness: give https://HOST[:PORT][/PATH]"
        raise SettingError(message)
    tls = parts.scheme == "https"
    if not tls and not allow_plaintext and not is_loopback(host):
        message = (
            f"{url[:200]} is in the clear, and not on loopback: give its https address, or say "
            "--allow-plaintext where the network is your own"
        )
        raise SettingError(message)
    return Prefix(host, port or (443 if tls else 80), tls, parts.path.rstrip("/"))


class Post:
    """Posts to one place, from the threads of an executor; never two at a time."""

    def __init__(self, prefix: Prefix, context: ssl.SSLContext, executor: Executor) -> None:
        self._prefix = prefix
        self._context = context
        self._executor = executor
        self._turn = asyncio.Lock()
        self._connection: HTTPConnection | None = None
        self._held: socket.socket | None = None
        self._is_late = False

    async def send(self, path: str, body: bytes, seconds: float) -> Answer:
        """Post `body` to `path` below the prefix; Unanswered where no answer comes in time."""
        loop = asyncio.get_running_loop()
        async with self._turn:
            self._is_late = False
            timer = loop.call_later(seconds, self.abort)
            sending = loop.run_in_executor(self._executor, self._send, path, body, seconds)
            try:
                return await asyncio.shield(sending)
            except asyncio.CancelledError:
                # The thread ends before anybody else may post.
                self.abort()
                with contextlib.suppress(Unanswered):
                    await sending
                raise
            finally:
                timer.cancel()

    def abort(self) -> None:
        """End a post that is under way: it is unanswered."""
        self._is_late = True
        # An answer that ends its connection takes the socket away from that as it begins.
        held = self._held
        if held is not None:
            # TLS itself is left alone, as the thread is using it.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(held, socket.SHUT_RDWR)

    def close(self) -> None:
        """Let go of the connection; nothing is under way any more."""
        if self._connection is not None:
            self._connection.close()
            self._connection = self._held = None

    def _send(self, path: str, body: bytes, seconds: float) -> Answer:
        until = time.monotonic() + seconds
        kept = self._connection is not None
        while True:
            try:
                return self._exchange(path, body, until)
            except (OSError, HTTPException, ValueError) as error:
                self.close()
                # A connection that was kept may have ended meanwhile, which says nothing.
                if not kept or self._is_late or time.monotonic() >= until:
                    raise Unanswered(self._why(error)) from None
                kept = False

    def _exchange(self, path: str, body: bytes, until: float) -> Answer:
        seconds = max(until - time.monotonic(), 0.001)
        connection = self._connection or self._connect(seconds)
        if connection.sock is not None:
            connection.sock.settimeout(seconds)
        headers = {"Content-Type": "text/plain; charset=utf-8", "User-Agent": "cutcard"}
        connection.request("POST", self._prefix.path + path, body, headers)
        answer = connection.getresponse()
        content = answer.read(MAX_ANSWER_BYTES + 1)
        if len(content) > MAX_ANSWER_BYTES:
            message = f"the answer is longer than {MAX_ANSWER_BYTES} bytes"
            raise HTTPException(message)
        if self._is_late:
            message = "the answer did not come in time"
            raise TimeoutError(message)
        if answer.length:
            message = "the answer ended too soon"
            raise HTTPException(message)
        if answer.will_close:
            self.close()
        kind = answer.headers.get_content_type()
        return Answer(answer.status, kind, content)

    def _connect(self, seconds: float) -> HTTPConnection:
        host, port = self._prefix.host, self._prefix.port
        connection = (
            HTTPSConnection(host, port, timeout=seconds, context=self._context)
            if self._prefix.tls
            else HTTPConnection(host, port, timeout=seconds)
        )
        self._connection = connection
        connection.connect()
        self._held = connection.sock
        if self._is_late:
            message = "the connection did not come in time"
            raise TimeoutError(message)
        return connection

    def _why(self, error: Exception) -> str:
        if self._is_late:
            return "no whole answer in time"
        return str(error) or type(error).__name__
