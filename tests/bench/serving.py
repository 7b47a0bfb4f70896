"""The two servers of the bench, each a process of its own: a dealer, and one empty call.

Both are grpcio's asyncio server on uvloop, as `cutcard-dealer serve` is, with the same options.
Each says on its pipe where it listens, and then answers every message there with what it asks of
its process: the CPU time that it has used so far, all threads included, or its resident memory.
"""

import asyncio
import gc
import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, cast

import grpc
import uvloop
from google.protobuf.empty_pb2 import Empty

from dealer_service.access.roles import Role
from dealer_service.access.tokens import TokenKey, issue, load_token_key
from dealer_service.app import Dealer
from dealer_service.commands.collecting import collect_seldom
from dealer_service.commands.open_files import raise_limit
from dealer_service.config import Cluster, Limits, Settings, Tls
from dealer_service.fairness.randomness import operating_system
from dealer_service.keys import make_keys
from dealer_service.observe import logs
from dealer_service.rpc.server import OPTIONS
from dealer_service.store.api import Append, AppendResult, Store
from dealer_service.store.sqlite import SqliteStore
from tests.bench.vitals import Vitals, take_vitals

CPU: Final = "cpu"
MEMORY: Final = "memory"
VITALS: Final = "vitals"
APPENDED: Final = "appended"
PID: Final = "pid"
EMPTY_METHOD = "/cutcard.bench.Yardstick/Empty"
ORIGIN = "dealer.example.com"
TOKEN_SECONDS = 3600
WITHOUT_LIMITS = Limits(calls=10**7, bytes=10**12, streams=10**6, bad_tokens=10**7)
"""What limits cost is measured with everything else; they hold nothing back."""


def cpu(server: Connection) -> float:
    """Ask a server for the CPU time that it has used, in seconds."""
    server.send(CPU)
    used: float = server.recv()
    return used


def memory(server: Connection) -> float:
    """Ask a server for its resident memory, in KiB."""
    server.send(MEMORY)
    kib: float = server.recv()
    return kib


def vitals(server: Connection) -> Vitals:
    """Ask a dealer how it is."""
    server.send(VITALS)
    taken: Vitals = server.recv()
    return taken


@dataclass(frozen=True, slots=True)
class Tokens:
    """Issues tokens for the dealer of a directory, in whatever process it is."""

    directory: Path

    def issuer(self, role: Role = Role.PLAYER) -> Callable[[str], str]:
        """Read the dealer's token key; what is given makes a token of a role for a name."""
        key = load_token_key(self.directory / "token.key")
        return partial(_issue, key, role=role)


def _issue(key: TokenKey, name: str, role: Role) -> str:
    return issue(key, name, role, ttl=TOKEN_SECONDS, now=time.time(), origin=ORIGIN)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a dealer is: its directory, and among others the URL of their store and its name."""

    directory: Path
    store_url: str = field(default="", repr=False)
    node: str = ""
    lease: float = 5.0
    stamps: bool = False
    """Whether the dealer notes when its store has lines."""
    tls: Tls | None = None

    @property
    def settings(self) -> Settings:
        """The dealer's settings; a free port is its own."""
        return Settings(
            self.directory,
            origin=ORIGIN,
            address="127.0.0.1:0",
            grace=0,
            drain=0,
            limits=WITHOUT_LIMITS,
            tls=self.tls,
            store_url=self.store_url,
            cluster=Cluster(node=self.node, lease=self.lease),
        )


@dataclass(frozen=True, slots=True)
class Started:
    """A dealer that runs: where, the pipe to its process, its port, and its callers' tokens."""

    place: Place
    pipe: Connection
    port: int
    tokens: dict[str, str]


class Stamped:
    """A store that notes when it has a log's lines: the log, the index behind them, the time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._appended: list[tuple[str, int, float]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def append_all(self, appends: Sequence[Append]) -> list[AppendResult]:
        """Append, and note it."""
        results = self._store.append_all(appends)
        now = time.monotonic()
        self._appended += (
            (change.log, change.expected_next_index + len(change.lines), now)
            for append in appends
            for change in append.logs
            if change.lines
        )
        return results

    def take(self) -> list[tuple[str, int, float]]:
        """Give what was noted since the last time."""
        taken, self._appended = self._appended, []
        return taken


def serve_dealer(pipe: Connection, place: Place, players: tuple[str, ...] = ()) -> None:
    """Run a dealer; tells its port and a token for each player. The last name is the operator's."""
    logs.configure("text", "warning")
    raise_limit()
    collect_seldom()
    uvloop.run(_serve_dealer(pipe, place, players))


def serve_empty(pipe: Connection) -> None:
    """Run a server with one empty unary call; tells its port."""
    collect_seldom()
    uvloop.run(_serve_empty(pipe))


async def _serve_dealer(pipe: Connection, place: Place, players: tuple[str, ...]) -> None:
    settings = place.settings
    answers: dict[str, Callable[[], object]] = {}

    def stamp(settings: Settings) -> Store:
        stamped = Stamped(SqliteStore(settings.store))
        answers[APPENDED] = stamped.take
        return cast("Store", stamped)

    if place.store_url:
        # A dealer whose store may be older than its directory makes no keys by itself.
        make_keys(settings, operating_system)
    dealer = Dealer(settings, open_store=stamp) if place.stamps else Dealer(settings)
    await dealer.start()
    player, operator = (
        Tokens(place.directory).issuer(role) for role in (Role.PLAYER, Role.OPERATOR)
    )
    tokens = {name: (operator if name == players[-1] else player)(name) for name in players}
    pipe.send((dealer.port, tokens))
    answers[VITALS] = lambda: take_vitals(settings.store, len(dealer.floor.tables))
    await _answer(pipe, dealer.stop, answers)


async def _serve_empty(pipe: Connection) -> None:
    async def empty(_request: Empty, _context: "grpc.aio.ServicerContext[Any, Any]") -> Empty:
        return Empty()

    handler = grpc.unary_unary_rpc_method_handler(empty, Empty.FromString, Empty.SerializeToString)
    _, service, method = EMPTY_METHOD.split("/")
    server = grpc.aio.server(options=OPTIONS, compression=grpc.Compression.NoCompression)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(service, {method: handler}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    pipe.send(port)

    async def stop() -> None:
        await server.stop(0)

    await _answer(pipe, stop)


async def _answer(
    pipe: Connection,
    stop: Callable[[], Awaitable[None]],
    more: Mapping[str, Callable[[], object]] | None = None,
) -> None:
    answers = {CPU: time.process_time, MEMORY: resident_kib, PID: os.getpid, **(more or {})}
    while asked := await asyncio.to_thread(pipe.recv):
        pipe.send(answers[asked]())
    await stop()


def resident_kib() -> float:
    """Give this process's resident memory, in KiB, with nothing in it that could be let go."""
    gc.collect()
    with Path("/proc/self/status").open(encoding="ascii") as status:
        return next(float(line.split()[1]) for line in status if line.startswith("VmRSS:"))
