"""Stores of earlier versions are brought up to date whole, once, and lose nothing."""

import gzip
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dealer_service.store.api import (
    Appended,
    ChipMove,
    LogFacts,
    LogHead,
    LogState,
    SealedSecret,
    SignedAt,
    StoredCheckpoint,
    StoredMovement,
)
from dealer_service.store.migrations import Step, newest, postgres, sqlite
from dealer_service.store.opening import find_lacking, migrate
from dealer_service.store.postgres import PostgresStore
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.sqlite import SqliteStore
from tests.support.postgres import fresh_database, shared_server
from tests.support.stores import answer, change, move, root, unit

STORES = Path(__file__).parents[1] / "data" / "stores"
OLDER = range(1, newest(sqlite.SQLITE))
FACTS = LogFacts(LogState.PAUSED, b'{"reference":"r"}', 1767225600000, 7, 3, "before", "after")


@pytest.fixture(params=OLDER)
def version(request: pytest.FixtureRequest) -> int:
    """Give each earlier version."""
    return int(request.param)


@pytest.fixture
def old(tmp_path: Path, version: int) -> Path:
    """Give a store that the dealer of that version wrote."""
    path = tmp_path / "store.sqlite"
    path.write_bytes(gzip.decompress((STORES / f"version-{version}.sqlite.gz").read_bytes()))
    return path


def tables(path: Path) -> list[tuple[str, str]]:
    connection = sqlite3.connect(path)
    found = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
    ).fetchall()
    connection.close()
    return found


@pytest.mark.parametrize("steps", [sqlite.SQLITE, postgres.POSTGRES])
def test_steps_are_numbered_one_after_another(steps: tuple[Step, ...]) -> None:
    assert [step.version for step in steps] == list(range(1, newest(steps) + 1))


class TestSqlite:
    def test_an_older_store_is_refused_with_what_to_do(self, old: Path) -> None:
        before = old.read_bytes()
        with pytest.raises(StoreError, match="run `cutcard-dealer migrate`") as refused:
            SqliteStore(old)
        assert refused.value.reason is Reason.STORE_OTHER_VERSION
        assert old.read_bytes() == before

    def test_what_would_be_done_is_told_and_nothing_changed(self, old: Path, version: int) -> None:
        before = old.read_bytes()
        lacking = find_lacking("", old, 1)
        assert lacking.version == version
        assert lacking.steps == sqlite.SQLITE[version:]
        assert old.read_bytes() == before

    def test_everything_in_it_is_there_afterwards(self, old: Path, version: int) -> None:
        migrate("", old, 1)
        store = SqliteStore(old)
        revealed = LogFacts(LogState.REVEALED)
        assert store.heads(limit=3) == (
            LogHead(1, "a", 3, 4, 1, SignedAt(3, root(3)), FACTS),
            LogHead(2, "b", 1, 2, None, None, revealed),
            LogHead(3, "gone", 0, 1, None, SignedAt(2, root(2)), LogFacts(LogState.LOST)),
        )
        archived = LogHead(
            4, "filed", 1, 2, None, SignedAt(1, root(1)), LogFacts(LogState.ARCHIVED)
        )
        assert store.heads(after=3) == ((archived,) if version > 1 else ())
        assert store.notices(9) == ()
        assert store.lines("a", 0, 9) == (b"zero", b"one", b"two")
        assert store.checkpoints("a") == (
            StoredCheckpoint(2, "note 2"),
            StoredCheckpoint(3, "note 3"),
        )
        assert store.sealed_secrets("a") == (SealedSecret(1, b"sealed"),)
        assert store.spent("a") == {b"anchor", b"link"}
        assert store.answer("games", "ann", "r1") == answer("r1")
        assert store.movements(0, 9) == (
            StoredMovement(1, move("a", 0)),
            StoredMovement(2, move("a", 2, ChipMove.CASHED_OUT)),
            StoredMovement(3, move("b", 0)),
        )
        assert store.heads(tournaments=True) == ()
        assert store.append_all([unit(change("a", 3, b"three", epoch=4))]) == [Appended()]
        assert store.append_all([unit(moves=(move("a", 3),))]) == [Appended((4,))]
        assert store.archive("b")
        store.close()

    def test_it_has_the_tables_of_a_new_store(self, old: Path, tmp_path: Path) -> None:
        migrate("", old, 1)
        new = tmp_path / "new.sqlite"
        SqliteStore(new).close()
        assert tables(old) == tables(new)

    def test_a_second_time_changes_nothing(self, old: Path) -> None:
        migrate("", old, 1)
        before = old.read_bytes()
        assert find_lacking("", old, 1).steps == ()
        migrate("", old, 1)
        assert old.read_bytes() == before

    def test_a_store_in_use_is_refused(self, old: Path) -> None:
        migrate("", old, 1)
        store = SqliteStore(old)
        with pytest.raises(StoreError) as refused:
            migrate("", old, 1)
        assert refused.value.reason is Reason.STORE_IN_USE
        store.close()

    def test_of_two_at_once_one_waits_and_finds_it_done(self, old: Path) -> None:
        together = threading.Barrier(2)

        def go() -> None:
            together.wait()
            migrate("", old, 1)

        with ThreadPoolExecutor(2) as pool:
            for each in [pool.submit(go), pool.submit(go)]:
                each.result()
        SqliteStore(old).close()

    def test_what_fails_on_the_way_leaves_the_old_store(
        self, old: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = tables(old)
        *steps, last = sqlite.SQLITE
        broken = Step(last.version, last.words, (*last.statements, "CREATE NONSENSE"))
        monkeypatch.setattr("dealer_service.store.sqlite_file.SQLITE", (*steps, broken))
        with pytest.raises(StoreError):
            migrate("", old, 1)
        assert tables(old) == before

    @pytest.mark.parametrize("other", [0, 77])
    def test_a_version_that_no_step_leads_from_is_refused(self, old: Path, other: int) -> None:
        with sqlite3.connect(old) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
            connection.execute(f"PRAGMA user_version={other}")
        connection.close()
        for call in (find_lacking, migrate):
            with pytest.raises(StoreError, match="use the dealer that made it") as refused:
                call("", old, 1)
            assert refused.value.reason is Reason.STORE_OTHER_VERSION

    def test_where_there_is_no_store_none_is_made(self, tmp_path: Path) -> None:
        for call in (find_lacking, migrate):
            with pytest.raises(StoreError):
                call("", tmp_path / "store.sqlite", 1)
        assert list(tmp_path.iterdir()) == []


class TestPostgres:
    def test_an_empty_database_gets_its_tables_at_the_first_start(self) -> None:
        with fresh_database() as url:
            lacking = find_lacking(url, Path(), 1)
            assert (lacking.version, lacking.steps) == (0, postgres.POSTGRES)
            PostgresStore(url).close()
            assert find_lacking(url, Path(), 1).steps == ()

    def test_any_number_may_start_first(self) -> None:
        with fresh_database() as url, ThreadPoolExecutor(4) as pool:
            for store in list(pool.map(lambda _: PostgresStore(url, lease=20), range(4))):
                store.close()

    def test_an_older_store_is_refused_until_it_is_migrated(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        more = Step(
            newest(postgres.POSTGRES) + 1,
            "add a column",
            ("ALTER TABLE lines ADD COLUMN more text",),
        )
        with fresh_database() as url:
            store = PostgresStore(url)
            store.append_all([unit(change("a", 0, b"x"))])
            store.close()
            monkeypatch.setattr(
                "dealer_service.store.postgres_tables.POSTGRES", (*postgres.POSTGRES, more)
            )
            with pytest.raises(StoreError, match="run `cutcard-dealer migrate`") as refused:
                PostgresStore(url)
            assert refused.value.reason is Reason.STORE_OTHER_VERSION
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(lambda _: migrate(url, Path(), 5), range(2)))
            assert find_lacking(url, Path(), 1).version == more.version
            store = PostgresStore(url)
            assert store.lines("a", 0, 9) == (b"x",)
            store.close()

    def test_logs_of_an_older_store_are_of_no_tournament_and_games_go_on(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with fresh_database() as url:
            with monkeypatch.context() as patched:
                patched.setattr(
                    "dealer_service.store.postgres_tables.POSTGRES", postgres.POSTGRES[:2]
                )
                PostgresStore(url).close()
            name = url.rpartition("/")[2]
            shared_server().run(
                "INSERT INTO logs VALUES"
                " (1, 'a', 0, 4, NULL, 0, NULL, 'paused', '', 0, 7, 2, 3, '', '')",
                name,
            )
            shared_server().run("UPDATE counters SET value = 1 WHERE name = 'logs'", name)
            with pytest.raises(StoreError, match="run `cutcard-dealer migrate`"):
                PostgresStore(url)
            migrate(url, Path(), 5)
            store = PostgresStore(url)
            facts = LogFacts(LogState.PAUSED, b"", 7, 2, 3)
            assert store.heads() == (LogHead(1, "a", 0, 4, None, None, facts),)
            assert store.heads(tournaments=True) == ()
            event = (change(log, 0, b"x", facts=LogFacts(tournament="t")) for log in ("t", "u"))
            assert store.append_all([unit(*event, change("a", 0, b"x", epoch=4))]) == [Appended()]
            assert store.claim("a") == 5
            assert store.claim_group("t") == {"t": 2, "u": 2}
            store.close()

    def test_what_fails_on_the_way_leaves_the_old_store(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        broken = Step(
            newest(postgres.POSTGRES) + 1,
            "break",
            ("CREATE TABLE left_over (x bigint)", "CREATE NONSENSE"),
        )
        with fresh_database() as url:
            PostgresStore(url).close()
            with monkeypatch.context() as patched:
                patched.setattr(
                    "dealer_service.store.postgres_tables.POSTGRES", (*postgres.POSTGRES, broken)
                )
                with pytest.raises(StoreError):
                    migrate(url, Path(), 1)
            name = url.rpartition("/")[2]
            assert shared_server().run("SELECT to_regclass('left_over')", name) == [(None,)]
            PostgresStore(url).close()

    def test_a_newer_store_is_refused(self) -> None:
        with fresh_database() as url:
            PostgresStore(url).close()
            shared_server().run("UPDATE schema_version SET version = 9", url.rpartition("/")[2])
            for call in (PostgresStore, lambda url: find_lacking(url, Path(), 1)):
                with pytest.raises(StoreError, match="use the dealer that made it") as refused:
                    call(url)
                assert refused.value.reason is Reason.STORE_OTHER_VERSION
            with pytest.raises(StoreError):
                migrate(url, Path(), 1)
