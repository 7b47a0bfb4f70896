"""CertifyService over the wire: whole hands, fresh, to whom they may be told and to nobody else."""

import asyncio
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from cutcard.v1 import certify_pb2, certify_pb2_grpc
from dealer_service.access.roles import METHODS, Role
from dealer_service.fairness.commitment import hand_commitment
from dealer_service.fairness.deck import derive
from dealer_service.fairness.known_answers import KNOWN_ANSWERS
from dealer_service.fairness.mixing import mix
from dealer_service.fairness.randomness import draw_secret
from dealer_service.rng_core import VERSIONS
from dealer_service.rpc import certify
from dealer_service.rpc.certify import BATCH
from dealer_service.rpc.validate import MAX_HANDS
from tests.support.certifying import Certifying, certifying
from tests.support.every_call import CERTIFY, EVERY
from tests.support.jwt_keys import claims_of, sign
from tests.support.service import (
    ORIGIN,
    UNHURRIED,
    Service,
    bearing,
    metadata,
    refusal,
    refusal_of_stream,
)

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
MAY = {Role.OPERATOR, Role.AUDITOR}


async def test_each_hand_is_what_its_secret_gives_by_the_dealers_own_functions(
    tmp_path: Path,
) -> None:
    async with certifying(tmp_path) as service:
        messages = await service.deal(3)
    (message,) = messages
    game = bytes.fromhex(message.game)
    assert message.origin == f"{ORIGIN}/certify"
    assert [hand.hand for hand in message.hands] == [1, 2, 3]
    for hand in message.hands:
        commitment = hand_commitment(message.origin, game, hand.hand, hand.secret)
        assert hand.commitment == commitment
        assert hand.mix == mix(message.origin, game, hand.hand, commitment, ())
        deck = derive(hand.secret, hand.mix)
        assert (tuple(hand.cards), hand.deck_root) == (deck.cards, deck.root)
        assert 157 <= hand.bytes_used <= 1024


async def test_secrets_come_from_the_gate_in_the_order_in_which_it_gave_them(
    tmp_path: Path,
) -> None:
    given: list[bytes] = []

    def source(count: int) -> bytes:
        given.append(os.urandom(count))
        return given[-1]

    async with certifying(tmp_path, entropy=source) as service:
        told = [hand.secret for hand in await service.hands(BATCH + 1)]
    drawn = [one for one in given if len(one) == 32]
    assert told == drawn[-len(told) :]
    assert service.dealer._vigil.gate.is_open


async def test_more_than_a_batch_comes_in_several_messages_of_one_game(tmp_path: Path) -> None:
    async with certifying(tmp_path) as service:
        messages = await service.deal(2 * BATCH + 1)
        again = await service.deal(1)
    assert [len(one.hands) for one in messages] == [BATCH, BATCH, 1]
    numbers = [hand.hand for one in messages for hand in one.hands]
    assert numbers == list(range(1, 2 * BATCH + 2))
    assert len({one.game for one in messages}) == 1
    assert again[0].game != messages[0].game


async def test_no_hand_comes_again(tmp_path: Path) -> None:
    async with certifying(tmp_path) as service:
        hands = await service.hands(BATCH) + await service.hands(BATCH)
    assert len({hand.secret for hand in hands}) == len({hand.cards for hand in hands}) == 2 * BATCH


async def test_it_says_which_generator_it_is(tmp_path: Path) -> None:
    async with certifying(tmp_path) as service:
        said = await service.stub.Describe(certify_pb2.DescribeRequest(), metadata=service.auditor)
        assert service.dealer.keys is not None
        assert said.key == str(service.dealer.keys.signer.verifier)
    newest = VERSIONS[-1]
    assert (said.rng_core, said.fingerprint) == (newest.number, newest.fingerprint)
    assert said.origin == f"{ORIGIN}/certify"
    assert tuple(said.known_answers) == KNOWN_ANSWERS
    assert said.most_hands == MAX_HANDS
    assert "operating system" in said.source


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("method", CERTIFY)
async def test_who_may_call(tmp_path: Path, role: Role, method: str) -> None:
    async with certifying(tmp_path) as service:
        call = getattr(service.stub, method)(CERTIFY[method], metadata=service.header(role))
        if role in MAY:
            answer = await (call.read() if method == "DealHands" else call)
            assert answer.origin
        else:
            refused = refusal_of_stream(call) if method == "DealHands" else refusal(call)
            told = await refused
            assert (told.code, told.reason) == (
                grpc.StatusCode.PERMISSION_DENIED,
                "ROLE_NOT_ALLOWED",
            )


def table_roles(everywhere: Role | None, at_a_game: Role) -> Callable[[Certifying], Any]:
    """Write a token that has a role at a game, as a dealer of games would take it."""
    return lambda service: metadata(
        service.token_key, "lab", everywhere, tables={"0" * 32: at_a_game}
    )


def signed(**changed: Any) -> Callable[[Certifying], Any]:
    """Write an auditor's token with other claims."""

    def made(service: Certifying) -> Any:
        claims = claims_of(time.time(), role="auditor", **changed)
        return bearing(sign(service.token_key.private, "EdDSA", claims))

    return made


def strange(_service: Certifying) -> Any:
    key = Ed25519PrivateKey.generate()
    return bearing(sign(key, "EdDSA", claims_of(time.time(), role="auditor")))


NOBODY: dict[str, tuple[str, Callable[[Certifying], Any]]] = {
    "no token": ("TOKEN_MISSING", lambda _: None),
    "garbage": ("TOKEN_INVALID", lambda _: bearing("x.y.z")),
    "another key": ("TOKEN_INVALID", strange),
    "expired": ("TOKEN_EXPIRED", signed(iat=1_000, exp=2_000)),
    "another issuer": ("WRONG_ISSUER", signed(iss="dealer.example.net")),
    "the origin of the hands": ("WRONG_ISSUER", signed(iss=f"{ORIGIN}/certify")),
    "another audience": ("WRONG_AUDIENCE", signed(aud="poker")),
    "an auditor of a game alone": ("ROLE_NOT_ALLOWED", table_roles(None, Role.AUDITOR)),
    "an operator of a game alone": ("ROLE_NOT_ALLOWED", table_roles(None, Role.OPERATOR)),
    "a player, an operator of a game": (
        "ROLE_NOT_ALLOWED",
        table_roles(Role.PLAYER, Role.OPERATOR),
    ),
}


@pytest.mark.parametrize("method", CERTIFY)
async def test_nobody_else_gets_in(tmp_path: Path, method: str) -> None:
    async with certifying(tmp_path) as service:
        for who, (reason, made) in NOBODY.items():
            call = getattr(service.stub, method)(CERTIFY[method], metadata=made(service))
            told = await (refusal_of_stream(call) if method == "DealHands" else refusal(call))
            assert (who, told.reason) == (who, reason)


async def test_a_caller_has_no_more_streams_than_its_number(tmp_path: Path) -> None:
    async with certifying(tmp_path, limits=replace(UNHURRIED, streams=1)) as service:
        request = certify_pb2.DealHandsRequest(count=MAX_HANDS)
        first = service.stub.DealHands(request, metadata=service.auditor)
        await first.read()
        told = await refusal_of_stream(service.stub.DealHands(request, metadata=service.auditor))
        assert told.reason == "TOO_MANY_STREAMS"
        first.cancel()


async def test_reflection_tells_of_its_one_service(tmp_path: Path) -> None:
    async with certifying(tmp_path) as service:
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(service.channel)
        asked = reflection_pb2.ServerReflectionRequest(list_services="")
        answer = await stub.ServerReflectionInfo(iter([asked])).read()
        named = {one.name for one in answer.list_services_response.service}
        assert {name for name in named if name.startswith("cutcard.")} == {
            "cutcard.v1.CertifyService"
        }


@pytest.mark.parametrize("count", [0, MAX_HANDS + 1, 2**64 - 1])
async def test_no_hands_and_too_many_are_refused(tmp_path: Path, count: int) -> None:
    async with certifying(tmp_path) as service:
        request = certify_pb2.DealHandsRequest(count=count)
        told = await refusal_of_stream(service.stub.DealHands(request, metadata=service.auditor))
        assert told.reason == "MALFORMED_REQUEST"
        assert [field for field, _ in told.violations] == ["count"]


@pytest.mark.parametrize("method", EVERY)
async def test_it_has_no_call_of_a_game(tmp_path: Path, method: str) -> None:
    (path,) = [path for path in METHODS if path.endswith(f"/{method}")]
    async with certifying(tmp_path) as service:
        channel: Any = service.channel
        call = channel.unary_unary(path)(
            EVERY[method].SerializeToString(), metadata=service.header(Role.OPERATOR)
        )
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call
        assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.parametrize("role", Role)
async def test_a_dealer_of_games_tells_nobody_a_hand(service: Service, role: Role) -> None:
    stub: certify_pb2_grpc.CertifyServiceStub = certify_pb2_grpc.CertifyServiceStub(service.channel)
    header = service.header("lab", role)
    with pytest.raises(grpc.aio.AioRpcError) as described:
        await stub.Describe(certify_pb2.DescribeRequest(), metadata=header)
    with pytest.raises(grpc.aio.AioRpcError) as dealt:
        await stub.DealHands(certify_pb2.DealHandsRequest(count=1), metadata=header).read()
    unimplemented = grpc.StatusCode.UNIMPLEMENTED
    assert (described.value.code(), dealt.value.code()) == (unimplemented, unimplemented)


async def test_hands_are_made_only_when_those_before_were_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A caller who reads one message of a call for a million hands has few made for it."""
    drawn = 0

    def counted(entropy: Any) -> bytes:
        nonlocal drawn
        drawn += 1
        return draw_secret(entropy)

    monkeypatch.setattr(certify, "draw_secret", counted)
    async with certifying(tmp_path) as service:
        request = certify_pb2.DealHandsRequest(count=MAX_HANDS)
        stream = service.stub.DealHands(request, metadata=service.auditor)
        await stream.read()
        stream.cancel()
        # The next call is served although the first was for more than it will ever get.
        assert len(await service.hands(1)) == 1
    assert drawn < 100 * BATCH


async def test_a_source_that_fails_ends_the_stream_and_comes_back(tmp_path: Path) -> None:
    broken = False

    def source(count: int) -> bytes:
        return bytes(count) if broken else os.urandom(count)

    async with certifying(tmp_path, entropy=source) as service:
        assert (await service.health())["cutcard.v1.CertifyService"] == SERVING
        broken = True
        request = certify_pb2.DealHandsRequest(count=1)
        told = await refusal_of_stream(service.stub.DealHands(request, metadata=service.auditor))
        assert (told.code, told.reason) == (grpc.StatusCode.UNAVAILABLE, "RANDOMNESS_FAILED")
        assert (await service.health())["cutcard.v1.CertifyService"] == NOT_SERVING
        broken = False
        service.dealer._clock.advance(1_000)  # type: ignore[attr-defined]
        assert (await service.health())["cutcard.v1.CertifyService"] == SERVING
        assert len(await service.hands(1)) == 1


async def test_a_dealer_that_stops_ends_the_stream(tmp_path: Path) -> None:
    async with certifying(tmp_path, grace=30.0) as service:
        request = certify_pb2.DealHandsRequest(count=MAX_HANDS)
        stream = service.stub.DealHands(request, metadata=service.auditor)
        messages = aiter(stream)
        await anext(messages)
        stopping = asyncio.ensure_future(service.dealer.stop())
        told = await refusal_of_stream(messages)
        assert told.reason == "STOPPING"
        await stopping


async def test_its_health_says_that_no_game_is_dealt(tmp_path: Path) -> None:
    async with certifying(tmp_path) as service:
        assert await service.health() == {
            "": NOT_SERVING,
            "cutcard.v1.PlayService": NOT_SERVING,
            "cutcard.v1.OperateService": NOT_SERVING,
            "cutcard.v1.TournamentService": NOT_SERVING,
            "cutcard.v1.FairnessService": NOT_SERVING,
            "cutcard.v1.CertifyService": SERVING,
        }
