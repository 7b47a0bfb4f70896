"""Streams whose callers do not read: each message has a deadline, and behind it the stream ends.

A message leaves when the caller's flow control lets it; one that reads nothing, while its
connection answers, would keep its stream for ever. So whoever does not take a message in time is
ended: what feeds the stream is let go of at once, and the status lies behind the message that
waits. gRPC's own server gives no way to reset a stream, so what is left of it, that one message,
goes with the connection or when the caller reads at last; until then the stream counts as the
caller's.

Between the feed and the wire nothing is kept but the one message: a dealer holds a watcher's
backlog (`tables.watchers`), gRPC what the caller's window and the kernel's buffers take.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

import grpc.aio

PATIENCE: Final = 30.0
"""Seconds that a message waits for its reader at least; twice as many at most."""

Refuse = Callable[[Exception], Awaitable[None]]
"""Ends the call with the status of a refusal; raises AbortError."""


class Stalled(Exception):  # noqa: N818 - it is the reader that has stalled
    """Thrown into the feed of a stream: its reader has taken nothing for too long."""


class Streams:
    """The streams of a server that wait for their readers."""

    def __init__(self) -> None:
        self._writing: set[_Stream] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def send_all(
        self,
        context: "grpc.aio.ServicerContext[Any, Any]",
        feed: AsyncGenerator[bytes, None],
        refuse: Refuse,
    ) -> None:
        """Send what `feed` gives, each message when the one before was taken.

        Where the caller stalls, Stalled is thrown into the feed, and `refuse` is given what
        comes of it. What the feed raises is raised.
        """
        stream = _Stream(feed, refuse)
        writing, write = self._writing, context.write
        try:
            async for message in feed:
                if not stream.sent:
                    # With a message that waits, gRPC would refuse to end the call before it left.
                    await context.send_initial_metadata(())
                stream.sent += 1
                writing.add(stream)
                if self._timer is None:
                    self._set_timer()
                await write(message)
                writing.discard(stream)
                if stream.ending is not None:
                    break
        except Exception:
            if stream.ending is None:
                raise
        finally:
            writing.discard(stream)
            if stream.ending is None:
                await feed.aclose()
        if stream.ending is not None:
            await stream.ending

    def _set_timer(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(PATIENCE, self._look)

    def _look(self) -> None:
        """End who writes the same message as at the last look."""
        self._timer = None
        for stream in tuple(self._writing):
            if stream.seen == stream.sent:
                self._writing.discard(stream)
                stream.ending = asyncio.ensure_future(_end(stream))
                stream.ending.add_done_callback(_retrieve)
            stream.seen = stream.sent
        if self._writing:
            self._set_timer()


class _Stream:
    __slots__ = ("ending", "feed", "refuse", "seen", "sent")

    def __init__(self, feed: AsyncGenerator[bytes, None], refuse: Refuse) -> None:
        self.feed = feed
        self.refuse = refuse
        self.sent = 0
        self.seen = 0
        self.ending: asyncio.Future[None] | None = None


async def _end(stream: _Stream) -> None:
    told: Exception = Stalled()
    try:
        await stream.feed.athrow(told)
    except Exception as error:  # noqa: BLE001 - whatever comes of it is what the caller is told
        told = error
    # The connection may go at any time, and then nobody is told.
    with suppress(grpc.aio.InternalError):
        await stream.refuse(told)


def _retrieve(ending: "asyncio.Future[None]") -> None:
    """Take note of how it ended: nobody else does where the caller has gone."""
    if not ending.cancelled():
        ending.exception()
