"""Nobody is told what is not for it: not by an answer, a log line, an error, a repr, or a file.

A dealer plays games of every kind while everything that it sends, logs and stores is kept with
what its own secrets were at that time. A value that leaves before its time is found wherever it
stands, in bytes, hex, base64 or as the text of Python's own.
"""

import gc
import io
import os
import sqlite3
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
import structlog

from cutcard.v1 import operate_pb2, play_pb2
from dealer_service.config import Cluster, Settings
from dealer_service.fairness.cards import CARD_NAMES
from dealer_service.fairness.drbg import stream
from dealer_service.fairness.shuffle import STREAM_BYTES
from dealer_service.keys import make_keys
from dealer_service.observe import logs
from dealer_service.store.opening import open_store
from dealer_service.tables import custody as custodies
from dealer_service.tables.custody import Custody
from tests.support.postgres import PASSWORD, fresh_database, shared_server
from tests.support.service import (
    ORIGIN,
    Bot,
    Policy,
    Service,
    calling,
    folding,
    fresh_id,
    read,
    serving,
    shoving,
    stop,
    waiting,
)

WINDOW = 16


@dataclass
class Hand:
    """What one hand keeps to itself."""

    game: str
    custody: Custody
    secret: bytes
    mix: bytes = b""
    parts: dict[str, bytes] = field(default_factory=dict)

    def derive(self, mixed: bytes) -> None:
        self.mix = mixed
        deck, salts = (
            stream(self.secret, mixed, label, STREAM_BYTES) for label in ("deck", "salts")
        )
        self.parts = {"deck stream": deck, "salt stream": salts}


class Secrets:
    """Every secret that the dealer holds, as it comes to be."""

    def __init__(self) -> None:
        self.hands: list[Hand] = []

    def note(self, custody: Custody, game: bytes) -> None:
        self.hands.append(Hand(game.hex(), custody, custody.secret))

    def fixed(self, custody: Custody, mixed: bytes) -> None:
        next(one for one in self.hands if one.custody is custody).derive(mixed)


@pytest.fixture(autouse=True)
def only_what_is_made_here() -> Iterator[None]:
    """Keep what tests before left in memory out of what is looked through: no secret is in it."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> Secrets:
    """Overhear every hand's secret and deck where the dealer makes them."""
    kept = Secrets()
    commitment, fix = Custody.commitment, Custody.fix

    def commit(self: Custody, origin: str, game: bytes) -> str:
        kept.note(self, game)
        return commitment(self, origin, game)

    def fixing(self: Custody, mixed: bytes) -> Any:
        deck = fix(self, mixed)
        kept.fixed(self, mixed)
        return deck

    monkeypatch.setattr(custodies.Custody, "commitment", commit)
    monkeypatch.setattr(custodies.Custody, "fix", fixing)
    return kept


class Overheard:
    """All that the dealer logged so far."""

    def __init__(self) -> None:
        self.log = io.StringIO()


@dataclass(frozen=True)
class Store:
    """Where a dealer of a test keeps its games: settings, and how to read all of it."""

    settings: dict[str, Any]
    read: Callable[[], bytes]


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Give a store of each kind."""
    if request.param == "sqlite":
        yield Store({}, lambda: sqlite_columns(tmp_path))
        return
    with fresh_database() as url:
        make_keys(Settings(tmp_path, ORIGIN), os.urandom)
        # The dealer's clock stands, and the database's does not.
        cluster = Cluster(node="one", lease=600.0)
        settings = {"store_url": url, "cluster": cluster, "open_store": open_shared}
        yield Store(settings, lambda: postgres_columns(url))


def open_shared(settings: Settings) -> Any:
    return open_store(settings.store_url, settings.store, lease=60.0)


@asynccontextmanager
async def overheard(folder: Path, **given: Any) -> AsyncIterator[tuple[Service, Overheard]]:
    """Run a dealer that logs everything that it can log into memory."""
    heard = Overheard()
    structlog.reset_defaults()
    logs.configure("json", "debug", heard.log)
    try:
        async with serving(folder, **given) as service:
            yield service, heard
    finally:
        structlog.reset_defaults()


def forms(value: bytes) -> Iterator[bytes]:
    """Give the forms in which bytes could be written."""
    yield value
    yield value.hex().encode()
    yield value.hex().upper().encode()
    yield repr(value)[2:-1].encode()
    # Base64 of any alignment holds the middle of it.
    for shift in range(3):
        yield b64encode(bytes(shift) + value)[4:-4]


def windows(value: bytes) -> Iterator[bytes]:
    for start in range(0, len(value) - WINDOW + 1, WINDOW):
        yield value[start : start + WINDOW]


def shown_positions(lines: list[tuple[str, dict[str, Any]]]) -> set[tuple[int, int]]:
    """Give hand and position of every card that a game's log opens."""
    return {
        (body["hand"], card["position"])
        for kind, body in lines
        if kind == "opened"
        for card in body["cards"]
    }


def require_absent(content: bytes, name: str, secret: bytes, where: str) -> None:
    for form in forms(secret):
        assert form not in content, f"{name} stands in {where}"


def require_nothing_of(
    secrets: Secrets, content: bytes, where: str, opened: dict[str, set[tuple[int, int]]]
) -> None:
    """Hold content to have nothing of any hand but the salts of positions that are open."""
    for hand in secrets.hands:
        number = hand.custody.hand
        require_absent(content, f"the secret of hand {number}", hand.secret, where)
        if not hand.parts:
            continue
        for window in windows(hand.parts["deck stream"]):
            require_absent(content, "the deck's stream", window, where)
        known = opened.get(hand.game, set())
        for position, salt in enumerate(windows(hand.parts["salt stream"])):
            if (number, position) not in known:
                require_absent(content, f"salt {position} of hand {number}", salt, where)


class Game:
    """A game under way, with everything that its players were sent."""

    def __init__(self, service: Service, game: str, bots: list[Bot]) -> None:
        self.service, self.game, self.bots = service, game, bots

    def sent_to(self, bot: Bot) -> bytes:
        return b"".join(message.SerializeToString() for message in bot.heard)


async def play(service: Service, policies: dict[str, Policy], hands: int, **rules: Any) -> Game:
    """Play some hands, and leave the one after them open at its first turn."""
    game = await service.open_game(**rules)
    await service.pause(game)
    bots = [
        await Bot(service, name, policy=until_hand(hands, how)).sit(game)
        for name, how in policies.items()
    ]
    eve = Bot(service, "eve")
    eve.watch(game)
    await service.resume(game)
    for bot in (eve, *bots):
        await bot.until(lambda bot: bot.decision and bot.decision.hand > hands)
    await service.settled(game)
    return Game(service, game, [*bots, eve])


def until_hand(last: int, how: Policy) -> Policy:
    """Play so up to a hand, and do nothing in the one after it."""
    return lambda bot, decision: how(bot, decision) if decision.hand <= last else None


GAMES: dict[str, dict[str, Policy]] = {
    "showdowns with mucks": {"ann": calling, "bob": calling, "cid": calling},
    "folds": {"ann": folding, "bob": folding, "cid": folding},
    "all-ins": {"ann": shoving, "bob": shoving, "cid": folding},
}


@pytest.mark.parametrize("kind", GAMES)
async def test_no_secret_leaves_before_its_time(
    tmp_path: Path, secrets: Secrets, kind: str, store: Store
) -> None:
    async with overheard(tmp_path, **store.settings) as (service, heard):
        played = await play(service, GAMES[kind], 3 if kind != "all-ins" else 1)
        entries = await service.entries(played.game)
        opened = {played.game: shown_positions(entries)}
        assert secrets.hands

        # What everybody may have, a watcher has; a player has its own openings besides.
        for bot in played.bots:
            own = {(one.hand, one.position) for one in bot.openings}
            seen = {played.game: opened[played.game] | own}
            require_nothing_of(secrets, played.sent_to(bot), f"the stream of {bot.name}", seen)
            table = (await bot.table()).SerializeToString()
            require_nothing_of(secrets, table, f"the table of {bot.name}", seen)
            require_own_cards_alone(bot, entries)
        content = await service.file(played.game)
        require_nothing_of(secrets, content, "the game file", opened)
        listing = await service.operate.ListGames(
            operate_pb2.ListGamesRequest(), metadata=service.operator
        )
        require_nothing_of(secrets, listing.SerializeToString(), "the list of games", {})

        # What the dealer holds in memory shows in no repr.
        shown = "\n".join({repr(thing) for thing in reachable(service)})
        require_nothing_of(secrets, shown.encode(), "a repr", opened)
        require_nothing_of(secrets, heard.log.getvalue().encode(), "the dealer's log", {})
        metrics = service.dealer.floor.house.metrics.text()
        require_nothing_of(secrets, metrics, "the metrics", {})

        # At rest, secrets are sealed, and decks are nowhere.
        for name, stored in files(tmp_path).items():
            require_nothing_of(secrets, stored, f"the file {name}", opened)
        await stop(played.bots)
    columns = store.read()
    assert played.game.encode() in columns
    require_nothing_of(secrets, columns, "a column of the store", opened)


def require_own_cards_alone(bot: Bot, entries: list[tuple[str, dict[str, Any]]]) -> None:
    """Hold a player's openings to be those of positions that were dealt to its seat."""
    dealt: dict[tuple[int, int], int | None] = {}
    hand = 0
    for kind, body in entries:
        hand = body["hand"] if kind == "hand_opened" else hand
        if kind == "dealt":
            dealt |= {(hand, one["position"]): one.get("seat") for one in body["positions"]}
    assert all(dealt[one.hand, one.position] == bot.seat for one in bot.openings)


def reachable(service: Service) -> Iterator[object]:
    """Give the dealer's live objects, whatever holds them."""
    dealer = service.dealer
    yield from (dealer, dealer.keys, dealer.keys.signer, dealer.keys.sealer, dealer.keys.token)
    yield from (dealer.floor, dealer.floor.house, dealer.settings)
    for table in dealer.floor.tables:
        yield from (table, table.standing, table.dealing, table.dealing.state)
        yield from (table.dealing.custody, table.dealing.log, table.requests, table.audience)
    gc.collect()
    for thing in gc.get_objects():
        if str(type(thing).__module__).startswith("dealer_service.") and not isinstance(
            thing, type
        ):
            yield thing


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def postgres_columns(url: str) -> bytes:
    """Read every column of every table of the database, and what its server logged."""
    content = shared_server().log.encode()
    tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    database = url.rpartition("/")[2]
    for (table,) in shared_server().run(tables, database):
        for row in shared_server().run(f"SELECT * FROM {table}", database):
            content += b"\n".join(
                bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode()
                for value in row
            )
    return content


def sqlite_columns(folder: Path) -> bytes:
    """Read every column of every table of the store's file."""
    connection = sqlite3.connect(folder / "store.sqlite")
    tables = [
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    ]
    content = b""
    for table in tables:
        for row in connection.execute(f"SELECT * FROM {table}"):
            content += b"\n".join(
                value if isinstance(value, bytes) else str(value).encode() for value in row
            )
    connection.close()
    return content


async def test_keys_show_nowhere(tmp_path: Path, store: Store) -> None:
    """Neither keys, tokens nor the database's password stand in a log line, a repr or a column."""
    async with overheard(tmp_path, **store.settings) as (service, heard):
        bots = await play(service, GAMES["folds"], 1)
        log_seed = bytes.fromhex((tmp_path / "log.key").read_text().split()[-1])
        sealing = (tmp_path / "sealing.key").read_bytes()
        token = service.header("ann")[0][1].removeprefix("Bearer ").encode()
        shown = b"".join(repr(thing).encode() for thing in reachable(service))
        for content in (shown, heard.log.getvalue().encode()):
            require_absent(content, "the log key", log_seed, "what is shown")
            require_absent(content, "the sealing key", sealing, "what is shown")
            assert token[-40:] not in content
            assert PASSWORD.encode() not in content
        await stop(bots.bots)
    for name, key in (("the log key", log_seed), ("the sealing key", sealing)):
        require_absent(store.read(), name, key, "a column of the store")


async def test_a_fault_of_the_dealer_tells_nothing_of_its_inside(
    tmp_path: Path, secrets: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error that nobody foresaw is INTERNAL outside, and without values in the log."""
    from dealer_service.rules import play as rules_play  # noqa: PLC0415 - broken here

    def broken(*_: Any, **__: Any) -> Any:
        secret = secrets.hands[-1].secret  # noqa: F841 - a local of a traceback
        message = "something went wrong in the middle of it"
        raise RuntimeError(message)

    async with overheard(tmp_path) as (service, heard):
        game = await service.open_game()
        await service.pause(game)
        bots = [await Bot(service, name, policy=waiting).sit(game) for name in ("ann", "bob")]
        await service.resume(game)
        turn = await bots[0].until(lambda bot: bot.decision)
        monkeypatch.setattr(rules_play, "act", broken)
        request = play_pb2.ActRequest(
            request_id=fresh_id(), game=game, hand=1, turn=1, act=play_pb2.ACT_CALL
        )
        mine = bots[turn.seat - 1]
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await service.play.Act(request, metadata=mine.header)
        assert caught.value.code() is grpc.StatusCode.INTERNAL
        told = repr(caught.value).encode()
        assert b"went wrong" not in told
        require_nothing_of(secrets, told, "the status", {})
        logged = heard.log.getvalue()
        assert "went wrong" in logged
        require_nothing_of(secrets, logged.encode(), "the dealer's log", {})
        # Deciding changed nothing, so the table plays on, and the same request is made.
        monkeypatch.undo()
        assert (await service.play.Act(request, metadata=mine.header)).size
        await stop(bots)


async def test_the_search_finds_what_leaks(tmp_path: Path, secrets: Secrets) -> None:
    """The search itself is held to find a salt, a secret and a stream in every form."""
    async with overheard(tmp_path) as (service, _):
        played = await play(service, GAMES["folds"], 1)
        hand = next(one for one in secrets.hands if one.parts)
        salts = list(windows(hand.parts["salt stream"]))
        for value in (hand.secret, salts[51], hand.parts["deck stream"][64:96]):
            for form in forms(value):
                with pytest.raises(AssertionError):
                    require_nothing_of(secrets, b"before" + form + b"behind", "a test", {})
        require_nothing_of(
            secrets, salts[3].hex().encode(), "a", {hand.game: {(hand.custody.hand, 3)}}
        )
        await stop(played.bots)
    assert len(CARD_NAMES) == 52
    assert read(b'{"at":1,"paused":{}}') == ("paused", {})
