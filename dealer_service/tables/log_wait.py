"""A table's wait until a deck stands in the dealer's log, where its rules say `before_cards`.

The deck is committed and can not be changed any more, so nothing ends this wait but the line: a
hand that is void behind its deck would break a promise, and be a second try for whoever can keep
the log from growing. It goes on after a restart and at another dealer. What takes long is told.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

import structlog

from dealer_service.tables.clock import Timer  # noqa: TC001 - it annotates attributes alone
from dealer_service.tables.house import House
from dealer_service.tables.published import Published
from dealer_service.transcript.noted import Stage

LONG_MS: Final = 5_000
"""A wait that is longer than this is told; it goes on all the same."""

_log = structlog.get_logger("tables")


class LogWait:
    """The wait of one table; at most one at a time.

    `found(hand)` is called when the line of a hand's deck is published, `failed` with the fault
    where that can not be known any more. Neither is called after `stop`.
    """

    __slots__ = ("_failed", "_found", "_game", "_hand", "_house", "_since", "_task", "_timer")

    def __init__(
        self,
        house: House,
        game: str,
        *,
        found: Callable[[int], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        self._house = house
        self._game = game
        self._found = found
        self._failed = failed
        self._hand = 0
        self._since = 0
        self._task: asyncio.Task[None] | None = None
        self._timer: Timer | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether a deck's line is waited for."""
        return self._task is not None

    def begin(self, published: Published, hand: int) -> None:
        """Wait for the line of a hand's deck; once, however often it is asked for."""
        if self._task is not None or self._hand == hand:
            return
        self._hand = hand
        self._since = self._house.clock.now()
        self._timer = self._house.clock.call_at(self._since + LONG_MS, self._tell_long)
        waiting = published.wait_for(self._game, hand, Stage.DECK_COMMITTED)
        self._task = asyncio.ensure_future(waiting)
        self._task.add_done_callback(partial(self._done, hand))

    def stop(self) -> None:
        """Wait no longer."""
        task, self._task = self._task, None
        self._stop_timer()
        if task is not None:
            task.cancel()
        # They refer to the table, and would keep it until garbage is collected.
        self._found = self._failed = _nothing

    def _done(self, hand: int, task: "asyncio.Task[None]") -> None:
        if task is not self._task:
            # It was stopped; what it says by now is nobody's concern.
            if not task.cancelled():
                task.exception()
            return
        self._task = None
        self._stop_timer()
        fault = asyncio.CancelledError() if task.cancelled() else task.exception()
        if fault is not None:
            self._failed(fault)
            return
        self._house.metrics.waited_for_log((self._house.clock.now() - self._since) / 1000)
        self._found(hand)

    def _tell_long(self) -> None:
        self._timer = None
        if self._task is not None:
            _log.warning("cards_wait_for_log", game=self._game, hand=self._hand)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None


def _nothing(_told: object) -> None:
    """Tell nobody."""
