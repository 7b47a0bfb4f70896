"""Notices come into the dealer's log, each once and in order, and the log into a folder."""

import asyncio
import errno
from dataclasses import replace
from pathlib import Path

import pytest

from dealer_service.publishing.cosigning import Prove, SeenLater
from dealer_service.publishing.edition import CannotPublish
from dealer_service.publishing.publication import Publication
from dealer_service.store.api import DEALER_LOG, LogHead, LogState, LostLog, SignedAt, Store
from dealer_service.store.memory import MemoryStore
from dealer_service.store.refusal import StoreError
from dealer_service.store.sqlite import SqliteStore
from dealer_service.transcript.logproof import open_log_proof, parse_log_proof
from dealer_service.transcript.merkle import verify_consistency
from dealer_service.transcript.noted import Stage, read_noted
from tests.support.publishers import (
    ORIGIN,
    SIGNER,
    Publisher,
    game_of,
    publisher,
    read_whole,
    send,
)

OPENED, COMMITTED, CLOSED = Stage.HAND_OPENED, Stage.DECK_COMMITTED, Stage.GAME_CLOSED


async def play(one: Publisher, games: int, hands: int = 1, first: int = 0) -> None:
    """Send two notices for each of some hands, and wait until the last can be had."""
    for hand in range(1, hands + 1):
        played = map(game_of, range(first, first + games))
        await one.write(
            *(send(game, hand, OPENED, COMMITTED, at=2 * (hand - 1)) for game in played)
        )
    await one.published(game_of(first + games - 1), hands, COMMITTED)


def of(lines: list[bytes]) -> list[tuple[str, int, str]]:
    """Give game, hand and stage of lines."""
    found = [read_noted(line) for line in lines]
    return [(one.game.hex(), one.hand, one.stage.value) for one in found]


def expected(games: int, hands: int = 1) -> set[tuple[str, int, str]]:
    return {
        (game_of(game), hand, stage.value)
        for game in range(games)
        for hand in range(1, hands + 1)
        for stage in (OPENED, COMMITTED)
    }


def head_of(store: Store) -> LogHead:
    """Give where the dealer's log stands in a store that has it."""
    head = store.head(DEALER_LOG)
    assert head is not None
    return head


async def test_every_notice_stands_in_the_folder_once(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.sqlite")
    async with publisher(tmp_path, store) as one:
        await play(one, 20, 3)
        lines = one.lines()
        assert one.faults == []
        assert one.publishing.owns_log
    assert len(lines) == 120
    assert set(of(lines)) == expected(20, 3)
    assert store.notices(1) == ()
    head = head_of(store)
    assert head.next_index == head.signed_size == 120
    store.close()


async def test_notices_of_a_game_keep_their_order(tmp_path: Path) -> None:
    store = MemoryStore()
    async with publisher(tmp_path, store) as one:
        await one.write(send(game_of(1), 1, OPENED, COMMITTED), send(game_of(2), 1, OPENED))
        await one.write(send(game_of(1), 2, OPENED, COMMITTED, at=2))
        await one.published(game_of(1), 2, COMMITTED)
        lines = [line for line in of(one.lines()) if line[0] == game_of(1)]
    assert [(hand, stage) for _, hand, stage in lines] == [
        (1, OPENED),
        (1, COMMITTED),
        (2, OPENED),
        (2, COMMITTED),
    ]


async def test_a_log_of_nothing_is_not_made(tmp_path: Path) -> None:
    store = MemoryStore()
    async with publisher(tmp_path, store):
        pass
    assert store.head(DEALER_LOG) is None
    assert not (tmp_path / "publication" / "checkpoint").exists()


async def test_a_start_goes_on_from_the_folder(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.sqlite")
    async with publisher(tmp_path, store) as one:
        await play(one, 10)
        before = one.lines()
    async with publisher(tmp_path, store) as one:
        await play(one, 300, first=10)
        assert one.lines()[:20] == before
        assert set(of(one.lines())) == expected(310)
    store.close()


async def test_what_waited_while_nobody_published_is_published_by_the_start(tmp_path: Path) -> None:
    store = MemoryStore()
    async with publisher(tmp_path, store, starts=False) as one:
        await one.write(send(game_of(0), 1, OPENED))
    async with publisher(tmp_path, store) as one:
        await one.published(game_of(0), 1, OPENED)
        assert len(one.lines()) == 1


async def test_what_is_told_before_the_stop_is_published_by_it(tmp_path: Path) -> None:
    """However long a batch is."""
    store = MemoryStore()
    async with publisher(tmp_path, store, batch=3600) as one:
        await one.write(send(game_of(0), 1, OPENED))
    assert len(read_whole(tmp_path / "publication")) == 1


@pytest.mark.parametrize("lost", ["folder", "tile", "entries", "index", "checkpoint"])
async def test_a_folder_that_is_not_whole_is_made_anew(tmp_path: Path, lost: str) -> None:
    store = MemoryStore()
    publication = tmp_path / "publication"
    async with publisher(tmp_path, store) as one:
        await play(one, 200)
        before = one.lines()
    if lost == "folder":
        publication.rename(tmp_path / "away")
    elif lost == "index":
        (tmp_path / "index.sqlite").write_bytes(b"no database" * 1000)
    elif lost == "tile":
        (publication / "tile/0/001.p/144").write_bytes(bytes(144 * 32))
    elif lost == "entries":
        (publication / "tile/entries/001.p/144").unlink()
    else:
        (publication / "checkpoint").unlink()
    async with publisher(tmp_path, store) as one:
        await one.published(game_of(199), 1, COMMITTED)
        assert one.lines() == before
        await play(one, 1, first=200)
        assert one.lines()[:400] == before


async def test_a_folder_that_is_removed_while_it_is_published_is_made_anew(tmp_path: Path) -> None:
    store = MemoryStore()
    publication = tmp_path / "publication"
    async with publisher(tmp_path, store) as one:
        await play(one, 200)
        before = one.lines()
        publication.rename(tmp_path / "away")
        await play(one, 1, first=200)
        assert one.lines()[:400] == before
        assert set(of(one.lines())) == expected(201)
        assert one.faults == []
        with pytest.raises(StoreError, match="in use by another dealer"):
            Publication(publication)


def test_a_folder_that_a_kill_left_is_on_disk_before_what_is_in_it_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was made, and its name was not written yet: a power cut would take it with its tiles."""
    (tmp_path / "tile" / "0").mkdir(parents=True)
    publication = Publication(tmp_path)
    synced: list[Path] = []
    monkeypatch.setattr("dealer_service.publishing.publication.sync_folder", synced.append)
    publication.keep([("tile/0/000.p/1", bytes(32))])
    assert {tmp_path, tmp_path / "tile", tmp_path / "tile/0"} <= set(synced)
    synced.clear()
    publication.keep([("tile/0/000.p/2", bytes(64))])
    assert synced == [tmp_path / "tile/0/000.p"]
    publication.close()


@pytest.mark.parametrize("fails", [1, 2, 3, 4, 5])
async def test_a_full_disk_stops_nothing_for_good(
    tmp_path: Path, fails: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever file does not fit: it is taken up again from folder and store."""
    put = Publication._put
    puts = 0

    def full(publication: Publication, place: Path, content: bytes) -> None:
        nonlocal puts
        puts += 1
        if puts % 7 == fails:
            raise OSError(errno.ENOSPC, "no space left")
        put(publication, place, content)

    store = MemoryStore()
    async with publisher(tmp_path, store) as one:
        await play(one, 100)
        monkeypatch.setattr(Publication, "_put", full)
        await play(one, 1, first=100)
        monkeypatch.undo()
        await play(one, 1, first=101)
        assert set(of(one.lines())) == expected(102)
        assert len(one.lines()) == 204
        assert one.faults == []


class TestProofs:
    async def test_a_line_is_proved_under_a_checkpoint_of_the_dealer(self, tmp_path: Path) -> None:
        async with publisher(tmp_path, MemoryStore()) as one:
            await play(one, 300)
            proof = await one.publishing.proof(game_of(77), 1, COMMITTED)
            assert proof is not None
            noted = read_noted(proof.line)
            assert (noted.game.hex(), noted.hand, noted.stage.value) == (game_of(77), 1, COMMITTED)
            assert proof.size == noted.size == 2
            read = parse_log_proof(proof.text.encode())
            assert open_log_proof(read, proof.line, SIGNER.verifier, ORIGIN).size == 600

    async def test_there_is_none_of_what_is_not_in_the_log(self, tmp_path: Path) -> None:
        async with publisher(tmp_path, MemoryStore()) as one:
            assert await one.publishing.proof(game_of(0), 1, OPENED) is None
            await play(one, 1)
            assert await one.publishing.proof(game_of(0), 2, OPENED) is None
            assert await one.publishing.proof(game_of(0), 1, OPENED) is not None

    async def test_files_that_were_changed_prove_nothing(self, tmp_path: Path) -> None:
        async with publisher(tmp_path, MemoryStore()) as one:
            await play(one, 200)
            (one.publication / "tile/0/000").write_bytes(bytes(256 * 32))
            with pytest.raises(CannotPublish, match="does not prove line 0 of 400"):
                await one.publishing.proof(game_of(0), 1, OPENED)


async def test_partial_tiles_of_two_checkpoints_ago_are_there_and_older_ones_go(
    tmp_path: Path,
) -> None:
    async with publisher(tmp_path, MemoryStore()) as one:
        for first in range(0, 400, 50):
            await play(one, 50, first=first)
        tiles = one.publication / "tile"
        assert sorted(path.name for path in (tiles / "0").iterdir()) == [
            "000",
            "001",
            "002",
            "002.p",
            "003.p",
        ]
        assert sorted(path.name for path in (tiles / "entries").iterdir()) == [
            "000",
            "001",
            "002",
            "002.p",
            "003.p",
        ]


LINE = "\N{EM DASH} witness.example/w AAAAAAAA\n"


class Witness:
    """Co-signs by its word, when it is told to."""

    def __init__(self, seen: int = 0) -> None:
        self.seen, self.sizes = seen, [0]
        self.proofs: list[tuple[int, int, tuple[bytes, ...]]] = []
        self.asked, self.answers = asyncio.Event(), asyncio.Event()
        self.answers.set()
        self.late = ""
        self.rests = 0

    async def question(self, size: int) -> None:
        if self.seen > size:
            message = f"a witness saw {self.seen} lines, and here are {size}"
            raise SeenLater(message)

    async def gather(self, note: str, size: int, prove: Prove) -> str:
        self.asked.set()
        await self.answers.wait()
        last = self.sizes[-1]
        if 0 < last < size:
            self.proofs.append((last, size, await asyncio.to_thread(prove, last)))
        self.sizes.append(size)
        return note + (LINE if not self.late else "")

    def add_late(self, note: str) -> str:
        return note if LINE in note or not self.late else note + LINE

    def rest(self) -> None:
        self.rests += 1

    def is_satisfied(self, note: str) -> bool:
        return "witness.example/w" in note


class TestWitnessed:
    async def test_co_signatures_are_published_with_the_checkpoint(self, tmp_path: Path) -> None:
        async with publisher(tmp_path, MemoryStore(), cosigning=Witness()) as one:
            await play(one, 1)
            assert b"witness.example/w" in (one.publication / "checkpoint").read_bytes()
            proof = await one.publishing.proof(game_of(0), 1, OPENED)
            assert proof is not None
            assert "witness.example/w" in proof.text

    async def test_nobody_is_told_of_a_line_before_the_policy_is_satisfied(
        self, tmp_path: Path
    ) -> None:
        witness = Witness()
        witness.answers.clear()
        async with publisher(tmp_path, MemoryStore(), cosigning=witness) as one:
            waiting = asyncio.ensure_future(one.published(game_of(0), 1, OPENED))
            await one.write(send(game_of(0), 1, OPENED))
            await witness.asked.wait()
            assert await one.publishing.proof(game_of(0), 1, OPENED) is None
            assert not waiting.done()
            witness.answers.set()
            await waiting

    async def test_co_signatures_that_come_late_are_published_without_a_new_line(
        self, tmp_path: Path
    ) -> None:
        witness, store = Witness(), MemoryStore()
        witness.late = "soon"
        async with publisher(tmp_path, store, cosigning=witness) as one:
            await play(one, 1)
            assert LINE.encode() in (one.publication / "checkpoint").read_bytes()
        head = head_of(store)
        assert LINE.encode() in head.facts.meta

    async def test_witnesses_are_given_true_proofs(self, tmp_path: Path) -> None:
        witness = Witness()
        async with publisher(tmp_path, MemoryStore(), cosigning=witness) as one:
            roots = {}
            for first in range(5):
                await play(one, 1, first=first)
                roots[one.shown().size] = one.shown().root
        told = [proof for proof in witness.proofs if {proof[0], proof[1]} <= roots.keys()]
        assert told
        for old, new, path in told:
            assert verify_consistency(old, new, path, roots[old], roots[new])

    async def test_a_witness_that_saw_more_keeps_the_dealer_from_signing(
        self, tmp_path: Path
    ) -> None:
        witness, store = Witness(), MemoryStore()
        async with publisher(tmp_path, store, cosigning=witness) as one:
            # It did not answer at the start.
            witness.seen = 3
            await one.write(send(game_of(0), 1, OPENED))
            await one.has_failed()
            assert isinstance(one.faults[0], SeenLater)
        assert store.head(DEALER_LOG) is None

    async def test_nor_does_it_start_to(self, tmp_path: Path) -> None:
        store = MemoryStore()
        async with publisher(tmp_path, store) as one:
            await play(one, 1)
        with pytest.raises(CannotPublish, match="a witness saw 3 lines, and here are 2"):
            async with publisher(tmp_path, store, cosigning=Witness(seen=3)):
                pass

    async def test_nor_does_it_start_with_a_log_of_which_all_was_lost(self, tmp_path: Path) -> None:
        with pytest.raises(CannotPublish, match="a witness saw 3 lines, and here are 0"):
            async with publisher(tmp_path, MemoryStore(), cosigning=Witness(seen=3)):
                pass

    async def test_a_stop_does_not_wait_for_witnesses(self, tmp_path: Path) -> None:
        witness, store = Witness(), MemoryStore()
        witness.answers.clear()
        async with publisher(tmp_path, store, cosigning=witness) as one:
            await one.write(send(game_of(0), 1, OPENED))
        assert len(read_whole(tmp_path / "publication")) == 1
        witness.answers.set()
        async with publisher(tmp_path, store, cosigning=witness) as one:
            await one.published(game_of(0), 1, OPENED)


class TestGoingBack:
    async def test_a_store_that_lacks_what_the_folder_shows_is_refused(
        self, tmp_path: Path
    ) -> None:
        store = MemoryStore()
        async with publisher(tmp_path, store) as one:
            await play(one, 2)
            older = MemoryStore(store._content.copy())
            await play(one, 2, first=2)
        with pytest.raises(CannotPublish, match=r"shows 8 lines .* store has 4"):
            async with publisher(tmp_path, older):
                pass

    async def test_a_store_with_other_lines_is_refused(self, tmp_path: Path) -> None:
        async with publisher(tmp_path / "a", MemoryStore()) as one:
            await play(one, 2)
        other = MemoryStore()
        async with publisher(tmp_path / "b", other) as one:
            await play(one, 3, first=7)
        with pytest.raises(CannotPublish, match="not those that were signed"):
            async with publisher(tmp_path / "a", other):
                pass

    async def test_a_store_that_lacks_what_the_journal_knows_is_not_signed(
        self, tmp_path: Path
    ) -> None:
        """Though no folder knows of it."""
        store = MemoryStore()
        async with publisher(tmp_path, store) as one:
            await play(one, 2)
            older = MemoryStore(store._content.copy())
            await play(one, 2, first=2)
        (tmp_path / "publication").rename(tmp_path / "away")
        with pytest.raises(CannotPublish, match="lacks lines that were signed"):
            async with publisher(tmp_path, older):
                pass
        head = head_of(older)
        assert head.signed_size == 4

    async def test_a_restore_that_was_accepted_goes_on_where_its_lines_are_whole(
        self, tmp_path: Path
    ) -> None:
        """The store has the lines, and not that they were signed."""
        store = MemoryStore()
        async with publisher(tmp_path, store) as one:
            await play(one, 2)
            before = one.lines()
        content = store._content.copy()
        head = content.logs[DEALER_LOG].head
        content.logs[DEALER_LOG].head = replace(head, signed=None)
        content.logs[DEALER_LOG].checkpoints.clear()
        with pytest.raises(CannotPublish, match="lacks lines that were signed"):
            async with publisher(tmp_path, MemoryStore(content)):
                pass
        async with publisher(tmp_path, MemoryStore(content), accepts=True) as one:
            await play(one, 1, first=2)
            assert one.lines()[:4] == before

    async def test_a_restore_of_store_and_journal_goes_on_from_what_the_folder_shows(
        self, tmp_path: Path
    ) -> None:
        """Of what was signed since, the folder alone knows."""
        store, journal = MemoryStore(), tmp_path / "signed.journal"
        async with publisher(tmp_path, store) as one:
            await play(one, 2)
            older = MemoryStore(store._content.copy())
        signed = journal.read_bytes()
        async with publisher(tmp_path, store) as one:
            await play(one, 2, first=2)
            before = one.lines()
        journal.write_bytes(signed)
        async with publisher(tmp_path, older, accepts=True) as one:
            await play(one, 1, first=4)
            assert one.lines()[:8] == before
            assert one.faults == []

    async def test_what_a_restored_store_lacks_is_brought_back_from_the_folder_once(
        self, tmp_path: Path
    ) -> None:
        """Notices that came back with it, too, are in the log already."""
        store = MemoryStore()
        async with publisher(tmp_path, store) as one:
            await play(one, 2)
        async with publisher(tmp_path, store, starts=False) as one:
            await one.write(send(game_of(2), 1, OPENED, COMMITTED))
            older = MemoryStore(store._content.copy())
        async with publisher(tmp_path, store) as one:
            await play(one, 1, first=3)
            before = one.lines()
        async with publisher(tmp_path, older, accepts=True) as one:
            await play(one, 1, first=4)
            assert one.lines()[: len(before)] == before
            assert set(of(one.lines())) == expected(5)
            assert len(one.lines()) == 10

    async def test_a_folder_of_another_dealer_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "publication").mkdir()
        (tmp_path / "publication" / "checkpoint").write_text("other\n1\n\n")
        with pytest.raises(CannotPublish, match="a publication folder of its own"):
            async with publisher(tmp_path, MemoryStore()):
                pass

    async def test_a_lost_log_is_never_signed_again(self, tmp_path: Path) -> None:
        store = MemoryStore()
        async with publisher(tmp_path, store) as one:
            await play(one, 1)
        store.mark_lost([LostLog(DEALER_LOG, SignedAt(9, bytes(32)))])
        with pytest.raises(CannotPublish, match="Start without --publication"):
            async with publisher(tmp_path, store):
                pass
        head = head_of(store)
        assert head.facts.state is LogState.LOST
