"""`kill -9` at every persisted step: of each unit that a game writes, and of each start."""

from collections.abc import AsyncIterator, Iterator
from itertools import chain, cycle, repeat
from typing import Final

from tests.chaos.bench import Bench
from tests.chaos.campaign import Run, play_through
from tests.chaos.fates import FAIL, KILL, Fault
from tests.chaos.plans import HOUSE, SHORT, TINY, USUAL, Plan
from tests.chaos.runner import Order

_JOURNAL: Final = "signed.journal"

MOMENTS: Final[dict[str, tuple[Fault, ...]]] = {
    # Killed before it, a unit is asked for again; killed after it, the next one comes.
    "store": (Fault("append_all", "before"), Fault("append_all", "after")),
    "torn": (Fault(f"write {_JOURNAL}", "torn"),),
    "written": (Fault(f"write {_JOURNAL}", "after"),),
    "synced": (Fault(f"sync {_JOURNAL}", "after"),),
}
"""The moments of a unit, by name; a run has one kill at each of its units in each moment."""


async def kills(bench: Bench) -> AsyncIterator[Run]:
    """Kill at each moment of each unit, and at each step of a start."""
    plans = (SHORT,) if bench.quick else (USUAL, HOUSE)
    for plan in plans:
        for name, faults in MOMENTS.items():
            yield await _through(bench, plan, f"kills-{plan.name}-{name}", cycle(faults))
    yield await first_starts(bench, KILL)
    yield await restarts(bench, KILL)


async def first_starts(bench: Bench, how: str) -> Run:
    """Let a fault come at each step of a first start, each in a folder of its own."""
    name = f"first-starts-{how}"
    run = Run(name, folder=bench.folder / name)
    steps = await _steps_of_a_start(bench)
    for number, (step, moment, nth) in enumerate(steps, 1):
        if bench.quick and number % 7:
            continue
        fault = Fault(step, moment, nth, how, since="start")
        one = await _through(bench, TINY, f"{name}/{number:02}", iter((fault,)))
        run.faults += one.faults
        run.ruling.add(one.ruling)
    return run


async def restarts(bench: Bench, how: str) -> Run:
    """Let a fault come at each step of a start over a store in the middle of a hand."""
    hand: Iterator[Fault | None] = repeat(Fault("append_all", "after"), 12)
    count = 8 if bench.quick else 40
    starts = (
        Fault("", moment, nth, how, since="start")
        for nth in range(1, count)
        for moment in ("before", "after")
    )
    return await _through(bench, SHORT, f"restarts-{how}", chain(hand, starts))


async def _steps_of_a_start(bench: Bench) -> list[tuple[str, str, int]]:
    """List what a first start writes: each step, its moment, and the how manieth of its name."""
    order = Order(str(bench.folder / "first" / "dealer"), 0, bench.seed, is_telling=True)
    life = await bench.stable.start(order)
    assert await life.serving_or_ended()
    await life.end()
    found: list[tuple[str, str, int]] = []
    for one in life.said:
        if "serving" in one:
            break
        if "step" in one:
            seen = [each for each in found if each[:2] == (one["step"], one["moment"])]
            found.append((one["step"], one["moment"], len(seen) + 1))
    return found


async def _through(bench: Bench, plan: Plan, name: str, faults: Iterator[Fault | None]) -> Run:
    final = await bench.undisturbed(plan)
    folder = bench.folder / name
    return await play_through(
        bench.stable, plan, bench.seed, folder, faults, name=name, undisturbed=final
    )


async def failures(bench: Bench) -> AsyncIterator[Run]:
    """Let each write and each sync fail once: not persisted, persisted, and half of a write."""
    kinds: dict[str, tuple[Fault, ...]] = {
        "store": (
            Fault("append_all", "before", how=FAIL),
            Fault("append_all", "after", how=FAIL),
        ),
        "write-not-persisted": (Fault(f"write {_JOURNAL}", "before", how=FAIL),),
        "write-torn": (Fault(f"write {_JOURNAL}", "torn", how=FAIL),),
        "write-persisted": (Fault(f"write {_JOURNAL}", "after", how=FAIL),),
        "sync-not-persisted": (Fault(f"sync {_JOURNAL}", "before", how=FAIL),),
        "sync-persisted": (Fault(f"sync {_JOURNAL}", "after", how=FAIL),),
    }
    for kind, faults in kinds.items():
        yield await _through(bench, SHORT, f"failures-{kind}", cycle(faults))
    yield await first_starts(bench, FAIL)
    yield await restarts(bench, FAIL)
