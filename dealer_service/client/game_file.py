"""Downloads a game file (PROTOCOL.md section 5): whole at its path, or not there at all."""

import os
from pathlib import Path

import grpc.aio

from cutcard.v1 import fairness_pb2, fairness_pb2_grpc
from dealer_service.client.calls import Caller
from dealer_service.client.disk import on_disk
from dealer_service.client.durable import sync_folder
from dealer_service.client.errors import is_passing, read_error


async def download(
    stub: fairness_pb2_grpc.FairnessServiceStub, caller: Caller, game: str, path: Path
) -> int:
    """Write a game's file to `path` and give its size in bytes; CallRefusedError.

    A download that breaks begins anew, as the file of an open game grows.
    """
    around = caller.surroundings
    end = around.monotonic() + around.patience.total
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        for wait in around.waits():
            try:
                await _fetch(stub, caller, game, beside)
                break
            except grpc.aio.AioRpcError as error:
                if not is_passing(error) or around.monotonic() + wait >= end:
                    raise read_error(error) from None
            await around.sleep(wait)
        size = beside.stat().st_size
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    await on_disk(sync_folder, path.parent)
    return size


async def _fetch(
    stub: fairness_pb2_grpc.FairnessServiceStub, caller: Caller, game: str, path: Path
) -> None:
    request = fairness_pb2.GetGameFileRequest(game=game)
    stream = stub.GetGameFile(request, metadata=caller.metadata)
    with path.open("wb") as file:
        async for answer in stream:
            file.write(answer.chunk)
        file.flush()
        await on_disk(os.fsync, file.fileno())
