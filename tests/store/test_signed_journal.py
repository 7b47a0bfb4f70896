"""The file beside the key, and what it tells of a store that was restored from a backup."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from dealer_service.store.api import Appended, LogLost, LogState, SignedAt
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.restore import Standing, compare, lost_logs
from dealer_service.store.signed_journal import SignedJournal
from dealer_service.store.sqlite import SqliteStore
from tests.support.stores import change, root, signed, unit

ORIGIN = "dealer.example"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "signed"


def open_journal(path: Path, *, may_make: bool = False) -> SignedJournal:
    return SignedJournal(path, ORIGIN, may_make=may_make)


def filled(path: Path) -> bytes:
    """Leave a journal of three batches, as a killed process does, and give its bytes."""
    journal = open_journal(path, may_make=True)
    journal.record({"a": at(1), "b": at(2)})
    journal.record({"a": at(3)})
    journal.record({"c": at(4)})
    journal.close()
    return path.read_bytes()


def at(size: int) -> SignedAt:
    return SignedAt(size, root(size))


class TestFile:
    def test_knows_the_last_size_and_root_of_each_log(self, path: Path) -> None:
        filled(path)
        for _ in range(3):
            journal = open_journal(path)
            assert journal.last == {"a": at(3), "b": at(2), "c": at(4)}
            journal.close()

    def test_is_made_for_its_owner_alone(self, path: Path) -> None:
        open_journal(path, may_make=True).close()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert list(path.parent.iterdir()) == [path]

    def test_grows_by_use_and_shrinks_at_a_start(self, path: Path) -> None:
        journal = open_journal(path, may_make=True)
        for size in range(1, 200):
            journal.record({"a": at(size)})
        journal.close()
        long = path.stat().st_size
        open_journal(path).close()
        assert path.stat().st_size < long / 100

    def test_many_logs_are_written_anew_whole(self, path: Path) -> None:
        logs = {f"log{number}": at(number) for number in range(1, 1000)}
        journal = open_journal(path, may_make=True)
        journal.record(logs)
        journal.close()
        for _ in range(2):
            journal = open_journal(path)
            assert journal.last == logs
            journal.close()

    def test_what_was_recorded_is_on_disk_without_closing(self, path: Path) -> None:
        journal = open_journal(path, may_make=True)
        journal.record({"a": at(1)})
        copy = path.with_name("copy")
        shutil.copy(path, copy)
        assert open_journal(copy).last == {"a": at(1)}
        journal.close()

    def test_a_draft_that_a_crash_left_is_overwritten(self, path: Path) -> None:
        filled(path)
        path.with_name("signed.new").write_bytes(b"half")
        assert len(open_journal(path).last) == 3

    def test_a_missing_one_is_refused_after_the_first_start(self, path: Path) -> None:
        with pytest.raises(StoreError, match="--accept-restore") as refused:
            open_journal(path)
        assert refused.value.reason is Reason.JOURNAL_MISSING
        assert not path.exists()

    def test_another_origin_s_is_refused(self, path: Path) -> None:
        filled(path)
        with pytest.raises(StoreError) as refused:
            SignedJournal(path, "other.example", may_make=True)
        assert refused.value.reason is Reason.JOURNAL_OF_ANOTHER_ORIGIN

    def test_a_missing_folder_is_told(self, path: Path) -> None:
        with pytest.raises(StoreError) as refused:
            open_journal(path / "missing", may_make=True)
        assert refused.value.reason is Reason.JOURNAL_FAILED

    def test_a_name_that_would_spoil_it_is_refused(self, path: Path) -> None:
        journal = open_journal(path, may_make=True)
        for name in ("two words", "line\nfeed", "", "é", "x" * 256):
            with pytest.raises(StoreError):
                journal.record({name: at(1)})
            journal.close()
            journal = open_journal(path)
            assert journal.last == {}
        journal.close()

    def test_a_failed_write_ends_it(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        journal = open_journal(path, may_make=True)

        def fail(_descriptor: int) -> None:
            raise OSError(5, "Input/output error")

        with monkeypatch.context() as failing:
            failing.setattr(os, "fsync", fail)
            with pytest.raises(StoreError, match="Input/output error") as refused:
                journal.record({"a": at(1)})
        assert refused.value.reason is Reason.JOURNAL_FAILED
        with pytest.raises(StoreError, match="start again"):
            journal.record({"a": at(2)})
        assert "a" not in journal.last
        journal.close()


class TestDamage:
    def test_a_torn_last_batch_is_as_if_it_never_was(self, path: Path) -> None:
        """It is of a crash before its sync, so none of its signatures left."""
        content = filled(path)
        start = content.rindex(b"\n", 0, -1) + 1
        for size in range(start, len(content)):
            path.write_bytes(content[:size])
            journal = open_journal(path)
            assert journal.last == {"a": at(3), "b": at(2)}
            journal.record({"c": at(5)})
            journal.close()
            assert open_journal(path).last["c"] == at(5)

    @pytest.mark.parametrize("fill", [b"\0", b"x"])
    def test_a_last_batch_of_which_blocks_are_missing_too(self, path: Path, fill: bytes) -> None:
        content = filled(path)
        path.write_bytes(content[:-60] + fill * 59 + b"\n")
        assert open_journal(path).last == {"a": at(3), "b": at(2)}

    def test_any_changed_bit_before_the_last_batch_is_refused(self, path: Path) -> None:
        content = filled(path)
        for place in range(content.rindex(b"\n", 0, -1)):
            changed = bytearray(content)
            changed[place] ^= 1
            path.write_bytes(changed)
            with pytest.raises(StoreError) as refused:
                open_journal(path)
            assert refused.value.reason in (
                Reason.JOURNAL_DAMAGED,
                Reason.JOURNAL_OF_ANOTHER_ORIGIN,
            )
            assert path.read_bytes() == changed

    @pytest.mark.parametrize("content", [b"", b"\n", b"hello\n", bytes(4096)])
    def test_what_is_no_journal_is_refused(self, path: Path, content: bytes) -> None:
        path.write_bytes(content)
        with pytest.raises(StoreError) as refused:
            open_journal(path, may_make=True)
        assert refused.value.reason is Reason.JOURNAL_DAMAGED
        assert path.read_bytes() == content

    @pytest.mark.parametrize("second", [SignedAt(2, root(2)), SignedAt(3, root("fork"))])
    def test_a_size_that_goes_back_or_a_root_that_changes_is_refused(
        self, path: Path, second: SignedAt
    ) -> None:
        journal = open_journal(path, may_make=True)
        journal.record({"a": at(3)})
        journal.record({"a": second})
        journal.record({"b": at(1)})
        journal.close()
        with pytest.raises(StoreError, match="goes back") as refused:
            open_journal(path)
        assert refused.value.reason is Reason.JOURNAL_DAMAGED


class TestComparing:
    CASES = (
        (None, None, Standing.EQUAL),
        (at(3), at(3), Standing.EQUAL),
        (None, at(3), Standing.STORE_AHEAD),
        (at(3), at(4), Standing.STORE_AHEAD),
        (at(3), at(2), Standing.STORE_BEHIND),
        (at(3), None, Standing.STORE_BEHIND),
        (at(3), SignedAt(3, root("fork")), Standing.STORE_BEHIND),
    )

    @pytest.mark.parametrize(("journal", "kept", "standing"), CASES)
    def test_each_log_stands_equal_ahead_or_behind(
        self,
        tmp_path: Path,
        journal: SignedAt | None,
        kept: SignedAt | None,
        standing: Standing,
    ) -> None:
        store = SqliteStore(tmp_path / "cutcard.db")
        store.append_all([unit(change("a", 0, *[b"x"] * 5))])
        if kept is not None:
            by = "fork" if kept.root == root("fork") else None
            store.append_all([unit(change("a", 5, signed=(signed(kept.size, by=by),)))])
        (verdict,) = compare({} if journal is None else {"a": journal}, store.heads())
        assert verdict.standing is standing
        assert (verdict.journal, verdict.store, verdict.next_index) == (journal, kept, 5)
        store.close()


def test_a_restored_backup_is_noticed_and_its_logs_are_told_apart(tmp_path: Path) -> None:
    """`cut` lost signed lines, `new` all of them, `whole` none: its lines were signed later."""
    path, backup = tmp_path / "cutcard.db", tmp_path / "backup.db"
    journal = open_journal(tmp_path / "signed", may_make=True)
    store = SqliteStore(path)
    for log in ("cut", "whole", "idle"):
        assert store.append_all([unit(change(log, 0, b"0", b"1", signed=(signed(1),)))])
        journal.record({log: at(1)})
    store.close()
    shutil.copy(path, backup)

    store = SqliteStore(path)
    later = (
        unit(change("cut", 2, b"2", signed=(signed(3, 1),))),
        unit(change("whole", 2, signed=(signed(2, 1),))),
        unit(change("new", 0, b"0", signed=(signed(1),))),
    )
    assert store.append_all(later) == [Appended()] * 3
    journal.record({"cut": at(3), "whole": at(2), "new": at(1)})
    assert {verdict.standing for verdict in compare(journal.last, store.heads())} == {
        Standing.EQUAL
    }
    store.close()

    shutil.copy(backup, path)
    store = SqliteStore(path)
    verdicts = compare(journal.last, store.heads())
    standings = {verdict.log: verdict.standing for verdict in verdicts}
    assert standings == {
        "cut": Standing.STORE_BEHIND,
        "whole": Standing.STORE_BEHIND,
        "new": Standing.STORE_BEHIND,
        "idle": Standing.EQUAL,
    }
    lost = lost_logs(verdicts, lambda _log, size: root(size))
    assert {one.log: one.signed.size for one in lost} == {"cut": 3, "new": 1}

    store.mark_lost(lost)
    listed = {head.log: head.signed_size for head in store.heads(state=LogState.LOST)}
    assert listed == {"cut": 3, "new": 1}
    assert store.append_all([unit(change("cut", 2, b"no", epoch=2))]) == [LogLost("cut", 3)]
    close = unit(change("whole", 2, b"closed", signed=(signed(2, 1), signed(3, 2))))
    assert store.append_all([close]) == [Appended()]
    journal.record({"whole": at(3)})
    again = compare(journal.last, store.heads())
    assert {verdict.standing for verdict in again} == {Standing.EQUAL}
    store.close()
    journal.close()


def test_a_log_with_other_lines_under_its_last_signed_size_is_lost(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "cutcard.db")
    store.append_all([unit(change("a", 0, *[b"x"] * 9))])
    verdicts = compare({"a": at(5)}, store.heads())
    assert lost_logs(verdicts, lambda _log, size: root(size)) == ()
    assert len(lost_logs(verdicts, lambda _log, _size: root("fork"))) == 1
    store.close()
