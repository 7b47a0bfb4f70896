"""A dealer's clock and chance, given from outside: so that a game comes out the same again.

The clock stands in a file of eight bytes, which outlives the dealer; SIGUSR1 says that it was
moved. What is random is a function of a seed and of what it is for (the first game of a name, the
game behind another, a hand's secret), so that a dealer which had to draw again draws the same.
"""

import asyncio
import heapq
import mmap
import os
import signal
import struct
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from dealer_service.tables import beginning, dealing, floor, house, table
from tests.support.timers import ManualTimer

START: Final = 1_767_225_600_000
_TIME: Final = struct.Struct("<q")


class TimeFile:
    """The time in a file, in milliseconds since 1970: written by one process, read by others."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            path.write_bytes(_TIME.pack(START))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _TIME.size)

    def now(self) -> int:
        """Give the time."""
        at: int = _TIME.unpack_from(self._map)[0]
        return at

    def move(self, ms: int) -> None:
        """Let so much time pass, or go back."""
        _TIME.pack_into(self._map, 0, self.now() + ms)


class FileClock:
    """The dealer's clock; what is due is done when the signal says that time has passed."""

    def __init__(self, path: Path) -> None:
        self._file = TimeFile(path)
        self._calls: list[tuple[int, int, ManualTimer]] = []
        self._count = 0
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, self.ring)

    def now(self) -> int:
        """Give the time in milliseconds since 1970."""
        return self._file.now()

    def call_at(self, at: int, call: Callable[[], None]) -> "ManualTimer":
        """Call when the time has come."""
        timer = ManualTimer(call)
        self._count += 1
        heapq.heappush(self._calls, (at, self._count, timer))
        if at <= self.now():
            asyncio.get_running_loop().call_soon(self.ring)
        return timer

    def ring(self) -> None:
        """Do what is due."""
        while self._calls and self._calls[0][0] <= self.now():
            heapq.heappop(self._calls)[2].run()


def skew_wall_clock(path: Path) -> None:
    """Let the machine's wall clock differ from the true one by what stands in a file, in ms."""
    true, file = time.time_ns, TimeFile(path)
    vars(time)["time_ns"] = lambda: true() + (file.now() - START) * 1_000_000


class Oracle:
    """Gives bytes by what they are for."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._about = ""

    def draw(self, count: int) -> bytes:
        """Draw what the last `about` said."""
        assert self._about, "nobody said what the bytes are for"
        return sha256(f"{self._seed} {self._about}".encode()).digest()[:count]

    def about(self, name: Callable[..., str], call: Callable[..., Any]) -> Callable[..., Any]:
        """Give `call` as one that draws for what `name` says of its arguments."""

        def calling(*given: Any, **named: Any) -> Any:
            self._about = name(*given, **named)
            return call(*given, **named)

        return calling


def put(place: Any, name: str, value: object) -> None:
    """Put something in the place of what has that name in a module or class, and is there."""
    assert hasattr(place, name), f"{place} has no {name} any more"
    setattr(place, name, value)


def foretell(seed: str) -> None:
    """Let every game's id and every hand's secret in this process be a function of the seed."""
    oracle = Oracle(seed)
    hand = oracle.about(
        lambda one, _unit: f"hand {one.state.hand + 1} of {one.log.game}",
        dealing.Dealing.open_hand,
    )
    put(dealing.Dealing, "open_hand", hand)
    put(dealing, "draw_secret", lambda _entropy, **_: oracle.draw(32))
    behind = oracle.about(
        lambda one, _reason: f"game behind {one.game}", table.Table._close_and_go_on
    )
    put(table.Table, "_close_and_go_on", behind)
    named = oracle.about(lambda _house, _rules, meta: f"game {meta.reference}", beginning.open_game)
    put(floor, "open_game", named)
    put(house, "draw_game", lambda _entropy: oracle.draw(16))


def nudge(pid: int) -> None:
    """Say to a dealer that its clock was moved; one that is dead does not hear it."""
    try:
        os.kill(pid, signal.SIGUSR1)
    except ProcessLookupError:
        return
