"""A database as deploy/ sets it up: its roles by Compose's own words, its tables by the owner."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support import commands
from tests.support.deployed import DEPLOY
from tests.support.postgres import PASSWORD, Server, find_programs

OWNER_PASSWORD = "owner's \\ $HOME"
DEALING_PASSWORD = "dealing\"'; --"
"""Passwords of an operator's own, which come to the server as they are."""


@dataclass(frozen=True, slots=True)
class Granted:
    """A server with a database that is set up, and how both roles come to it."""

    server: Server
    folder: Path
    owner: Mapping[str, str]
    dealing: Mapping[str, str]

    @property
    def url(self) -> str:
        """Give the URL of a dealer's store; the password is in a file that `dealing` names."""
        return f"postgresql://dealing@127.0.0.1:{self.server.port}/cutcard"

    @property
    def owner_url(self) -> str:
        """Give the URL for the owner of the tables, likewise."""
        return f"postgresql://cutcard_owner@127.0.0.1:{self.server.port}/cutcard"

    def empty(self) -> None:
        """Have no game and no node in it, when no dealer is there any more."""
        kept = ("schema_version", "counters")
        for (table,) in self.server.run(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public'", "cutcard"
        ):
            if table not in kept:
                self.server.run(f"DELETE FROM {table}", "cutcard")
        self.server.run("UPDATE counters SET value = 0", "cutcard")


def set_up(server: Server, folder: Path) -> Granted:
    """Make roles and database, then the tables as the owner, then let dealers use them."""
    secrets = folder / "secrets"
    secrets.mkdir(parents=True)
    files = {}
    for role, name, password in (
        ("cutcard_owner", "owner", OWNER_PASSWORD),
        ("dealing", "dealing", DEALING_PASSWORD),
    ):
        (secrets / f"{name}.password").write_text(password + "\n")
        escaped = password.replace("\\", "\\\\").replace(":", "\\:")
        files[name] = secrets / f"{name}.pgpass"
        files[name].write_text(f"*:*:cutcard:{role}:{escaped}\n")
        files[name].chmod(0o600)
    server.run(f"CREATE ROLE postgres SUPERUSER LOGIN PASSWORD '{PASSWORD}'")
    script = (DEPLOY / "compose" / "postgres" / "roles.sh").read_text("utf-8")
    _run("bash", "-c", script.replace("/run/secrets", str(secrets)), server=server)
    owner = {"PGPASSFILE": str(files["owner"])}
    granted = Granted(server, folder, owner, {"PGPASSFILE": str(files["dealing"])})
    migrate(granted)
    return granted


def migrate(granted: Granted) -> None:
    """Make the tables as their owner, or bring them up to date, and say who may use them."""
    environ = {**granted.owner, "CUTCARD_STORE": granted.owner_url}
    made = commands.dealer("migrate", folder=granted.folder, environ=environ)
    assert made.returncode == 0, made.stderr
    grants = DEPLOY / "compose" / "postgres" / "grants.sql"
    quiet = ("psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--single-transaction")
    _run(
        *quiet,
        f"--file={grants}",
        granted.owner_url,
        server=granted.server,
        **granted.owner,
    )


def _run(*command: str, server: Server, **more: str) -> None:
    environ = {
        "PATH": f"{find_programs()}:{os.environ['PATH']}",
        "PGHOST": "127.0.0.1",
        "PGPORT": str(server.port),
        **({} if more else {"PGPASSWORD": PASSWORD}),
        **more,
    }
    run = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
