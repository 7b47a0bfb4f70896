"""A file of SQLite that one process has for itself, whole after a crash at any point.

Each commit is on disk when it returns (write-ahead log, every commit synced).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3


def begin(base: sqlite3.Connection, schema: str, format_: str, *about: str) -> tuple[str, ...]:
    """Take the file for this process, and make its tables where there are none.

    The `schema` has a table `about` of the format and what else a file says of itself: `about` in
    a new one. Return what this one says, without the format. sqlite3.Error where the file can not
    be taken, or is of another format.
    """
    base.execute("PRAGMA locking_mode = EXCLUSIVE")
    base.execute("PRAGMA journal_mode = WAL")
    base.execute("PRAGMA synchronous = FULL")
    with base:
        base.execute("BEGIN IMMEDIATE")
        known = base.execute("SELECT 1 FROM sqlite_schema WHERE name = 'about'").fetchone()
        if known is None:
            for statement in schema.split(";"):
                base.execute(statement)
            places = ", ".join("?" for _ in (format_, *about))
            base.execute(f"INSERT INTO about VALUES ({places})", (format_, *about))  # noqa: S608
    found, *told = base.execute("SELECT * FROM about").fetchone()
    if found != format_:
        message = f"it is of another format, {found!r}"
        raise base.DatabaseError(message)
    return tuple(map(str, told))
