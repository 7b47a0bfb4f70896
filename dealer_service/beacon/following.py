"""Fetches the rounds that hands wait for, each once for all tables, and checks their signatures.

A round is asked for when it is due, and again after a pause that grows to two seconds until it is
there or nobody waits for it any more: what a network has published once it has for ever. What comes
without a good signature is as good as nothing. Reading and checking block, and have a thread of
their own.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, Protocol

import structlog

from dealer_service.beacon.refusal import BeaconError
from dealer_service.beacon.rounds import SIGNATURE_BYTES, Network, Round
from dealer_service.beacon.signature import Verify
from dealer_service.beacon.sources import Source

REMEMBERED: Final = 256
"""So many rounds are kept: hands of all tables that open at one time share one."""
FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 2.0

_log = structlog.get_logger("beacon")


class _Timer(Protocol):
    def cancel(self) -> None: ...


class _Clock(Protocol):
    def call_at(self, at: int, call: Callable[[], None]) -> _Timer: ...


class _Wait:
    """One that waits for a round."""

    __slots__ = ("_call", "_is_over", "_leave")

    def __init__(self, call: Callable[[], None], leave: Callable[["_Wait"], None]) -> None:
        self._call = call
        self._leave = leave
        self._is_over = False

    def cancel(self) -> None:
        """Wait no longer."""
        if not self._is_over:
            self._is_over = True
            self._leave(self)

    def tell(self) -> None:
        """Say that the round is there."""
        if not self._is_over:
            self._is_over = True
            self._call()


class Following:
    """The rounds of one network, on the running event loop. `stop` ends it."""

    def __init__(self, network: Network, source: Source, verify: Verify, clock: _Clock) -> None:
        self.network = network
        self._source = source
        self._verify = verify
        self._clock = clock
        self._found: dict[int, Round] = {}
        self._waiting: dict[int, list[_Wait]] = {}
        self._fetching: dict[int, asyncio.Task[None]] = {}
        self._thread = ThreadPoolExecutor(1, "beacon")

    def find(self, number: int) -> Round | None:
        """Give a round that is there."""
        return self._found.get(number)

    def want(self, number: int, call: Callable[[], None]) -> _Wait:
        """Have a round fetched as soon as it is due, and call once when it is there."""

        def leave(wait: _Wait) -> None:
            others = self._waiting.get(number)
            if others is not None and wait in others:
                others.remove(wait)
                if not others:
                    self._give_up(number)

        wait = _Wait(call, leave)
        if number in self._found:
            asyncio.get_running_loop().call_soon(wait.tell)
            return wait
        self._waiting.setdefault(number, []).append(wait)
        if number not in self._fetching:
            self._fetching[number] = asyncio.ensure_future(self._fetch(number))
        return wait

    def require_key(self) -> None:
        """Raise BeaconError where the network's public key is none that a signature could have."""
        self._verify(self.network, Round(1, bytes(SIGNATURE_BYTES)))

    async def stop(self) -> None:
        """Fetch nothing more; nobody is called."""
        tasks = tuple(self._fetching.values())
        self._waiting.clear()
        self._fetching.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _give_up(self, number: int) -> None:
        del self._waiting[number]
        task = self._fetching.pop(number, None)
        if task is not None:
            task.cancel()

    async def _fetch(self, number: int) -> None:
        await self._until_due(number)
        pause, is_told = FIRST_PAUSE, False
        while (found := await self._try(number, is_told=is_told)) is None:
            is_told = True
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        self._found[number] = found
        if len(self._found) > REMEMBERED:
            del self._found[next(iter(self._found))]
        del self._fetching[number]
        for wait in self._waiting.pop(number, ()):
            wait.tell()

    async def _until_due(self, number: int) -> None:
        due = asyncio.Event()
        timer = self._clock.call_at(self.network.due_at(number), due.set)
        try:
            await due.wait()
        finally:
            timer.cancel()

    async def _try(self, number: int, *, is_told: bool) -> Round | None:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._thread, self._read, number)
        except Exception as error:  # noqa: BLE001 - whatever it was, hands still wait for it
            if not is_told:
                is_known = isinstance(error, BeaconError)
                _log.warning(
                    "beacon_unread",
                    round=number,
                    reason=str(error),
                    exc_info=None if is_known else error,
                )
            return None

    def _read(self, number: int) -> Round | None:
        one = self._source.read(number)
        if one is not None and not self._verify(self.network, one):
            message = f"the signature of round {number} is not that of {self.network.name}"
            raise BeaconError(message)
        return one
