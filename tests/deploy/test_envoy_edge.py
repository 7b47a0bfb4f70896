"""Envoy, as it is shipped, before callers who mean ill and have no token.

Where a limit is out of a test's reach, that limit alone is set lower; the shipped value is read
from the file.
"""

import asyncio
import http.client
import re
import socket
import ssl
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from cutcard.v1 import play_pb2
from dealer_service.access.roles import Role
from deploy.envoy.for_nodes import shipped
from tests.support.bare_http2 import PREFACE, frame, literal
from tests.support.envoy import PATIENCE, Config, Envoy, envoy_before, envoy_beside
from tests.support.grpc_web import Web, WebAnswer
from tests.support.service import serving, watching

NODE = "dealer-a"
NOBODY = {NODE: "127.0.0.1:1"}
"""A dealer that is not there: what is tried here comes to none."""
TABLE = "/cutcard.v1.PlayService/GetTable"
END_STREAM, END_HEADERS = 1, 4
DATA, HEADERS, PRIORITY, RST, SETTINGS, PING, WINDOW, CONTINUATION = 0, 1, 2, 3, 4, 6, 8, 9
SHORT = "0.3s"
FEW = 20


def manager(config: Config) -> Any:
    """Give the part of a configuration that handles callers' calls."""
    (callers,) = [
        one for one in config["static_resources"]["listeners"] if one["name"] == "callers"
    ]
    return callers["filter_chains"][0]["filters"][0]["typed_config"]


def hang_up(config: Config) -> None:
    """Have Envoy hang up soon behind an answer that is its last."""
    manager(config)["delayed_close_timeout"] = "0.05s"


def hurry(config: Config) -> None:
    """Have Envoy wait for a short while for what may take long."""
    hang_up(config)
    (callers,) = [
        one for one in config["static_resources"]["listeners"] if one["name"] == "callers"
    ]
    callers["filter_chains"][0]["transport_socket_connect_timeout"] = SHORT
    manager(config)["request_headers_timeout"] = SHORT
    manager(config)["request_timeout"] = SHORT


@pytest.fixture(scope="module")
def edge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Envoy]:
    with envoy_before(NOBODY, tmp_path_factory.mktemp("edge"), change=hang_up) as envoy:
        yield envoy


@pytest.fixture(scope="module")
def hurried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Envoy]:
    folder = tmp_path_factory.mktemp("hurried")
    with envoy_before(NOBODY, folder, change=hurry) as envoy:
        yield envoy


def plain(envoy: Envoy, source: str = "127.0.0.1") -> socket.socket:
    """Connect, and say nothing."""
    port = int(envoy.address.rpartition(":")[2])
    return socket.create_connection(("127.0.0.1", port), PATIENCE, (source, 0))


def trust(envoy: Envoy, protocol: str) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(envoy.ca))
    context.set_alpn_protocols([protocol])
    return context


@contextmanager
def speaking(envoy: Envoy, protocol: str) -> Iterator[ssl.SSLSocket]:
    """Shake hands, by HTTP/1.1 or 2."""
    with (
        plain(envoy) as bare,
        trust(envoy, protocol).wrap_socket(bare, server_hostname="localhost") as made,
    ):
        yield made


def read_to_the_end(made: socket.socket) -> bytes:
    """Read until the other side hangs up; TimeoutError where it does not."""
    got = b""
    try:
        while part := made.recv(65536):
            got += part
    except ConnectionError:
        pass
    return got


class TestWhoIsSlow:
    """Nothing that is begun and not finished is waited for."""

    def test_no_handshake(self, hurried: Envoy) -> None:
        with plain(hurried) as made:
            assert read_to_the_end(made) == b""

    @pytest.mark.parametrize(
        "said",
        [
            "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: a",
            f"POST {TABLE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx",
            f"POST {TABLE} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1;a",
        ],
    )
    def test_half_a_request(self, hurried: Envoy, said: str) -> None:
        with speaking(hurried, "http/1.1") as made:
            made.sendall(said.encode())
            assert b" 408 Request Timeout" in made.recv(65536)

    def test_half_a_request_of_http2(self, hurried: Envoy) -> None:
        """The stream is reset; of the header block that is never whole, too."""
        with speaking(hurried, "h2") as made:
            made.sendall(PREFACE + frame(SETTINGS, 0, 0, b"") + frame(HEADERS, 0, 1, request()))
            assert frame(RST, 0, 1, b"")[3:9] in read_until(made, RST)
        with speaking(hurried, "h2") as made:
            headers = frame(HEADERS, END_HEADERS, 1, request())
            made.sendall(PREFACE + frame(SETTINGS, 0, 0, b"") + headers + frame(DATA, 0, 1, b"x"))
            assert frame(RST, 0, 1, b"")[3:9] in read_until(made, RST)

    def test_by_the_shipped_file_it_is_seconds(self) -> None:
        (callers,) = [
            one for one in shipped()["static_resources"]["listeners"] if one["name"] == "callers"
        ]
        assert callers["filter_chains"][0]["transport_socket_connect_timeout"] == "10s"
        assert manager(shipped())["request_headers_timeout"] == "10s"
        assert manager(shipped())["request_timeout"] == "15s"


def request() -> bytes:
    """Write the header block of a call."""
    fields = {
        ":method": "POST",
        ":scheme": "https",
        ":path": TABLE,
        ":authority": "localhost",
        "content-type": "application/grpc",
        "te": "trailers",
    }
    return b"".join(literal(name, value) for name, value in fields.items())


def read_until(made: ssl.SSLSocket, kind: int) -> bytes:
    """Read until a frame of a kind has come, and give all that came."""
    got = b""
    while kind not in kinds(got):
        part = made.recv(65536)
        assert part, got
        got += part
    return got


def kinds(got: bytes) -> set[int]:
    """Give the kinds of the frames that are whole."""
    found, at = set(), 0
    while len(got) >= at + 9:
        found.add(got[at + 3])
        at += 9 + int.from_bytes(got[at : at + 3])
    return found


class TestWhoSaysTooMuch:
    def test_headers_of_more_than_16_kib(self, edge: Envoy) -> None:
        with speaking(edge, "http/1.1") as made:
            head = f"GET / HTTP/1.1\r\nHost: localhost\r\nX-Much: {'a' * 17_000}\r\n\r\n"
            made.sendall(head.encode())
            assert b" 431 Request Header Fields Too Large" in read_to_the_end(made)

    def test_more_than_64_headers(self, edge: Envoy) -> None:
        with speaking(edge, "http/1.1") as made:
            many = "".join(f"X-{number}: a\r\n" for number in range(70))
            made.sendall(f"GET / HTTP/1.1\r\nHost: localhost\r\n{many}\r\n".encode())
            assert b" 431 Request Header Fields Too Large" in read_to_the_end(made)

    @pytest.mark.parametrize(
        "more",
        [
            literal("x-much", "a" * 9_000) + literal("x-more", "a" * 9_000),
            b"".join(literal(f"x-{number}", "a") for number in range(70)),
        ],
        ids=["18 KiB", "70 headers"],
    )
    def test_the_same_by_http2(self, edge: Envoy, more: bytes) -> None:
        with speaking(edge, "h2") as made:
            block = request() + more
            parts = [frame(HEADERS, END_STREAM, 1, block[:10_000])]
            parts.append(frame(CONTINUATION, END_HEADERS, 1, block[10_000:]))
            made.sendall(PREFACE + frame(SETTINGS, 0, 0, b"") + b"".join(parts))
            assert frame(RST, 0, 1, b"")[3:9] in read_until(made, RST)

    def test_two_lengths_of_one_request(self, edge: Envoy) -> None:
        """As smuggling a second request behind the first begins."""
        with speaking(edge, "http/1.1") as made:
            lengths = "Content-Length: 4\r\nTransfer-Encoding: chunked"
            made.sendall(f"POST {TABLE} HTTP/1.1\r\nHost: x\r\n{lengths}\r\n\r\n0\r\n\r\n".encode())
            assert b" 400 Bad Request" in read_to_the_end(made)


def reset(number: int) -> bytes:
    """Ask, and take it back at once (CVE-2023-44487)."""
    stream = 2 * number + 1
    asked = frame(HEADERS, END_HEADERS, stream, request())
    return asked + frame(RST, 0, stream, (8).to_bytes(4))


FLOODS: dict[str, tuple[bytes, Callable[[int], bytes]]] = {
    "pings": (b"", lambda _: frame(PING, 0, 0, bytes(8))),
    "settings": (b"", lambda _: frame(SETTINGS, 0, 0, b"")),
    "priorities": (b"", lambda _: frame(PRIORITY, 0, 1, bytes(5))),
    "windows": (b"", lambda _: frame(WINDOW, 0, 0, (1).to_bytes(4))),
    "resets": (b"", reset),
    "empty data": (
        frame(HEADERS, END_HEADERS, 1, request()),
        lambda _: frame(DATA, 0, 1, b""),
    ),
    "empty headers": (
        frame(HEADERS, 0, 1, request()),
        lambda _: frame(CONTINUATION, 0, 1, b""),
    ),
    "endless headers": (
        frame(HEADERS, 0, 1, request()),
        lambda number: frame(CONTINUATION, 0, 1, literal(f"x-{number}", "a" * 1000)),
    ),
}


@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_of_frames_ends_its_connection(edge: Envoy, name: str) -> None:
    first, more = FLOODS[name]
    with speaking(edge, "h2") as made:
        numbers = count()
        try:
            made.sendall(PREFACE + frame(SETTINGS, 0, 0, b"") + first)
            # Far more than any limit of Envoy's for one connection.
            for _ in range(200):
                made.sendall(b"".join(more(next(numbers)) for _ in range(500)))
        except (ConnectionError, ssl.SSLError):
            return
        read_to_the_end(made)


def few_connections(config: Config) -> list[Any]:
    """Have Envoy take few connections; give the actions that it has against too many."""
    (monitor,) = [
        one["typed_config"]
        for one in config["overload_manager"]["resource_monitors"]
        if "downstream_connections" in one["typed_config"]["@type"]
    ]
    assert monitor["max_active_downstream_connections"] == 10_000
    monitor["max_active_downstream_connections"] = FEW
    actions: list[Any] = config["overload_manager"]["actions"]
    return actions


def few_that_stay(config: Config) -> None:
    actions = few_connections(config)
    actions[:] = [one for one in actions if "reduce_timeouts" not in one["name"]]


def few_that_go(config: Config) -> None:
    for action in few_connections(config):
        if action["name"].endswith("reduce_timeouts"):
            for timer in action["typed_config"]["timer_scale_factors"]:
                assert timer["min_timeout"] in {"5s", "2s"}
                timer["min_timeout"] = SHORT


def take_all(envoy: Envoy, kept: ExitStack) -> None:
    """Shake hands until Envoy takes no more, and call nothing."""
    with suppress(OSError):
        for _ in range(FEW + 1):
            kept.enter_context(speaking(envoy, "h2"))


class TestWhoTakesAllConnections:
    """Envoy knows no limit by address: it can let nobody keep for long what is not used."""

    def test_probes_and_collectors_are_answered_all_the_same(self, tmp_path: Path) -> None:
        """They are told that callers are refused, and not that Envoy is gone."""
        with (
            envoy_before(NOBODY, tmp_path / "proxy", change=few_that_stay) as envoy,
            ExitStack() as kept,
        ):
            take_all(envoy, kept)
            for page in ("/ready", "/stats/prometheus"):
                with urllib.request.urlopen(envoy.collectors + page, timeout=PATIENCE) as answer:
                    assert answer.status == 200
                    text = answer.read().decode()
            refused = re.findall(
                r"^envoy_listener_downstream_global_cx_overflow\{.*\} (\d+)$", text, re.MULTILINE
            )
            assert sum(map(int, refused)) > 0

    async def test_who_plays_stays_and_newcomers_come_in_again(self, tmp_path: Path) -> None:
        async with (
            serving(tmp_path / "dealer") as service,
            envoy_beside({NODE: service.address}, tmp_path / "proxy", change=few_that_go) as envoy,
        ):
            web = Web(envoy)
            game = await service.open_game()
            eve = service.header("eve", Role.WATCHER)
            stream = await web.stream("PlayService/Watch", watching(game), eve)
            assert await stream.next() is not None
            with ExitStack() as kept:
                await asyncio.to_thread(take_all, envoy, kept)
                overflow = envoy.stats("listener.*downstream_global_cx_overflow")
                assert sum(overflow.values()) > 0
                assert (await until_let_in(web, game, eve)).code == 0
            await service.close_game(game)
            while b"game_closed" not in (told := await stream.next() or b""):
                assert told
            stream.close()


async def until_let_in(web: Web, game: str, header: Any) -> WebAnswer:
    """Call until a connection is taken."""
    table = play_pb2.GetTableRequest(game=game)
    async with asyncio.timeout(PATIENCE):
        while True:
            with suppress(OSError, http.client.HTTPException):
                return await web.call("PlayService/GetTable", table, header)


def little_for_an_address(config: Config) -> None:
    (limit,) = [
        one["typed_config"]
        for one in manager(config)["http_filters"]
        if one.get("typed_config", {}).get("stat_prefix") == "addresses"
    ]
    (descriptor,) = limit["descriptors"]
    assert descriptor["token_bucket"]["max_tokens"] == 2000
    descriptor["token_bucket"] = {"max_tokens": 10, "tokens_per_fill": 1, "fill_interval": "3600s"}


def test_an_address_has_its_share_however_many_connections_it_has(tmp_path: Path) -> None:
    """And no other address has less of its own for it."""
    numbers = count(1)
    with envoy_before(NOBODY, tmp_path / "proxy", change=little_for_an_address) as envoy:

        def status_from(source: str) -> int:
            host, _, port = envoy.address.rpartition(":")
            made = http.client.HTTPSConnection(
                host,
                int(port),
                timeout=PATIENCE,
                source_address=(source, 0),
                context=trust(envoy, "http/1.1"),
            )
            try:
                # Whoever it says that it is.
                said = f"192.0.2.{next(numbers)}"
                made.request("GET", "/", headers={"X-Forwarded-For": said})
                return made.getresponse().status
            finally:
                made.close()

        assert [status_from("127.0.0.1") for _ in range(12)] == [404] * 10 + [429] * 2
        assert [status_from("127.0.0.2") for _ in range(12)] == [404] * 10 + [429] * 2
