"""A real PostgreSQL server of the tests' own: in a folder of its own, gone when they are done.

`shared_server()` is one for the whole test process, for databases of any number of tests;
`running_server()` is one for who wants to end it, freeze it or set it up otherwise, inside a test
or outside of any. Both skip, with the reason, where the server's programs are missing. A server
keeps its commits as a production one does (fsync is on); connections come over loopback with a
password, which no output may ever show.
"""

import atexit
import contextlib
import functools
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from tests.support.ports import free_port

PASSWORD: Final = "not-to-be-shown-7f3a"
"""What no log, error, metric or repr may hold."""

USER: Final = "cutcard"

_SETTINGS: Final = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "60",
    "shared_buffers": "32MB",
    "max_wal_size": "256MB",
    "logging_collector": "off",
    "log_destination": "stderr",
    "log_min_messages": "warning",
}
_PATIENCE_SECONDS: Final = 60
# Ends the server and removes its folder when this process is gone, even by SIGKILL.
_CLEAN_UP: Final = """
cat >/dev/null
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null) && kill -QUIT "$pid" 2>/dev/null \\
  && while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
rm -rf "$1"
"""
_databases = itertools.count(1)
_idle: list[str] = []


class Server:
    """A server in a folder; `start` it again after `stop` or `kill`."""

    def __init__(self, folder: Path, programs: Path, settings: Mapping[str, str]) -> None:
        self.port = 0
        self._folder = folder
        self._programs = programs
        self._settings = {**_SETTINGS, **settings}
        self._process: subprocess.Popen[bytes] | None = None
        self._who = unprivileged()
        if self._who is not None:
            os.chown(folder, self._who.pw_uid, self._who.pw_gid)
        self._make()

    @property
    def log(self) -> str:
        """What the server has logged."""
        return (self._folder / "log").read_text(errors="replace")

    def url(self, database: str = "postgres", *, user: str = USER, password: str = PASSWORD) -> str:
        """Give the URL of a database, with the password."""
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """Make an empty database and give its URL."""
        name = f"cutcard_{os.getpid()}_{next(_databases)}"
        self.run(f"CREATE DATABASE {name}")
        return self.url(name)

    def drop_database(self, url: str) -> None:
        """Drop a database, whoever is connected to it."""
        self.run(f"DROP DATABASE IF EXISTS {url.rpartition('/')[2]} WITH (FORCE)")

    def run(self, sql: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run a statement as the server's owner, and give its rows."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(sql)
            return cursor.fetchall() if cursor.description else []

    def disconnect(self, database: str) -> int:
        """End every other connection to a database, as an administrator does; their number."""
        ended = self.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            f" WHERE datname = '{database}' AND pid <> pg_backend_pid()"
        )
        return len(ended)

    def start(self) -> None:
        """Start, and wait until it takes connections; on the same port as before."""
        for _ in range(20):
            self.port = self.port or free_port()
            if self._try_start():
                return
        pytest.fail(f"PostgreSQL does not start:\n{self.log[-4000:]}")

    def stop(self) -> None:
        """Shut down in order: clients are cut off, and what was begun is undone."""
        self._end(signal.SIGINT)

    def crash(self) -> None:
        """Quit at once, as `pg_ctl stop -m immediate`: the next start recovers from the log."""
        self._end(signal.SIGQUIT)

    def kill(self) -> None:
        """SIGKILL the server and all its processes."""
        if self._process is not None:
            children = _children(self._process.pid)
            self._process.kill()
            for child in children:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            self._end(signal.SIGKILL)

    def restart(self) -> None:
        """Stop, and start again."""
        self.stop()
        self.start()

    def freeze(self) -> None:
        """Stop all its processes where they are (SIGSTOP); connections stay open."""
        self._signal_all(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let frozen processes go on."""
        self._signal_all(signal.SIGCONT)

    def _make(self) -> None:
        secret = self._folder / "password"
        secret.write_text(PASSWORD)
        if self._who is not None:
            os.chown(secret, self._who.pw_uid, self._who.pw_gid)
        asked = ["--username", USER, "--pwfile", str(secret), "--auth", "scram-sha-256"]
        asked += ["--locale", "C", "--encoding", "UTF8", "--no-sync", "--no-instructions"]
        command = [str(self._programs / "initdb"), "--pgdata", str(self._folder / "data"), *asked]
        made = subprocess.run(command, capture_output=True, text=True, check=False, **self._as())
        assert made.returncode == 0, made.stderr

    def _try_start(self) -> bool:
        self._settings["port"] = str(self.port)
        self._settings["unix_socket_directories"] = str(self._folder)
        given = [part for pair in self._settings.items() for part in ("-c", "=".join(pair))]
        command = [str(self._programs / "postgres"), "-D", str(self._folder / "data"), *given]
        with (self._folder / "log").open("ab") as log:
            # A group of its own: a ^C that ends the tests must not end the server before them.
            process = subprocess.Popen(
                command, stdout=log, stderr=log, start_new_session=True, **self._as()
            )
        self._process = process
        end = time.monotonic() + _PATIENCE_SECONDS
        while process.poll() is None:
            with contextlib.suppress(psycopg.OperationalError):
                self.run("SELECT 1")
                return True
            assert time.monotonic() < end, f"PostgreSQL does not answer:\n{self.log[-4000:]}"
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.02)
        return False

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is not None:
            if process.poll() is None:
                process.send_signal(how)
            process.wait(_PATIENCE_SECONDS)

    def _signal_all(self, how: signal.Signals) -> None:
        assert self._process is not None
        for process in (self._process.pid, *_children(self._process.pid)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, how)

    def _as(self) -> dict[str, Any]:
        who = self._who
        if who is None:
            return {"cwd": self._folder}
        ids = {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}
        return {"cwd": self._folder, **ids}


@contextlib.contextmanager
def running_server(**settings: str) -> Iterator[Server]:
    """Run a server with settings of postgresql.conf besides; its folder is removed at the end."""
    programs = find_programs()
    folder = Path(tempfile.mkdtemp(prefix="cutcard-postgres-"))
    command = ["sh", "-c", _CLEAN_UP, "sh", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True):
        server = Server(folder, programs, settings)
        try:
            server.start()
            yield server
        finally:
            server.crash()


@functools.cache
def shared_server() -> Server:
    """Give the test process's server, which is started when it is first asked for."""
    running = contextlib.ExitStack()
    server = running.enter_context(running_server())
    atexit.register(running.close)
    return server


def lend_database() -> str:
    """Give the URL of a store's database on the shared server, which has tables but no rows.

    Much quicker than a new one; `give_back` it when no store is open on it.
    """
    return _idle.pop() if _idle else shared_server().new_database()


def give_back(url: str) -> None:
    """Empty a database that was lent, for the next who asks."""
    tables = (
        "logs",
        "metas",
        "lines",
        "checkpoints",
        "secrets",
        "spent",
        "archiving",
        "notices",
        "answers",
        "movements",
        "nodes",
    )
    emptied = "".join(f"DELETE FROM {table};" for table in tables)
    shared_server().run(f"{emptied} UPDATE counters SET value = 0", url.rpartition("/")[2])
    _idle.append(url)


@contextlib.contextmanager
def fresh_database(server: Server | None = None) -> Iterator[str]:
    """Give the URL of an empty database, of the shared server unless another is named."""
    server = server or shared_server()
    url = server.new_database()
    try:
        yield url
    finally:
        server.drop_database(url)


def find_programs() -> Path:
    """Give the folder of initdb and postgres; skips the test where there is none."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    for pattern in ("usr/lib/postgresql/*/bin", "usr/pgsql-*/bin", "opt/homebrew/opt/*/bin"):
        folders += sorted(Path("/").glob(pattern), reverse=True)
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    pytest.skip("PostgreSQL's server programs (initdb, postgres) are not installed")


def unprivileged() -> "pwd.struct_passwd | None":
    """Give who the server runs as when this is root, which it refuses; skips without one."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    pytest.skip("PostgreSQL refuses to run as root, and there is neither postgres nor nobody")


def _children(parent: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):
            if f"\nPPid:\t{parent}\n" in status.read_text():
                found.append(int(status.parent.name))
    return found
