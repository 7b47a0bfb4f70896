"""Older copies of the SQLite store that come back: noticed at the start, and never played on.

The copies are taken while a game runs. Each is put in place of the store later, beside the keys
and the journal as they are then. The dealer has to refuse it. With `accept_restore` it has to
close what is whole and list what is lost, and what it signs must not contradict anything that was
ever signed.
"""

import os
import shutil
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from cutcard.v1 import operate_pb2
from dealer_service.access.roles import Role
from tests.chaos.bench import Bench
from tests.chaos.campaign import Run, Straight, read_files
from tests.chaos.houses import House, Life
from tests.chaos.judging import Ruling, rule_forks
from tests.chaos.ledger import Ledger
from tests.chaos.people import Person
from tests.chaos.plans import USUAL
from tests.chaos.runner import Order
from tests.chaos.script import Script
from tests.support.ports import free_port

_REFUSED: Final = "lacks lines that were signed"


@dataclass
class Copies:
    """Takes a copy of the store every few steps, and ends the game at the last one.

    `under` says at which step an old copy takes the store's name under the running dealer.
    """

    house: House
    folder: Path
    every: int
    last: int
    under: int = 0
    taken: list[Path] = field(default_factory=list)

    async def __call__(self, script: Script, step: int) -> None:
        """Take a copy, if it is time."""
        if step == self.last:
            script.enough.set()
        life = self.house.life
        if life is None:
            return
        if step % self.every == 0:
            # Frozen for as long as it takes: both files are of one moment.
            os.kill(life.pid, signal.SIGSTOP)
            copy = self.folder / f"copy-{step:03}"
            copy.mkdir(parents=True)
            for one in self.house.folder.glob("store.sqlite*"):
                shutil.copy(one, copy / one.name)
            os.kill(life.pid, signal.SIGCONT)
            self.taken.append(copy)
        if step == self.under:
            for one in self.taken[0].iterdir():
                beside = self.house.folder / f"{one.name}.copy"
                shutil.copy(one, beside)
                beside.replace(self.house.folder / one.name)


async def restores(bench: Bench) -> AsyncIterator[Run]:
    """Bring copies back at several points of a game."""
    lasts = (40,) if bench.quick else (20, 40, 60, 80)
    for last in lasts:
        yield await restore(bench, last, every=9 if bench.quick else 4)
    yield await restore(bench, 40, every=30, under=34)


async def restore(bench: Bench, last: int, every: int, under: int = 0, broken: str = "") -> Run:
    """Play so far, bring back the copies that were taken every few steps, and judge each."""
    name = f"restores-{last}{'-under' if under else ''}"
    folder = bench.folder / name
    folder.mkdir()
    run = Run(name, folder=folder)
    order = Order(
        str(folder / "dealer"), free_port(), bench.seed, str(folder / "clock"), broken=broken
    )
    house = House(bench.stable, order)
    ledger = Ledger()
    copies = Copies(house, folder, every, last, under)
    script = Script(USUAL, bench.seed, Straight(house), ledger, house.pass_time, meanwhile=copies)
    try:
        await house.until_serving()
        if not await script.play_until_enough():
            run.ruling.wrong.append("the game was over before the store was brought back")
    finally:
        await script.close()
        await house.close()
    if under:
        await _bring_back(bench, run, house, ledger, None)
    for copy in copies.taken:
        await _bring_back(bench, run, house, ledger, copy)
    return run


async def _bring_back(
    bench: Bench, run: Run, house: House, ledger: Ledger, copy: Path | None
) -> None:
    """Start on an older copy of the store (None: on what is there), and see what comes of it."""
    assert run.folder is not None
    words = f"a store brought back: {copy.name if copy else 'under the dealer'}"
    again = run.folder / f"again-{copy.name if copy else 'under'}"
    _lay_out(house.folder, again, copy)
    order = replace(house.order, folder=str(again), port=0)
    life: Life = await bench.stable.start(order)
    is_refused = not await life.serving_or_ended()
    await life.end()
    if is_refused:
        run.faults.append(words)
        if life.status != 1 or _REFUSED not in (again / "dealer.log").read_text():
            run.ruling.wrong.append(f"{words} ended with {life.status}, and not with a refusal")
    restored = House(bench.stable, replace(order, accept_restore=is_refused))
    operator = Person(Straight(restored), Ledger(), "operator", Role.OPERATOR)
    try:
        files = await read_files(operator, sorted(ledger.lines))
        restored.collect()
        run.ruling.add(rule_forks(ledger, files, house.signed | restored.signed))
        run.ruling.add(await rule_states(operator, ledger, words, is_refused=is_refused))
    finally:
        await operator.close()
        await restored.close()


def _lay_out(folder: Path, again: Path, copy: Path | None) -> None:
    """Make a dealer's folder with everything as it is, and the store as it was."""
    shutil.copytree(folder, again)
    if copy is not None:
        for one in again.glob("store.sqlite*"):
            one.unlink()
        for one in copy.iterdir():
            shutil.copy(one, again / one.name)


async def rule_states(operator: Person, ledger: Ledger, words: str, *, is_refused: bool) -> Ruling:
    """A restored game is over: closed and revealed, or lost with the size that was signed.

    A store that was not refused has all that was signed.
    """
    ruling = Ruling()
    for game, notes in ledger.notes.items():
        request = operate_pb2.GetGameRequest(game=game)
        summary = (await operator.ask("operate", "GetGame", request)).summary
        told = max(int(note.split("\n")[1]) for note in notes)
        if is_refused and summary.state not in {"revealed", "lost"}:
            ruling.wrong.append(f"{words}: {game} goes on as {summary.state}")
        if summary.signed_size < told:
            ruling.lost.append(f"{words}: {game} was signed to {told}, and nobody says so")
    return ruling
