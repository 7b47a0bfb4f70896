"""A network between clients and dealer that cuts, loses, repeats, delays and freezes."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, Final

import grpc.aio

from tests.chaos.bench import Bench
from tests.chaos.campaign import Run, Straight, play_through
from tests.chaos.houses import House
from tests.chaos.plans import HOUSE, SHORT, USUAL
from tests.chaos.proxy import Proxy, Trouble
from tests.chaos.script import Script

ATTEMPT: Final = 0.5
"""Seconds after which a call is given up and repeated; the frozen ones wait for nothing else."""
FROZEN: Final = 0.8
"""Seconds after which half-open connections are reset, as a router between would do."""
_ROUND: Final = (
    ("calls", Trouble.LOSE),
    ("streams", Trouble.LOSE),
    ("calls", Trouble.CUT),
    ("streams", Trouble.TEAR),
    ("calls", Trouble.TEAR),
    ("streams", Trouble.CUT),
    ("calls", None),
)
"""The troubles of one step after another; None sends calls twice."""
_SLOW: Final = (("calls", Trouble.FREEZE), ("calls", Trouble.HOLD), ("streams", Trouble.FREEZE))
"""Those that a client notices by its own clocks only: now and then."""


@dataclass
class Proxied(Straight):
    """The way to a dealer through two proxies: one for calls and one for streams."""

    proxies: dict[str, Proxy] = field(default_factory=dict)

    async def open(self) -> None:
        """Start the proxies, and wait until somebody serves behind them."""
        await super().open()
        for name in ("calls", "streams"):
            self.proxies[name] = Proxy(self._target)
            await self.proxies[name].start()

    async def close(self) -> None:
        """End the proxies and the dealer."""
        for proxy in self.proxies.values():
            await proxy.close()
        await super().close()

    async def address(self, game: str) -> str:
        """Give the proxy for calls, when somebody serves behind it."""
        await super().address(game)
        return f"127.0.0.1:{self.proxies['calls'].port}"

    async def stream_address(self, game: str, _name: str) -> str:
        """Give the proxy for streams."""
        await super().address(game)
        return f"127.0.0.1:{self.proxies['streams'].port}"

    async def failed(self, _game: str, _address: str, _error: grpc.aio.AioRpcError) -> None:
        """Wait a moment."""
        await self.house.another(0.01)

    @property
    def came(self) -> list[str]:
        """What trouble came, in words."""
        troubles = [(one, name) for name, proxy in self.proxies.items() for one in proxy.came]
        return self.house.came + [f"{trouble} of {name}" for trouble, name in troubles]

    async def _target(self) -> tuple[str, int]:
        return "127.0.0.1", (await self.house.until_serving()).port


@dataclass
class Storm:
    """Makes trouble at each step of a script."""

    troubles: Any = field(default_factory=lambda: cycle(_ROUND))
    slow: Any = field(default_factory=lambda: cycle(_SLOW))
    twice: list[str] = field(default_factory=list)

    async def __call__(self, script: Script, step: int) -> None:
        """Make the trouble of a step, before its call is made."""
        way = script.way
        assert isinstance(way, Proxied)
        for proxy in way.proxies.values():
            await proxy.release()
        name, trouble = next(self.slow) if step % 12 == 11 else next(self.troubles)
        everybody = (script.operator, *script.people.values())
        for person in everybody:
            person.twice = trouble is None
        if trouble is None:
            self.twice.append("every call of a step sent twice")
        else:
            way.proxies[name].make(trouble)
            if trouble is Trouble.FREEZE:
                # Nothing but a clock ends what is half open.
                asyncio.get_running_loop().call_later(FROZEN, way.proxies[name].cut_frozen)


async def network(bench: Bench) -> AsyncIterator[Run]:
    """Play games through trouble at each of their steps."""
    for plan in (SHORT,) if bench.quick else (USUAL, HOUSE):
        final = await bench.undisturbed(plan)
        storm = Storm()

        def way(house: House) -> Proxied:
            return Proxied(house)

        run = await play_through(
            bench.stable,
            plan,
            bench.seed,
            bench.folder / f"network-{plan.name}",
            name=f"network-{plan.name}",
            undisturbed=final,
            meanwhile=storm,
            way_of=way,
            attempt=ATTEMPT,
        )
        run.faults += storm.twice
        yield run
