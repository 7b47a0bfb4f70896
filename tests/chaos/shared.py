"""Several dealers on one PostgreSQL, callers who go from one to the other, and games through it."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import grpc.aio

from dealer_service.access.roles import Role
from dealer_service.client.errors import read_error
from dealer_service.config import Settings
from dealer_service.fairness.randomness import operating_system
from dealer_service.keys import make_keys
from tests.chaos.bench import Bench
from tests.chaos.campaign import Run, play
from tests.chaos.fates import Fault
from tests.chaos.houses import GaveUpError, House
from tests.chaos.judging import SignedAt
from tests.chaos.ledger import Ledger
from tests.chaos.people import Person
from tests.chaos.plans import REAL, Plan
from tests.chaos.runner import ORIGIN, Order
from tests.chaos.script import Script
from tests.support.ports import free_port

LEASE = 0.6
"""Seconds after which another dealer may take over."""
ATTEMPT = 1.5
"""Seconds after which a call to a dealer that may be frozen is made again."""
RAIL = "rail"
"""Who watches without a seat, at a dealer that does not own the game."""


@dataclass
class Place:
    """One of the dealers: its name, its faults, the rest between its lives, its clock's skew."""

    name: str
    faults: Iterable[Fault | None] = ()
    rest: float = 0.0
    skew: str = ""
    url: str = ""


@dataclass
class Roaming:
    """The way to dealers of one store: to the owner where one is named, else to any that lives."""

    houses: list[House] = field(default_factory=list)
    more: list[str] = field(default_factory=list)
    """Faults that others made, in words."""
    _owners: dict[str, str] = field(default_factory=dict)
    _next: int = 0

    async def open(self) -> None:
        """Return when every dealer serves."""
        await asyncio.gather(*(house.until_serving() for house in self.houses))

    async def peace(self) -> None:
        """Let no more faults come."""
        await asyncio.gather(*(house.peace() for house in self.houses))

    async def close(self) -> None:
        """End the dealers."""
        await asyncio.gather(*(house.close() for house in self.houses))

    async def address(self, game: str) -> str:
        """Give the owner's address if it is known, else somebody's who serves."""
        address = self._owners.get(game) or await self._anybody()
        if game:
            # Until a call fails there.
            self._owners[game] = address
        return address

    async def stream_address(self, game: str, name: str) -> str:
        """Give where to watch: at the rail, where the game is not dealt if there is a choice."""
        if name != RAIL:
            return await self.address(game)
        owner = self._owners.get(game) or await self._anybody()
        others = [one for one in self._addresses() if one != owner]
        return others[0] if others else owner

    async def failed(self, game: str, address: str, error: grpc.aio.AioRpcError) -> None:
        """Go to the owner who is named, or another one; wait a moment where nobody is."""
        named = read_error(error).refusal
        if named.reason == "GAME_ELSEWHERE" and named.metadata["owner"] in self._addresses():
            self._owners[game] = named.metadata["owner"]
            return
        if self._owners.get(game) == address:
            del self._owners[game]
        self._next += 1
        await self.houses[0].another(0.03)

    def token(self, name: str, role: Role) -> str:
        """Make a token: all dealers have the same key."""
        return self.houses[0].token(name, role)

    def lives(self) -> int:
        """Count all starts."""
        return sum(house.starts for house in self.houses)

    @property
    def came(self) -> list[str]:
        """What faults came, in words."""
        return [one for house in self.houses for one in house.came] + self.more

    @property
    def signed(self) -> set[SignedAt]:
        """All that any journal ever held as signed."""
        return {one for house in self.houses for one in house.signed}

    def owner(self, game: str) -> House | None:
        """Give the dealer that is thought to own a game."""
        for house in self.houses:
            if house.life is not None and self._owners.get(game) == _address(house):
                return house
        return None

    async def _anybody(self) -> str:
        for _ in range(600):
            if addresses := self._addresses():
                return addresses[self._next % len(addresses)]
            await self.houses[0].another(0.1)
        message = "no dealer serves at all: see their dealer.log"
        raise GaveUpError(message)

    def _addresses(self) -> list[str]:
        return [_address(house) for house in self.houses if house.life is not None]


def _address(house: House) -> str:
    return f"127.0.0.1:{house.life.port}" if house.life is not None else ""


Meanwhile = Callable[[Script, int, Roaming], Awaitable[None]]


async def play_shared(
    bench: Bench,
    name: str,
    url: str,
    places: Sequence[Place],
    *,
    plan: Plan = REAL,
    meanwhile: Meanwhile | None = None,
) -> Run:
    """Play a plan with dealers that share the store at a URL, and judge what became of it."""
    undisturbed = await bench.undisturbed(plan)
    folder = bench.folder / name
    way = Roaming()
    await open_houses(bench, folder, url, places, way)

    async def between(script: Script, step: int) -> None:
        if meanwhile is not None:
            await meanwhile(script, step, way)

    script = Script(plan, bench.seed, way, Ledger(), lambda _: None, ATTEMPT, between)
    script.rail = Person(way, script.ledger, RAIL, Role.WATCHER, ATTEMPT)
    return await play(Run(name, folder=folder), script, way, undisturbed)


async def open_houses(
    bench: Bench, folder: Path, url: str, places: Sequence[Place], way: Roaming
) -> None:
    """Start the dealers one after another: all have the same keys, made before."""
    for place in places:
        own = folder / place.name
        _give_keys(folder / "keys", own)
        order = Order(
            str(own),
            free_port(),
            bench.seed,
            skew=place.skew,
            store_url=place.url or url,
            node=place.name,
            lease=LEASE,
        )
        house = House(bench.stable, order, place.faults, rest=place.rest)
        way.houses.append(house)
        await house.until_serving()


def _give_keys(keys: Path, own: Path) -> None:
    """Copy the keys, which are made where they are not there."""
    make_keys(Settings(keys, ORIGIN), operating_system)
    own.mkdir(parents=True)
    for key in keys.glob("*.key"):
        shutil.copy(key, own / key.name)
