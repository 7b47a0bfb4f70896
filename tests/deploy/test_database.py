"""What the dealers' role may do in a database that deploy/ sets up, and what it may not.

On a real server, as whoever has taken a dealer over would try it.
"""

import subprocess
from collections.abc import Iterator

import psycopg
import pytest

from tests.support.granted_database import (
    DEALING_PASSWORD,
    OWNER_PASSWORD,
    Granted,
    migrate,
    set_up,
)
from tests.support.postgres import Server, find_programs, running_server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server(log_min_duration_statement="0", log_statement="all") as running:
        yield running


@pytest.fixture(scope="module")
def granted(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Granted:
    return set_up(server, tmp_path_factory.mktemp("granted"))


@pytest.fixture
def dealing(granted: Granted) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with psycopg.connect(granted.url, password=DEALING_PASSWORD, autocommit=True) as made:
        yield made


FORBIDDEN = {
    # What was acknowledged, and what was paid.
    "a line is changed": "UPDATE lines SET line = '\\x00'",
    "a checkpoint is changed": "UPDATE checkpoints SET note = ''",
    "an answer is changed": "UPDATE answers SET request_id = ''",
    "a movement is changed": "UPDATE movements SET amount = 0",
    "a movement is taken away": "DELETE FROM movements",
    "a game is taken away": "DELETE FROM logs",
    "a count is taken away": "DELETE FROM counters",
    "another version is said": "UPDATE schema_version SET version = 0",
    "all is taken away": "TRUNCATE lines",
    # What the tables are.
    "a table goes": "DROP TABLE movements",
    "a table changes": "ALTER TABLE lines ADD more text",
    "a table is the dealers'": "ALTER TABLE lines OWNER TO dealing",
    "a trigger is made": (
        "CREATE TRIGGER t BEFORE INSERT ON lines FOR EACH ROW"
        " EXECUTE FUNCTION suppress_redundant_updates_trigger()"
    ),
    "an index is made": "CREATE INDEX i ON lines (idx)",
    "a rule is made": "CREATE RULE r AS ON INSERT TO lines DO INSTEAD NOTHING",
    # What the owner would run into: its tools look for names in these places.
    "a table is made": "CREATE TABLE more (x bigint)",
    "a function is made": (
        "CREATE FUNCTION lower(bytea) RETURNS text LANGUAGE sql AS 'SELECT ''''::text'"
    ),
    "a table for a while is made": "CREATE TEMPORARY TABLE logs (x bigint)",
    "a schema is made": "CREATE SCHEMA dealing",
    "the database is given another path": "ALTER DATABASE cutcard SET search_path = dealing",
    "an extension is made": "CREATE EXTENSION dblink",
    # Who may do what.
    "it is the owner": "SET ROLE cutcard_owner",
    "it is a superuser": "ALTER ROLE dealing SUPERUSER",
    "another role is made": "CREATE ROLE more",
    "the owner has another password": "ALTER ROLE cutcard_owner PASSWORD 'x'",
    "passwords are read": "SELECT rolpassword FROM pg_authid",
    # The machine.
    "a program is run": "COPY logs TO PROGRAM 'true'",
    "a file is read": "SELECT pg_read_file('/etc/passwd')",
    "the server is told": "ALTER SYSTEM SET fsync = off",
    "others are cut off": (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'cutcard'"
    ),
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_a_dealer_may_not_have_it_that(
    dealing: psycopg.Connection[tuple[object, ...]], server: Server, what: str
) -> None:
    # Somebody of the house who is there while it tries.
    with (
        psycopg.connect(server.url("cutcard")) as other,
        pytest.raises(psycopg.Error) as refused,
    ):
        dealing.execute(FORBIDDEN[what])
    assert refused.value.sqlstate in {"42501", "42P01"} or "must be" in str(refused.value)
    assert other.closed


def test_grants_do_not_say_more_than_the_tables_have(granted: Granted) -> None:
    """Whatever there is that is no table, the role has no right to."""
    rows = granted.server.run(
        "SELECT table_name, string_agg(privilege_type, ' ' ORDER BY privilege_type)"
        " FROM information_schema.role_table_grants WHERE grantee = 'dealing' GROUP BY 1",
        "cutcard",
    )
    assert dict(rows) == {
        "logs": "INSERT SELECT UPDATE",
        "metas": "INSERT SELECT UPDATE",
        "lines": "DELETE INSERT SELECT",
        "checkpoints": "DELETE INSERT SELECT",
        "spent": "DELETE INSERT SELECT",
        "answers": "DELETE INSERT SELECT",
        "archiving": "DELETE INSERT SELECT",
        "notices": "DELETE INSERT SELECT",
        "secrets": "DELETE INSERT SELECT UPDATE",
        "nodes": "DELETE INSERT SELECT UPDATE",
        "movements": "INSERT SELECT",
        "counters": "SELECT UPDATE",
        "schema_version": "SELECT",
    }
    ((tables,),) = granted.server.run(
        "SELECT count(*) FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace"
        " WHERE relkind = 'r' AND nspname = 'public'",
        "cutcard",
    )
    assert tables == len(rows)


def test_nobody_else_of_the_server_comes_in(granted: Granted) -> None:
    granted.server.run("CREATE ROLE elsewhere LOGIN PASSWORD 'elsewhere'")
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(granted.server.url("cutcard", user="elsewhere", password="elsewhere"))


def test_no_password_stands_in_the_servers_log(granted: Granted) -> None:
    """Though it logs every statement."""
    log = granted.server.log
    assert "GRANT USAGE ON SCHEMA public TO dealing" in log
    for password in (OWNER_PASSWORD, DEALING_PASSWORD):
        assert password not in log
        assert password.replace("'", "''") not in log


def test_it_may_all_be_said_again(granted: Granted) -> None:
    """As for each upgrade: tables and rights are as they were."""

    def dump() -> list[str]:
        run = subprocess.run(
            [str(find_programs() / "pg_dump"), "--schema-only", granted.owner_url],
            env=dict(granted.owner),
            capture_output=True,
            text=True,
            check=True,
        )
        return [line for line in run.stdout.splitlines() if "restrict" not in line]

    before = dump()
    assert "GRANT SELECT,INSERT ON TABLE public.movements TO dealing;" in before
    migrate(granted)
    assert dump() == before
