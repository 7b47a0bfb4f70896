"""No line stays without a checkpoint for longer than 200 ms (PROTOCOL.md section 5).

A checkpoint costs a signature and a write, so lines wait a little for company: a unit that is
written anyway takes one along when the last is old, and where none comes a timer signs.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from dealer_service.tables.clock import Clock, Timer
from dealer_service.tables.log import GameLog, Unit

COVER_AFTER_MS: Final = 170
"""Lines wait this long for a checkpoint, of the 200 ms that are promised.

They are sent when they are written, as it is: what writing takes counts for both.
"""

SIGN_ALONG_MS: Final = 150
"""A unit takes its checkpoint along when the last one is so old; that saves one of its own.

It is less than the lines wait, so that a unit comes before the timer where acts follow each other.
"""


class Cover:
    """Minds the lines of one log that no checkpoint covers.

    It goes by the clock and never by the lines' own times, which are ahead of a clock that was
    set back. `sign` signs and writes what is uncovered.
    """

    __slots__ = ("_clock", "_is_over", "_sign", "_signed_at", "_since", "_timer")

    def __init__(self, clock: Clock, sign: Callable[[], None]) -> None:
        self._clock = clock
        self._sign = sign
        self._signed_at = 0
        self._since: int | None = None
        self._timer: Timer | None = None
        self._is_over = False

    def take_along(self, log: GameLog, unit: Unit) -> None:
        """Sign a unit that is about to be written, where the last checkpoint is old."""
        now = self._clock.now()
        if not unit.signed:
            if log.is_covered or now < self._signed_at + SIGN_ALONG_MS:
                return
            log.sign(unit)
        self._signed_at = now

    def mind(self, log: GameLog, *, signed: bool = False) -> None:
        """Set the timer for lines that are uncovered; `signed` says that older ones are not."""
        if signed or log.is_covered:
            self._since = None
        if log.is_covered:
            return
        if self._since is None:
            self._since = self._clock.now()
        if self._timer is None and not self._is_over:
            at = self._since + COVER_AFTER_MS
            self._timer = self._clock.call_at(at, partial(self._ring, log))

    def stop(self) -> None:
        """Sign nothing more."""
        self._is_over = True
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        # It refers to the log's table, and would keep that until garbage is collected.
        self._sign = _nothing

    def _ring(self, log: GameLog) -> None:
        self._timer = None
        if self._since is not None and self._clock.now() >= self._since + COVER_AFTER_MS:
            self._sign()
        else:
            self.mind(log)


def _nothing() -> None:
    """Sign nothing."""
