"""Which of several dealers a call through Envoy goes to: by headers, health and death."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from cutcard.v1 import play_pb2
from dealer_service.access.roles import Role
from dealer_service.rpc.health import Ailment
from tests.support.envoy import Config, Envoy, envoy_beside
from tests.support.grpc_web import Web
from tests.support.nodes import Nodes, moved, sharing
from tests.support.service import (
    PATIENCE,
    Service,
    calling,
    fresh_id,
    seated,
    stop,
    waiting,
    watching,
)

ONE, TWO = "dealer-a", "dealer-b"


@asynccontextmanager
async def two_dealers(folder: Path, **how: Any) -> AsyncIterator[tuple[Nodes, Envoy, Web]]:
    """Run two dealers on one store, and Envoy before both."""
    dealers = folder / "dealers"
    dealers.mkdir()
    async with sharing(dealers, ONE, TWO) as nodes:
        at = {name: service.address for name, service in nodes.services.items()}
        async with envoy_beside(at, folder / "proxy", **how) as envoy:
            yield nodes, envoy, Web(envoy)


def about(service: Service, game: str, node: str = "", name: str = "ann") -> list[tuple[str, str]]:
    """Give the headers of a call about a game; with `node` as after GAME_ELSEWHERE."""
    header = [*service.header(name), ("cutcard-game", game)]
    return [*header, ("cutcard-node", node)] if node else header


async def table(web: Web, service: Service, game: str, node: str = "") -> Any:
    """Ask for a table, which only its owner tells."""
    request = play_pb2.GetTableRequest(game=game)
    return await web.call("PlayService/GetTable", request, about(service, game, node))


async def test_a_game_s_callers_come_to_one_dealer_time_and_again(tmp_path: Path) -> None:
    """By the name of the game alone: each of many games has its dealer, and both have some."""
    async with two_dealers(tmp_path) as (nodes, _, web):
        one = nodes.services[ONE]
        owned = [await one.open_game() for _ in range(24)]
        there: dict[str, set[bool]] = {game: set() for game in owned}
        for _ in range(2):
            for game in owned:
                answer = await table(web, one, game)
                at_owner = answer.code == 0
                if not at_owner:
                    assert answer.refusal.reason == "GAME_ELSEWHERE"
                    assert answer.refusal.metadata["node"] == ONE
                there[game].add(at_owner)
        assert all(len(found) == 1 for found in there.values())
        assert {found.pop() for found in there.values()} == {True, False}


async def test_who_is_sent_on_comes_to_the_owner_by_its_name(tmp_path: Path) -> None:
    """GAME_ELSEWHERE names the node, and the same call with that name is served there."""
    async with two_dealers(tmp_path) as (nodes, _, web):
        games = {name: await nodes.services[name].open_game() for name in (ONE, TWO)}
        for owner, other in ((ONE, TWO), (TWO, ONE)):
            service, game = nodes.services[owner], games[owner]
            answer = await table(web, service, game, other)
            assert answer.refusal.reason == "GAME_ELSEWHERE"
            node = answer.refusal.metadata["node"]
            assert node == owner
            assert (await table(web, service, game, node)).code == 0


async def test_a_node_that_is_none_is_nobody(tmp_path: Path) -> None:
    """UNAVAILABLE, on which a client asks again without the name; no other cluster is to be had."""
    async with two_dealers(tmp_path) as (nodes, _, web):
        one = nodes.services[ONE]
        game = await one.open_game()
        for name in ("dealer-c", "dealers", "administration", f"{ONE},{TWO}", "DEALER-A", " "):
            answer = await table(web, one, game, name)
            assert answer.status == 503, name
        # A header without a name is none.
        request = play_pb2.GetTableRequest(game=game)
        header = [*one.header("ann"), ("cutcard-node", "")]
        answer = await web.call("PlayService/GetTable", request, header)
        assert answer.status == 503


async def test_a_grpc_client_reads_that_as_unavailable(tmp_path: Path) -> None:
    async with two_dealers(tmp_path) as (nodes, envoy, _):
        one = nodes.services[ONE]
        trust = grpc.ssl_channel_credentials(envoy.ca.read_bytes())
        async with grpc.aio.secure_channel(envoy.address, trust) as channel:
            through = Service(one.dealer, one.clock, channel)
            request = play_pb2.GetTableRequest(game="0" * 32)
            try:
                await through.play.GetTable(request, metadata=about(one, "0" * 32, "dealer-c"))
            except grpc.aio.AioRpcError as error:
                told = (error.code(), error.details())
            assert told == (grpc.StatusCode.UNAVAILABLE, "there is no such node here")
            health = health_pb2_grpc.HealthStub(channel)
            answer = await health.Check(health_pb2.HealthCheckRequest())
            assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_a_dealer_that_drains_plays_on_and_gets_no_newcomers(tmp_path: Path) -> None:
    """It is not SERVING, and its hand is played to its end by who names it."""
    async with two_dealers(tmp_path) as (nodes, envoy, web):
        one, two = nodes.services[ONE], nodes.services[TWO]
        game = await one.open_game(turn_ms=600_000)
        bots = await seated(one, game, "ann", "bob", policy=waiting)
        decision = await bots[0].until(lambda bot: bot.decision)
        mine = bots[decision.seat - 1]
        outlook = one.dealer._outlook
        assert outlook is not None
        outlook.health.ail(Ailment.DRAINING)
        await until_one_is_left(envoy, web)
        # Many games, which would have come to both.
        for _ in range(16):
            other = await two.open_game()
            answer = await table(web, two, other)
            assert answer.code == 0
        act = play_pb2.ActRequest(
            request_id=fresh_id(),
            game=game,
            hand=decision.hand,
            turn=decision.turn,
            act=play_pb2.ACT_FOLD,
        )
        header = about(one, game, name=mine.name)
        answer = await web.call("PlayService/Act", act, header)
        assert answer.refusal.metadata["node"] == ONE
        answer = await web.call("PlayService/Act", act, [*header, ("cutcard-node", ONE)])
        assert answer.code == 0
        await stop(bots)


async def until_one_is_left(envoy: Envoy, web: Web) -> None:
    """Return when Envoy has found that a dealer does not serve."""
    name = "cluster.dealers.membership_healthy"
    async with asyncio.timeout(PATIENCE):
        while await asyncio.to_thread(envoy.stats, name) != {name: 1}:
            pass
    # Its worker has been told before this call came.
    assert (await web.ask("GET", "/")).status == 404


async def test_a_dead_dealer_s_games_are_to_be_had_where_they_are_taken_over(
    tmp_path: Path,
) -> None:
    """By the game's name, whatever its dealer was; the name of the dead one is UNAVAILABLE."""
    async with two_dealers(tmp_path) as (nodes, _, web):
        one, two = nodes.services[ONE], nodes.services[TWO]
        game = await one.open_game(turn_ms=600_000, max_hands=1)
        bots = await seated(one, game, "ann", "bob", policy=waiting)
        await bots[0].until(lambda bot: bot.decision)
        eve = one.header("eve", Role.WATCHER)
        stream = await web.stream(
            "PlayService/Watch", watching(game), [*eve, ("cutcard-node", ONE)]
        )
        first = await stream.next()
        assert first is not None
        dead = nodes.kill(ONE)
        await dead.dealer.server.stop(0)
        while await stream.next() is not None:
            pass
        await nodes.lease()
        assert nodes.owner(game) == TWO
        assert (await table(web, two, game, ONE)).status == 503
        for _ in range(3):
            assert (await table(web, two, game)).code == 0
        stream = await web.stream(
            "PlayService/Watch", watching(game), [*eve, ("cutcard-game", game)]
        )
        assert await stream.next() is not None
        again = [moved(bot, two, policy=calling) for bot in bots]
        assert await again[0].until_over() == "end"
        stream.close()
        await stop([*bots, *again])


def check_once(config: Config) -> None:
    """Have Envoy ask for a dealer's health when it starts, and not again while a test runs."""
    (dealers,) = [one for one in config["static_resources"]["clusters"] if one["name"] == "dealers"]
    (check,) = dealers["health_checks"]
    check["interval"] = check["no_traffic_interval"] = "3600s"


async def test_until_a_dead_dealer_is_found_out_every_call_comes_to_another(
    tmp_path: Path,
) -> None:
    """Whichever game it is about: the health check takes two seconds, and nobody waits for it."""
    async with two_dealers(tmp_path, change=check_once) as (nodes, envoy, web):
        one, two = nodes.services[ONE], nodes.services[TWO]
        name = "cluster.dealers.membership_healthy"
        async with asyncio.timeout(PATIENCE):
            while await asyncio.to_thread(envoy.stats, name) != {name: 2}:
                pass
        nodes.kill(ONE)
        await one.dealer.server.stop(0)
        for number in range(64):
            answer = await table(web, two, f"{number:032x}")
            assert (answer.status, answer.refusal.reason) == (200, "NO_SUCH_GAME")
        assert envoy.stats(name) == {name: 2}
        assert envoy.stats("cluster.dealers.upstream_rq_retry_success")
