"""Downloads a game file (PROTOCOL.md section 5): whole at its path, or not there at all."""

import os
from pathlib import Path

import grpc.aio

from cutcard.v1 import fairness_pb2
from dealer_service.client.calls import Caller, Failed, Tries, header
from dealer_service.client.disk import on_disk
from dealer_service.client.routes import Link
from dealer_service.durable import sync_folder


async def download(caller: Caller, game: str, path: Path) -> int:
    """Write a game's file to `path` and give its size in bytes; CallRefusedError.

    A download that breaks begins anew, as the file of an open game grows.
    """
    around = caller.surroundings
    tries = Tries(caller, game, around.patience.total)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        while True:
            token = caller.bearer.token
            async with caller.routes.use(game) as link:
                try:
                    await _fetch(link, token, game, beside)
                    break
                except grpc.aio.AioRpcError as error:
                    failed = Failed(error, link.address, token)
            await around.sleep(await tries.judge(failed))
        size = beside.stat().st_size
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    await on_disk(sync_folder, path.parent)
    return size


async def _fetch(link: Link, token: str, game: str, path: Path) -> None:
    request = fairness_pb2.GetGameFileRequest(game=game)
    stream = link.fairness.GetGameFile(request, metadata=header(token))
    with path.open("wb") as file:
        async for answer in stream:
            file.write(answer.chunk)
        file.flush()
        await on_disk(os.fsync, file.fileno())
