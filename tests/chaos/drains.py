"""SIGTERM at every step of a game: the dealer drains, loses no call, and ends with 0."""

from collections.abc import AsyncIterator

from tests.chaos.bench import Bench
from tests.chaos.campaign import Run, Straight, play_through
from tests.chaos.houses import House
from tests.chaos.plans import SHORT, USUAL
from tests.chaos.script import Script


async def drains(bench: Bench) -> AsyncIterator[Run]:
    """End the dealer in order before each call, and start it again."""
    plan = SHORT if bench.quick else USUAL
    final = await bench.undisturbed(plan)
    houses: list[House] = []

    def way_of(house: House) -> Straight:
        houses.append(house)
        return Straight(house)

    async def drain(_script: Script, step: int) -> None:
        life = houses[0].life
        if life is not None and step % 2 == 0:
            life.terminate()

    run = await play_through(
        bench.stable,
        plan,
        bench.seed,
        bench.folder / "drains",
        name="drains",
        undisturbed=final,
        meanwhile=drain,
        way_of=way_of,
        drain=0.0,
    )
    for life in houses[0].lives:
        if life.is_terminated:
            run.faults.append("drained")
            if life.status != 0:
                run.ruling.wrong.append(f"a dealer that drained ended with {life.status}")
    yield run
