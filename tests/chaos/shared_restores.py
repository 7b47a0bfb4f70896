"""An older state of the database that comes back under running dealers, and at a start.

The server's data directory is copied while it is down, and put back later. Dealers that reconnect
to it have to stop, and dealers that start on it have to refuse, until the restore is accepted with
every node's journal; nothing may be signed that contradicts what was.
"""

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from dealer_service.access.roles import Role
from tests.chaos.bench import Bench
from tests.chaos.campaign import Run, Straight, read_files
from tests.chaos.houses import PATIENCE, House
from tests.chaos.judging import rule_forks
from tests.chaos.ledger import Ledger
from tests.chaos.people import Person
from tests.chaos.plans import REAL
from tests.chaos.restores import rule_states
from tests.chaos.script import Script
from tests.chaos.shared import ATTEMPT, Place, Roaming, open_houses
from tests.support.postgres import Server, running_server

_REFUSED: Final = ("STORE_WENT_BACK", "went back", "lacks lines that were signed")


@dataclass
class BackAndForth:
    """Copies the database at one step of a game, and puts the copy back at another."""

    server: Server
    copied: int
    last: int

    async def __call__(self, script: Script, step: int) -> None:
        """Copy or put back, if it is time; then the game is over."""
        data = self.server._folder / "data"
        copy = self.server._folder / "copy"
        if step == self.copied:
            await asyncio.to_thread(self._while_down, data, copy)
        if step == self.last:
            await asyncio.to_thread(self._while_down, copy, data)
            script.enough.set()

    def _while_down(self, source: Path, target: Path) -> None:
        self.server.crash()
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target, copy_function=shutil.copy2)
        for one in (target, *target.rglob("*")):
            shutil.chown(one, source.stat().st_uid, source.stat().st_gid)
        self.server.start()


async def shared_restores(bench: Bench) -> AsyncIterator[Run]:
    """Put copies of several ages back."""
    ages = ((20, 32),) if bench.quick else ((10, 20), (16, 48), (30, 34), (38, 56))
    for copied, last in ages:
        with contextlib.ExitStack() as stack:
            server = await asyncio.to_thread(stack.enter_context, running_server())
            url = await asyncio.to_thread(server.new_database)
            yield await _restore(bench, server, url, copied, last)


async def _restore(bench: Bench, server: Server, url: str, copied: int, last: int) -> Run:
    name = f"shared-restores-{copied}-{last}"
    run = Run(name, folder=bench.folder / name)
    way = Roaming()
    await open_houses(bench, bench.folder / name, url, [Place("a"), Place("b")], way)
    script = Script(
        REAL,
        bench.seed,
        way,
        Ledger(),
        lambda _: None,
        ATTEMPT,
        BackAndForth(server, copied, last),
    )
    try:
        if not await script.play_until_enough():
            run.ruling.wrong.append("the game was over before the database went back")
        await asyncio.wait_for(_all_refuse(way, run), PATIENCE)
    except TimeoutError:
        run.ruling.wrong.append("dealers go on with a database that went back")
    finally:
        await script.close()
        await way.close()
    await _accept(bench, run, way, script.ledger)
    return run


async def _all_refuse(way: Roaming, run: Run) -> None:
    """Wait until every dealer has stopped, and has refused to start again."""
    for house in way.houses:
        while not any(life.status == 1 and not life.port for life in house.lives):
            await house.another(0.2)
        log = (house.folder / "dealer.log").read_text()
        if not any(words in log for words in _REFUSED):
            run.ruling.wrong.append(f"{house.folder} does not say that the database went back")
        run.faults += ["the database went back under a dealer", "and at its next start"]


async def _accept(bench: Bench, run: Run, way: Roaming, ledger: Ledger) -> None:
    """Accept the restore at one node, with the other's journal, and judge what it signs."""
    one, other = way.houses
    order = replace(
        one.order, accept_restore=True, journals=(str(other.folder / "signed.journal"),)
    )
    restored = House(bench.stable, order)
    operator = Person(Straight(restored), Ledger(), "operator", Role.OPERATOR)
    words = "a database brought back"
    try:
        files = await read_files(operator, sorted(ledger.lines))
        restored.collect()
        run.ruling.add(rule_forks(ledger, files, way.signed | restored.signed))
        run.ruling.add(await rule_states(operator, ledger, words, is_refused=True))
    finally:
        await operator.close()
        await restored.close()
