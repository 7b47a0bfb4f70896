"""A TCP proxy that cuts, loses, delays and freezes, when it is told to."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum, unique


@unique
class Trouble(StrEnum):
    """What a proxy does.

    CUT ends every connection at once. LOSE ends one at the next answer, of which nothing arrives;
    TEAR, of which a part arrives. FREEZE leaves what is open open, and lets nothing through any
    more. HOLD keeps back what is called, until `release` sends it after all.
    """

    CUT = "cut"
    LOSE = "lose"
    TEAR = "tear"
    FREEZE = "freeze"
    HOLD = "hold"


@dataclass(eq=False)
class _Connection:
    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    is_frozen: bool = False
    is_held: bool = False
    held: list[bytes] = field(default_factory=list)


class Proxy:
    """Forwards to wherever `target` says; `came` counts the troubles that really came."""

    def __init__(self, target: Callable[[], Awaitable[tuple[str, int]]]) -> None:
        self.port = 0
        self.came: list[Trouble] = []
        self._target = target
        self._open: set[_Connection] = set()
        self._armed: Trouble | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Take connections on a free port of loopback."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Cut everything, and take nothing more."""
        if self._server is not None:
            self._server.close()
        self.cut_all()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut_all(self) -> int:
        """End every connection, and give how many there were."""
        count = len(self._open)
        for one in list(self._open):
            self._cut(one)
        return count

    def make(self, trouble: Trouble) -> None:
        """Make trouble: now, or at the next answer."""
        if trouble is Trouble.CUT:
            self.came += [trouble] * bool(self.cut_all())
        elif trouble in {Trouble.LOSE, Trouble.TEAR}:
            self._armed = trouble
        else:
            for one in self._open:
                one.is_frozen |= trouble is Trouble.FREEZE
                one.is_held |= trouble is Trouble.HOLD
            self.came += [trouble] * bool(self._open)

    def cut_frozen(self) -> None:
        """End what is frozen."""
        for one in [one for one in self._open if one.is_frozen]:
            self._cut(one)

    async def release(self) -> None:
        """Send what was held, late, and end what was held or frozen."""
        self._armed = None
        for one in list(self._open):
            if one.is_held or one.is_frozen:
                with contextlib.suppress(OSError):
                    for content in one.held:
                        one.server.write(content)
                    await one.server.drain()
                one.held.clear()
                # The dealer reads what came late before it sees the end.
                with contextlib.suppress(OSError, RuntimeError):
                    one.server.write_eof()
                one.client.transport.abort()
                self._open.discard(one)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            host, port = await self._target()
            far_reader, far_writer = await asyncio.open_connection(host, port)
        except (OSError, asyncio.CancelledError):
            writer.transport.abort()
            return
        one = _Connection(writer, far_writer)
        self._open.add(one)
        for work in (self._to_server(one, reader), self._to_client(one, far_reader)):
            task = asyncio.create_task(work)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _to_server(self, one: _Connection, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(OSError):
            while content := await reader.read(65536):
                if one.is_frozen:
                    continue
                if one.is_held:
                    one.held.append(content)
                    continue
                one.server.write(content)
                await one.server.drain()
        if not one.is_held:
            self._cut(one)

    async def _to_client(self, one: _Connection, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(OSError):
            while content := await reader.read(65536):
                if one.is_frozen or one.is_held:
                    continue
                trouble, self._armed = self._armed, None
                if trouble is not None:
                    self.came.append(trouble)
                    if trouble is Trouble.TEAR:
                        one.client.write(content[: len(content) // 2])
                        await one.client.drain()
                    break
                one.client.write(content)
                await one.client.drain()
        self._cut(one)

    def _cut(self, one: _Connection) -> None:
        self._open.discard(one)
        for side in (one.client, one.server):
            side.transport.abort()
