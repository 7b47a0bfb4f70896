"""`python -m tests.soak`, which `make soak` runs: many tables for minutes, and nothing may grow.

A dealer in a process of its own serves tables whose players, in other processes, act over gRPC:
every seat has a token and a stream of its own, gives its links, and now and then cuts its stream
off and comes back; games end and go on in others. Each minute a line tells how the dealer is.
After the warm-up its memory, files, threads, tasks and write-ahead file must be flat (by the
bounds in `tests.bench.vitals`), no call may fail, and at the end some games are closed and the
files of some that are over are audited. The last line says which way it went; so does the exit
status, 1 where something was not well.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import grpc.aio

from cutcard.v1 import (
    fairness_pb2,
    fairness_pb2_grpc,
    operate_pb2,
    operate_pb2_grpc,
    play_pb2,
    play_pb2_grpc,
)
from dealer_service.access.roles import Role
from tests.bench import serving
from tests.bench.processes import process
from tests.bench.vitals import MIB, Vitals, find_faults, slope
from tests.soak.players import Plan, Told, drive
from tests.support.audits import judge, tell
from tests.support.postgres import running_server

ROOM: Final = 2
"""Processes of players."""
AUDITED: Final = 12
CLOSED: Final = 6
SAMPLE_SECONDS: Final = 5.0
WARM_UP: Final = 0.5
"""The share of the time in which what is kept for good is built up: caches, and room for peaks."""
HEADING: Final = (
    "minute    acts/s   p50 ms   p99 ms    hands    games  streams   RSS MiB   CPU %"
    "   files  threads    tasks  WAL MiB  errors"
)


@dataclass(frozen=True, slots=True)
class Options:
    """What is soaked, for how long, and how fast: `acts` a second over all tables.

    `p99` is how many ms an act may take where that is judged: it says more of the machine.
    """

    tables: int
    seats: int
    minutes: float
    acts: float
    hands: int
    store: str
    p99: float | None


def main(arguments: Sequence[str] | None = None) -> int:
    """Soak a dealer; 0 where all was well."""
    options = _read(arguments)
    with ExitStack() as stack:
        place = stack.enter_context(_place(options.store))
        server = stack.enter_context(process(partial(serving.serve_dealer, place=place)))
        port, _ = server.recv()
        began = time.monotonic()
        rooms = [
            stack.enter_context(process(partial(drive, plan=plan)))
            for plan in _plans(options, port, serving.Tokens(place.directory))
        ]
        seated = Told()
        for room in rooms:
            seated.add(room.recv())
        players = options.tables * options.seats
        _say(f"{players} players sat down within {time.monotonic() - began:.0f} s\n{HEADING}")
        soaked = _soak(options, server, rooms)
        soaked.faults += asyncio.run(_finish(port, place, soaked.told))
    return _judge(options, soaked)


class _Soaked:
    """What came of the minutes."""

    def __init__(self) -> None:
        self.samples: list[Vitals] = []
        self.told = Told()
        self.seconds = 0.0
        self.faults: list[str] = []


def _soak(options: Options, server: Connection, rooms: Sequence[Connection]) -> _Soaked:
    """Let the players play, and look at the dealer every few seconds."""
    soaked = _Soaked()
    began = time.monotonic()
    end = began + options.minutes * 60
    last, since = serving.vitals(server), Told()
    tell_at = began + 60
    while (now := time.monotonic()) < end:
        time.sleep(min(SAMPLE_SECONDS, end - now))
        taken = serving.vitals(server)
        soaked.samples.append(taken)
        for room in rooms:
            room.send(True)
            since.add(room.recv())
        if taken.at >= tell_at or time.monotonic() >= end:
            _say(_row(taken.at - began, last, taken, since, options))
            soaked.told.add(since)
            last, since, tell_at = taken, Told(), tell_at + 60
    soaked.told.add(since)
    soaked.seconds = time.monotonic() - began
    return soaked


def _row(seconds: float, last: Vitals, taken: Vitals, told: Told, options: Options) -> str:
    took = taken.at - last.at
    cells = (
        f"{seconds / 60:6.1f}",
        f"{told.acts / took:9.1f}",
        f"{_quantile(told.latencies, 0.5) * 1000:8.1f}",
        f"{_quantile(told.latencies, 0.99) * 1000:8.1f}",
        f"{told.hands:8}",
        f"{told.games_over:8}",
        f"{options.tables * options.seats:8}",
        f"{taken.rss / MIB:9.1f}",
        f"{100 * (taken.cpu - last.cpu) / took:7.0f}",
        f"{taken.files:7}",
        f"{taken.threads:8}",
        f"{taken.tasks:8}",
        f"{taken.wal / MIB:8.1f}",
        f"{len(told.errors):7}",
    )
    return " ".join(cells)


async def _finish(port: int, place: serving.Place, told: Told) -> list[str]:
    """Close some games, wait for their reveal, and audit them and some that were over before."""
    tokens = serving.Tokens(place.directory)
    operator = (("authorization", f"Bearer {tokens.issuer(Role.OPERATOR)('operator')}"),)
    faults: list[str] = []
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        operate = operate_pb2_grpc.OperateServiceStub(channel)
        play = play_pb2_grpc.PlayServiceStub(channel)
        fair = fairness_pb2_grpc.FairnessServiceStub(channel)
        key = (await fair.GetKey(fairness_pb2.GetKeyRequest(), metadata=operator)).key
        games = list(dict.fromkeys(told.games))[-CLOSED:]
        await asyncio.gather(*(_close(operate, play, operator, game) for game in games))
        for game in [*games, *told.over[-(AUDITED - len(games)) :]]:
            content = bytearray()
            file = fairness_pb2.GetGameFileRequest(game=game)
            async for part in fair.GetGameFile(file, metadata=operator):
                content += part.chunk
            report = judge(bytes(content), key=key)
            if report.exit_status() != 0:
                faults.append(f"the audit of {game} does not hold:\n{tell(report)}")
        _say(f"{len(games)} games were closed, and {AUDITED} game files audited at most")
    return faults


async def _close(
    operate: operate_pb2_grpc.OperateServiceStub,
    play: play_pb2_grpc.PlayServiceStub,
    operator: tuple[tuple[str, str], ...],
    game: str,
) -> None:
    """Close a game, and return when it is revealed."""
    asked = operate_pb2.CloseGameRequest(request_id="close-0001", game=game)
    try:
        await operate.CloseGame(asked, metadata=operator)
    except grpc.aio.AioRpcError as error:
        # It may have come to its own end meanwhile.
        if error.code() is not grpc.StatusCode.FAILED_PRECONDITION:
            raise
    async for _ in play.Watch(play_pb2.WatchRequest(game=game), metadata=operator):
        pass


def _judge(options: Options, soaked: _Soaked) -> int:
    told = soaked.told
    warm = soaked.samples[int(len(soaked.samples) * WARM_UP) :]
    minutes = soaked.seconds / 60
    faults = [*soaked.faults, *find_faults(warm, told.hands / minutes)]
    p99 = _quantile(told.latencies, 0.99) * 1000
    if options.p99 is not None and p99 > options.p99:
        faults.append(f"p99 of an act was {p99:.0f} ms, and {options.p99:.0f} are allowed")
    if told.errors:
        first = "; ".join(sorted(set(told.errors))[:5])
        faults.append(f"{len(told.errors)} calls failed: {first}")
    if not told.acts:
        faults.append("nobody acted")
    for fault in faults:
        _say(fault)
    growth = slope(warm, lambda one: one.rss) / MIB
    verdict = "flat" if not faults else f"{len(faults)} FAULTS"
    _say(
        f"soak: {options.tables} tables of {options.seats} on {options.store}, {minutes:.1f} min, "
        f"{told.acts} acts, {told.hands} hands, {told.cuts} streams taken up again, "
        f"p99 {p99:.1f} ms, memory {growth:+.2f} MiB/min, errors {len(told.errors)}: {verdict}"
    )
    return 1 if faults else 0


def _plans(options: Options, port: int, tokens: serving.Tokens) -> Iterator[Plan]:
    shares = [number * options.tables // ROOM for number in range(ROOM + 1)]
    for first, behind in pairwise(shares):
        if behind > first:
            yield Plan(
                port=port,
                tokens=tokens,
                first=first,
                tables=behind - first,
                seats=options.seats,
                hands=options.hands,
                think=options.tables / options.acts,
                stay=max(5.0, options.minutes * 60 / 4),
            )


@contextmanager
def _place(store: str) -> Iterator[serving.Place]:
    with ExitStack() as stack:
        directory = Path(stack.enter_context(TemporaryDirectory()))
        if store == "sqlite":
            yield serving.Place(directory)
        else:
            database = stack.enter_context(running_server())
            yield serving.Place(directory, database.new_database(), "soaked")


def _quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0.0


def _read(arguments: Sequence[str] | None) -> Options:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--tables", type=int, default=500, metavar="N", help="default 500")
    parser.add_argument("--seats", type=int, default=6, metavar="N", help="of a table (default 6)")
    parser.add_argument("--minutes", type=float, default=10, metavar="M", help="default 10")
    parser.add_argument(
        "--acts", type=float, default=250, metavar="N", help="a second, of all (default 250)"
    )
    parser.add_argument(
        "--hands", type=int, default=12, metavar="N", help="after which a game is over (default 12)"
    )
    parser.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument(
        "--p99",
        type=float,
        metavar="MS",
        help="an act's most; else how long acts take is told alone",
    )
    return Options(**vars(parser.parse_args(arguments)))


def _say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
