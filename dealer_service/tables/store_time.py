"""Keeps a node's clock to the time of the store that it shares, which every beat tells.

All nodes of a store deal by one time, whatever their machines' clocks say: a game that another
node takes over goes on in the same time, so that no player sees it run ahead, and what is told
later is told later at every node. The clock is set at the join and corrected at each beat.

Tokens and certificates are judged by the machine's own clock, so that one which differs from the
store's is told of. A clock that can not be corrected, as tests give, is left as it is.
"""

from collections.abc import Callable
from typing import Final

import structlog

from dealer_service.store.leases import Beat
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.tables.clock import Clock, Correctable
from dealer_service.tables.timescale import FAR_NS, MS, Reading

SOON_NS: Final = 250 * MS
"""A round trip that tells the time well enough to begin with."""

LONGEST_NS: Final = 2_000 * MS
"""A round trip that tells it too badly: by the half of it two nodes may differ."""

TRIES: Final = 8

_log = structlog.get_logger("store_time")


class StoreTime:
    """What a node's clock is told of the store's."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock if isinstance(clock, Correctable) else None
        self._is_odd = False
        self._is_ahead = False

    def ask(self, beat: Callable[[], Beat]) -> tuple[Beat, Reading | None]:
        """Beat, and give what it tells of the time; blocks. StoreError."""
        clock = self._clock
        if clock is None:
            return beat(), None
        began = clock.elapsed()
        beaten = beat()
        return beaten, Reading(beaten.at, began, clock.elapsed())

    def begin(
        self,
        reading: Reading | None,
        beat: Callable[[], Beat],
        remember: Callable[[Beat], None],
    ) -> Reading | None:
        """Set the clock by a join, or by the quickest of the beats behind it; blocks.

        Gives by which. StoreError, also where the store answers too slowly to tell the time.
        """
        clock = self._clock
        if clock is None or reading is None:
            return None
        for _ in range(TRIES):
            if reading.round_trip <= SOON_NS:
                break
            beaten, another = self.ask(beat)
            remember(beaten)
            if another is not None and another.round_trip < reading.round_trip:
                reading = another
        if reading.round_trip > LONGEST_NS:
            message = (
                "the store is too slow to go by its time: it took "
                f"{reading.round_trip // MS} ms to answer, and {LONGEST_NS // MS} is the most"
            )
            raise StoreError(Reason.STORE_UNREACHABLE, message)
        clock.begin_from(reading)
        self._look_at_machine(clock, reading)
        return reading

    def follow(self, reading: Reading | None) -> None:
        """Correct the clock by a beat, and tell what is odd about it."""
        clock = self._clock
        if clock is None or reading is None:
            return
        behind = clock.correct(reading)
        if behind > FAR_NS // MS:
            _log.warning("clock_set_forward", by_ms=behind)
        is_ahead = -behind > FAR_NS // MS
        if is_ahead and not self._is_ahead:
            _log.warning("clock_ahead_of_store", by_ms=-behind)
        self._is_ahead = is_ahead
        self._look_at_machine(clock, reading)

    def asked_at(self, reading: Reading | None, otherwise: int) -> int:
        """Give the time, by the clock as it is now, at which a beat began."""
        clock = self._clock
        if clock is None or reading is None:
            return otherwise
        return clock.now() - (clock.elapsed() - reading.began) // MS

    def _look_at_machine(self, clock: Correctable, reading: Reading) -> None:
        """Tell when the machine's clock begins to differ from the store's."""
        wall = clock.wall() - (clock.elapsed() - reading.ended)
        ahead = -reading.difference(wall)
        is_odd = abs(ahead) > FAR_NS
        if is_odd and not self._is_odd:
            _log.warning("machine_clock_differs", ahead_ms=round(ahead / MS))
        self._is_odd = is_odd
