"""The dealer's own log in the store: beside the games, and as safe from going back as they are."""

from dataclasses import replace
from pathlib import Path

import pytest

from cutcard.v1 import operate_pb2
from dealer_service.app import CannotStart
from dealer_service.publishing.sequencing import write_line
from dealer_service.store.api import (
    DEALER_LOG,
    Appended,
    LogHead,
    LogLost,
    LogState,
    Signed,
    SignedAt,
)
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.signed_journal import SignedJournal
from dealer_service.store.sqlite import SqliteStore
from dealer_service.transcript.merkle import Tree, leaf_hash
from tests.support.scraping import LOOPBACK, scrape
from tests.support.service import ORIGIN, Service, refusal, serving
from tests.support.stores import change, notice, unit

LINES = tuple(write_line(bytes(16).hex(), notice(size)) for size in (1, 2, 3))


def signed_at(size: int, lines: tuple[bytes, ...] = LINES) -> SignedAt:
    tree = Tree()
    for line in lines[:size]:
        tree.append(leaf_hash(line))
    return SignedAt(size, tree.root(size))


def write(folder: Path, at: int, *lines: bytes, epoch: int = 1) -> object:
    """Write lines to the dealer's log of a dealer that is stopped, signed to their end."""
    store = SqliteStore(folder / "store.sqlite")
    last = signed_at(at + len(lines))
    note = Signed(last.size, last.root, at, "note")
    (result,) = store.append_all(
        [unit(change(DEALER_LOG, at, *lines, epoch=epoch, signed=(note,)))]
    )
    store.close()
    return result


def remember(folder: Path, signed: SignedAt) -> None:
    """Let the signed journal know of a checkpoint of the dealer's log."""
    journal = SignedJournal(folder / "signed.journal", ORIGIN, may_make=False)
    journal.record({DEALER_LOG: signed})
    journal.close()


def head(folder: Path) -> LogHead:
    store = SqliteStore(folder / "store.sqlite")
    found = store.head(DEALER_LOG)
    store.close()
    assert found is not None
    return found


async def a_dealer_with_one(folder: Path, size: int = 2) -> str:
    """Leave a dealer's folder with a game that goes on and a dealer's log; gives the game."""
    async with serving(folder) as service:
        game = await service.open_game()
        await service.pause(game)
    assert write(folder, 0, *LINES[:size]) == Appended()
    remember(folder, signed_at(size))
    return game


async def listed(service: Service) -> list[str]:
    answer = await service.operate.ListGames(
        operate_pb2.ListGamesRequest(), metadata=service.operator
    )
    return [one.game for one in answer.games]


async def test_it_is_no_game_to_anybody(tmp_path: Path) -> None:
    game = await a_dealer_with_one(tmp_path)
    before = head(tmp_path)
    async with serving(tmp_path, metrics=LOOPBACK, publication=tmp_path / "public") as service:
        assert await listed(service) == [game]
        assert [table.game for table in service.dealer.floor.tables] == [game]
        assert sum((await scrape(service)).all("cutcard_games").values()) == 1
        for call in (service.summary, service.file, service.lines, service.close_game):
            assert (await refusal(call(DEALER_LOG))).reason == "MALFORMED_REQUEST"
    # It was claimed by the dealer that publishes it.
    assert head(tmp_path) == replace(before, epoch=before.epoch + 1)


async def test_a_store_that_lacks_lines_of_it_is_refused(tmp_path: Path) -> None:
    await a_dealer_with_one(tmp_path)
    remember(tmp_path, signed_at(3))
    for _ in range(2):
        with pytest.raises(CannotStart) as caught:
            async with serving(tmp_path):
                pass
        assert "in 1 logs: the dealer's own log (has 2 lines, signed to 3)" in str(caught.value)


async def test_after_an_accepted_restore_one_that_lacks_lines_is_lost(tmp_path: Path) -> None:
    """The games are closed; of this nothing can be closed, and it never goes on."""
    game = await a_dealer_with_one(tmp_path)
    remember(tmp_path, signed_at(3))
    async with serving(tmp_path, accept_restore=True) as service:
        assert await listed(service) == [game]
        assert (await service.summary(game)).state == "revealed"
    lost = head(tmp_path)
    assert (lost.facts.state, lost.next_index, lost.signed) == (LogState.LOST, 2, signed_at(3))
    assert write(tmp_path, 2, LINES[2], epoch=lost.epoch) == LogLost(DEALER_LOG, 3)
    async with serving(tmp_path):
        pass
    assert head(tmp_path) == lost


async def test_after_an_accepted_restore_one_that_is_whole_goes_on(tmp_path: Path) -> None:
    game = await a_dealer_with_one(tmp_path)
    public = tmp_path / "public"
    async with serving(tmp_path, accept_restore=True, publication=public) as service:
        assert (await service.summary(game)).state == "revealed"
    after = head(tmp_path)
    # The game was closed, and revealed.
    assert (after.facts.state, after.next_index, after.signed_size) == (LogState.OPEN, 4, 4)


async def test_one_with_other_lines_under_its_signature_is_lost(tmp_path: Path) -> None:
    await a_dealer_with_one(tmp_path)
    other = signed_at(3, (*LINES[:2], b"other"))
    remember(tmp_path, other)
    write(tmp_path, 2, LINES[2])
    async with serving(tmp_path, accept_restore=True):
        pass
    found = head(tmp_path)
    assert (found.facts.state, found.signed) == (LogState.LOST, other)


async def test_a_journal_that_is_missing_is_missed_for_its_signatures_alone(
    tmp_path: Path,
) -> None:
    """Had no game been signed, the dealer's log was."""
    async with serving(tmp_path):
        pass
    write(tmp_path, 0, *LINES)
    (tmp_path / "signed.journal").unlink()
    with pytest.raises(StoreError) as caught:
        async with serving(tmp_path):
            pass
    assert caught.value.reason is Reason.JOURNAL_MISSING
