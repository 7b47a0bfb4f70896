"""People's games in a browser: the client for pages, through Envoy's gRPC-Web, at a real dealer.

A page in headless Chromium sits at a table, gives its own link, sees its cards, acts and saves its
record, by which `cutcard-audit verify --mine` says that each deck was mixed with what it gave.
"""

import asyncio
import base64
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import grpc.aio
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509 import load_pem_x509_certificate
from grpc_health.v1 import health_pb2, health_pb2_grpc
from selenium.webdriver import Chrome

from cutcard.v1 import fairness_pb2_grpc, play_pb2_grpc
from dealer_service.client.message import Message
from dealer_service.tables.clock import SystemClock
from tests.support import browser_client
from tests.support.browser import (
    DESKTOP,
    PHONE,
    browsing,
    complaints,
    find_barriers,
    missing,
    resize,
)
from tests.support.certificates import Authority, Issued
from tests.support.envoy import envoy_beside, program
from tests.support.fake_dealer import FakeDealer, token_for
from tests.support.nodes import sharing
from tests.support.service import PATIENCE, Service, seated, serving, stop, waiting
from tests.support.table_page import TablePage

Told = dict[str, Any]

UNHURRIED: Final[Told] = {"turn_ms": 600_000, "link_ms": 600_000, "pause_ms": 0}
"""Rules under which a page on a busy machine loses no hand for a link or an act that is late."""


@pytest.fixture(scope="session")
def dist() -> Path:
    """Build the client, once for all processes of the tests."""
    lacking = browser_client.missing()
    if lacking is not None:
        pytest.skip(lacking)
    return browser_client.built()


@pytest.fixture(scope="session")
def issued() -> Issued:
    """Make the certificate that Envoy shows to the browser."""
    return Authority("Envoy's CA").issue("envoy")


@pytest.fixture(scope="session")
def trusting(tmp_path_factory: pytest.TempPathFactory, issued: Issued) -> Iterator[Chrome]:
    """Start a browser that trusts that certificate, and no other that nobody signed."""
    lacking = missing()
    if lacking is not None:
        pytest.skip(lacking)
    program()
    key = load_pem_x509_certificate(issued.chain).public_key()
    public = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    pin = base64.b64encode(hashlib.sha256(public).digest()).decode()
    folder = tmp_path_factory.mktemp("table_browser")
    with browsing(folder, f"--ignore-certificate-errors-spki-list={pin}") as driver:
        yield driver


@pytest.fixture
def page(trusting: Chrome, dist: Path, tmp_path: Path) -> Iterator[TablePage]:
    """Serve the page at a place of the test's own, where nothing is kept yet."""
    resize(trusting, DESKTOP)
    complaints(trusting)
    downloads = tmp_path / "downloads"
    downloads.mkdir()
    with browser_client.page_served(dist) as url:
        yield TablePage(trusting, url, downloads)
        trusting.get("about:blank")


def token_of(header: tuple[tuple[str, str], ...]) -> str:
    return header[0][1].removeprefix("Bearer ")


def verify(game: Path, record: Path, key: str) -> tuple[int, dict[str, str]]:
    """Run the audit as a program of its own; its exit status, and its verdicts by promise."""
    command = [sys.executable, "-m", "audit_cli", "verify", str(game), "--key", key]
    ended = subprocess.run(
        [*command, "--mine", str(record), "--json"], capture_output=True, text=True, check=False
    )
    report = json.loads(ended.stdout)
    return ended.returncode, {one["promise"]: one["verdict"] for one in report["promises"]}


def test_the_client_s_own_tests_pass(dist: Path) -> None:
    """Its vectors, checks and calls, by the tools of its own world."""
    assert dist.exists()
    ended = browser_client.npm("test", "--silent")
    assert ended.returncode == 0, ended.stdout + ended.stderr


async def test_a_page_plays_a_hand_with_its_own_link(
    page: TablePage, issued: Issued, tmp_path: Path
) -> None:
    """Against a bot, to the reveal; the audit then says that its own randomness was in the deck."""
    dealt = serving(tmp_path / "dealer", clock=SystemClock())
    async with dealt as service, envoy_for(service, tmp_path, issued) as url:
        game = await service.open_game(**UNHURRIED)
        (bob,) = await seated(service, game, "bob")
        await page.come()
        await page.enter(**at(service, url, game))
        told = await page.until_told("your randomness is in this deck", "#mixed")
        assert "2 of 2 players" in told
        await page.until("return document.querySelectorAll('#cards .card').length === 2")
        await play_out(page, service, game, 1, tmp_path)
        await stop([bob])
        assert complaints(page.driver) == []


async def play_out(page: TablePage, service: Service, game: str, hand: int, folder: Path) -> Path:
    """Close a game in its last hand, and hold it to the page's record, which is given."""
    # The page may end the hand before the call that closes has come: no other one opens meanwhile.
    await service.pause(game)
    closing = asyncio.create_task(service.close_game(game))
    await page.play_on(f"The secret of hand {hand} is out")
    await page.until_told("The game is over for you", "#status")
    record = await page.download("#download", f"{game}.ann.record")
    place = folder / "game.jsonl"
    place.write_bytes(await service.file(game))
    await closing
    status, verdicts = await asyncio.to_thread(verify, place, record, service.key)
    assert verdicts["PLAYER-MIXED"] == "holds"
    assert status == 0, verdicts
    return record


def at(service: Service, url: str, game: str) -> dict[str, str]:
    token = token_of(service.header("ann"))
    return {"address": url, "game": game, "token": token, "key": service.key, "stack": "200"}


@asynccontextmanager
async def envoy_for(service: Service, folder: Path, issued: Issued) -> AsyncIterator[str]:
    dealers = {"dealer-a": service.address}
    async with envoy_beside(dealers, folder / "proxy", issued=issued) as envoy:
        yield envoy.url


async def test_a_page_that_is_reloaded_in_mid_hand_goes_on(
    page: TablePage, issued: Issued, tmp_path: Path
) -> None:
    """With the same chain and record: the hand ends, and the next one has its link, too."""
    dealt = serving(tmp_path / "dealer", clock=SystemClock())
    async with dealt as service, envoy_for(service, tmp_path, issued) as url:
        game = await service.open_game(**UNHURRIED)
        (bob,) = await seated(service, game, "bob")
        await page.come()
        await page.enter(**at(service, url, game))
        await page.until_told("your randomness is in this deck", "#mixed")
        await page.until("return !document.querySelector('#acts').disabled")
        cards = await page.text("#cards")
        await page.reload()
        await page.until("return document.querySelectorAll('#cards .card').length === 2")
        assert await page.text("#cards") == cards
        await page.play_on("Hand 2 begins")
        await page.until_told("Hand 2: your randomness is in this deck", "#mixed")
        record = await play_out(page, service, game, 2, tmp_path)
        await stop([bob])
        links = [json.loads(line) for line in record.read_text().splitlines() if '"link"' in line]
        assert [one["link"]["hand"] for one in links] == [1, 2]


async def test_a_page_refuses_a_dealer_whose_store_was_put_back(
    page: TablePage, issued: Issued, tmp_path: Path
) -> None:
    """It does not know that it opens a hand anew, and gets no link for it a second time."""
    folder, older = tmp_path / "dealer", tmp_path / "older"

    @asynccontextmanager
    async def dealing(proxy: str) -> AsyncIterator[tuple[Service, str]]:
        async with serving(folder, clock=SystemClock()) as service:
            dealers = {"dealer-a": service.address}
            async with envoy_beside(dealers, tmp_path / proxy, issued=issued) as envoy:
                yield service, envoy.url
                await page.forget()

    async with dealing("first") as (service, url):
        game = await service.open_game(**UNHURRIED)
        await service.pause(game)
        await stop(await seated(service, game, "bob"))
        await page.come()
        await page.enter(**at(service, url, game))
        await page.until_told("ann takes a seat", "#story")
    shutil.copytree(folder, older)
    async with dealing("second") as (service, url):
        await service.resume(game)
        await page.come()
        await page.enter(**at(service, url, game))
        await page.until_told("Hand 1", "#mixed")
        table = service.table(game)
        async with asyncio.timeout(PATIENCE):
            while not table.dealing.links:  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0)
    shutil.rmtree(folder)
    shutil.copytree(older, folder)
    async with dealing("third") as (service, url):
        await service.resume(game)
        await page.come()
        await page.enter(**at(service, url, game))
        told = await page.until_told("ROOT", "#mixed")
        assert "that was kept before is of other lines" in told
        assert service.table(game).dealing.links == {}


async def test_a_page_finds_the_dealer_that_has_its_game(
    page: TablePage, issued: Issued, tmp_path: Path
) -> None:
    """Of two, by GAME_ELSEWHERE and the header that Envoy goes by: for a game of each of them."""
    folder = tmp_path / "dealers"
    folder.mkdir()
    async with sharing(folder, "dealer-a", "dealer-b") as nodes:
        dealers = {name: one.address for name, one in nodes.services.items()}
        async with envoy_beside(dealers, tmp_path / "proxy", issued=issued) as envoy:
            for service in nodes.services.values():
                game = await service.open_game(**UNHURRIED)
                (bob,) = await seated(service, game, "bob")
                await page.come()
                await page.enter(**at(service, envoy.url, game))
                await page.until_told("your randomness is in this deck", "#mixed")
                await page.click("#leave")
                await page.until_told("The game is over for you", "#status")
                await stop([bob])


Change = Callable[[Told], None]


def told_otherwise(kind: str, change: Change) -> Any:
    """Tell ann a line of a kind otherwise than everybody else."""

    def tamper(player: str, message: Message) -> Message:
        marked = f'"{kind}":'.encode()
        if player != "ann" or not any(marked in line for line in message.lines):
            return message
        lines = []
        for line in message.lines:
            told = json.loads(line)
            if kind in told:
                change(told[kind])
            lines.append(json.dumps(told, sort_keys=True, separators=(",", ":")).encode())
        return replace(message, lines=tuple(lines))

    return tamper


def without_links(body: Told) -> None:
    body["links"] = [one for one in body["links"] if one["seat"] != 1]


def another_commitment(body: Told) -> None:
    body["commitment"] = "00" * 32


def another_anchor(body: Told) -> None:
    body["seats"][0]["anchor"] = "11" * 32


def wrong_cards(player: str, message: Message) -> Message:
    """Tell ann another card than the deck has."""
    if player != "ann" or not message.openings:
        return message
    first, *rest = message.openings
    other = "2c" if first.card != "2c" else "3d"
    return replace(message, openings=(replace(first, card=other), *rest))


def uncovered_deck(player: str, message: Message) -> Message:
    """Tell ann of no checkpoint behind the deck, so that cards come before one."""
    if player == "ann" and any(b'"deck_committed"' in line for line in message.lines):
        return replace(message, checkpoint="")
    return message


class BehindEnvoy(FakeDealer):
    """A dealer in the test's own hands, whose health Envoy can ask for."""

    async def start(
        self, address: str = "127.0.0.1:0", credentials: grpc.ServerCredentials | None = None
    ) -> None:
        assert credentials is None
        server = grpc.aio.server()
        play_pb2_grpc.add_PlayServiceServicer_to_server(self, server)
        fairness_pb2_grpc.add_FairnessServiceServicer_to_server(self, server)
        health_pb2_grpc.add_HealthServicer_to_server(_Healthy(), server)
        port = server.add_insecure_port(address)
        await server.start()
        self.address = f"127.0.0.1:{port}"
        self._server = server


class _Healthy(health_pb2_grpc.HealthServicer):  # type: ignore[misc]
    async def Check(self, _request: Any, _context: Any) -> Any:  # noqa: N802
        return health_pb2.HealthCheckResponse(status=health_pb2.HealthCheckResponse.SERVING)


@pytest.mark.parametrize(
    ("cheat", "links"),
    [
        ((told_otherwise("hand_opened", another_commitment), "ROOT"), 0),
        ((told_otherwise("hand_opened", another_anchor), "ANCHOR"), 0),
        ((told_otherwise("deck_committed", without_links), "MIX"), 1),
        ((uncovered_deck, "DEALT_EARLY"), 1),
        ((wrong_cards, "OPENING"), 1),
    ],
    ids=["forked log", "other anchor", "deck without her link", "cards too early", "other card"],
)
async def test_a_page_leaves_a_dealer_that_cheats(
    page: TablePage, issued: Issued, tmp_path: Path, cheat: tuple[Any, str], links: int
) -> None:
    """It says why, keeps the evidence, and gives no link that it had not given before."""
    tamper, reason = cheat
    dealer = BehindEnvoy()
    await dealer.start()
    dealers = {"dealer-a": dealer.address}
    async with envoy_beside(dealers, tmp_path / "proxy", issued=issued) as envoy:
        simulator = dealer.open_table()
        game = simulator.state.opened.game
        await page.come()
        key, token = str(dealer.signer.verifier), token_for("ann")
        await page.enter(address=envoy.url, game=game, token=token, key=key, stack="5000")
        await page.until_told("ann takes a seat", "#story")
        await dealer.change(simulator, lambda: simulator.sit("ben", anchored=False))
        await page.until_told("ben", "#seats")
        dealer.faults.tamper = tamper
        await dealer.open_hand(simulator)
        told = await page.until_told(reason, "#mixed")
        assert told.startswith(f"{reason}: ")
        assert len(dealer.requests["GiveLink"]) == links
        record = await page.download("#download", f"{game}.ann.record")
        assert json.loads(record.read_text().splitlines()[-1])["refused"]["reason"] == reason
        evidence = await page.download("#download-evidence", f"{game}.ann.evidence")
        head, refused, *lines = map(json.loads, evidence.read_text().splitlines())
        assert head["format"] == "cutcard-evidence/1"
        assert refused["refused"]["reason"] == reason
        assert any("line" in one for one in lines)
    await dealer.stop()


async def test_a_page_goes_on_into_the_game_that_follows(
    page: TablePage, issued: Issued, tmp_path: Path
) -> None:
    """With a chain of its own there, and a record of each game."""
    dealer = BehindEnvoy()
    await dealer.start()
    dealers = {"dealer-a": dealer.address}
    async with envoy_beside(dealers, tmp_path / "proxy", issued=issued) as envoy:
        first = dealer.open_table()
        game = first.state.opened.game
        await page.come()
        key, token = str(dealer.signer.verifier), token_for("ann")
        await page.enter(address=envoy.url, game=game, token=token, key=key, stack="5000")
        await page.until_told("ann takes a seat", "#story")
        await dealer.change(first, lambda: first.sit("ben", anchored=False))
        second = await dealer.succeed(first)
        await page.until_told("ann begins a new chain", "#story")
        await dealer.open_hand(second)
        await page.until_told("Hand 1: your randomness is in this deck", "#mixed")
        for one in (game, second.state.opened.game):
            record = await page.download("#download", f"{one}.ann.record")
            assert json.loads(record.read_text().splitlines()[0])["game"] == one
    await dealer.stop()


async def test_the_page_plays_in_no_frame_of_another(page: TablePage) -> None:
    """Whoever frames it could have its buttons clicked unseen."""
    await asyncio.to_thread(page.driver.get, page.url.replace("index.html", "style.css"))
    framing = (
        "const [url, loaded] = arguments, it = document.createElement('iframe');"
        "it.onload = () => loaded(true); it.src = url; document.body.append(it);"
    )
    await asyncio.to_thread(page.driver.execute_async_script, framing, page.url)
    page.driver.switch_to.frame(0)
    try:
        await page.until_told("open it by itself", "#problem")
        assert await page.until("return document.querySelector('#enter button').disabled")
    finally:
        page.driver.switch_to.default_content()


async def test_the_page_is_for_everybody(page: TablePage, issued: Issued, tmp_path: Path) -> None:
    """No barrier by WCAG 2.2, on a desk and on a phone; a hand can be played by keys alone."""
    dealt = serving(tmp_path / "dealer", clock=SystemClock())
    async with dealt as service, envoy_for(service, tmp_path, issued) as url:
        game = await service.open_game(**UNHURRIED)
        (bob,) = await seated(service, game, "bob", policy=waiting)
        await page.come()
        assert await asyncio.to_thread(find_barriers, page.driver) == []
        await page.enter(**at(service, url, game))
        await page.until_told("your randomness is in this deck", "#mixed")
        for size in (DESKTOP, PHONE):
            resize(page.driver, size)
            assert await asyncio.to_thread(find_barriers, page.driver) == []
            wide = "return document.documentElement.scrollWidth <= window.innerWidth"
            assert await page.until(wide)
        decision = await bob.until(lambda one: one.decision)
        await bob.act(decision.hand, decision.turn, 3)
        await page.until("return !document.querySelector('#acts').disabled")
        await page.press("f")
        await page.until_told("ann folds", "#story")
        await stop([bob])
