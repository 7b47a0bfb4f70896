"""`watch_delay`: from the moment a line is in the store to the moment a watcher has it.

Six players of every table stream it from another process, and acts are called from a third, at
a pace that leaves the cores some air; all go by the machine's one monotonic clock. The p99 of all
lines at all watchers stands beside the p99 of an empty call among 64 in flight.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.bench import driving, serving
from tests.bench.acts import TABLES, Run, empty_side
from tests.bench.figure import Figure, Goal
from tests.bench.processes import process

DELAY: Final = Goal("watch_delay", "ms", "ms, p99 of an empty call", "lower", 3)
ACTS_A_SECOND: Final = 200


def measure(*, quick: bool = False) -> Figure:
    """Measure the delay of lines at watchers, in turn with empty calls."""
    tables, seconds, rounds = (8, 0.5, 2) if quick else (TABLES, 3.0, 7)
    delays: list[float] = []
    empty: list[Run] = []
    heard = 0
    with empty_side(tables) as yardstick, _watched(tables) as watched:
        yardstick.run(seconds)
        watched.run(seconds)
        for _ in range(rounds):
            empty.append(yardstick.run(seconds))
            found = sorted(watched.run(seconds))
            heard += len(found)
            delays.append(found[int(len(found) * 0.99)] * 1000)
    remark = f"{heard} lines heard; {tables} tables with six watchers each, about {ACTS_A_SECOND}"
    remark += " acts a second"
    return Figure(DELAY, tuple(delays), tuple(run.pace.p99 * 1000 for run in empty), remark)


@dataclass(frozen=True, slots=True)
class _Watched:
    dealer: Connection
    callers: Connection
    watchers: Connection

    def run(self, seconds: float) -> list[float]:
        """Act for some seconds, and give each line's delay at each watcher, in seconds."""
        self.callers.send(seconds)
        pace: driving.Pace = self.callers.recv()
        assert pace.calls
        self.dealer.send(serving.APPENDED)
        appended: list[driving.Heard] = self.dealer.recv()
        stored = {(game, end): at for game, end, at in appended}
        delays: list[float] = []
        # The last lines may be on their way yet, and of a short round all of them.
        while not delays:
            self.watchers.send(True)
            _, heard = self.watchers.recv()
            delays = [at - stored[game, end] for game, end, at in heard if (game, end) in stored]
        return delays


@contextmanager
def _watched(tables: int) -> Iterator[_Watched]:
    names = (*driving.PLAYERS, driving.OPERATOR)
    with ExitStack() as stack:
        place = serving.Place(Path(stack.enter_context(TemporaryDirectory())), stamps=True)
        server = stack.enter_context(
            process(partial(serving.serve_dealer, place=place, players=names))
        )
        port, tokens = server.recv()
        acting = partial(
            driving.call_acts,
            ports=(port,),
            tokens=tokens,
            tables=tables,
            think=tables / ACTS_A_SECOND,
        )
        callers = stack.enter_context(process(acting))
        games = callers.recv()
        watching = partial(driving.watch, port=port, tokens=tokens, games=games)
        watchers = stack.enter_context(process(watching))
        watchers.send(True)
        watchers.recv()
        yield _Watched(server, callers, watchers)
