"""`acts_postgres_N` and `act_p99_postgres_N`: acts where N dealers share one PostgreSQL.

The same acts as in `acts`, over 64 tables that the dealers own in equal shares, beside the same
empty call; the dealers, the database and the callers share this machine. What counts is the CPU
time of all dealers together; that of the database's processes is told apart.
"""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

from tests.bench import database, driving, serving
from tests.bench.acts import EMPTY, TABLES, Run, Side, empty_side
from tests.bench.figure import Figure, Goal
from tests.bench.processes import process
from tests.support.postgres import Server

DEALERS: Final = (1, 2, 4)
ACTS: Final = {
    count: Goal(f"acts_postgres_{count}", "acts/CPU s", EMPTY, "higher", 0.25) for count in DEALERS
}
P99: Final = {
    count: Goal(f"act_p99_postgres_{count}", "ms", "ms, p99 of an empty call", "lower", 5)
    for count in DEALERS
}
NAMES: Final = tuple(goal.name for count in DEALERS for goal in (ACTS[count], P99[count]))


def measure(*, quick: bool = False, names: frozenset[str]) -> list[Figure]:
    """Measure what of the figures is named, one number of dealers after the other."""
    tables, seconds, rounds = (8, 0.3, 2) if quick else (TABLES, 2.5, 7)
    figures: list[Figure] = []
    with database.database() as server, empty_side(tables) as empty:
        empty.run(seconds)
        for count in DEALERS:
            if not names & {ACTS[count].name, P99[count].name}:
                continue
            with dealers_side(server, count, tables) as side:
                side.run(seconds)
                own: list[Run] = []
                beside: list[Run] = []
                shares: list[float] = []
                for _ in range(rounds):
                    beside.append(empty.run(seconds))
                    before = database.cpu(server)
                    own.append(side.run(seconds))
                    shares.append((database.cpu(server) - before) / own[-1].pace.calls)
            figures += _figures(names, count, own, beside, median(shares))
    return figures


def _figures(
    names: frozenset[str], count: int, own: list[Run], empty: list[Run], share: float
) -> Iterator[Figure]:
    if ACTS[count].name in names:
        remark = (
            f"on the wall {median(run.a_second for run in own):,.0f} acts/s; the database used "
            f"{share * 1e6:,.0f} µs of CPU an act besides"
        )
        values = tuple(run.a_cpu_second for run in own)
        yield Figure(ACTS[count], values, tuple(run.a_cpu_second for run in empty), remark)
    if P99[count].name in names:
        values = tuple(run.pace.p99 * 1000 for run in own)
        yield Figure(P99[count], values, tuple(run.pace.p99 * 1000 for run in empty))


@contextmanager
def dealers_side(server: Server, count: int, tables: int) -> Iterator[Side]:
    """Run dealers on a fresh database, and the callers of their tables."""
    with ExitStack() as stack:
        url = server.new_database()
        names = (*driving.PLAYERS, driving.OPERATOR)
        dealers: list[serving.Started] = []
        for number in range(count):
            folder = Path(stack.enter_context(TemporaryDirectory()))
            place = serving.Place(folder, url, f"node-{number + 1}")
            dealers.append(stack.enter_context(started(place, names, keys=dealers)))
        acting = partial(
            driving.call_acts,
            ports=tuple(one.port for one in dealers),
            tokens=dealers[0].tokens,
            tables=tables,
        )
        callers = stack.enter_context(process(acting))
        callers.recv()
        yield Side(tuple(one.pipe for one in dealers), callers)


@contextmanager
def started(
    place: serving.Place, names: tuple[str, ...], *, keys: list[serving.Started]
) -> Iterator[serving.Started]:
    """Run a dealer; the keys are those of the first of the dealers that run already."""
    for key in keys[0].place.directory.glob("*.key") if keys else ():
        shutil.copy(key, place.directory / key.name)
    with process(partial(serving.serve_dealer, place=place, players=names)) as pipe:
        port, tokens = pipe.recv()
        yield serving.Started(place, pipe, port, tokens)
