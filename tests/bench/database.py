"""The PostgreSQL of a bench: a server of its own, and the CPU time of all its processes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.support.postgres import Server, find_programs, running_server

NO_POSTGRES: Final = "PostgreSQL's server programs are not installed"
_TICKS: Final = os.sysconf("SC_CLK_TCK")


def is_there() -> bool:
    """Say whether a server can be started here."""
    try:
        find_programs()
    except pytest.skip.Exception:
        return False
    return True


@contextmanager
def database() -> Iterator[Server]:
    """Run a server, as it is set up in production but for its memory."""
    with running_server(shared_buffers="128MB", max_wal_size="1GB") as server:
        yield server


def cpu(server: Server) -> float:
    """Give the CPU time that a server's processes have used so far, in seconds.

    Of those that have ended too.
    """
    assert server._process is not None
    main = server._process.pid
    fields = {pid: _fields(pid) for pid in _children(main)}
    living = sum(sum(map(int, one[11:13])) for one in fields.values() if one)
    own = sum(map(int, _fields(main)[11:15]))
    return (living + own) / _TICKS


def _children(parent: int) -> list[int]:
    found = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii")
    return [int(pid) for pid in found.split()]


def _fields(pid: int) -> list[str]:
    """Give what stands behind the command's name in a process's stat, state first; proc(5)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    return stat.rpartition(")")[2].split()
