"""What a node keeps in its directory: a lock, its name, how far it saw the store, whose journal."""

import stat
from pathlib import Path

import pytest

from dealer_service.store.api import LogFacts, LogHead, LogState, LostLog, SignedAt
from dealer_service.store.directory import DirectoryLock, is_node_name, kept_node_name
from dealer_service.store.last_seen import LastSeen
from dealer_service.store.leases import Beat
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.restore import compare, is_behind, lost_logs, merge
from dealer_service.store.signed_journal import SignedJournal, read_journal
from tests.support.stores import root

ORIGIN = "dealer.example"


def at(size: int, by: object = None) -> SignedAt:
    return SignedAt(size, root(by or size))


def head(log: str, size: int, signed: SignedAt | None) -> LogHead:
    return LogHead(1, log, size, 1, None, signed, LogFacts(state=LogState.OPEN))


class TestTheLock:
    def test_is_one_processs_and_is_free_again_when_it_is_closed(self, tmp_path: Path) -> None:
        lock = DirectoryLock(tmp_path / "new" / "folder")
        with pytest.raises(StoreError) as caught:
            DirectoryLock(tmp_path / "new" / "folder")
        assert caught.value.reason is Reason.DIRECTORY_IN_USE
        lock.close()
        lock.close()
        DirectoryLock(tmp_path / "new" / "folder").close()


class TestTheName:
    def test_is_drawn_once(self, tmp_path: Path) -> None:
        assert kept_node_name(tmp_path / "node.name", "node-one") == "node-one"
        assert kept_node_name(tmp_path / "node.name", "node-two") == "node-one"

    @pytest.mark.parametrize("content", [b"", b"two names\n", b"Upper\n", b"\xff\n", b"a" * 65])
    def test_in_a_file_that_holds_none_is_refused(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "node.name").write_bytes(content)
        with pytest.raises(StoreError) as caught:
            kept_node_name(tmp_path / "node.name", "node-one")
        assert caught.value.reason is Reason.NODE_NAME_WRONG

    @pytest.mark.parametrize("name", ["a", "dealer-1.example.com", "0" * 64])
    def test_may_be(self, name: str) -> None:
        assert is_node_name(name)


class TestWhatWasSeen:
    def test_is_nothing_at_first(self, tmp_path: Path) -> None:
        seen = LastSeen(tmp_path / "last.seen")
        assert (seen.count, seen.nodes) == (0, frozenset())
        seen.require(0)

    def test_outlives_the_process(self, tmp_path: Path) -> None:
        seen = LastSeen(tmp_path / "last.seen")
        seen.note(Beat(7, frozenset({"one"}), 0))
        seen.note(Beat(9, frozenset({"two"}), 0))
        again = LastSeen(tmp_path / "last.seen")
        # A node that an older store does not know is remembered for good.
        assert (again.count, again.nodes) == (9, frozenset({"one", "two"}))
        assert stat.S_IMODE((tmp_path / "last.seen").stat().st_mode) == 0o600

    @pytest.mark.parametrize("count", [8, 9])
    def test_a_count_that_has_not_risen_tells_of_an_older_store(
        self, tmp_path: Path, count: int
    ) -> None:
        seen = LastSeen(tmp_path / "last.seen")
        seen.note(Beat(9, frozenset(), 0))
        with pytest.raises(StoreError) as caught:
            seen.note(Beat(count, frozenset(), 0))
        assert caught.value.reason is Reason.STORE_WENT_BACK
        assert LastSeen(tmp_path / "last.seen").count == 9

    def test_at_a_start_the_same_count_is_the_same_store(self, tmp_path: Path) -> None:
        seen = LastSeen(tmp_path / "last.seen")
        seen.note(Beat(9, frozenset(), 0))
        seen.require(9)
        with pytest.raises(StoreError) as caught:
            seen.require(8)
        assert caught.value.reason is Reason.STORE_WENT_BACK

    def test_an_accepted_restore_begins_anew_and_forgets_no_node(self, tmp_path: Path) -> None:
        seen = LastSeen(tmp_path / "last.seen")
        seen.note(Beat(9, frozenset({"one"}), 0))
        seen.accept(Beat(3, frozenset({"two"}), 0))
        again = LastSeen(tmp_path / "last.seen")
        assert (again.count, again.nodes) == (3, frozenset({"one", "two"}))

    @pytest.mark.parametrize("content", [b"", b"cutcard-seen/1 x\n", b"cutcard-seen/1 5", b"\xff"])
    def test_a_damaged_file_is_refused(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "last.seen").write_bytes(content)
        with pytest.raises(StoreError) as caught:
            LastSeen(tmp_path / "last.seen")
        assert caught.value.reason is Reason.JOURNAL_DAMAGED


class TestTheJournalsNames:
    def test_are_of_all_that_wrote_it(self, tmp_path: Path) -> None:
        path = tmp_path / "signed"
        for node in ("one", "two"):
            journal = SignedJournal(path, ORIGIN, may_make=True, node=node)
            journal.record({"a": at(3)})
            journal.close()
        journalled = read_journal(path, ORIGIN)
        assert journalled.nodes == {"one", "two"}
        assert journalled.last == {"a": at(3)}

    def test_are_none_where_a_dealer_is_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "signed"
        SignedJournal(path, ORIGIN, may_make=True).close()
        assert path.read_bytes() == b"cutcard-signed/1 dealer.example\n"
        assert read_journal(path, ORIGIN).nodes == frozenset()

    def test_one_that_is_read_is_left_as_it_is(self, tmp_path: Path) -> None:
        path = tmp_path / "signed"
        journal = SignedJournal(path, ORIGIN, may_make=True, node="one")
        journal.record({"a": at(3)})
        before = path.read_bytes()
        read_journal(path, ORIGIN)
        assert path.read_bytes() == before
        with pytest.raises(StoreError) as caught:
            read_journal(path, "another.example")
        assert caught.value.reason is Reason.JOURNAL_OF_ANOTHER_ORIGIN
        with pytest.raises(StoreError) as caught:
            read_journal(tmp_path / "none", ORIGIN)
        assert caught.value.reason is Reason.JOURNAL_MISSING
        journal.close()


class TestSeveralJournals:
    def test_together_they_say_how_far_a_log_was_signed(self) -> None:
        merged, apart = merge([{"a": at(3), "b": at(5)}, {"a": at(7), "c": at(1)}])
        assert merged == {"a": at(7), "b": at(5), "c": at(1)}
        assert apart == frozenset()

    def test_two_roots_at_one_size_are_told(self) -> None:
        _, apart = merge([{"a": at(3)}, {"a": at(3, "other")}])
        assert apart == {"a"}

    def test_what_is_unproved_is_lost_whatever_it_reaches(self) -> None:
        heads = [head("a", 9, at(9)), head("b", 4, None), head("c", 6, at(6))]
        verdicts = compare({"a": at(3)}, heads)
        lost = lost_logs(verdicts, lambda *_: b"", frozenset({"a", "b"}))
        assert [(one.log, one.signed.size) for one in lost] == [("a", 9), ("b", 0)]
        assert lost[0] == LostLog("a", at(9))

    @pytest.mark.parametrize(
        ("journal", "store", "behind"),
        [
            (None, None, False),
            (None, at(3), False),
            (at(3), at(3), False),
            (at(3), at(4), False),
            (at(3), None, True),
            (at(3), at(2), True),
            (at(3), at(3, "other"), True),
        ],
    )
    def test_a_store_is_behind(
        self, journal: SignedAt | None, store: SignedAt | None, behind: bool
    ) -> None:
        assert is_behind(journal, store) is behind
