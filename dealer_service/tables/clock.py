"""Time, as a table needs it: a reading that never goes back, and a call at a later time.

The wall clock is read once, at the start; from then on the time that elapses carries it, also while
the machine sleeps, so that a clock that is set back or forward while the dealer runs moves no
turn's deadline. A dealer among others goes by the store's clock instead, which all of them share
(`store_time`): a game whose lines two machines write has one time. A dealer that starts under an
earlier time than its games have come to, or that takes over the game of a dealer whose clock is
ahead, goes on from the game's own time: nobody waits until its clock is there.
"""

import asyncio
import heapq
import time
from collections.abc import Callable
from contextvars import Context
from threading import Lock
from typing import Final, Protocol, runtime_checkable

from dealer_service.elapsed import elapsed_ns
from dealer_service.tables.timescale import MS, Reading, Scale, scale_from

GLANCE_MS: Final = 1_000
"""So often a clock looks whether something is due: the event loop's may have stood still."""

_FEW: Final = 64


class Timer(Protocol):
    """A call that is still to come."""

    def cancel(self) -> None:
        """Make it not come."""
        ...


class Clock(Protocol):
    """Milliseconds since 1970, and calls at a given one."""

    def now(self) -> int:
        """Give the time in milliseconds since 1970-01-01T00:00Z."""
        ...

    def call_at(self, at: int, call: Callable[[], None]) -> Timer:
        """Call once, not before the time `at` in milliseconds."""
        ...


@runtime_checkable
class Correctable(Protocol):
    """A clock that can be kept to another one's time."""

    def elapsed(self) -> int:
        """Give the nanoseconds by which it counts; the machine's sleep is among them."""
        ...

    def wall(self) -> int:
        """Give what the machine's own clock says, in nanoseconds since 1970."""
        ...

    def now(self) -> int:
        """Give the time in milliseconds since 1970-01-01T00:00Z."""
        ...

    def begin_from(self, reading: Reading) -> None:
        """Be set, forward or back, before anybody has gone by it."""
        ...

    def correct(self, reading: Reading) -> int:
        """Go by what was heard, without going back; gives by how much it was behind, in ms.

        Less than 0 where it was ahead; only what is certain in spite of the round trip counts.
        """
        ...


class SystemClock:
    """The machine's clock, on the running event loop. Only `now` is for other threads, too."""

    __slots__ = ("_calls", "_cancelled", "_count", "_elapsed", "_lock", "_rings", "_scale", "_wall")

    def __init__(
        self,
        wall: Callable[[], int] = lambda: time.time_ns(),  # noqa: PLW0108 - looked up when called
        elapsed: Callable[[], int] = elapsed_ns,
    ) -> None:
        self._wall = wall
        self._elapsed = elapsed
        self._scale = Scale(elapsed(), wall())
        self._lock = Lock()
        self._calls: list[tuple[int, int, _Call]] = []
        self._count = 0
        self._cancelled = 0
        self._rings: asyncio.TimerHandle | None = None

    def elapsed(self) -> int:
        """Give the nanoseconds by which it counts; the machine's sleep is among them."""
        return self._elapsed()

    def wall(self) -> int:
        """Give what the machine's own clock says, in nanoseconds since 1970."""
        return self._wall()

    def now(self) -> int:
        """Give the time in milliseconds since 1970-01-01T00:00Z."""
        with self._lock:
            return self._scale.time(self._elapsed()) // MS

    def begin_from(self, reading: Reading) -> None:
        """Be set, forward or back, before anybody has gone by it."""
        with self._lock:
            self._scale = scale_from(reading)

    def correct(self, reading: Reading) -> int:
        """Go by what was heard, without going back; gives by how much it was behind, in ms."""
        with self._lock:
            before = self._scale
            self._scale = before.corrected(reading, self._elapsed())
        self.ring()
        return round(reading.difference(before.time(reading.ended)) / MS)

    def call_at(self, at: int, call: Callable[[], None]) -> Timer:
        """Call on the event loop, not before the time `at`."""
        self._count += 1
        timer = _Call(call, self._cancel)
        heapq.heappush(self._calls, (at, self._count, timer))
        if self._calls[0][2] is timer:
            self._set()
        return timer

    def ring(self) -> None:
        """Call what is due; of itself, and whenever the time was set."""
        now, loop = self.now(), asyncio.get_running_loop()
        while self._calls and self._calls[0][0] <= now:
            timer = heapq.heappop(self._calls)[2]
            # A context of its own: what the clock does later is not of the call that set it.
            loop.call_soon(timer.run, context=Context())
        self._set()

    def _set(self) -> None:
        """Ring when the first call is due, and soon enough to notice that time was set."""
        if self._rings is not None:
            self._rings.cancel()
            self._rings = None
        if not self._calls:
            return
        wait = min(GLANCE_MS, max(0, self._calls[0][0] - self.now()))
        # One millisecond more, because now() rounds down and nothing is due before its time.
        self._rings = asyncio.get_running_loop().call_later(
            (wait + 1) / 1000 if wait else 0, self.ring, context=Context()
        )

    def _cancel(self) -> None:
        """Forget cancelled calls when they are most of all."""
        self._cancelled += 1
        if self._cancelled > _FEW and 2 * self._cancelled > len(self._calls):
            self._calls = [one for one in self._calls if one[2].is_wanted]
            heapq.heapify(self._calls)
            self._cancelled = 0


class _Call:
    """A call that comes at most once."""

    __slots__ = ("_call", "_cancelled")

    def __init__(self, call: Callable[[], None], cancelled: Callable[[], None]) -> None:
        self._call: Callable[[], None] | None = call
        self._cancelled = cancelled

    @property
    def is_wanted(self) -> bool:
        return self._call is not None

    def cancel(self) -> None:
        if self._call is not None:
            self._call = None
            self._cancelled()

    def run(self) -> None:
        call, self._call = self._call, None
        if call is not None:
            call()


class AheadClock:
    """A clock by which it is always so many milliseconds later than by another."""

    __slots__ = ("_ahead", "_clock")

    def __init__(self, clock: Clock, ahead: int) -> None:
        self._clock = clock
        self._ahead = ahead

    def now(self) -> int:
        """Give the time in milliseconds since 1970-01-01T00:00Z."""
        return self._clock.now() + self._ahead

    def call_at(self, at: int, call: Callable[[], None]) -> Timer:
        """Call once, not before the time `at`."""
        return self._clock.call_at(at - self._ahead, call)


def going_on(clock: Clock, at: int) -> Clock:
    """Give a clock that is not behind the time `at`: this one, or one that goes on from there."""
    behind = at - clock.now()
    return AheadClock(clock, behind) if behind > 0 else clock
