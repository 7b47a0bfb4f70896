"""The two servers of the bench, each a process of its own: a dealer, and one empty call.

Both are grpcio's asyncio server on uvloop, as `cutcard-dealer serve` is, with the same options.
Each says on its pipe where it listens, and then answers every message there with what it asks of
its process: the CPU time that it has used so far, all threads included, or its resident memory.
"""

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import grpc
import uvloop
from google.protobuf.empty_pb2 import Empty

from dealer_service.access.roles import Role
from dealer_service.access.tokens import TokenKey, issue, load_token_key
from dealer_service.app import Dealer
from dealer_service.config import Settings
from dealer_service.observe import logs
from dealer_service.rpc.server import OPTIONS

_CPU: Final = "cpu"
_MEMORY: Final = "memory"
EMPTY_METHOD = "/cutcard.bench.Yardstick/Empty"
ORIGIN = "dealer.example.com"
TOKEN_SECONDS = 3600


def cpu(server: Connection) -> float:
    """Ask a server for the CPU time that it has used, in seconds."""
    server.send(_CPU)
    used: float = server.recv()
    return used


def memory(server: Connection) -> float:
    """Ask a server for its resident memory, in KiB."""
    server.send(_MEMORY)
    kib: float = server.recv()
    return kib


@dataclass(frozen=True, slots=True)
class Tokens:
    """Issues tokens for the dealer of a directory, in whatever process it is."""

    directory: Path

    def issuer(self) -> Callable[[str], str]:
        """Read the dealer's token key; what is given makes a player's token for a name."""
        key = load_token_key(self.directory / "token.key")
        return partial(_issue, key, role=Role.PLAYER)


def _issue(key: TokenKey, name: str, role: Role) -> str:
    return issue(key, name, role, ttl=TOKEN_SECONDS, now=time.time(), origin=ORIGIN)


def serve_dealer(pipe: Connection, directory: str, players: tuple[str, ...]) -> None:
    """Run a dealer with its store in `directory`; tells its port and a token for each player.

    The last name is the operator's.
    """
    logs.configure("text")
    uvloop.run(_serve_dealer(pipe, Path(directory), players))


def serve_empty(pipe: Connection) -> None:
    """Run a server with one empty unary call; tells its port."""
    uvloop.run(_serve_empty(pipe))


async def _serve_dealer(pipe: Connection, directory: Path, players: tuple[str, ...]) -> None:
    dealer = Dealer(Settings(directory, origin=ORIGIN, address="127.0.0.1:0", grace=0))
    await dealer.start()
    tokens = {
        name: _issue(dealer.keys.token, name, Role.OPERATOR if name == players[-1] else Role.PLAYER)
        for name in players
    }
    pipe.send((dealer.port, tokens))
    await _answer(pipe, dealer.stop)


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


async def _answer(pipe: Connection, stop: Callable[[], Awaitable[None]]) -> None:
    while asked := await asyncio.to_thread(pipe.recv):
        pipe.send(resident_kib() if asked == _MEMORY else time.process_time())
    await stop()


def resident_kib() -> float:
    """Give this process's resident memory, in KiB, with nothing in it that could be let go."""
    gc.collect()
    with Path("/proc/self/status").open(encoding="ascii") as status:
        return next(float(line.split()[1]) for line in status if line.startswith("VmRSS:"))
