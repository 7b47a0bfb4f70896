"""A proxy between a caller and a dealer that can fall silent: connections stay, nothing passes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class SilentProxy:
    """Passes bytes on, until it is silenced; connections that come later pass again."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._silent: set[int] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.connections = 0
        self.port = 0

    def silence(self) -> None:
        """Pass nothing more on in the connections that there are, and say nothing of it."""
        self._silent |= set(range(self.connections + 1))

    async def start(self) -> None:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Cut everything."""
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        number = self.connections
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        for source, sink in ((reader, back), (there, writer)):
            task = asyncio.create_task(self._pass(number, source, sink))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pass(
        self, number: int, source: asyncio.StreamReader, sink: asyncio.StreamWriter
    ) -> None:
        try:
            # What comes while it is silent is read and lost, so that no side finds it full.
            while data := await source.read(65_536):
                if number not in self._silent:
                    sink.write(data)
        except ConnectionError:
            pass
        finally:
            if number not in self._silent:
                sink.close()


@asynccontextmanager
async def silent_proxy(target: int) -> AsyncIterator[SilentProxy]:
    """Run a proxy before the port `target` of this machine until the block ends."""
    proxy = SilentProxy(target)
    await proxy.start()
    try:
        yield proxy
    finally:
        await proxy.stop()
