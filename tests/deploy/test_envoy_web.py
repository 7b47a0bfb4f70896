"""Browsers' calls through Envoy, as it is shipped, at a real dealer: gRPC-Web over TLS."""

import asyncio
import json
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest

from cutcard.v1 import entry_pb2, fairness_pb2, operate_pb2, play_pb2, tournament_pb2
from dealer_service.access.roles import Role
from dealer_service.rpc.server import MAX_REQUEST_BYTES
from tests.support.envoy import PATIENCE, Envoy, envoy_before, envoy_beside
from tests.support.grpc_web import Web
from tests.support.service import Service, fresh_id, seated, serving, stop, waiting, watching

PAGE = "https://play.example.com"
HEADERS = (
    "authorization,content-type,x-grpc-web,x-user-agent,grpc-timeout,cutcard-game,cutcard-node"
)


ASKED = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": HEADERS}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Envoy]:
    """Run Envoy before a dealer that is not there: for what Envoy answers by itself."""
    with envoy_before({"dealer-a": "127.0.0.1:1"}, tmp_path_factory.mktemp("alone")) as envoy:
        yield envoy


@asynccontextmanager
async def behind_envoy(folder: Path) -> AsyncIterator[tuple[Service, Envoy, Web]]:
    """Serve, and put Envoy before it."""
    async with (
        serving(folder / "dealer") as service,
        envoy_beside({"dealer-a": service.address}, folder / "proxy") as envoy,
    ):
        yield service, envoy, Web(envoy, origin=PAGE)


async def test_a_page_sits_down_watches_and_acts(tmp_path: Path) -> None:
    """Calls and a stream in one hand; the other player speaks gRPC with the dealer itself."""
    async with behind_envoy(tmp_path) as (service, _, web):
        game = await service.open_game(turn_ms=600_000, max_hands=1)
        (bob,) = await seated(service, game, "bob", links=False)
        ann = service.header("ann")
        stream = await web.stream("PlayService/Watch", watching(game), ann)
        assert stream.status == 200
        request = play_pb2.TakeSeatRequest(
            request_id=fresh_id(), game=game, stack=200, accepts_reveal="all_cards"
        )
        answer = await web.call("PlayService/TakeSeat", request, ann)
        assert (answer.status, answer.code) == (200, 0)
        (taken,) = answer.messages
        seat = play_pb2.TakeSeatResponse.FromString(taken).seat
        cards, lines, acted = 0, [], set()
        while (message := await stream.next()) is not None:
            told = play_pb2.WatchResponse.FromString(message)
            lines += [json.loads(line) for line in told.lines]
            cards += len(told.openings)
            decision = told.decision
            if told.HasField("decision") and decision.seat == seat and decision.turn not in acted:
                acted.add(decision.turn)
                act = play_pb2.ACT_CHECK if decision.may_check else play_pb2.ACT_CALL
                answer = await web.call(
                    "PlayService/Act",
                    play_pb2.ActRequest(
                        request_id=fresh_id(),
                        game=game,
                        hand=decision.hand,
                        turn=decision.turn,
                        act=act,
                    ),
                    ann,
                )
                assert answer.code == 0, answer
        assert stream.trailers is not None
        assert stream.trailers["grpc-status"] == "0"
        assert acted
        assert cards >= 2
        assert any("game_closed" in line for line in lines)
        assert "secret_revealed" in lines[-1]
        await stop([bob])


async def test_a_refusal_comes_with_its_details(tmp_path: Path) -> None:
    """In the trailers that a page can read: stable reason, and every number again."""
    async with behind_envoy(tmp_path) as (service, _, web):
        game = await service.open_game()
        request = play_pb2.TakeSeatRequest(
            request_id=fresh_id(), game=game, stack=1, accepts_reveal="all_cards"
        )
        answer = await web.call("PlayService/TakeSeat", request, service.header("ann"))
        assert answer.status == 200
        assert answer.code == grpc.StatusCode.FAILED_PRECONDITION.value[0]
        assert answer.refusal.domain == "cutcard.v1"
        assert answer.refusal.reason.isupper()
        assert "1" in answer.refusal.metadata.values()
        answer = await web.call("PlayService/TakeSeat", request)
        assert answer.code == grpc.StatusCode.UNAUTHENTICATED.value[0]
        assert answer.refusal.reason == "TOKEN_MISSING"
        stream = await web.stream("PlayService/Watch", watching("0" * 32), service.header("ann"))
        assert await stream.next() is None


async def test_a_stream_that_broke_goes_on_from_the_line_that_was_not_read(tmp_path: Path) -> None:
    async with behind_envoy(tmp_path) as (service, envoy, web):
        game = await service.open_game(turn_ms=600_000)
        bots = await seated(service, game, "ann", "bob", policy=waiting)
        await bots[0].until(lambda bot: bot.decision)
        lines = await service.lines(game)
        header = service.header("eve", Role.WATCHER)
        read: list[bytes] = []
        stream = await web.stream("PlayService/Watch", watching(game), header)
        message = await stream.next()
        assert message is not None
        told = play_pb2.WatchResponse.FromString(message)
        assert told.first == 0
        read += told.lines
        stream.close()
        # What hung up is hung up at the dealer, too.
        audience = service.table(game).audience
        await bots[0].until_given(lambda: len(audience) == len(bots))
        stream = await web.stream("PlayService/Watch", watching(game, len(read)), header)
        while len(read) < len(lines):
            message = await stream.next()
            assert message is not None
            read += play_pb2.WatchResponse.FromString(message).lines
        stream.close()
        assert read == lines
        assert envoy.stats("downstream_rq_active")
        await stop(bots)


async def test_a_preflight_is_answered_for_the_pages_that_may_call(alone: Envoy) -> None:
    """Asked by a browser before each kind of call, with the headers that a client sends."""
    answer = await Web(alone, origin=PAGE).ask("OPTIONS", "/cutcard.v1.PlayService/Act", ASKED)
    told = answer.headers
    assert answer.status == 200
    assert told["access-control-allow-origin"] == PAGE
    assert told["access-control-allow-methods"] == "POST"
    allowed = set(told["access-control-allow-headers"].replace(" ", "").split(","))
    assert allowed == set(HEADERS.split(","))
    assert "access-control-allow-credentials" not in told
    for origin in ("http://localhost:5173", "http://127.0.0.1:8000", "https://localhost"):
        web = Web(alone, origin=origin)
        answer = await web.ask("OPTIONS", "/cutcard.v1.PlayService/Watch", ASKED)
        assert answer.headers["access-control-allow-origin"] == origin


STRANGERS = (
    "https://play.example.com.evil.example",
    "http://play.example.com",
    "https://evil.example",
    "http://localhost.evil.example",
    "http://localhost:80@evil.example",
    "null",
)


async def test_no_other_page_may_call(alone: Envoy) -> None:
    for origin in STRANGERS:
        web = Web(alone, origin=origin)
        answer = await web.ask("OPTIONS", "/cutcard.v1.PlayService/Act", ASKED)
        assert "access-control-allow-origin" not in answer.headers, origin


async def test_an_answer_says_which_headers_a_page_may_read(tmp_path: Path) -> None:
    async with behind_envoy(tmp_path) as (service, _, web):
        answer = await web.call(
            "FairnessService/GetKey", fairness_pb2.GetKeyRequest(), service.header("ann")
        )
        assert answer.code == 0
        assert answer.headers["access-control-allow-origin"] == PAGE
        exposed = answer.headers["access-control-expose-headers"].replace(" ", "").split(",")
        assert exposed == ["grpc-status", "grpc-message", "grpc-status-details-bin"]


NOBODY_S = (
    "/",
    "/metrics",
    "/healthz",
    "/ready",
    "/stats/prometheus",
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    "/grpc.health.v1.Health/Watch",
    "/cutcard.v1.CertifyService/Describe",
    "/cutcard.v1.CertifyService/DealHands",
    "/cutcard.v2.PlayService/Act",
    "/cutcard.v1.PlayService",
    "/cutcard.v1.PlayService/",
    "/cutcard.v1.PlayService/Act/more",
    "/cutcard.v1.PlayService//Act",
    "/x/../cutcard.v1.CertifyService/Describe",
)


async def test_only_the_dealers_own_services_are_to_be_had(alone: Envoy) -> None:
    """Neither reflection, nor certification, nor anything that a dealer may have one day."""
    web = Web(alone)
    for path in NOBODY_S:
        for kind in ("application/grpc-web+proto", "text/plain"):
            answer = await web.ask("POST", path, {"Content-Type": kind})
            assert answer.status == 404, path
        assert (await web.ask("GET", path)).status == 404, path
    assert (await web.ask("GET", "/cutcard.v1.PlayService%2fAct")).status == 400


async def test_every_method_of_the_contract_has_its_way(tmp_path: Path) -> None:
    """Each is answered by the dealer itself, which misses the token, but what has no end."""
    async with behind_envoy(tmp_path) as (_, _envoy, web):
        for messages in (play_pb2, operate_pb2, tournament_pb2, fairness_pb2):
            for name, contract in messages.DESCRIPTOR.services_by_name.items():
                for method in contract.methods:
                    request = method.input_type._concrete_class()
                    answer = await web.call(f"{name}/{method.name}", request)
                    if method.client_streaming:
                        assert answer.status == 404, method.name
                        continue
                    assert answer.refusal.reason == "TOKEN_MISSING", method.name


async def test_a_request_is_as_large_as_a_dealer_takes_it_and_no_larger(tmp_path: Path) -> None:
    async with behind_envoy(tmp_path) as (service, _, web):
        header = service.header("op", Role.OPERATOR)
        rules = entry_pb2.RuleSet()
        frame = len(
            operate_pb2.OpenGameRequest(rules=rules, reference="x" * 60000).SerializeToString()
        )
        fits = MAX_REQUEST_BYTES - frame + 60000
        request = operate_pb2.OpenGameRequest(rules=rules, reference="x" * fits)
        assert len(request.SerializeToString()) == MAX_REQUEST_BYTES
        answer = await web.call("OperateService/OpenGame", request, header)
        assert answer.refusal.reason == "MALFORMED_REQUEST"
        request = operate_pb2.OpenGameRequest(rules=rules, reference="x" * (fits + 1))
        answer = await web.call("OperateService/OpenGame", request, header)
        assert answer.code not in {0, -1}
        assert not answer.trailers.get("grpc-status-details-bin")


async def test_grpc_itself_passes_as_well(tmp_path: Path) -> None:
    """A player with our own kind of client, over HTTP/2, through the same port."""
    async with behind_envoy(tmp_path) as (service, envoy, _):
        trust = grpc.ssl_channel_credentials(envoy.ca.read_bytes())
        async with grpc.aio.secure_channel(envoy.address, trust) as channel:
            through = Service(service.dealer, service.clock, channel)
            game = await through.open_game(max_hands=2)
            bots = await seated(through, game, "ann", "bob")
            assert await bots[0].until_over() == "end"
            assert await bots[1].until_over() == "end"
            assert await through.file(game) == await service.file(game)
            await stop(bots)


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1 is deprecated")
async def test_callers_have_tls_1_2_or_later_and_http_2_by_alpn(alone: Envoy) -> None:
    host, _, port = alone.address.rpartition(":")

    def shake(version: ssl.TLSVersion) -> str | None:
        context = ssl.create_default_context(cafile=str(alone.ca))
        context.set_alpn_protocols(["h2", "http/1.1"])
        # Python's own bounds are no part of what is asked.
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = version
        with (
            socket.create_connection((host, int(port)), PATIENCE) as plain,
            context.wrap_socket(plain, server_hostname=host) as secure,
        ):
            return secure.selected_alpn_protocol()

    for version in (ssl.TLSVersion.TLSv1_3, ssl.TLSVersion.TLSv1_2):
        assert await asyncio.to_thread(shake, version) == "h2"
    with pytest.raises(ssl.SSLError):
        await asyncio.to_thread(shake, ssl.TLSVersion.TLSv1_1)
