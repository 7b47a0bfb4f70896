"""SIGTERM at every step of a game: the dealer drains, loses no call, and ends with 0."""

from collections.abc import AsyncIterator

from tests.chaos.bench import Bench
from tests.chaos.campaign import Run, Straight, play_through
from tests.chaos.houses import House
from tests.chaos.plans import SHORT, USUAL, Plan
from tests.chaos.script import Script


async def drains(bench: Bench) -> AsyncIterator[Run]:
    """End the dealer in order again and again, and start it again."""
    yield await drain(bench, SHORT if bench.quick else USUAL)


async def drain(bench: Bench, plan: Plan) -> Run:
    """End the dealer before every other call of a game: the call is on its way meanwhile."""
    final = await bench.undisturbed(plan)
    houses: list[House] = []

    def way_of(house: House) -> Straight:
        houses.append(house)
        return Straight(house)

    async def terminate(_script: Script, step: int) -> None:
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
        meanwhile=terminate,
        way_of=way_of,
        drain=0.0,
    )
    note_ends(run, houses)
    return run


def note_ends(run: Run, houses: list[House]) -> None:
    """Count the lives that were ended in order, and hold each to have ended with 0."""
    for house in houses:
        for life in house.lives:
            if life.is_terminated:
                run.faults.append("ended in order")
                if life.status != 0:
                    run.ruling.wrong.append(f"told to end, a dealer ended with {life.status}")
