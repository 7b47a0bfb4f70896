"""What a PostgreSQL store asks of its server, and what it never shows."""

import contextlib
import logging
import re
import subprocess
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from dealer_service.store import postgres
from dealer_service.store.api import Append, Appended, LogFacts, LogState, NoticeGone, SealedSecret
from dealer_service.store.leases import Node
from dealer_service.store.opening import open_store
from dealer_service.store.postgres import PostgresStore
from dealer_service.store.postgres_target import read_target
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.sqlite import SqliteStore
from tests.support.postgres import PASSWORD, Server, fresh_database, shared_server
from tests.support.stores import answer, change, move, notice, signed, unit

FILES = [*Path(postgres.__file__).parent.glob("postgres*.py")]
FILES += [Path(postgres.__file__).parent / "migrations" / "postgres.py"]


@pytest.fixture
def server() -> Server:
    return shared_server()


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    with fresh_database(server) as url:
        yield url


def name(url: str) -> str:
    return url.rpartition("/")[2]


@contextlib.contextmanager
def setting(server: Server, what: str, value: str) -> Iterator[None]:
    """Let the server have another setting for a while."""

    def take(wanted: str) -> None:
        server.run("SELECT pg_reload_conf()")
        while server.run(f"SHOW {what}") != [(wanted,)]:
            pass

    ((before,),) = server.run(f"SHOW {what}")
    server.run(f"ALTER SYSTEM SET {what} = {value}")
    try:
        take(value)
        yield
    finally:
        server.run(f"ALTER SYSTEM RESET {what}")
        take(before)


class TestDurability:
    @pytest.mark.parametrize("what", ["fsync", "full_page_writes"])
    def test_a_server_that_would_lose_commits_is_refused(
        self, server: Server, url: str, what: str
    ) -> None:
        with setting(server, what, "off"), pytest.raises(StoreError, match=what) as refused:
            PostgresStore(url)
        assert refused.value.reason is Reason.STORE_NOT_DURABLE

    @pytest.mark.parametrize(
        ("given", "kept"),
        [("off", "on"), ("local", "on"), ("remote_write", "on"), ("remote_apply", "remote_apply")],
    )
    def test_commits_wait_for_the_disk_whatever_the_database_says(
        self, server: Server, url: str, given: str, kept: str
    ) -> None:
        server.run(f"ALTER DATABASE {name(url)} SET synchronous_commit = '{given}'")
        store = PostgresStore(url)
        store.append_all([unit()])
        link = store._changes._link
        assert link is not None
        assert link.run(("SHOW synchronous_commit", ()))[0].fetchall() == [(kept,)]
        store.close()

    def test_a_session_ends_what_hangs_and_says_whose_it_is(self, url: str) -> None:
        store = PostgresStore(url, lease=3)
        store.append_all([unit()])
        link = store._changes._link
        assert link is not None
        found = {
            what: link.run((f"SHOW {what}", ()))[0].fetchall()[0][0]
            for what in (
                "statement_timeout",
                "lock_timeout",
                "idle_in_transaction_session_timeout",
                "application_name",
                "transaction_isolation",
            )
        }
        assert found == {
            "statement_timeout": "3s",
            "lock_timeout": "1500ms",
            "idle_in_transaction_session_timeout": "1s",
            "application_name": "cutcard-dealer",
            "transaction_isolation": "read committed",
        }
        store.close()

    def test_a_database_that_can_not_hold_every_name_is_refused(self, server: Server) -> None:
        server.run("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
        try:
            with pytest.raises(StoreError, match="UTF8"):
                PostgresStore(server.url("latin"))
        finally:
            server.drop_database(server.url("latin"))


class TestSecrets:
    def test_no_password_is_shown_when_all_is_well(
        self, server: Server, url: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        store = PostgresStore(url)
        store.append_all([unit(change("a", 0, b"x"))])
        shown = [repr(store), str(vars(store)), repr(read_target(url, 1)), caplog.text, server.log]
        for part in vars(store).values():
            shown += [repr(part), str(getattr(part, "__dict__", ""))]
        store.close()
        assert PASSWORD not in "".join(shown)

    @pytest.mark.parametrize("wrong", ["password", "port", "database", "host"])
    def test_no_password_is_shown_when_it_is_refused(
        self, server: Server, wrong: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        secret = "pass%3Aword%2Fof-mine"
        urls = {
            "password": server.url(password=secret),
            "port": f"postgresql://u:{secret}@127.0.0.1:1/d",
            "database": server.url("no_such_database"),
            "host": f"postgresql://u:{secret}@[::1,127.0.0.1]:0/d",
        }
        with pytest.raises(StoreError) as refused:
            PostgresStore(urls[wrong], lease=0.2)
        told = "".join(traceback.format_exception(refused.value)) + caplog.text + server.log
        for hidden in (secret, "pass:word/of-mine", PASSWORD):
            assert hidden not in told

    @pytest.mark.parametrize(
        "url", ["postgresql://u:hush@[h/d", "postgresql://u:hush@h/d?hush=hush", "redis://u:hush@h"]
    )
    def test_a_url_that_can_not_be_read_is_not_repeated(self, url: str, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="give postgresql://") as refused:
            open_store(url, tmp_path / "store.sqlite", 1)
        assert refused.value.reason is Reason.STORE_URL_WRONG
        assert "hush" not in "".join(traceback.format_exception(refused.value))


class TestTarget:
    def test_a_server_elsewhere_has_to_prove_its_name(self) -> None:
        found = read_target("postgresql://u@db.example.com/d", 5).parameters
        assert found["sslmode"] == "verify-full"
        assert found["sslrootcert"] == "system"

    @pytest.mark.parametrize(
        "url",
        [
            "postgresql:///d",
            "postgresql://u@localhost/d",
            "postgresql://u@127.0.0.1:5433/d",
            "postgresql://%2Fvar%2Frun/d",
        ],
    )
    def test_one_on_this_machine_need_not(self, url: str) -> None:
        assert "sslmode" not in read_target(url, 5).parameters

    def test_what_the_url_says_goes_first(self) -> None:
        found = read_target("postgresql://u@a.example,b.example/d?sslmode=require", 5).parameters
        assert found["sslmode"] == "require"
        assert "sslrootcert" not in found

    def test_it_is_named_without_user_and_password(self) -> None:
        target = read_target("postgresql://ann:hush@db.example.com:5433/games", 5)
        assert target.shown == "postgresql://db.example.com:5433/games"


class TestOpening:
    def test_without_a_url_it_is_a_file(self, tmp_path: Path) -> None:
        store = open_store("", tmp_path / "store.sqlite", 5)
        assert isinstance(store, SqliteStore)
        store.close()

    def test_a_url_opens_a_shared_store(self, url: str, tmp_path: Path) -> None:
        store = open_store(url, tmp_path / "store.sqlite", 5)
        assert isinstance(store, PostgresStore)
        assert list(tmp_path.iterdir()) == []
        store.close()

    def test_who_has_no_driver_is_told_what_to_install(self, tmp_path: Path) -> None:
        """And who uses a file needs none."""
        code = f"""
import sys
from pathlib import Path
sys.modules["psycopg"] = None
from dealer_service.store.opening import open_store
from dealer_service.store.refusal import StoreError
open_store("", Path({str(tmp_path / "s")!r}), 5).close()
try:
    open_store("postgresql://h/d", Path("x"), 5)
except StoreError as error:
    print(error)
"""
        ran = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False
        )
        assert "pip install 'cutcard[postgres]'" in ran.stdout, ran.stderr


GRANTS = """
GRANT SELECT, INSERT, UPDATE ON logs, metas TO dealing;
GRANT SELECT, INSERT, DELETE ON lines, checkpoints, spent, answers, archiving, notices TO dealing;
GRANT SELECT, INSERT, UPDATE, DELETE ON secrets, nodes TO dealing;
GRANT SELECT, INSERT ON movements TO dealing;
GRANT SELECT, UPDATE ON counters TO dealing;
GRANT SELECT ON schema_version TO dealing;
"""


class TestRights:
    def test_a_dealer_needs_no_right_to_change_tables(self, server: Server, url: str) -> None:
        """The rights that OPERATIONS.md grants are enough, and are all that is used."""
        operations = (Path(__file__).parents[2] / "deploy" / "OPERATIONS.md").read_text()
        assert GRANTS.strip() in operations.replace("    ", "")
        PostgresStore(url).close()
        server.run("DROP ROLE IF EXISTS dealing")
        server.run(f"CREATE ROLE dealing LOGIN PASSWORD '{PASSWORD}'")
        for grant in GRANTS.strip().splitlines():
            server.run(grant, name(url))
        mine = server.url(name(url), user="dealing")
        try:
            with contextlib.closing(PostgresStore(mine)) as store:
                use_everything(store)
            with psycopg.connect(mine) as connection:
                for forbidden in (
                    "UPDATE movements SET amount = 0",
                    "UPDATE lines SET line = ''",
                    "UPDATE notices SET size = 1",
                    "DELETE FROM logs",
                    "CREATE TABLE more (x bigint)",
                ):
                    with pytest.raises(psycopg.errors.InsufficientPrivilege):
                        connection.execute(forbidden)
                    connection.rollback()
        finally:
            server.drop_database(url)
            server.run("DROP ROLE dealing")


def use_everything(store: PostgresStore) -> None:
    store.append_all([unit()])
    store.join(Node("one", "one:1"), 5_000)
    secret = SealedSecret(1, b"sealed")
    over = LogFacts(LogState.REVEALED)
    filled: Append = unit(
        change(
            "a",
            0,
            b"x",
            facts=over,
            signed=(signed(1),),
            secrets=(secret,),
            spent=(b"anchor",),
            notices=(notice(1),),
        ),
        moves=(move("a", 0),),
        answer=answer("r1"),
    )
    assert store.append_all([filled, unit(change("z", 9, b"no"))])[0] == Appended((1,))
    noticed = tuple(waits.id for waits in store.notices(9))
    assert store.append_all([unit(noticed=noticed)]) == [Appended()]
    assert store.append_all([unit(noticed=noticed)]) == [NoticeGone(*noticed)]
    assert store.reseal("a", secret, SealedSecret(1, b"other"))
    assert store.beat().count == 2
    event = unit(*(change(log, 0, b"x", facts=LogFacts(tournament="t")) for log in ("t", "u")))
    assert store.append_all([event]) == [Appended()]
    assert store.claim("a") == 2
    assert store.claim_group("t") == {"t": 2, "u": 2}
    assert len(store.group("t")) == 2
    store.claimable(9)
    store.owner("a")
    store.living()
    store.release(("a", "t"))
    assert store.archive("a")
    store.mark_lost([])
    store.leave()


def test_its_statements_are_those_that_other_servers_know_too() -> None:
    """No advisory locks, notifications, sequences, functions or extensions."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in FILES)
    foreign = r"pg_\w*advisory|\b(LISTEN|NOTIFY|SERIAL|SEQUENCE|EXTENSION|TRIGGER|FUNCTION|ctid)\b"
    statements = re.sub(r'^"""(.|\n)*?"""', "", text, count=0, flags=re.MULTILINE)
    assert re.findall(foreign, statements) == []
