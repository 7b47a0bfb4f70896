"""What is seen of a dealer from outside, in one place: metrics, traces, health and incidents.

Health follows what happens: the source of randomness says itself how it is, and a store is looked
at twice a second. When a write takes longer than two seconds no hand can go on, and it is tried
whether games can still be read.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.metadata import version
from threading import Event
from typing import Final, Protocol

import structlog

from dealer_service.config import Settings, is_loopback, split_address
from dealer_service.observe.exposing import Exposition, Source
from dealer_service.observe.metrics import Metrics
from dealer_service.observe.tracing import open_tracing
from dealer_service.observe.witness import Witness
from dealer_service.rpc.health import Ailment, Health
from dealer_service.rpc.sight import Sight
from dealer_service.tables.floor import Floor
from dealer_service.tables.measuring import measure

PATIENCE_SECONDS: Final = 2.0
"""So long a write or a read of the store may take before the dealer says that it does not serve."""

_LOOK_SECONDS: Final = 0.5

_log = structlog.get_logger("dealer")


class Writing(Protocol):
    """The committer, as far as it is looked at."""

    @property
    def waiting(self) -> int:
        """How many units are not durable yet."""
        ...

    def writing_for(self) -> float:
        """Give how many seconds the batch that is being written takes already."""
        ...


class Outlook:
    """Made before anything is opened, and closed last; TracingUnavailable where that can not be."""

    def __init__(self, settings: Settings) -> None:
        running = version("cutcard")
        self.metrics = Metrics(running)
        self.tracing = (
            open_tracing(settings.trace, running, settings.cluster.node) if settings.trace else None
        )
        self.sight = Sight(self.metrics, self.tracing)
        self.witness = Witness(self.metrics, self.tracing)
        self.health = Health(self.metrics, certifies=settings.certify)
        self.port = 0
        self._address = settings.metrics
        self._places = {
            name: place
            for name, place in (
                ("directory", settings.directory),
                ("archive", settings.archive),
                ("publication", settings.publication),
            )
            if place is not None
        }
        self._exposition: Exposition | None = None
        self._looking: asyncio.Task[None] | None = None

    def begin(self, floor: Floor, writing: Writing) -> None:
        """Look after a dealer that is about to serve; OSError where the address is taken."""
        self._looking = asyncio.ensure_future(self._look(floor, writing))
        self._expose(lambda: _measure(floor, writing))

    def begin_certifying(self) -> None:
        """Look after a dealer that has neither store nor tables; OSError as above."""
        self._expose(lambda: None)

    def _expose(self, measure_now: Callable[[], None]) -> None:
        """Serve metrics where the settings ask for them; `measure_now` runs before each answer."""
        if not self._address:
            return
        host, port = split_address(self._address)
        on_loop = _on_loop(measure_now, self.metrics.loop_lag.set)

        def measured(seconds: float) -> bool:
            self._measure_disks()
            return on_loop(seconds)

        source = Source(self.metrics, measured, self.health.all)
        try:
            self._exposition = Exposition(host, port, source)
        except OSError as error:
            message = f"can not serve metrics on {self._address}: {error.strerror or error}"
            raise OSError(message) from error
        self.port = self._exposition.port
        _log.info("metrics_served", address=self._address, port=self.port)
        if not is_loopback(host):
            _log.warning("metrics_are_public", address=self._address)

    def _measure_disks(self) -> None:
        """Look how full the disks are; the thread of the one who asks may wait for them."""
        for name, place in self._places.items():
            with suppress(OSError):
                found = os.statvfs(place)
                free, size = found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize
                self.metrics.set_disk(name, free, size)

    async def close(self) -> None:
        """Tell nobody anything any more; what was traced is sent, for a few seconds at most."""
        if self._looking is not None:
            self._looking.cancel()
        if self._exposition is not None:
            await asyncio.to_thread(self._exposition.close)
            self._exposition = None
        if self.tracing is not None:
            await asyncio.to_thread(self.tracing.close)

    def halted(self, game: str, fault: BaseException) -> None:
        """Tell of a table that a fault stopped."""
        self.metrics.halted.inc()
        _log.error("table_halted", game=game, exc_info=fault)

    def unhealthy(self, fault: BaseException) -> None:
        """Tell that the source of randomness fails; told once, though every table tries again."""
        self.metrics.entropy_failures.inc()
        self.metrics.entropy_healthy.set(0)
        if self.health.ail(Ailment.RANDOMNESS):
            _log.critical("randomness_failed", exc_info=fault)

    def healthy(self) -> None:
        """Tell that the source of randomness is well again."""
        self.metrics.entropy_healthy.set(1)
        if self.health.recover(Ailment.RANDOMNESS):
            _log.info("randomness_is_back")

    def failed(self, fault: BaseException) -> None:
        """Tell of a failure of the store that ends the process."""
        self.metrics.store_failures.inc()
        self.health.ail(Ailment.STORE_WRITES)
        _log.critical("store_failed", exc_info=fault)

    async def _look(self, floor: Floor, writing: Writing) -> None:
        reading: asyncio.Future[object] | None = None
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            if writing.writing_for() < PATIENCE_SECONDS:
                self._store_is_well()
                continue
            if self.health.ail(Ailment.STORE_WRITES):
                _log.warning("store_slow")
            if reading is None or reading.done():
                reading = asyncio.ensure_future(_try_to_read(floor))
            done, _ = await asyncio.wait([reading], timeout=PATIENCE_SECONDS)
            if done and reading.exception() is None:
                self.health.recover(Ailment.STORE_READS)
            else:
                self.health.ail(Ailment.STORE_READS)

    def _store_is_well(self) -> None:
        self.health.recover(Ailment.STORE_READS)
        if self.health.recover(Ailment.STORE_WRITES):
            _log.info("store_is_back")


def _try_to_read(floor: Floor) -> Awaitable[object]:
    return floor.house.read(lambda store: store.heads(limit=1))


def _measure(floor: Floor, writing: Writing) -> None:
    measure(floor)
    floor.house.metrics.appends_waiting.set(writing.waiting)


def _on_loop(act: Callable[[], None], lagged: Callable[[float], None]) -> Callable[[float], bool]:
    """Make a call for other threads: it does `act` on the running loop, and says whether it did.

    `lagged` is told how many seconds the loop took to come to it.
    """
    loop = asyncio.get_running_loop()

    def call(seconds: float) -> bool:
        done = Event()
        asked = time.monotonic()

        def run() -> None:
            lagged(time.monotonic() - asked)
            act()
            done.set()

        try:
            loop.call_soon_threadsafe(run)
        except RuntimeError:
            return False  # the loop has ended
        return done.wait(seconds)

    return call
