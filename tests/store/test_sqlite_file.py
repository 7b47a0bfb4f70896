"""The SQLite store's file: who may open it, and what is done about one that is not right."""

import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from dealer_service.store.api import Appended
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.sqlite import SqliteStore
from tests.support.stores import change, unit

ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cutcard.db"


def fill(path: Path, count: int = 400) -> None:
    store = SqliteStore(path)
    store.append_all([unit(change("a", index, b"line" * 50)) for index in range(count)])
    store.close()


def refusal(path: Path) -> StoreError:
    """Open a store that must be refused, and hold that no byte in its folder changed by it."""
    before = {file: file.read_bytes() for file in path.parent.iterdir() if file.is_file()}
    with pytest.raises(StoreError) as refused:
        SqliteStore(path)
    after = {file: file.read_bytes() for file in path.parent.iterdir() if file.is_file()}
    assert after == before
    assert str(path) in str(refused.value)
    return refused.value


def run_python(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )


class TestMaking:
    def test_only_its_owner_may_read_a_store_and_its_log(self, path: Path) -> None:
        store = SqliteStore(path)
        store.append_all([unit(change("a", 0, b"x"))])
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
        assert modes == {"cutcard.db": 0o600, "cutcard.db-wal": 0o600}
        store.close()

    def test_a_making_that_was_cut_off_is_made_again(self, path: Path) -> None:
        path.with_name("cutcard.db.new").touch()
        SqliteStore(path).close()
        assert [file.name for file in path.parent.iterdir()] == ["cutcard.db"]

    def test_names_with_marks_of_addresses_are_plain_names(self, tmp_path: Path) -> None:
        path = tmp_path / "a?mode=memory#%41 b.db"
        SqliteStore(path).close()
        assert path.is_file()

    def test_a_commit_is_synced_and_the_file_locked(self, path: Path) -> None:
        store = SqliteStore(path)
        asked = ("journal_mode", "synchronous", "locking_mode")
        found = [store._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in asked]
        assert found == ["wal", 2, "exclusive"]
        store.close()


class TestRefusing:
    def test_a_second_process_is_refused(self, path: Path) -> None:
        store = SqliteStore(path)
        code = """
import sys
from pathlib import Path
from dealer_service.store.refusal import StoreError
from dealer_service.store.sqlite import SqliteStore
try:
    SqliteStore(Path(sys.argv[1]))
except StoreError as error:
    print(error.reason, error)
"""
        told = run_python(code, path).stdout
        assert told.startswith("STORE_IN_USE")
        assert str(path) in told
        assert "stop that dealer" in told
        assert store.append_all([unit(change("a", 0, b"x"))]) == [Appended()]
        store.close()

    def test_a_second_store_in_the_same_process_is_refused(self, path: Path) -> None:
        """The refused opening must not take the first one's lock with it."""
        store = SqliteStore(path)
        with pytest.raises(StoreError) as refused:
            SqliteStore(path)
        assert refused.value.reason is Reason.STORE_IN_USE
        code = (
            "import sqlite3, sys\n"
            "sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN IMMEDIATE')"
        )
        assert "database is locked" in run_python(code, path).stderr
        store.close()

    @pytest.mark.parametrize("version", [0, 1, 77])
    def test_a_store_of_another_version_is_refused(self, path: Path, version: int) -> None:
        fill(path, 1)
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
            connection.execute(f"PRAGMA user_version={version}")
        connection.close()
        error = refusal(path)
        assert error.reason is Reason.STORE_OTHER_VERSION
        assert f"version {version}" in str(error)

    def test_another_program_s_database_is_refused(self, path: Path) -> None:
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE mail (body)")
        connection.close()
        assert refusal(path).reason is Reason.STORE_NOT_OURS

    @pytest.mark.parametrize("content", [b"", b"x", b"not a store at all\n" * 999, bytes(8192)])
    def test_a_file_that_is_no_store_is_refused(self, path: Path, content: bytes) -> None:
        path.write_bytes(content)
        assert refusal(path).reason is Reason.STORE_NOT_OURS

    def test_a_folder_is_refused(self, path: Path) -> None:
        path.mkdir()
        assert refusal(path).reason is Reason.STORE_NOT_OURS

    def test_a_missing_folder_is_named(self, path: Path) -> None:
        with pytest.raises(StoreError) as refused:
            SqliteStore(path / "missing" / "cutcard.db")
        assert refused.value.reason is Reason.STORE_UNREACHABLE
        assert "No such file or directory" in str(refused.value)

    @pytest.mark.parametrize("kept", [0.3, 0.5, 0.9])
    def test_a_truncated_store_is_refused(self, path: Path, kept: float) -> None:
        fill(path)
        content = path.read_bytes()
        path.write_bytes(content[: int(len(content) * kept) // 4096 * 4096])
        error = refusal(path)
        assert error.reason is Reason.STORE_DAMAGED
        assert "backup" in str(error)

    def test_a_store_with_a_spoilt_page_is_refused(self, path: Path) -> None:
        fill(path)
        content = bytearray(path.read_bytes())
        middle = len(content) // 8192 * 4096
        content[middle : middle + 4096] = os.urandom(4096)
        path.write_bytes(content)
        assert refusal(path).reason is Reason.STORE_DAMAGED

    def test_a_log_without_its_store_is_refused(self, path: Path) -> None:
        """To make a new store there would delete what the log still holds."""
        path.with_name("cutcard.db-wal").write_bytes(b"what is left")
        assert refusal(path).reason is Reason.STORE_DAMAGED

    def test_damage_found_later_is_told(self, path: Path) -> None:
        fill(path)
        store = SqliteStore(path)
        store._connection.execute("PRAGMA shrink_memory")
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(os.urandom(path.stat().st_size - 4096))
        with pytest.raises(StoreError) as refused:
            list(store.every_line("a"))
        assert refused.value.reason is Reason.STORE_DAMAGED
        store.close()


UNPRIVILEGED = """
import os, sys
from pathlib import Path
from dealer_service.store.refusal import StoreError
from dealer_service.store.sqlite import SqliteStore
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    SqliteStore(Path(sys.argv[1]))
except StoreError as error:
    print(error.reason, error)
"""


@pytest.mark.parametrize("there", [False, True])
def test_a_folder_that_can_not_be_written_is_told(there: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "cutcard.db"
        if there:
            fill(path, 1)
            path.chmod(0o444)
        folder.chmod(0o555)
        told = run_python(UNPRIVILEGED, path)
        folder.chmod(0o755)
    assert told.stdout.startswith("STORE_UNREACHABLE"), told
    assert "permissions" in told.stdout


def test_a_failed_write_ends_the_store_until_it_is_opened_again(path: Path) -> None:
    store = SqliteStore(path)
    store.append_all([unit(change("a", 0, b"x"))])
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(StoreError) as refused:
        store.append_all([unit(change("b", 0, b"y")), unit(change("a", 1, bytes(100_000)))])
    assert refused.value.reason is Reason.STORE_FULL
    assert "make room" in str(refused.value)
    with pytest.raises(StoreError, match="make room"):
        store.append_all([])
    store.close()
    again = SqliteStore(path)
    assert again.lines("a", 0, 9) == (b"x",)
    assert again.head("b") is None
    again.close()
