"""`acts`, `acts_watched` and `act_p99`: acts through gRPC and SQLite, beside an empty call.

One backend has all players of 64 tables, with one act in flight at each table, and its calls go
over one stream (PlayService.Session): `acts` and `act_p99` have no watcher at all, in
`acts_watched` the backend streams every table for each of its six players besides. The names that
end in `_by_call` measure the same acts where each is a call of its own, as a client makes it that
has one player, and each watcher has a stream of its own, from another process.

The yardstick of all is 64 empty calls in flight, from one process and over one connection; a call
is what it is, whatever carries the acts. The dealer's CPU time is its whole process's: the server,
the rules, the group commit's thread, and everything that acts bring about (whole hands are played,
so decks, signatures, board cards, payments and hand endings are in it).
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
EMPTY_P99 = "ms, p99 of an empty call"
ACTS = Goal("acts", "acts/CPU s", EMPTY, "higher", 0.7)
WATCHED = Goal("acts_watched", "acts/CPU s", EMPTY, "higher", 0.3)
P99 = Goal("act_p99", "ms", EMPTY_P99, "lower", 3)
BY_CALL = Goal("acts_by_call", "acts/CPU s", EMPTY, "higher", 0.5)
WATCHED_BY_CALL = Goal("acts_watched_by_call", "acts/CPU s", EMPTY, "higher", 0.2)
P99_BY_CALL = Goal("act_p99_by_call", "ms", EMPTY_P99, "lower", 3)

RATES = {ACTS: "acts", WATCHED: "watched", BY_CALL: "by_call", WATCHED_BY_CALL: "watched_by_call"}
LATENCIES = {P99: "acts", P99_BY_CALL: "by_call"}
"""The figures, and the side at which each is measured."""

NAMES = tuple(goal.name for goal in (*RATES, *LATENCIES))


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
    """Measure what of the figures is named, all against the same empty calls."""
    tables = 8 if quick else TABLES
    seconds = 0.3 if quick else 2.5
    rounds = 2 if quick else 7
    asked = {side for goal, side in (RATES | LATENCIES).items() if goal.name in names}
    with ExitStack() as stack:
        sides = {"empty": stack.enter_context(empty_side(tables))}
        for name in sorted(asked):
            sides[name] = stack.enter_context(
                dealer_side(
                    tables, watched=name.startswith("watched"), by_call=name.endswith("by_call")
                )
            )
        for side in sides.values():
            side.run(seconds)
        runs: dict[str, list[Run]] = {name: [] for name in sides}
        for _ in range(rounds):
            for name, side in sides.items():
                runs[name].append(side.run(seconds))
    return list(_figures(names, runs))


def _figures(names: frozenset[str], runs: dict[str, list[Run]]) -> Iterator[Figure]:
    empty = runs["empty"]
    for goal, side in RATES.items():
        if goal.name in names:
            yield Figure(
                goal,
                tuple(run.a_cpu_second for run in runs[side]),
                tuple(run.a_cpu_second for run in empty),
                _wall(runs[side], empty),
            )
    for goal, side in LATENCIES.items():
        if goal.name in names:
            yield Figure(
                goal,
                tuple(run.pace.p99 * 1000 for run in runs[side]),
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
def dealer_side(tables: int, *, watched: bool, by_call: bool) -> Iterator[Side]:
    """Run a dealer, its callers, and six watchers a table where they are asked for."""
    names = (*driving.PLAYERS, driving.OPERATOR)
    with ExitStack() as stack:
        directory = stack.enter_context(TemporaryDirectory())
        place = serving.Place(Path(directory))
        dealer = partial(serving.serve_dealer, place=place, players=names)
        server = stack.enter_context(process(dealer))
        port, tokens = server.recv()
        if by_call:
            acting = partial(driving.call_acts, ports=(port,), tokens=tokens, tables=tables)
        else:
            acting = partial(
                driving.carry_acts, port=port, tokens=tokens, tables=tables, watched=watched
            )
        callers = stack.enter_context(process(acting))
        games = callers.recv()
        if not by_call or not watched:
            yield Side((server,), callers)
            return
        watching = partial(driving.watch, port=port, tokens=tokens, games=games)
        watchers = stack.enter_context(process(watching))
        watchers.send(True)
        watchers.recv()
        yield Side((server,), callers)
        watchers.send(True)
        assert watchers.recv()[0] > 0
