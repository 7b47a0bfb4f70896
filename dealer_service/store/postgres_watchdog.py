"""Cuts a connection whose server says nothing for too long, as when its disk or machine hangs.

The server's own limits end what takes too long while it runs; the network's keepalive finds a
peer that is gone. A server that is frozen answers neither, and would hold its client for ever.
"""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator

from dealer_service.store.postgres_link import Link


class Watchdog:
    """Gives each piece of work so many seconds; then its connection is shut down under it."""

    def __init__(self, seconds: float, closing: threading.Event) -> None:
        self._seconds = seconds
        self._closing = closing
        self._guard = threading.Lock()
        self._ends: dict[int, float] = {}
        self._thread: threading.Thread | None = None

    @contextlib.contextmanager
    def watching(self, link: Link) -> Iterator[None]:
        """Watch a connection while it is worked with."""
        descriptor = link.fileno()
        with self._guard:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)
                self._thread.start()
            self._ends[descriptor] = time.monotonic() + self._seconds
        try:
            yield
        finally:
            # While it is in the table its descriptor is not closed, and so is no other's.
            with self._guard:
                self._ends.pop(descriptor, None)

    def _run(self) -> None:
        while not self._closing.wait(self._seconds / 8):
            with self._guard:
                now = time.monotonic()
                for descriptor, end in self._ends.items():
                    if now > end:
                        _shut(descriptor)


def _shut(descriptor: int) -> None:
    with contextlib.suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as shared:
        shared.shutdown(socket.SHUT_RDWR)
