"""The SQLite store's file: made whole or not at all, checked before anything is written to it.

A file that is no store, a store of another version, a damaged one and one that another process
holds are refused with a StoreError that names the file, and are left as they are. A new store is
made beside its place and moved there when it is complete, so an empty file in its place is
damage. The file is readable by its owner alone.

Write-ahead log, synchronous FULL and exclusive locking: a commit is on disk when it returns, a
second process is refused, and no other process can be in the middle of a WAL reset (a race in
SQLite before 3.51.3).
"""

import contextlib
import fcntl
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dealer_service.durable import sync_folder
from dealer_service.store.migrations import newest, other_version, steps_after
from dealer_service.store.migrations.sqlite import SQLITE
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.sqlite_batch import CACHED_STATEMENTS

# "cutc" in ASCII: marks the file as a Cutcard store (SQLite file format, offset 68).
APPLICATION_ID: Final = 0x63757463

_OLDEST_SQLITE: Final = (3, 37, 0)  # STRICT tables
_WAL_BYTES: Final = 64 * 1024 * 1024
_WAL_PAGES: Final = 4_000
_CACHE_KIB: Final = 32 * 1024
_REASONS: Final = {
    sqlite3.SQLITE_BUSY: Reason.STORE_IN_USE,
    sqlite3.SQLITE_LOCKED: Reason.STORE_IN_USE,
    sqlite3.SQLITE_CORRUPT: Reason.STORE_DAMAGED,
    sqlite3.SQLITE_NOTADB: Reason.STORE_DAMAGED,
    sqlite3.SQLITE_CANTOPEN: Reason.STORE_UNREACHABLE,
    sqlite3.SQLITE_READONLY: Reason.STORE_UNREACHABLE,
    sqlite3.SQLITE_PERM: Reason.STORE_UNREACHABLE,
    sqlite3.SQLITE_FULL: Reason.STORE_FULL,
}
_WORDS: Final = {
    Reason.STORE_IN_USE: "is in use by another process; stop that dealer, or name another store",
    Reason.STORE_DAMAGED: "is damaged; keep it, and restore a backup beside it",
    Reason.STORE_UNREACHABLE: "can not be opened for writing; check the folder and its permissions",
    Reason.STORE_FULL: "can not grow: the disk is full; make room and start again",
    Reason.STORE_FAILED: "failed; look at the disk, then start again",
}


def open_file(path: Path) -> sqlite3.Connection:
    """Open the store at `path`, made when nothing is there, locked for this process alone.

    StoreError: STORE_IN_USE, STORE_NOT_OURS, STORE_OTHER_VERSION, STORE_DAMAGED,
    STORE_UNREACHABLE, STORE_FULL or STORE_FAILED.
    """
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        message = f"SQLite {sqlite3.sqlite_version} is too old for a store: 3.37 or later is needed"
        raise StoreError(Reason.STORE_FAILED, message)
    with telling(path):
        if not os.path.lexists(path):
            _refuse_orphaned_wal(path)
            _make(path)
        version = find_version(path)
        if version != newest(SQLITE):
            raise other_version(path, version, newest(SQLITE))
        connection = _connect(path, "mode=rw")
        try:
            _lock(connection)
            _quick_check(path, connection)
        except BaseException:
            connection.close()
            raise
    return connection


def migrate_file(path: Path) -> None:
    """Take the steps that the store at `path` lacks, all or none. StoreError as `open_file`."""
    with telling(path), _one_at_a_time(path.parent):
        version = find_version(path)
        if version > newest(SQLITE) or version < 1:
            raise other_version(path, version, newest(SQLITE))
        connection = _connect(path, "mode=rw")
        try:
            _lock(connection)
            _quick_check(path, connection)
            connection.execute("BEGIN EXCLUSIVE")
            # The header that was read above knows nothing of what its log still holds.
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            _take_steps(connection, version)
            connection.execute("COMMIT")
        finally:
            connection.close()


@contextlib.contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    """Wait for another migration in `folder`: two at once could each refuse for the other."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _take_steps(connection: sqlite3.Connection, version: int) -> None:
    for step in steps_after(SQLITE, version):
        for statement in step.statements:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version={step.version}")


@contextlib.contextmanager
def telling(path: Path) -> Iterator[None]:
    """Turn what SQLite and the operating system raise into StoreErrors that name the file."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        reason = _REASONS.get(code & 0xFF, Reason.STORE_FAILED) if code else Reason.STORE_FAILED
        message = f"the store {path} {_WORDS[reason]} ({error})"
        raise StoreError(reason, message) from error
    except OSError as error:
        message = f"the store {path} {_WORDS[Reason.STORE_UNREACHABLE]} ({error.strerror})"
        raise StoreError(Reason.STORE_UNREACHABLE, message) from error


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?{mode}",
        uri=True,
        timeout=0,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=CACHED_STATEMENTS,
    )


def _refuse_orphaned_wal(path: Path) -> None:
    wal = path.with_name(path.name + "-wal")
    if wal.exists():
        message = f"the store {path} is missing, but its log {wal.name} is there: bring both back"
        raise StoreError(Reason.STORE_DAMAGED, message)


def _make(path: Path) -> None:
    draft = path.with_name(path.name + ".new")
    os.close(os.open(draft, os.O_RDWR | os.O_CREAT, 0o600))
    connection = _connect(draft, "mode=rw")
    try:
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        connection.execute("PRAGMA synchronous=EXTRA")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        _take_steps(connection, version)
        connection.execute("COMMIT")
    finally:
        connection.close()
    # A link, and not a rename: it never replaces a store that another process has just made.
    with contextlib.suppress(FileExistsError):
        os.link(draft, path)
    draft.unlink()
    sync_folder(path.parent)


def find_version(path: Path) -> int:
    """Give the version of the store at `path`, of which nothing is changed.

    StoreError: STORE_NOT_OURS or STORE_UNREACHABLE.
    """
    if not path.is_file():
        message = f"{path} is not a file, and a store is one"
        raise StoreError(Reason.STORE_NOT_OURS, message)
    if not os.access(path, os.R_OK | os.W_OK) or not os.access(path.parent, os.W_OK | os.X_OK):
        message = f"the store {path} {_WORDS[Reason.STORE_UNREACHABLE]}"
        raise StoreError(Reason.STORE_UNREACHABLE, message)
    # Immutable: reads the header without locks, and touches neither the file nor its logs. (To
    # read it as a plain file would, when closed, drop the locks that this process has on it.)
    connection = _connect(path, "mode=ro&immutable=1")
    try:
        # A checkpoint that was cut off leaves a header that counts more pages than are there,
        # until its log is read; with this, SQLite does not take that for damage.
        connection.execute("PRAGMA writable_schema=ON")
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        message = f"{path} is not a Cutcard store, or its beginning is damaged; nothing was changed"
        raise StoreError(Reason.STORE_NOT_OURS, message) from error
    finally:
        connection.close()
    if application != APPLICATION_ID:
        message = f"{path} is not a Cutcard store; nothing was changed: name another file"
        raise StoreError(Reason.STORE_NOT_OURS, message)
    return int(version)


def _lock(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA locking_mode=EXCLUSIVE")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA fullfsync=ON")  # macOS: fsync alone stops at the drive's cache
    connection.execute(f"PRAGMA journal_size_limit={_WAL_BYTES}")
    # Tables write the same few pages again and again: moved less often, they are moved once.
    connection.execute(f"PRAGMA wal_autocheckpoint={_WAL_PAGES}")
    # What a savepoint may have to undo stays out of temporary files, and is cheaper so.
    connection.execute("PRAGMA temp_store=MEMORY")
    connection.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
    connection.execute("PRAGMA trusted_schema=OFF")
    # Writing nothing takes the lock for good, and tells a file that can not be written.
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("COMMIT")


def _quick_check(path: Path, connection: sqlite3.Connection) -> None:
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        message = f"the store {path} {_WORDS[Reason.STORE_DAMAGED]} ({found})"
        raise StoreError(Reason.STORE_DAMAGED, message)
