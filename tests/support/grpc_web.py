"""A browser's calls without a browser: gRPC-Web over HTTPS, as the wire has it.

A message is a frame with the mark 0 and its length before it; the last frame has the mark 0x80 and
holds the trailers, as lines of text (PROTOCOL-WEB.md of grpc/grpc).
"""

import asyncio
import base64
import http.client
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from google.rpc import error_details_pb2, status_pb2

from tests.support.envoy import PATIENCE, Envoy

Header = Sequence[tuple[str, str]]
_TRAILERS = 0x80


class Message(Protocol):
    """A message of a request."""

    def SerializeToString(self) -> bytes: ...  # noqa: N802 - protobuf's own


@dataclass(frozen=True)
class WebAnswer:
    """What came back: the HTTP status and headers, messages, and the gRPC trailers."""

    status: int
    headers: dict[str, str]
    messages: list[bytes]
    trailers: dict[str, str]
    body: bytes = field(repr=False, default=b"")

    @property
    def code(self) -> int:
        """Give gRPC's status code, wherever it came."""
        return int(self.trailers.get("grpc-status", self.headers.get("grpc-status", -1)))

    @property
    def refusal(self) -> error_details_pb2.ErrorInfo:
        """Give the ErrorInfo of a refusal."""
        details = self.trailers.get("grpc-status-details-bin") or self.headers.get(
            "grpc-status-details-bin", ""
        )
        status = status_pb2.Status.FromString(base64.b64decode(details + "=" * (-len(details) % 4)))
        assert status.code == self.code
        for detail in status.details:
            info = error_details_pb2.ErrorInfo()
            if detail.Unpack(info):
                return info
        raise AssertionError(status)


class WebStream:
    """A stream under way: each message as it comes."""

    def __init__(self, connection: http.client.HTTPSConnection, headers: dict[str, str]) -> None:
        self._connection = connection
        self.headers = headers
        self._answer = connection.getresponse()
        self.status = self._answer.status
        self.trailers: dict[str, str] | None = None

    async def next(self) -> bytes | None:
        """Give the next message; None behind the last, when there are `trailers`."""
        return await asyncio.to_thread(self._next)

    def _next(self) -> bytes | None:
        head = self._answer.read(5)
        if len(head) < 5:
            self.trailers = self.trailers or {}
            return None
        content = self._answer.read(int.from_bytes(head[1:], "big"))
        if head[0] & _TRAILERS:
            self.trailers = read_trailers(content)
            return None
        return content

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


class Web:
    """A page's way to the dealers, through Envoy; each call has a connection of its own."""

    def __init__(self, envoy: Envoy, *, origin: str = "https://play.example.com") -> None:
        self._address = envoy.address
        self._trust = ssl.create_default_context(cafile=str(envoy.ca))
        self._origin = origin

    def _connect(self) -> http.client.HTTPSConnection:
        host, _, port = self._address.rpartition(":")
        return http.client.HTTPSConnection(host, int(port), timeout=PATIENCE, context=self._trust)

    async def ask(
        self, method: str, path: str, headers: Mapping[str, str] = {}, body: bytes = b""
    ) -> WebAnswer:
        """Make any request."""
        return await asyncio.to_thread(self._ask, method, path, headers, body)

    def _ask(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> WebAnswer:
        connection = self._connect()
        try:
            connection.request(method, path, body, {"Origin": self._origin} | dict(headers))
            answer = connection.getresponse()
            content = answer.read()
            told = {name.lower(): value for name, value in answer.getheaders()}
        finally:
            connection.close()
        messages: list[bytes] = []
        trailers: dict[str, str] = {}
        if told.get("content-type", "").startswith("application/grpc"):
            messages, trailers = read_frames(content)
        return WebAnswer(answer.status, told, messages, trailers, content)

    async def call(self, method: str, request: Message, header: Header = ()) -> WebAnswer:
        """Make a call with one answer: "PlayService/Act"."""
        return await self.ask("POST", f"/cutcard.v1.{method}", headers_of(header), frame(request))

    async def stream(self, method: str, request: Message, header: Header = ()) -> WebStream:
        """Begin a stream."""

        def begin() -> WebStream:
            connection = self._connect()
            headers = {"Origin": self._origin} | headers_of(header)
            connection.request("POST", f"/cutcard.v1.{method}", frame(request), headers)
            return WebStream(connection, headers)

        return await asyncio.to_thread(begin)


def headers_of(header: Header) -> dict[str, str]:
    """Give a call's headers as a page sends them."""
    return {
        "Content-Type": "application/grpc-web+proto",
        "Accept": "application/grpc-web+proto",
        "X-Grpc-Web": "1",
        "X-User-Agent": "cutcard-test",
    } | dict(header)


def frame(request: Message) -> bytes:
    """Write a message as a frame."""
    content = request.SerializeToString()
    return b"\0" + len(content).to_bytes(4, "big") + content


def read_frames(content: bytes) -> tuple[list[bytes], dict[str, str]]:
    """Read an answer's messages, and the trailers behind them."""
    messages: list[bytes] = []
    trailers: dict[str, str] = {}
    while content:
        size = int.from_bytes(content[1:5], "big")
        part, mark, content = content[5 : 5 + size], content[0], content[5 + size :]
        if mark & _TRAILERS:
            trailers = read_trailers(part)
        else:
            messages.append(part)
    return messages, trailers


def read_trailers(content: bytes) -> dict[str, str]:
    """Read the trailers' lines."""
    lines = [line for line in content.decode("ascii").split("\r\n") if line]
    pairs: list[Any] = [line.partition(":") for line in lines]
    return {name.strip().lower(): value.strip() for name, _, value in pairs}
