"""Clocks that are set forward and back by hours: between lives, within them, inside hands."""

from collections.abc import AsyncIterator
from itertools import cycle
from typing import Final

from tests.chaos.bench import Bench
from tests.chaos.campaign import Run, play_through
from tests.chaos.faked import TimeFile
from tests.chaos.fates import Fault
from tests.chaos.houses import House, Prepare
from tests.chaos.plans import HOUR, REAL, SHORT, USUAL
from tests.chaos.script import Script

JUMPS: Final = (5, -5, -3, 26, -26, 1, -1, 3)
"""Hours, which add up to none."""


async def clocks(bench: Bench) -> AsyncIterator[Run]:
    """Set the dealer's clock at every restart, and the machine's at every step of a game."""
    plan = SHORT if bench.quick else USUAL
    final = await bench.undisturbed(plan)
    yield await play_through(
        bench.stable,
        plan,
        bench.seed,
        bench.folder / "clocks-between",
        cycle((Fault("append_all", "after"),)),
        name="clocks-between",
        undisturbed=final,
        prepare=jumping(),
    )
    final = await bench.undisturbed(REAL)
    skew = bench.folder / "skew"
    wall = TimeFile(skew)
    hours = cycle(JUMPS)
    came: list[str] = []

    async def jump(_script: Script, _step: int) -> None:
        ahead = next(hours)
        wall.move(ahead * HOUR)
        came.append(f"the wall clock set by {ahead} hours while the dealer ran")

    run = await play_through(
        bench.stable,
        REAL,
        bench.seed,
        bench.folder / "clocks-within",
        cycle((Fault("append_all", "after", nth=4),)),
        name="clocks-within",
        undisturbed=final,
        meanwhile=jump,
        skew=str(skew),
    )
    run.faults += came
    yield run


def jumping() -> Prepare:
    """Set the clock between each two lives."""
    hours = cycle(JUMPS)

    def prepare(house: House) -> list[str]:
        assert house.time is not None
        ahead = next(hours)
        house.time.move(ahead * HOUR)
        return [f"started with the clock set by {ahead} hours"]

    return prepare
