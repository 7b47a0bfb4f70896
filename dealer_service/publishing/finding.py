"""Where in the dealer's log a stage of a game stands: an index, in a file of its own.

It says nothing that the log does not, and is made anew from it where it is missing or damaged. So
it is written without waiting for the disk: what a crash takes away is read from the log again.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Lock
from typing import Final

from dealer_service.transcript.noted import Stage, read_noted

_SCHEMA: Final = (
    """CREATE TABLE IF NOT EXISTS lines (game BLOB NOT NULL, hand INTEGER NOT NULL,
    stage TEXT NOT NULL, idx INTEGER NOT NULL, PRIMARY KEY (game, hand, stage)) WITHOUT ROWID""",
    "CREATE TABLE IF NOT EXISTS size (only INTEGER PRIMARY KEY CHECK (only = 1), size INTEGER)",
    "INSERT OR IGNORE INTO size VALUES (1, 0)",
)

Subject = tuple[bytes, int, Stage]
"""A game (16 bytes), its hand (0 for a stage of the game's own) and the stage."""


class Index:
    """The index; calls block, and may come from any thread."""

    def __init__(self, path: Path) -> None:
        """Open the file, or make it; OSError where it can be neither."""
        self._path = path
        self._lock = Lock()
        try:
            self._connection = self._open()
        except sqlite3.Error:
            for suffix in ("", "-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            try:
                self._connection = self._open()
            except sqlite3.Error as error:
                message = f"the index {path} can not be made: {error}"
                raise OSError(message) from error

    @property
    def size(self) -> int:
        """How many lines of the log are in it."""
        with self._lock:
            (size,) = self._connection.execute("SELECT size FROM size").fetchone()
        return int(size)

    def add(self, first: int, lines: Iterable[bytes]) -> Sequence[Subject]:
        """Take in the lines from index `first` on; of two for one stage the first counts. OSError.

        What is there of the log's lines from `first` on is put right. Gives what each line is of.
        """
        subjects = [read_noted(line).subject for line in lines]
        rows = [
            (game, hand, stage.value, index)
            for index, (game, hand, stage) in enumerate(subjects, first)
        ]
        with self._lock:
            try:
                self._write(first, rows)
            except sqlite3.Error as error:
                message = f"the index {self._path} can not be written: {error}"
                raise OSError(message) from error
        return subjects

    def find(self, subject: Subject) -> int | None:
        """Give the line's index; None where it is not in the log yet."""
        game, hand, stage = subject
        with self._lock:
            row = self._connection.execute(
                "SELECT idx FROM lines WHERE game = ? AND hand = ? AND stage = ?",
                (game, hand, stage.value),
            ).fetchone()
        return None if row is None else int(row[0])

    def close(self) -> None:
        """Let go of the file; a second call does nothing."""
        with self._lock:
            self._connection.close()

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, check_same_thread=False, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            for statement in _SCHEMA:
                connection.execute(statement)
            connection.execute("SELECT size FROM size").fetchone()
        except BaseException:
            connection.close()
            raise
        return connection

    def _write(self, first: int, rows: list[tuple[bytes, int, str, int]]) -> None:
        execute = self._connection.execute
        execute("BEGIN IMMEDIATE")
        try:
            (size,) = execute("SELECT size FROM size").fetchone()
            if size > first:
                execute("DELETE FROM lines WHERE idx >= ?", (first,))
            self._connection.executemany("INSERT OR IGNORE INTO lines VALUES (?, ?, ?, ?)", rows)
            execute("UPDATE size SET size = ?", (first + len(rows),))
        except BaseException:
            execute("ROLLBACK")
            raise
        execute("COMMIT")
