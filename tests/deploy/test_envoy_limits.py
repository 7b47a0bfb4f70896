"""What Envoy bounds, as it is shipped: who does not read or asks too much, and what it tells."""

import asyncio
import json
import re
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest

from cutcard.v1 import (
    fairness_pb2,
    fairness_pb2_grpc,
    operate_pb2,
    play_pb2,
    play_pb2_grpc,
    tournament_pb2,
)
from dealer_service.access.roles import Role
from deploy.envoy.for_nodes import SHIPPED, dump, for_nodes, shipped
from tests.runners.envoy import faults_of
from tests.support.bare_http2 import Ask, BareCall
from tests.support.envoy import PATIENCE, Envoy, envoy_beside, program
from tests.support.grpc_web import Web
from tests.support.service import UNHURRIED, Service, refusal, serving, watching

NODE = "dealer-a"
PART = 16 * 1024
PARTS = 1024
"""Sixteen MiB in all, which is far more than may wait on the way."""
MOST_ON_THE_WAY = 1024 * 1024
BAD = (("authorization", "Bearer bad"),)
FILE = "/cutcard.v1.FairnessService/GetGameFile"


class Source:
    """A dealer that has a large file, and counts what of it has left."""

    def __init__(self) -> None:
        self.left: list[int] = []

    async def get_game_file(self, request: Any, context: Any) -> AsyncIterator[Any]:
        del request, context
        which = len(self.left)
        self.left.append(0)
        for _ in range(PARTS):
            yield fairness_pb2.GetGameFileResponse(chunk=bytes(PART))
            self.left[which] += PART


@asynccontextmanager
async def before_dealer(folder: Path, **given: Any) -> AsyncIterator[tuple[Service, Envoy]]:
    async with (
        serving(folder / "dealer", **given) as service,
        envoy_beside({NODE: service.address}, folder / "proxy") as envoy,
    ):
        yield service, envoy


@asynccontextmanager
async def before_source(folder: Path) -> AsyncIterator[tuple[Source, Envoy]]:
    source = Source()
    server = grpc.aio.server()
    handlers = {
        "GetGameFile": grpc.unary_stream_rpc_method_handler(
            source.get_game_file,
            fairness_pb2.GetGameFileRequest.FromString,
            fairness_pb2.GetGameFileResponse.SerializeToString,
        )
    }
    service = grpc.method_handlers_generic_handler("cutcard.v1.FairnessService", handlers)
    server.add_generic_rpc_handlers((service,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with envoy_beside({NODE: f"127.0.0.1:{port}"}, folder) as envoy:
            yield source, envoy
    finally:
        await server.stop(0)


async def call_deaf(envoy: Envoy) -> BareCall:
    """Ask for the file with windows as wide as can be, and a socket that is hardly ever read."""
    loop = asyncio.get_running_loop()
    trust = ssl.create_default_context(cafile=str(envoy.ca))
    trust.set_alpn_protocols(["h2"])
    plain = socket.socket()
    plain.setblocking(False)
    # What this machine keeps for the caller is not the question.
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
    await loop.sock_connect(plain, ("127.0.0.1", int(envoy.address.rpartition(":")[2])))
    message = fairness_pb2.GetGameFileRequest().SerializeToString()
    _, made = await loop.create_connection(
        lambda: BareCall(Ask(FILE, "token", message), deaf=True),
        sock=plain,
        ssl=trust,
        server_hostname="localhost",
    )
    return made


async def test_who_does_not_read_is_the_dealer_s_to_notice_and_holds_up_nobody(
    tmp_path: Path,
) -> None:
    """Envoy and the kernel take less than 1 MiB for it; whoever reads has all of it meanwhile."""
    async with before_source(tmp_path) as (source, envoy):
        deaf = await call_deaf(envoy)
        await deaf.told
        name = "cluster.dealers.upstream_flow_control"
        async with asyncio.timeout(PATIENCE):
            while True:
                told = await asyncio.to_thread(envoy.stats, name)
                paused = told[f"{name}_paused_reading_total"]
                if paused > told[f"{name}_resumed_reading_total"]:
                    break
        credentials = grpc.ssl_channel_credentials(envoy.ca.read_bytes())
        async with grpc.aio.secure_channel(envoy.address, credentials) as channel:
            fair = fairness_pb2_grpc.FairnessServiceStub(channel)
            got = 0
            async for part in fair.GetGameFile(fairness_pb2.GetGameFileRequest()):
                got += len(part.chunk)
        assert got == PARTS * PART
        assert len(source.left) == 2
        assert source.left[0] < MOST_ON_THE_WAY
        assert envoy.stats("cluster.dealers.upstream_cx_active") == {
            "cluster.dealers.upstream_cx_active": 1
        }
        deaf.hang_up()


async def test_who_asks_too_often_by_one_connection_is_refused_there(tmp_path: Path) -> None:
    """As RESOURCE_EXHAUSTED, and nobody else is."""
    async with before_dealer(tmp_path) as (service, envoy):
        trust = grpc.ssl_channel_credentials(envoy.ca.read_bytes())
        async with grpc.aio.secure_channel(envoy.address, trust) as channel:
            flooding = fairness_pb2_grpc.FairnessServiceStub(channel)
            request = fairness_pb2.GetKeyRequest()
            codes = set()
            while grpc.StatusCode.RESOURCE_EXHAUSTED not in codes:
                calls = [flooding.GetKey(request, metadata=BAD) for _ in range(50)]
                codes |= {await one.code() for one in calls}
        assert codes == {grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.RESOURCE_EXHAUSTED}
        answer = await Web(envoy).call("FairnessService/GetKey", request, service.header("ann"))
        assert answer.code == 0


async def test_bad_tokens_count_for_who_sent_them_and_not_for_envoy(tmp_path: Path) -> None:
    """Also where a caller says that it is another."""
    limits = replace(UNHURRIED, bad_tokens=1, proxies=(ip_network("127.0.0.1/32"),))
    said = (*BAD, ("x-forwarded-for", "192.0.2.1"))
    request = fairness_pb2.GetKeyRequest()
    async with before_dealer(tmp_path, limits=limits) as (service, envoy):
        trust = grpc.ssl_channel_credentials(envoy.ca.read_bytes())
        async with grpc.aio.secure_channel(envoy.address, trust) as channel:
            fair = fairness_pb2_grpc.FairnessServiceStub(channel)
            reasons = [(await refusal(fair.GetKey(request, metadata=said))).reason]
            while reasons[-1] != "RATE_LIMITED":
                assert reasons[-1] == "TOKEN_INVALID"
                reasons.append((await refusal(fair.GetKey(request, metadata=said))).reason)
        # The caller is over its limit; neither who it said it was is, nor Envoy's own address.
        for whose in (said, BAD):
            told = await refusal(service.fair.GetKey(request, metadata=whose))
            assert told.reason == "TOKEN_INVALID"


async def test_what_failed_is_written_down_without_a_token(tmp_path: Path) -> None:
    """One line of JSON; a call that went well is none."""
    async with before_dealer(tmp_path) as (service, envoy):
        web = Web(envoy)
        request = fairness_pb2.GetKeyRequest()
        ann = service.header("ann")
        assert (await web.call("FairnessService/GetKey", request, ann)).code == 0
        listing = fairness_pb2.ListEntriesRequest(game="0" * 32)
        answer = await web.call("FairnessService/ListEntries", listing, ann)
        assert answer.code == 5
        line = await asyncio.to_thread(envoy.wait_for, '"event":"proxied"')
        told = json.loads(line)
        assert told["path"] == "/cutcard.v1.FairnessService/ListEntries"
        assert (told["status"], told["grpc_status"]) == (200, "NOT_FOUND")
        assert told["address"] == "127.0.0.1"
        assert told["upstream_host"] == service.address
        token = dict(ann)["authorization"].split()[1]
        for secret in (token, *token.split(".")):
            assert not [one for one in envoy.log if secret in one]
        assert len([one for one in envoy.log if '"event":"proxied"' in one]) == 1


async def test_a_callers_word_on_retries_and_timeouts_counts_for_nothing(tmp_path: Path) -> None:
    """Headers that steer Envoy itself are dropped, also where the caller's network is private."""
    async with before_dealer(tmp_path) as (service, envoy):
        trust = grpc.ssl_channel_credentials(envoy.ca.read_bytes())
        async with grpc.aio.secure_channel(envoy.address, trust) as channel:
            fair = fairness_pb2_grpc.FairnessServiceStub(channel)
            steering = (
                ("x-envoy-retry-grpc-on", "unauthenticated,unavailable"),
                ("x-envoy-max-retries", "5"),
                ("x-envoy-upstream-rq-timeout-ms", "1"),
                *service.header("ann"),
            )
            listing = fairness_pb2.ListEntriesRequest(game="0" * 32)
            told = await refusal(fair.ListEntries(listing, metadata=steering))
        assert told.reason == "NO_SUCH_GAME"
        stats = envoy.stats("cluster.dealers.upstream_rq_(retry|timeout)$")
        assert set(stats.values()) == {0}


async def test_a_stream_ends_by_its_callers_deadline_as_such(tmp_path: Path) -> None:
    """And never as INTERNAL, which is what a stream is to its caller that Envoy ends."""
    async with before_dealer(tmp_path) as (service, envoy):
        game = await service.open_game()
        trust = grpc.ssl_channel_credentials(envoy.ca.read_bytes())
        async with grpc.aio.secure_channel(envoy.address, trust) as channel:
            play = play_pb2_grpc.PlayServiceStub(channel)

            async def watch() -> grpc.StatusCode:
                header = service.header("eve", Role.WATCHER)
                stream = play.Watch(watching(game), metadata=header, timeout=0.5)
                try:
                    async for _ in stream:
                        pass
                except grpc.aio.AioRpcError as error:
                    return error.code()
                raise AssertionError(game)

            ended = await asyncio.gather(*(watch() for _ in range(30)))
    assert set(ended) == {grpc.StatusCode.DEADLINE_EXCEEDED}


async def test_collectors_have_two_pages_and_the_rest_is_on_loopback(tmp_path: Path) -> None:
    async with before_dealer(tmp_path) as (_, envoy):

        def get(path: str, method: str = "GET") -> int:
            request = urllib.request.Request(envoy.collectors + path, method=method)
            try:
                with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                    return int(answer.status)
            except urllib.error.HTTPError as error:
                return error.code

        got = {
            (method, path): await asyncio.to_thread(get, path, method)
            for method in ("GET", "POST")
            for path in (
                "/ready",
                "/stats/prometheus",
                "/stats",
                "/config_dump",
                "/quitquitquit",
            )
        }
    assert [key for key, status in got.items() if status == 200] == [
        ("GET", "/ready"),
        ("GET", "/stats/prometheus"),
    ]
    assert shipped()["admin"]["address"]["socket_address"]["address"] == "127.0.0.1"


def manager() -> Any:
    """Give the part of the shipped file that handles callers' calls."""
    (callers,) = [
        one for one in shipped()["static_resources"]["listeners"] if one["name"] == "callers"
    ]
    return callers["filter_chains"][0]["filters"][0]["typed_config"]


def routes() -> Iterator[tuple[str, Any]]:
    (host,) = manager()["route_config"]["virtual_hosts"]
    for route in host["routes"]:
        if "route" in route:
            yield route["name"], route["route"]


class TestTheShippedFile:
    """What takes hours to see, read from the file itself."""

    def test_no_stream_ends_for_being_quiet_or_long(self) -> None:
        assert manager()["stream_idle_timeout"] == "0s"
        assert "max_stream_duration" not in manager()["common_http_protocol_options"]
        streams = {name: one for name, one in routes() if name.endswith("streams")}
        assert set(streams) == {"dealer-a-streams", "dealer-b-streams", "streams"}
        for one in streams.values():
            assert (one["timeout"], one["idle_timeout"]) == ("0s", "0s")
            # Nothing of Envoy's; the caller's own deadline counts.
            assert set(one["max_stream_duration"].values()) == {"0s"}

    def test_a_call_has_its_callers_deadline_and_two_minutes_at_most(self) -> None:
        calls = {name: one for name, one in routes() if name.endswith("calls")}
        assert set(calls) == {"dealer-a-calls", "dealer-b-calls", "calls"}
        for one in calls.values():
            assert set(one["max_stream_duration"].values()) == {"120s"}

    def test_every_method_of_the_contract_is_a_call_or_a_stream_or_nobody_s(self) -> None:
        """A request that has no end is nobody's: it is never whole, and its calls are not seen."""
        (host,) = manager()["route_config"]["virtual_hosts"]
        patterns = {}
        for kind in ("streams", "calls"):
            (patterns[kind],) = {
                one["match"]["safe_regex"]["regex"]
                for one in host["routes"]
                if one["name"].endswith(kind)
            }
        endless = set()
        for messages in (play_pb2, operate_pb2, tournament_pb2, fairness_pb2):
            for name, contract in messages.DESCRIPTOR.services_by_name.items():
                for method in contract.methods:
                    path = f"/cutcard.v1.{name}/{method.name}"
                    # Streams stand first, and what is one comes to no call's route.
                    kinds = [kind for kind, one in patterns.items() if re.fullmatch(one, path)]
                    if method.client_streaming:
                        endless.add(method.name)
                        assert kinds == [], path
                    elif method.server_streaming:
                        assert kinds[0] == "streams", path
                    else:
                        assert kinds == ["calls"], path
        assert endless == {"Session"}

    def test_only_what_no_dealer_has_seen_is_tried_again(self) -> None:
        (host,) = manager()["route_config"]["virtual_hosts"]
        safe = {"connect-failure", "refused-stream", "reset-before-request"}
        assert set(host["retry_policy"]["retry_on"].split(",")) == safe
        assert not [name for name, one in routes() if "retry_policy" in one]

    def test_the_window_of_a_connection_holds_those_of_all_its_streams(self) -> None:
        clusters = shipped()["static_resources"]["clusters"]
        for one in clusters:
            if one["name"] == "administration":
                continue
            ((options),) = one["typed_extension_protocol_options"].values()
            http2 = options["explicit_http_config"]["http2_protocol_options"]
            windows = http2["max_concurrent_streams"] * http2["initial_stream_window_size"]
            assert http2["initial_connection_window_size"] >= windows

    def test_no_dealer_is_taken_out_but_by_its_own_word(self) -> None:
        """And never out of reach of who names it."""
        clusters = {one["name"]: one for one in shipped()["static_resources"]["clusters"]}
        assert not [name for name, one in clusters.items() if "outlier_detection" in one]
        assert [name for name, one in clusters.items() if "health_checks" in one] == ["dealers"]

    def test_envoy_takes_it_without_a_warning(self, tmp_path: Path) -> None:
        assert faults_of(SHIPPED, program()) == ""
        outdated = shipped()
        outdated["static_resources"]["clusters"][0]["dns_refresh_rate"] = "5s"
        (tmp_path / "envoy.yaml").write_text(dump(outdated))
        assert "deprecated" in faults_of(tmp_path / "envoy.yaml", program()).lower()

    def test_for_its_own_nodes_it_is_the_same(self) -> None:
        nodes = {name: (name, 50051) for name in ("dealer-a", "dealer-b")}
        assert for_nodes(shipped(), nodes) == shipped()

    @pytest.mark.parametrize("count", [1, 3])
    def test_for_other_nodes_each_has_its_routes_and_cluster(self, count: int) -> None:
        nodes = {f"dealer-{one}": (f"dealer-{one}.dealer", 50051) for one in range(count)}
        config = for_nodes(shipped(), nodes)
        clusters = {one["name"]: one for one in config["static_resources"]["clusters"]}
        assert set(clusters) == {"dealers", "administration", *nodes}
        ends = clusters["dealers"]["load_assignment"]["endpoints"][0]["lb_endpoints"]
        assert [one["endpoint"]["hostname"] for one in ends] == [host for host, _ in nodes.values()]
        assert "dealer-a" not in json.dumps(config)
        assert "dealer-b" not in json.dumps(config)
