"""The dealer's own log in the store: beside the games, and as safe from going back as they are."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cutcard.v1 import operate_pb2
from dealer_service.config import Settings
from dealer_service.store.api import (
    DEALER_LOG,
    Appended,
    AppendResult,
    LogHead,
    LogLost,
    LogState,
    Signed,
    SignedAt,
    signed_heads,
)
from dealer_service.store.signed_journal import SignedJournal
from dealer_service.store.sqlite import SqliteStore
from dealer_service.taking_stock import CannotStart, take_stock
from dealer_service.transcript.merkle import leaf_hash, tree_root
from dealer_service.transcript.noted import Stage
from tests.support.scraping import LOOPBACK, scrape
from tests.support.service import ORIGIN, PATIENCE, Service, refusal, serving
from tests.support.stores import change, root, unit

LINES = (b'{"a":1}', b'{"b":2}', b'{"c":3}')


def signed_at(*lines: bytes) -> SignedAt:
    return SignedAt(len(lines), tree_root(map(leaf_hash, lines)))


class Folder:
    """A dealer's store and signed journal: a game without a signature, and the dealer's log."""

    def __init__(self, path: Path) -> None:
        self.store = SqliteStore(path / "store.sqlite")
        self.journal = SignedJournal(path / "signed.journal", ORIGIN, may_make=True)
        self._path = path
        self.store.append_all([unit(change("game", 0, b"x"))])
        assert self.write(0, *LINES[:2]) == Appended()
        self.journal.record({DEALER_LOG: signed_at(*LINES[:2])})

    def write(self, at: int, *lines: bytes, epoch: int = 1) -> AppendResult:
        """Append to the dealer's log, signed to the end."""
        last = signed_at(*self.store.lines(DEALER_LOG, 0, at), *lines)
        note = Signed(last.size, last.root, at, "note")
        written = change(DEALER_LOG, at, *lines, epoch=epoch, signed=(note,))
        (result,) = self.store.append_all([unit(written)])
        return result

    def take_stock(self, *, accept_restore: bool) -> None:
        settings = Settings(self._path, ORIGIN, "127.0.0.1:0", accept_restore=accept_restore)
        take_stock(settings, self.store, tuple(signed_heads(self.store)), self.journal)

    def head(self) -> LogHead:
        found = self.store.head(DEALER_LOG)
        assert found is not None
        return found


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    folder = Folder(tmp_path)
    yield folder
    folder.journal.close()
    folder.store.close()


@pytest.mark.parametrize("accept_restore", [False, True])
def test_a_whole_one_goes_on(folder: Folder, *, accept_restore: bool) -> None:
    before = folder.head()
    folder.take_stock(accept_restore=accept_restore)
    assert folder.head() == before
    assert folder.write(2, LINES[2]) == Appended()


def test_a_store_that_lacks_lines_of_it_is_refused_by_its_name(folder: Folder) -> None:
    folder.journal.record({DEALER_LOG: signed_at(*LINES)})
    before = folder.head()
    with pytest.raises(CannotStart) as caught:
        folder.take_stock(accept_restore=False)
    assert "in 1 log: the dealer's own log (has 2 lines, signed to 3)" in str(caught.value)
    assert folder.head() == before


def test_after_an_accepted_restore_one_that_lacks_lines_is_lost(folder: Folder) -> None:
    """Games can be closed; of this nothing can be, and it never goes on."""
    folder.journal.record({DEALER_LOG: signed_at(*LINES)})
    folder.take_stock(accept_restore=True)
    lost = folder.head()
    assert (lost.facts.state, lost.next_index) == (LogState.LOST, 2)
    assert lost.signed == signed_at(*LINES)
    assert folder.write(2, LINES[2], epoch=lost.epoch) == LogLost(DEALER_LOG, 3)
    for accept_restore in (True, False):
        folder.take_stock(accept_restore=accept_restore)
        assert folder.head().facts.state is LogState.LOST
    game = folder.store.head("game")
    assert game is not None
    assert game.facts.state is LogState.OPEN


def test_one_of_which_nothing_is_left_is_lost(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.sqlite")
    journal = SignedJournal(tmp_path / "signed.journal", ORIGIN, may_make=True)
    journal.record({DEALER_LOG: SignedAt(2, root(2))})
    settings = Settings(tmp_path, ORIGIN, "127.0.0.1:0", accept_restore=True)
    take_stock(settings, store, tuple(signed_heads(store)), journal)
    head = store.head(DEALER_LOG)
    assert head is not None
    assert (head.facts.state, head.signed_size) == (LogState.LOST, 2)
    journal.close()
    store.close()


def test_one_with_other_lines_under_its_signature_is_lost(folder: Folder) -> None:
    other = signed_at(*LINES[:2], b"other")
    folder.journal.record({DEALER_LOG: other})
    assert folder.write(2, LINES[2]) == Appended()
    folder.take_stock(accept_restore=True)
    assert (folder.head().facts.state, folder.head().signed) == (LogState.LOST, other)


async def listed(service: Service) -> list[str]:
    answer = await service.operate.ListGames(
        operate_pb2.ListGamesRequest(), metadata=service.operator
    )
    return [one.game for one in answer.games]


async def published(service: Service, game: str) -> None:
    """Return when the dealer's log tells of a game."""
    publishing = service.dealer._publishing
    assert publishing is not None
    async with asyncio.timeout(PATIENCE):
        await publishing.wait_for(game, 0, Stage.GAME_OPENED)


async def test_it_is_no_game_to_anybody(tmp_path: Path) -> None:
    """Not in lists, at a start, in metrics or to retention, and no call takes it for one."""
    given: dict[str, Any] = {
        "publication": tmp_path / "public",
        "archive": tmp_path / "archive",
        "metrics": LOOPBACK,
        "batch": 0.01,
    }
    folder = tmp_path / "dealer"
    games = []
    for _ in range(2):
        async with serving(folder, **given) as service:
            games.append(await service.open_game())
            await published(service, games[-1])
            assert await listed(service) == games
            assert {table.game for table in service.dealer.floor.tables} == set(games)
            assert sum((await scrape(service)).all("cutcard_games").values()) == len(games)
            for call in (service.summary, service.file, service.lines, service.close_game):
                assert (await refusal(call(DEALER_LOG))).reason == "MALFORMED_REQUEST"
    async with serving(folder, **given, accept_restore=True) as service:
        assert await listed(service) == games
        assert {(await service.summary(game)).state for game in games} <= {"revealed", "archived"}
    store = SqliteStore(folder / "store.sqlite")
    head = store.head(DEALER_LOG)
    store.close()
    assert head is not None
    assert (head.facts.state, head.next_index) == (LogState.OPEN, head.signed_size)
