"""What the dealer does while its source of randomness fails, and how it comes back.

The gate shuts by itself, and no hand or game opens from then on. The dealer says that it does not
serve; a hand whose deck is not committed is void, one with a deck plays on, for its deck is fixed.
A game has two such voids, with those of the operator (PROTOCOL.md section 7): a hand beyond them
plays on too, on its secret that passed every test when it was drawn. Each second all tests of a
start are run again, and when they pass the tables go on.
"""

import asyncio
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Final, Protocol

import structlog

from dealer_service.fairness.randomness import Entropy, EntropyGate
from dealer_service.fairness.refusal import FairnessError
from dealer_service.tables.clock import Clock, Timer
from dealer_service.tables.table import Table
from dealer_service.tables.tournament.tournament import Tournament

TEST_AGAIN_MS: Final = 1_000

_log = structlog.get_logger("dealer")


class Reporting(Protocol):
    """The house, as far as it has the time and tells how the randomness is."""

    @property
    def clock(self) -> Clock:
        """The clock that the next test is set by."""
        ...

    @property
    def unhealthy(self) -> Callable[[BaseException], None]:
        """Tell that the source fails."""
        ...

    @property
    def healthy(self) -> Callable[[], None]:
        """Tell that it is well again."""
        ...


class Tables(Protocol):
    """The floor, as far as it is told of the randomness."""

    @property
    def house(self) -> Reporting:
        """What its tables share."""
        ...

    @property
    def tables(self) -> Iterable[Table]:
        """The tables that run."""
        ...

    @property
    def tournaments(self) -> Iterable[Tournament]:
        """The tournaments that run."""
        ...


class Vigil:
    """Keeps the gate to the random source, and the tables behind it."""

    def __init__(self, source: Entropy) -> None:
        self.gate = EntropyGate(source, Lock(), self._told)
        self._floor: Tables | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: Timer | None = None
        self._is_over = False

    def begin(self, floor: Tables) -> None:
        """Act for the tables of a floor from now on, on the loop that runs."""
        self._floor = floor
        self._loop = asyncio.get_running_loop()

    def end(self) -> None:
        """Do nothing more."""
        self._is_over = True
        if self._timer is not None:
            self._timer.cancel()

    def _told(self, fault: FairnessError) -> None:
        # In whichever thread drew, and in the middle of what it does there.
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._failed, fault)

    def _failed(self, fault: FairnessError) -> None:
        if self._is_over or self._floor is None:
            return
        self._floor.house.unhealthy(fault)
        for table in tuple(self._floor.tables):
            table.randomness_failed()
        self._set_timer(self._floor.house)

    def _set_timer(self, house: Reporting) -> None:
        self._timer = house.clock.call_at(house.clock.now() + TEST_AGAIN_MS, self._test_again)

    def _test_again(self) -> None:
        self._timer = None
        if self._is_over or self._floor is None:
            return
        try:
            self.gate.test()
        except FairnessError as fault:
            _log.warning("randomness_still_fails", why=str(fault))
            self._set_timer(self._floor.house)
            return
        self._floor.house.healthy()
        for table in tuple(self._floor.tables):
            table.randomness_is_back()
        for tournament in self._floor.tournaments:
            tournament.randomness_is_back()
