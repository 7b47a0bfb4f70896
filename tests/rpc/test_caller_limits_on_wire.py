"""How much one caller may ask for over the wire, and when a stream ends with its token."""

import asyncio
import time
from pathlib import Path
from typing import Any

import grpc
import pytest

from cutcard.v1 import play_pb2
from dealer_service.access.roles import Role
from dealer_service.access.tokens import issue
from dealer_service.config import Limits
from tests.support.every_call import EVERY, GAME, invoke
from tests.support.service import (
    ORIGIN,
    PATIENCE,
    UNHURRIED,
    Service,
    Told,
    bearing,
    read_refusal,
    refusal,
    refusal_of_stream,
    serving,
    watching,
)


def limits(**changed: Any) -> Limits:
    usual = {name: getattr(UNHURRIED, name) for name in Limits.__slots__}
    return Limits(**usual | changed)


async def reads_until_refused(service: Service, header: Any) -> tuple[int, Told]:
    """Ask for the key until that is too much; how often it was told, and the refusal."""
    for count in range(100):
        try:
            await invoke(service, "GetKey", EVERY["GetKey"], header)
        except grpc.aio.AioRpcError:
            return count, await refusal(invoke(service, "GetKey", EVERY["GetKey"], header))
    raise AssertionError


async def test_who_calls_too_often_is_told_when_to_call_again(tmp_path: Path) -> None:
    async with serving(tmp_path, limits=limits(calls=2)) as service:
        count, told = await reads_until_refused(service, service.header("ann"))
    assert 4 <= count <= 8
    assert (told.code, told.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "RATE_LIMITED")
    assert 1 <= int(told.metadata["retry_after_ms"]) <= 500


async def test_reads_do_not_cost_a_player_its_turn(tmp_path: Path) -> None:
    """Nor another caller anything."""
    async with serving(tmp_path, limits=limits(calls=1)) as service:
        header = service.header("ann")
        await reads_until_refused(service, header)
        for method in ("Act", "GiveLink"):
            told = await refusal(invoke(service, method, EVERY[method], header))
            assert told.reason == "NO_SUCH_GAME"
        other = await invoke(service, "GetKey", EVERY["GetKey"], service.header("ben"))
        assert other.origin == ORIGIN


async def test_all_tokens_of_one_name_count_as_one_caller(tmp_path: Path) -> None:
    async with serving(tmp_path, limits=limits(calls=1)) as service:
        await reads_until_refused(service, service.header("ann"))
        another = service.header("ann", Role.WATCHER)
        told = await refusal(invoke(service, "GetKey", EVERY["GetKey"], another))
        assert told.reason == "RATE_LIMITED"


async def test_bytes_are_limited_besides_calls(tmp_path: Path) -> None:
    request = play_pb2.LeaveSeatRequest(request_id="12345678", game=GAME, reference="x" * 100)
    async with serving(tmp_path, limits=limits(bytes=200)) as service:
        header = service.header("ann")
        reasons = [
            (await refusal(invoke(service, "LeaveSeat", request, header))).reason for _ in range(4)
        ]
    assert reasons == ["NO_SUCH_GAME", "NO_SUCH_GAME", "RATE_LIMITED", "RATE_LIMITED"]


async def begin(service: Service, game: str, header: Any) -> Any:
    """Watch a game, and give the stream when its first message is there."""
    stream = service.play.Watch(watching(game), metadata=header)
    await stream.read()
    return stream


async def test_no_caller_has_more_streams_than_its_number(tmp_path: Path) -> None:
    async with serving(tmp_path, limits=limits(streams=2)) as service:
        game = await service.open_game()
        header = service.header("ann")
        streams = [await begin(service, game, header) for _ in range(2)]
        told = await refusal_of_stream(service.play.Watch(watching(game), metadata=header))
        assert (told.code, told.reason) == (
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "TOO_MANY_STREAMS",
        )
        assert told.metadata["streams"] == "2"
        # One that has ended makes room for another.
        streams.pop().cancel()
        streams.append(await begin_when_there_is_room(service, game, header))
        # Nobody else is concerned.
        streams.append(await begin(service, game, service.header("ben")))
        for stream in streams:
            stream.cancel()


async def begin_when_there_is_room(service: Service, game: str, header: Any) -> Any:
    """Watch as soon as a stream that has ended counts no more, which its end is just before."""
    async with asyncio.timeout(PATIENCE):
        while True:
            stream = service.play.Watch(watching(game), metadata=header)
            try:
                await stream.read()
            except grpc.aio.AioRpcError as error:
                if read_refusal(error).reason != "TOO_MANY_STREAMS":
                    raise
            else:
                return stream


async def test_a_stream_that_was_refused_counts_as_none(tmp_path: Path) -> None:
    async with serving(tmp_path, limits=limits(streams=1)) as service:
        game = await service.open_game()
        header = service.header("ann")
        for _ in range(3):
            told = await refusal_of_stream(service.play.Watch(watching(GAME), metadata=header))
            assert told.reason == "NO_SUCH_GAME"
        await begin(service, game, header)


async def test_an_address_that_sends_bad_tokens_is_refused_though_not_who_is_known(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, limits=limits(bad_tokens=1)) as service:
        known = service.header("ann")
        await invoke(service, "GetKey", EVERY["GetKey"], known)
        reasons = [
            (await refusal(invoke(service, "GetKey", EVERY["GetKey"], bearing("x.y.z")))).reason
            for _ in range(4)
        ]
        assert reasons[:2] == ["TOKEN_INVALID", "TOKEN_INVALID"]
        assert reasons[-1] == "RATE_LIMITED"
        assert (await invoke(service, "GetKey", EVERY["GetKey"], known)).origin == ORIGIN


async def test_a_stream_ends_when_its_token_expires(tmp_path: Path) -> None:
    async with serving(tmp_path, limits=limits(streams=1)) as service:
        game = await service.open_game()
        now = time.time()
        token = issue(
            service.dealer.keys.token, "ann", Role.WATCHER, ttl=2, now=now - 1, origin=ORIGIN
        )
        stream = service.play.Watch(watching(game), metadata=bearing(token))
        told = await refusal_of_stream(stream)
        assert (told.code, told.reason) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_EXPIRED")
        await begin_when_there_is_room(service, game, service.header("ann"))


async def test_metadata_without_end_is_refused_and_the_dealer_goes_on(service: Service) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await invoke(service, "GetKey", EVERY["GetKey"], bearing("A" * 20_000))
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert (await invoke(service, "GetKey", EVERY["GetKey"], service.operator)).origin == ORIGIN
