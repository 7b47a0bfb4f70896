"""Time, as a table needs it: a reading that never goes back, and a call at a later time.

The wall clock is read once, at the start; from then on the monotonic clock carries it, so that a
clock that is set back or forward while the dealer runs moves no turn's deadline. A dealer that
starts under an earlier time than its games have come to, or that takes over the game of a dealer
whose clock is ahead, goes on from the game's own time: nobody waits until its clock is there.
"""

import asyncio
import time
from collections.abc import Callable
from contextvars import Context
from typing import Protocol


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


class SystemClock:
    """The machine's clock, on the running event loop."""

    __slots__ = ("_offset",)

    def __init__(self) -> None:
        self._offset = time.time_ns() - time.monotonic_ns()

    def now(self) -> int:
        """Give the time in milliseconds since 1970-01-01T00:00Z."""
        return (time.monotonic_ns() + self._offset) // 1_000_000

    def call_at(self, at: int, call: Callable[[], None]) -> Timer:
        """Call on the event loop, not before the time `at`."""
        wait = max(0, at - self.now())
        # One millisecond more, because now() rounds down and an early clock act would be a
        # broken promise.
        # A context of its own: what the clock does later is not of the call that set it.
        return asyncio.get_running_loop().call_later(
            (wait + 1) / 1000 if wait else 0, call, context=Context()
        )


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
