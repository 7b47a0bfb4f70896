"""`acts`, `acts_watched` and `act_p99`: acts through gRPC and SQLite, beside an empty call.

64 callers have one call in flight each, at 64 tables or at the empty call, from one process and
over one connection. The dealer's CPU time is its whole process's: the server, the rules, the
group commit's thread, and everything that acts bring about (whole hands are played, so decks,
signatures, board cards, payments and hand endings are in it). `acts` has no watcher at all; in
`acts_watched` six players of every table stream it, from another process.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench import driving, serving
from tests.bench.driving import Pace
from tests.bench.figure import Figure, Goal
from tests.bench.processes import process

TABLES = 64
EMPTY = "empty calls/CPU s"
ACTS = Goal("acts", "acts/CPU s", EMPTY, "higher", 0.7)
WATCHED = Goal("acts_watched", "acts/CPU s", EMPTY, "higher", 0.3)
P99 = Goal("act_p99", "ms", "ms, p99 of an empty call", "lower", 3)


@dataclass(frozen=True, slots=True)
class Side:
    """One server or several, and their callers."""

    servers: tuple[Connection, ...]
    callers: Connection

    def run(self, seconds: float) -> "Run":
        """Call for some seconds."""
        before = self._cpu()
        self.callers.send(seconds)
        pace: Pace = self.callers.recv()
        return Run(pace, self._cpu() - before)

    def _cpu(self) -> float:
        return sum(map(serving.cpu, self.servers))


@dataclass(frozen=True, slots=True)
class Run:
    """What a round came to, and the CPU time of all servers in seconds."""

    pace: Pace
    cpu: float

    @property
    def a_cpu_second(self) -> float:
        """Calls a second of the server's CPU time."""
        return self.pace.calls / self.cpu

    @property
    def a_second(self) -> float:
        """Calls a second on the wall."""
        return self.pace.calls / self.pace.seconds


def measure(*, quick: bool = False, names: frozenset[str]) -> list[Figure]:
    """Measure what of the three figures is named, all against the same empty calls."""
    tables = 8 if quick else TABLES
    seconds = 0.3 if quick else 2.5
    rounds = 2 if quick else 7
    with ExitStack() as stack:
        sides = {"empty": stack.enter_context(empty_side(tables))}
        if names & {ACTS.name, P99.name}:
            sides["acts"] = stack.enter_context(dealer_side(tables, watched=False))
        if WATCHED.name in names:
            sides["watched"] = stack.enter_context(dealer_side(tables, watched=True))
        for side in sides.values():
            side.run(seconds)
        runs: dict[str, list[Run]] = {name: [] for name in sides}
        for _ in range(rounds):
            for name, side in sides.items():
                runs[name].append(side.run(seconds))
    return list(_figures(names, runs))


def _figures(names: frozenset[str], runs: dict[str, list[Run]]) -> Iterator[Figure]:
    empty = runs["empty"]
    for goal, side in ((ACTS, "acts"), (WATCHED, "watched")):
        if goal.name in names:
            yield Figure(
                goal,
                tuple(run.a_cpu_second for run in runs[side]),
                tuple(run.a_cpu_second for run in empty),
                _wall(runs[side], empty),
            )
    if P99.name in names:
        yield Figure(
            P99,
            tuple(run.pace.p99 * 1000 for run in runs["acts"]),
            tuple(run.pace.p99 * 1000 for run in empty),
            "64 calls in flight on both sides; callers and server share this machine's cores",
        )


def _wall(own: list[Run], empty: list[Run]) -> str:
    rates = [sorted(run.a_second for run in runs)[len(runs) // 2] for runs in (own, empty)]
    return (
        f"on the wall {rates[0]:,.0f} acts/s, and {rates[1]:,.0f} empty calls/s; "
        f"{driving.ACTS_A_HAND:.1f} acts a hand"
    )


@contextmanager
def empty_side(callers: int) -> Iterator[Side]:
    """Run the empty call and its callers."""
    with process(serving.serve_empty) as server:
        port = server.recv()
        # The metadata of a call is the same on both sides: a token of the usual size.
        token = "x" * 260
        with process(partial(driving.call_empty, port=port, token=token, callers=callers)) as calls:
            yield Side((server,), calls)


@contextmanager
def dealer_side(tables: int, *, watched: bool) -> Iterator[Side]:
    """Run a dealer, its callers, and six watchers a table where they are asked for."""
    names = (*driving.PLAYERS, driving.OPERATOR)
    with ExitStack() as stack:
        directory = stack.enter_context(TemporaryDirectory())
        place = serving.Place(Path(directory))
        dealer = partial(serving.serve_dealer, place=place, players=names)
        server = stack.enter_context(process(dealer))
        port, tokens = server.recv()
        acting = partial(driving.call_acts, ports=(port,), tokens=tokens, tables=tables)
        callers = stack.enter_context(process(acting))
        games = callers.recv()
        if watched:
            watching = partial(driving.watch, port=port, tokens=tokens, games=games)
            watchers = stack.enter_context(process(watching))
            watchers.send(True)
            watchers.recv()
        yield Side((server,), callers)
        if watched:
            watchers.send(True)
            assert watchers.recv()[0] > 0
