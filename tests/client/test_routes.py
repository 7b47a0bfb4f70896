"""Which node a call goes to, and to which addresses a token never does."""

import asyncio

import grpc
import pytest

from cutcard.v1 import fairness_pb2
from dealer_service.client import routes as module
from dealer_service.client.routes import AddressError, Routes

ONE, TWO, THREE = (f"127.0.0.1:{port}" for port in (1, 2, 3))
GAME, OTHER = "ab" * 16, "cd" * 16

NO_ADDRESSES = [
    "",
    "127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:65536",
    ":50051",
    "::1:50051",
    "[::1:50051",
    "[localhost]:1",
    "unix:/tmp/dealer",
    "unix:///tmp/dealer:1",
    "dns:///127.0.0.1:1",
    "127.0.0.1:1/path",
    "user@127.0.0.1:1",
    "127.0.0.1:1,127.0.0.1:2",
    "local host:1",
    "localhost:1\n",
    "local\0host:1",
    "localhost:\uff11",
    "a" * 300 + ":1",
]
ABROAD = ["dealer.example.com:443", "10.0.0.1:50051", "0.0.0.0:50051", "[2001:db8::1]:50051"]
HERE = ["127.0.0.1:50051", "127.9.9.9:1", "localhost:50051", "[::1]:50051"]


@pytest.mark.parametrize("address", NO_ADDRESSES)
def test_what_is_no_address_is_neither_configured_nor_taken_from_a_dealer(address: str) -> None:
    trusted = grpc.ssl_channel_credentials()
    with pytest.raises(AddressError, match="is no address"):
        Routes([address], trusted)
    routes = Routes([ONE], trusted)
    with pytest.raises(AddressError, match="is no address"):
        routes.name_owner(GAME, address)
    assert routes.address(GAME) == ONE


@pytest.mark.parametrize("address", ABROAD)
def test_in_the_clear_only_loopback_is_called_whoever_names_the_address(address: str) -> None:
    with pytest.raises(AddressError, match="not on loopback"):
        Routes([address])
    routes = Routes([ONE])
    with pytest.raises(AddressError, match="not on loopback"):
        routes.name_owner(GAME, address)
    assert routes.address(GAME) == ONE
    for allowed in (
        Routes([ONE], allow_plaintext=True),
        Routes([ONE], grpc.ssl_channel_credentials()),
    ):
        allowed.name_owner(GAME, address)
        assert allowed.address(GAME) == address


@pytest.mark.parametrize("address", HERE)
def test_on_loopback_nothing_has_to_be_allowed(address: str) -> None:
    assert Routes([address]).home == address


def test_a_dealer_has_an_address() -> None:
    with pytest.raises(AddressError, match="one address at least"):
        Routes([])


def test_the_calls_of_a_game_go_to_its_owner_and_no_others() -> None:
    routes = Routes([ONE])
    routes.name_owner(GAME, TWO)
    assert [routes.address(game) for game in (GAME, OTHER, "")] == [TWO, ONE, ONE]


def test_a_game_that_goes_on_is_looked_for_at_the_same_node() -> None:
    routes = Routes([ONE])
    routes.go_on(GAME, OTHER)
    assert routes.address(OTHER) == ONE
    routes.name_owner(GAME, TWO)
    routes.go_on(GAME, OTHER)
    assert routes.address(OTHER) == TWO


def test_an_owner_that_is_gone_is_left_for_a_configured_address() -> None:
    routes = Routes([ONE, THREE])
    routes.name_owner(GAME, TWO)
    routes.lost(GAME, TWO)
    assert routes.address(GAME) == ONE
    # What another call found out meanwhile stays.
    routes.name_owner(GAME, THREE)
    routes.lost(GAME, TWO)
    assert routes.address(GAME) == THREE


def test_configured_addresses_are_tried_in_turn() -> None:
    routes = Routes([ONE, TWO, THREE])
    seen = []
    for _ in range(4):
        seen.append(routes.home)
        routes.lost("", routes.home)
    assert seen == [ONE, TWO, THREE, ONE]
    # Whoever still called the one before moves nobody on.
    routes.lost("", ONE)
    assert routes.home == TWO


def test_owners_are_remembered_of_so_many_games_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_GAMES", 2)
    routes = Routes([ONE])
    for number in range(3):
        routes.name_owner(f"{number:032x}", TWO)
    assert [routes.address(f"{number:032x}") for number in range(3)] == [ONE, TWO, TWO]


async def test_a_channel_is_shared_and_closed_when_nothing_needs_it() -> None:
    routes = Routes([ONE])
    async with routes.use() as first, routes.use(GAME) as second:
        assert first is second
    routes.name_owner(GAME, TWO)
    routes.name_owner(OTHER, TWO)
    async with routes.use(GAME) as link:
        async with routes.use(OTHER) as same:
            assert link is same
        routes.name_owner(GAME, THREE)
        routes.name_owner(OTHER, THREE)
        # A stream still runs on it.
        assert set(routes._links) == {ONE, TWO}
    assert set(routes._links) == {ONE}
    await routes.close()
    assert not routes._links


async def test_a_stream_hears_when_its_game_is_named_elsewhere() -> None:
    routes = Routes([ONE])
    at_one, at_two = routes.moved(GAME, ONE), routes.moved(GAME, TWO)
    routes.name_owner(OTHER, TWO)
    routes.lost(GAME, ONE)
    assert not at_one.done()
    routes.name_owner(GAME, TWO)
    assert at_one.done()
    assert not at_two.done()
    at_two.cancel()
    await asyncio.sleep(0)
    assert not routes._waiting


async def test_many_callers_of_a_process_do_not_all_share_one_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A dealer takes only so many streams on each, and each player of a table watches it."""
    monkeypatch.setattr(module, "SHARING", 2)
    connected = asyncio.Semaphore(0)

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.release()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    callers = [Routes([f"127.0.0.1:{port}"]) for _ in range(4)]
    asking = [asyncio.ensure_future(_ask(each)) for each in callers]
    async with asyncio.timeout(30):
        await connected.acquire()
        await connected.acquire()
    for task in asking:
        task.cancel()
    await asyncio.gather(*asking, return_exceptions=True)
    for each in callers:
        await each.close()
    server.close()


async def _ask(routes: Routes) -> None:
    async with routes.use("") as link:
        await link.fairness.GetKey(fairness_pb2.GetKeyRequest(), wait_for_ready=True)
