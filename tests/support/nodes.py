"""Several dealers of one process on one shared store in memory, under one clock that tests move.

`beat` lets a fifth of a lease pass, for the store and for every dealer, and returns when each has
beaten and taken over what it would. A dealer is killed by cutting it off from the store for good:
it does nothing more that any other could see.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from dealer_service.config import Cluster
from dealer_service.store.memory_shared import Shared, SharedMemoryStore
from dealer_service.tables.clock import SystemClock
from dealer_service.tables.timescale import MS
from tests.support.service import PATIENCE, START, Bot, ManualClock, Service, serving

LEASE_MS = 5_000
BEAT_MS = LEASE_MS // 5


class MachineClock(SystemClock):
    """A machine's clock that stands until a test moves it, `ahead` ms of the store's at first."""

    def __init__(self, ahead: int, now: int = START) -> None:
        self._passed = 0
        super().__init__(
            wall=lambda: (now + ahead) * MS + self._passed, elapsed=lambda: self._passed
        )

    def advance(self, ms: int) -> None:
        """Let `ms` milliseconds pass at this machine; the event loop then calls what is due."""
        self.pass_by(ms)
        self.ring()

    def pass_by(self, ms: int) -> None:
        """Let so much time pass unnoticed."""
        self._passed += ms * MS


class Nodes:
    """The dealers that serve, and the store that they share."""

    def __init__(self, folder: Path, stack: AsyncExitStack) -> None:
        self.folder = folder
        self.clock = ManualClock()
        self.shared = Shared(self.clock.now())
        self.services: dict[str, Service] = {}
        self.stores: dict[str, SharedMemoryStore] = {}
        self.machines: list[MachineClock] = []
        self._stack = stack

    def machine(self, ahead: int) -> MachineClock:
        """Make the clock of a machine, which is wrong by so many milliseconds."""
        machine = MachineClock(ahead, self.clock.now())
        self.machines.append(machine)
        return machine

    async def start(self, name: str, *, settled: bool = True, **given: Any) -> Service:
        """Start a dealer of this name, in a folder of its name; keys are the first one's."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        for key in self.folder.glob("*/*.key"):
            if not (folder / key.name).exists():
                shutil.copy(key, folder / key.name)
        store = self.stores[name] = self.shared.open()
        node = Cluster(node=name, lease=LEASE_MS / 1000, journals=given.pop("journals", ()))
        given.setdefault("clock", self.clock)
        service = await self._stack.enter_async_context(
            serving(folder, open_store=lambda _: store, cluster=node, **given)
        )
        self.services[name] = service
        if settled:
            await self.settled()
        return service

    def kill(self, name: str) -> Service:
        """Let a dealer do nothing more."""
        self.stores.pop(name).lose_contact()
        return self.services.pop(name)

    async def stop(self, name: str) -> None:
        """Stop a dealer as a signal does."""
        service = self.services.pop(name)
        self.stores.pop(name)
        await service.dealer.drain()
        await service.dealer.stop()

    async def settled(self) -> None:
        """Return when every dealer has beaten and taken what it would."""
        async with asyncio.timeout(PATIENCE):
            while any(tasks(service) for service in self.services.values()):
                await asyncio.wait(
                    [one for service in self.services.values() for one in tasks(service)]
                )

    async def beat(self, times: int = 1) -> None:
        """Let so many fifths of a lease pass."""
        for _ in range(times):
            self.shared.now += BEAT_MS
            self.clock.advance(BEAT_MS)
            for machine in self.machines:
                machine.advance(BEAT_MS)
                # What is due is called by the event loop.
                await asyncio.sleep(0)
            await self.settled()

    async def lease(self) -> None:
        """Let a lease run out, and a beat more."""
        await self.beat(6)

    def owner(self, game: str) -> str:
        """Name the node that has a game, by the store."""
        return self.shared.owners.get(game, ("", 0))[0]


@asynccontextmanager
async def sharing(folder: Path, *names: str, **given: Any) -> AsyncIterator[Nodes]:
    """Run dealers of these names until the block ends."""
    async with AsyncExitStack() as stack:
        nodes = Nodes(folder, stack)
        for name in names:
            await nodes.start(name, **given)
        yield nodes


def tasks(service: Service) -> set["asyncio.Task[None]"]:
    """Give what a dealer's node is about."""
    ownership = service.dealer._ownership
    assert ownership is not None
    return set(ownership._tasks)


def moved(bot: Bot, service: Service, **how: Any) -> Bot:
    """Give the same player at another node, as one that watches the game from its beginning."""
    other = Bot(service, bot.name, policy=how.pop("policy", bot.policy), seed=bot._seed)
    other._links = bot._links
    other.seat = bot.seat
    other.watch(bot.game)
    return other
