"""The two servers of the bench, each a process of its own: a dealer, and one empty call.

Both are grpcio's asyncio server on uvloop, as `cutcard-dealer serve` is, with the same options.
Each says on its pipe where it listens, and then answers every message there with the CPU time
that its process has used so far, all threads included.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import grpc
import uvloop
from google.protobuf.empty_pb2 import Empty

from dealer_service.access.roles import Role
from dealer_service.access.tokens import issue
from dealer_service.app import Dealer
from dealer_service.config import Settings
from dealer_service.observe import logs
from dealer_service.rpc.server import OPTIONS

EMPTY_METHOD = "/cutcard.bench.Yardstick/Empty"
ORIGIN = "dealer.example.com"
TOKEN_SECONDS = 3600


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
        name: issue(
            dealer.keys.token,
            name,
            Role.OPERATOR if name == players[-1] else Role.PLAYER,
            ttl=TOKEN_SECONDS,
            now=time.time(),
            origin=ORIGIN,
        )
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
    while await asyncio.to_thread(pipe.recv):
        pipe.send(time.process_time())
    await stop()
