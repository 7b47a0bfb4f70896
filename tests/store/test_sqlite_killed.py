"""A process that is killed in the middle of its traffic loses nothing that it acknowledged."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dealer_service.store.api import Appended
from dealer_service.store.signed_journal import SignedJournal
from dealer_service.store.sqlite import SqliteStore
from tests.support.stores import change, unit

ROOT = Path(__file__).parents[2]
TRAFFIC = """
import os, sys
from concurrent.futures import Future
from pathlib import Path
from dealer_service.store.api import Appended
from dealer_service.store.commit import GroupCommit
from dealer_service.store.signed_journal import SignedJournal
from dealer_service.store.sqlite import SqliteStore
from tests.support.stores import answer, change, move, notice, signed, unit

folder = Path(sys.argv[1])
store = SqliteStore(folder / "cutcard.db")
journal = SignedJournal(folder / "signed", "dealer.example", may_make=True)
commit = GroupCommit(
    store, journal, new_promise=Future, deliver=lambda call: call(), on_failure=lambda error: None
)

def tell(log, index):
    def told(promise):
        assert promise.result() == Appended((promise.result().cursors[0],)), promise.result()
        os.write(1, b"%s %d\\n" % (log.encode(), index))
    return told

index = 0
while True:
    waiting = []
    for log in "abcd":
        note, told_of = signed(index + 2, index), notice(index + 2)
        lines = change(log, index, b"1", b"2", signed=(note,), notices=(told_of,))
        twin = change(log + "-twin", index, b"1", b"2")
        request = unit(lines, twin, moves=(move(log, index),), answer=answer(f"{log}{index}"))
        promise = commit.submit(request)
        promise.add_done_callback(tell(log, index))
        waiting.append(promise)
    for promise in waiting:
        promise.result()
    index += 2
"""


@pytest.mark.parametrize("told", [1, 7, 40, 203, 1000])
def test_all_that_was_acknowledged_is_there_and_nothing_half(tmp_path: Path, told: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", TRAFFIC, str(tmp_path)], stdout=subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout is not None
    acknowledged = [process.stdout.readline() for _ in range(told)]
    os.kill(process.pid, signal.SIGKILL)
    acknowledged += [line for line in process.stdout if line.endswith(b"\n")]
    process.wait()
    process.stdout.close()

    store = SqliteStore(tmp_path / "cutcard.db")
    journal = SignedJournal(tmp_path / "signed", "dealer.example", may_make=False)
    moved = {(found.movement.log, found.movement.index) for found in store.movements(0, 10**6)}
    waiting = [(found.log, found.notice.size) for found in store.notices(10**6)]
    for line in acknowledged:
        log, index = line.decode().split()
        assert store.answer("games", "ann", f"{log}{index}") is not None
        assert (log, int(index)) in moved
        assert journal.last[log].size >= int(index) + 2
    for log in "abcd":
        head, twin = store.head(log), store.head(f"{log}-twin")
        if head is None:
            assert twin is None
            continue
        assert twin is not None
        size = head.next_index
        assert size == twin.next_index == head.signed_size
        assert size % 2 == 0
        assert len(list(store.every_line(log))) == len(list(store.every_line(twin.log))) == size
        assert {index for name, index in moved if name == log} == set(range(0, size, 2))
        assert [at for name, at in waiting if name == log] == list(range(2, size + 1, 2))
        assert store.answer("games", "ann", f"{log}{size}") is None
        known = journal.last.get(log)
        assert known is None or known.size <= size
    store.close()
    journal.close()


def test_commits_that_are_only_in_the_write_ahead_log_are_there(tmp_path: Path) -> None:
    """What a power cut leaves: the files as they are between a commit and its checkpoint."""
    live, found = tmp_path / "live", tmp_path / "found"
    live.mkdir()
    store = SqliteStore(live / "cutcard.db")
    for index in range(50):
        assert store.append_all([unit(change("a", index, b"x"))]) == [Appended()]
    shutil.copytree(live, found)
    store.close()
    assert b"lines" in (found / "cutcard.db").read_bytes()
    assert (found / "cutcard.db-wal").stat().st_size > 50 * 4096
    again = SqliteStore(found / "cutcard.db")
    assert len(again.lines("a", 0, 99)) == 50
    again.close()
    assert not (found / "cutcard.db-wal").exists()


def test_a_checkpoint_that_was_cut_off_is_taken_up_again(tmp_path: Path) -> None:
    """It writes the first page first: its count of pages is then ahead of the file."""
    live, found = tmp_path / "live", tmp_path / "found"
    live.mkdir()
    store = SqliteStore(live / "cutcard.db")
    store.append_all([unit(change("a", 0, *[bytes(4000)] * 50))])
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    shutil.copytree(live, found)
    store.close()
    path = found / "cutcard.db"
    whole = path.read_bytes()
    assert len(whole) < pages * 4096
    path.write_bytes((live / "cutcard.db").read_bytes()[:4096] + whole[4096:])
    again = SqliteStore(path)
    assert len(again.lines("a", 0, 99)) == 50
    again.close()


@pytest.mark.parametrize("cut", [1, 4096, 20_000])
def test_a_write_ahead_log_that_is_cut_gives_whole_units_only(tmp_path: Path, cut: int) -> None:
    live, found = tmp_path / "live", tmp_path / "found"
    live.mkdir()
    store = SqliteStore(live / "cutcard.db")
    for index in range(50):
        store.append_all([unit(change("a", index, b"x"), change("b", index, b"y"))])
    shutil.copytree(live, found)
    store.close()
    wal = found / "cutcard.db-wal"
    wal.write_bytes(wal.read_bytes()[:-cut])
    again = SqliteStore(found / "cutcard.db")
    a, b = again.lines("a", 0, 99), again.lines("b", 0, 99)
    assert 0 < len(a) == len(b) < 50
    again.close()
