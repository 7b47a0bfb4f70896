"""A gRPC caller of few bytes: one connection, one stream, written out frame by frame (RFC 9113).

Thousands of them fit into a process, each with a connection of its own, which gRPC's channels do
not; and one can be made to do what no well-behaved client does, such as to read nothing.
"""

import asyncio
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _RST, _SETTINGS, _PING, _GOAWAY, _WINDOW = 0, 1, 3, 4, 6, 7, 8
_END_STREAM, _END_HEADERS, _ACK = 1, 4, 1
_INITIAL_WINDOW_SIZE = 4
_WIDEST: Final = 2**31 - 1
_STREAM: Final = 1


@dataclass(frozen=True, slots=True)
class Ask:
    """One call: its method ("/cutcard.v1.PlayService/Watch"), token, and the message's bytes."""

    method: str
    token: str
    message: bytes


class BareCall(asyncio.Protocol):
    """A call under way.

    `heard` counts the bytes of the answers. `told` is set when the first came, `over` when the
    stream or the connection has ended. A call that is `deaf` opens its windows wide, and stops
    reading its socket after the first answer.
    """

    __slots__ = ("_ask", "_buffer", "_deaf", "_transport", "_unacked", "heard", "over", "told")

    def __init__(self, ask: Ask, *, deaf: bool = False) -> None:
        loop = asyncio.get_running_loop()
        self.heard = 0
        self.told: asyncio.Future[None] = loop.create_future()
        self.over: asyncio.Future[None] = loop.create_future()
        self._ask = ask
        self._deaf = deaf
        self._buffer = b""
        self._unacked = 0
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the whole call."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        settings = b""
        if self._deaf:
            settings = _INITIAL_WINDOW_SIZE.to_bytes(2) + _WIDEST.to_bytes(4)
        message = b"\0" + len(self._ask.message).to_bytes(4) + self._ask.message
        frames = [PREFACE, frame(_SETTINGS, 0, 0, settings)]
        if self._deaf:
            # The connection's own window is 65,535 bytes wide from the start.
            frames.append(frame(_WINDOW, 0, 0, (_WIDEST - 65_535).to_bytes(4)))
        frames += (
            frame(_HEADERS, _END_HEADERS, _STREAM, _headers(self._ask)),
            frame(_DATA, _END_STREAM, _STREAM, message),
        )
        transport.write(b"".join(frames))

    def data_received(self, data: bytes) -> None:
        """Read what frames are whole."""
        buffer = self._buffer + data if self._buffer else data
        at = 0
        while len(buffer) >= at + 9:
            end = at + 9 + int.from_bytes(buffer[at : at + 3])
            if len(buffer) < end:
                break
            self._take(buffer[at + 3], buffer[at + 4], buffer[at + 9 : end])
            at = end
        self._buffer = buffer[at:]

    def connection_lost(self, _error: Exception | None) -> None:
        """Note the end."""
        self._end()

    def hang_up(self) -> None:
        """Close the connection without a word."""
        if self._transport is not None:
            self._transport.abort()

    def _take(self, kind: int, flags: int, payload: bytes) -> None:
        transport = self._transport
        assert transport is not None
        if kind == _SETTINGS and not flags & _ACK:
            transport.write(frame(_SETTINGS, _ACK, 0, b""))
        elif kind == _PING and not flags & _ACK:
            transport.write(frame(_PING, _ACK, 0, payload))
        elif kind == _DATA:
            self._hear(transport, len(payload))
        if kind in {_RST, _GOAWAY} or (kind in {_DATA, _HEADERS} and flags & _END_STREAM):
            self._end()

    def _hear(self, transport: asyncio.Transport, size: int) -> None:
        self.heard += size
        self._unacked += size
        if not self.told.done():
            self.told.set_result(None)
        if self._deaf:
            transport.pause_reading()
        elif self._unacked >= 16_384:
            more = self._unacked.to_bytes(4)
            transport.write(frame(_WINDOW, 0, 0, more) + frame(_WINDOW, 0, _STREAM, more))
            self._unacked = 0

    def _end(self) -> None:
        if not self.over.done():
            self.over.set_result(None)


async def call(
    port: int, ask: Ask, *, deaf: bool = False, tls: ssl.SSLContext | None = None
) -> BareCall:
    """Make a call to a server on this machine; with `tls` over that, to the name localhost."""
    loop = asyncio.get_running_loop()
    name = "localhost" if tls else None
    _, made = await loop.create_connection(
        lambda: BareCall(ask, deaf=deaf), "127.0.0.1", port, ssl=tls, server_hostname=name
    )
    return made


async def call_all(
    port: int, asks: Sequence[Ask], *, tls: ssl.SSLContext | None = None, at_once: int = 50
) -> list[BareCall]:
    """Make many calls, some at once, and return when each was told something.

    ConnectionError where one ended instead.
    """
    made: list[BareCall] = []
    for start in range(0, len(asks), at_once):
        part = asks[start : start + at_once]
        calls = await asyncio.gather(*(call(port, ask, tls=tls) for ask in part))
        made += calls
        for one in calls:
            await asyncio.wait({one.told, one.over}, return_when=asyncio.FIRST_COMPLETED)
            if one.over.done():
                message = f"call {len(made)} of {len(asks)} ended: {one.heard} bytes were heard"
                raise ConnectionError(message)
    return made


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """Write a frame (RFC 9113 4.1)."""
    return len(payload).to_bytes(3) + bytes((kind, flags)) + stream.to_bytes(4) + payload


def _headers(ask: Ask) -> bytes:
    """Write the request's header block."""
    fields = (
        (":method", "POST"),
        (":scheme", "http"),
        (":path", ask.method),
        (":authority", "localhost"),
        ("te", "trailers"),
        ("content-type", "application/grpc"),
        ("authorization", f"Bearer {ask.token}"),
    )
    return b"".join(literal(name, value) for name, value in fields)


def literal(name: str, value: str) -> bytes:
    """Write a header field as a literal without indexing (RFC 7541 6.2.2)."""
    return b"\0" + _text(name) + _text(value)


def _text(text: str) -> bytes:
    """Write a string literal: its length as an integer with a 7-bit prefix, and itself."""
    content = text.encode("ascii")
    if len(content) < 127:
        return bytes((len(content),)) + content
    length, rest = b"\x7f", len(content) - 127
    while rest >= 128:
        length += bytes((rest % 128 + 128,))
        rest //= 128
    return length + bytes((rest,)) + content
