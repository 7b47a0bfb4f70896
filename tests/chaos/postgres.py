"""Dealers on PostgreSQL: killed at every step, frozen, without their database, without network."""

import asyncio
import contextlib
import os
import random
import signal
import time
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import cycle
from typing import Final
from urllib.parse import urlsplit

from tests.chaos.bench import Bench
from tests.chaos.campaign import Run
from tests.chaos.drains import note_ends
from tests.chaos.faked import TimeFile
from tests.chaos.fates import FAIL, Fault
from tests.chaos.kills import MOMENTS
from tests.chaos.plans import BRIEF, HOUR
from tests.chaos.proxy import Proxy, Trouble
from tests.chaos.script import Script
from tests.chaos.shared import LEASE, Place, Roaming, play_shared
from tests.support.postgres import Server, running_server

_ALL: Final = tuple(fault for faults in MOMENTS.values() for fault in faults)


@contextlib.asynccontextmanager
async def database() -> AsyncIterator[tuple[Server, str]]:
    """Run a server with an empty database."""
    with contextlib.ExitStack() as stack:
        server = await asyncio.to_thread(stack.enter_context, running_server())
        yield server, await asyncio.to_thread(server.new_database)


async def owners(bench: Bench) -> AsyncIterator[Run]:
    """Kill the owner at every step: it comes back itself, or others take over."""
    async with database() as (server, _):
        for name, faults in MOMENTS.items():
            if bench.quick and name != "store":
                continue
            url = await asyncio.to_thread(server.new_database)
            places = [Place("a", cycle(faults)), Place("b", cycle(faults))]
            yield await play_shared(bench, f"owners-{name}", url, places, plan=BRIEF)
        url = await asyncio.to_thread(server.new_database)
        starting = tuple(
            Fault(step, moment, since=since)
            for step, since in (("join", "start"), ("append_all", "serving"), ("claim", "serving"))
            for moment in ("before", "after")
        )
        places = [Place("a", cycle(starting)), Place("b", cycle(starting))]
        yield await play_shared(bench, "owners-starting", url, places, plan=BRIEF)
        url = await asyncio.to_thread(server.new_database)
        failing = tuple(Fault(one.step, one.moment, how=FAIL) for one in _ALL)
        places = [Place("a", cycle(failing)), Place("b", cycle(failing))]
        yield await play_shared(bench, "owners-failing", url, places, plan=BRIEF)


async def takeovers(bench: Bench) -> AsyncIterator[Run]:
    """Kill the owner at every step, and let another of three take over; clocks hours apart."""
    async with database() as (_, url):
        places = []
        for name, hours in (("a", 0), ("b", 5), ("c", -7)):
            skew = bench.folder / f"skew-{name}"
            TimeFile(skew).move(hours * HOUR)
            moments = cycle(_ALL[:: 2 if bench.quick else 1])
            places.append(Place(name, moments, rest=2.5 * LEASE, skew=str(skew)))
        yield await play_shared(bench, "takeovers", url, places, plan=BRIEF)


async def freezes(bench: Bench) -> AsyncIterator[Run]:
    """Stop the owner past its lease, and let it go on when another has taken over."""

    async def freeze(script: Script, step: int, way: Roaming) -> None:
        owner = way.owner(script.games[-1]) if script.games else None
        if step % (9 if bench.quick else 3) or owner is None or owner.life is None:
            return
        pid = owner.life.pid
        os.kill(pid, signal.SIGSTOP)
        way.more.append("frozen past the lease")
        asyncio.get_running_loop().call_later(2.5 * LEASE, os.kill, pid, signal.SIGCONT)

    async with database() as (_, url):
        places = [Place("a"), Place("b")]
        yield await play_shared(bench, "freezes", url, places, meanwhile=freeze)


async def databases(bench: Bench) -> AsyncIterator[Run]:
    """Kill, crash, restart and freeze the database, and drop its connections, under a game."""
    chance = random.Random(bench.seed)
    async with database() as (server, url):
        name = urlsplit(url).path.strip("/")
        ways: dict[str, tuple[Callable[[], object], ...]] = {
            "its connections dropped": (lambda: server.disconnect(name),),
            "the database killed": (server.kill, server.start),
            "the database stopped at once": (server.crash, server.start),
            "the database restarted": (server.restart,),
            "the database frozen": (server.freeze, lambda: time.sleep(2 * LEASE), server.thaw),
        }
        doing: set[asyncio.Task[object]] = set()

        async def disturb(_script: Script, step: int, way: Roaming) -> None:
            if doing or step % (7 if bench.quick else 2):
                return
            words = chance.choice(list(ways))
            way.more.append(words)
            task = asyncio.create_task(asyncio.to_thread(lambda: [do() for do in ways[words]]))
            doing.add(task)
            task.add_done_callback(doing.discard)

        places = [Place("a"), Place("b")]
        yield await play_shared(bench, "databases", url, places, meanwhile=disturb)
        await asyncio.gather(*doing)


async def lines(bench: Bench) -> AsyncIterator[Run]:
    """Cut, lose, tear, freeze and delay what goes between dealers and their database."""
    async with database() as (server, url):

        async def target() -> tuple[str, int]:
            return "127.0.0.1", server.port

        proxies = [Proxy(target), Proxy(target)]
        for proxy in proxies:
            await proxy.start()
        places = [
            Place(name, url=url.replace(f":{server.port}/", f":{proxy.port}/"))
            for name, proxy in zip("ab", proxies, strict=True)
        ]
        troubles: Iterator[tuple[Proxy, Trouble]] = cycle(
            (proxy, trouble)
            for trouble in (Trouble.LOSE, Trouble.TEAR, Trouble.CUT, Trouble.LOSE, Trouble.FREEZE)
            for proxy in proxies
        )

        async def disturb(_script: Script, step: int, _way: Roaming) -> None:
            if bench.quick and step % 4:
                return
            proxy, trouble = next(troubles)
            proxy.make(trouble)
            if trouble is Trouble.FREEZE:
                asyncio.get_running_loop().call_later(2 * LEASE, proxy.cut_frozen)

        run = await play_shared(bench, "lines", url, places, meanwhile=disturb)
        for proxy in proxies:
            run.faults += [f"{one} between dealer and database" for one in proxy.came]
            await proxy.close()
        yield run


async def handovers(bench: Bench) -> AsyncIterator[Run]:
    """End the owner in order before every other call: another dealer goes on at once."""
    ways: list[Roaming] = []

    async def drain(script: Script, step: int, way: Roaming) -> None:
        ways[:] = [way]
        owner = way.owner(script.games[-1]) if script.games else None
        if step % (6 if bench.quick else 2) == 0 and owner is not None and owner.life is not None:
            owner.life.terminate()

    async with database() as (_, url):
        places = [Place("a"), Place("b")]
        run = await play_shared(bench, "handovers", url, places, meanwhile=drain)
        note_ends(run, ways[0].houses)
        yield run
