"""The SQLite store: one file, one process, one transaction for a batch of units.

Each unit of a batch runs under a savepoint of its own: a refusal rolls it back and leaves the
others. One connection serves all threads in turn (exclusive locking allows no second one), so a
read waits for the commit before it and sees what is durable. When a write fails, whether it is on
disk is unknown: the store takes no further call until it is opened again.
"""

import contextlib
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from dealer_service.store.api import (
    DEALER_LOG,
    UNFINISHED,
    Answer,
    Append,
    AppendResult,
    ChipMove,
    LogFacts,
    LogHead,
    LogState,
    LostLog,
    Movement,
    Notice,
    SealedSecret,
    SignedAt,
    StoredCheckpoint,
    StoredMovement,
    StoredNotice,
)
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.sqlite_append import NEW_LOG, append_unit
from dealer_service.store.sqlite_batch import Heads, append_batch
from dealer_service.store.sqlite_file import open_file, telling
from dealer_service.transcript.noted import Stage

_PAGE_LINES: Final = 512
_HEAD: Final = (
    "SELECT id, log, next_index, epoch, fold_from, signed_size, signed_root,"
    " state, meta, opened_at, hands, players, previous, next, tournament FROM logs"
)
_GAMES: Final = f"tournament <> log AND log <> '{DEALER_LOG}'"
_TOURNAMENTS: Final = "tournament = log"
_TABLES: Final = (
    f"{_HEAD} WHERE tournament = ? AND tournament <> '' AND log <> tournament ORDER BY id"
)
_ARCHIVABLE: Final = {LogState.REVEALED, LogState.ARCHIVED}
_Row = tuple[Any, ...]


class SqliteStore:
    """A `Store` in the file at `path`, which is made when it is not there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection = open_file(path)
        self._heads = Heads()
        self._unusable: StoreError | None = None

    def append_all(self, appends: Sequence[Append]) -> list[AppendResult]:
        """Write units in one transaction, as `Store.append_all` says."""
        with self._changing() as connection:
            written = append_batch(connection, self._heads, appends)
            if written is None:
                connection.execute("ROLLBACK")
                connection.execute("BEGIN IMMEDIATE")
                self._heads.forget()
                return [append_unit(connection, append) for append in appends]
            # Should the commit fail, the store takes no further call.
            results, heads = written
            self._heads.keep(heads)
            return results

    def claim(self, log: str) -> int | None:
        """Raise a log's epoch by one and give it."""
        with self._changing() as connection:
            row = connection.execute(
                "UPDATE logs SET epoch = epoch + 1 WHERE log = ? AND tournament = ''"
                " RETURNING epoch",
                (log,),
            ).fetchall()
            self._heads.forget()
        return int(row[0][0]) if row else None

    def claim_group(self, tournament: str) -> Mapping[str, int] | None:
        """Raise the epochs of a tournament's logs by one and give them."""
        with self._changing() as connection:
            rows = connection.execute(
                "UPDATE logs SET epoch = epoch + 1 WHERE tournament = ? AND tournament <> ''"
                " RETURNING log, epoch",
                (tournament,),
            ).fetchall()
            self._heads.forget()
        return dict(rows) or None

    def reseal(self, log: str, old: SealedSecret, new: SealedSecret) -> bool:
        """Put a hand's secret under another key."""
        with self._changing() as connection:
            written = connection.execute(
                "UPDATE secrets SET sealed = ?"
                " WHERE log = (SELECT id FROM logs WHERE log = ?) AND hand = ? AND sealed = ?",
                (new.sealed, log, old.hand, old.sealed),
            )
            return written.rowcount == 1

    def archive(self, log: str) -> bool:
        """Forget all of a revealed log but its head and its movements."""
        with self._changing() as connection:
            rows = connection.execute(f"{_HEAD} WHERE log = ?", (log,)).fetchall()
            rows += connection.execute(_TABLES, (log,)).fetchall()
            heads = [_head(row) for row in rows]
            if not heads or heads[0].owned_as != log:
                return False
            if heads[0].facts.state not in _ARCHIVABLE:
                return False
            if any(head.facts.state in UNFINISHED for head in heads):
                return False
        # The tournament's own log comes last: until then it is asked for again.
        for head in reversed(heads):
            if head.facts.state is LogState.REVEALED:
                with self._changing() as connection:
                    self._heads.forget()
                    _forget(connection, head)
        return True

    def mark_lost(self, lost: Sequence[LostLog]) -> None:
        """Set logs to lost with what was last signed for each."""
        with self._changing() as connection:
            self._heads.forget()
            for one in lost:
                found = connection.execute("SELECT 1 FROM logs WHERE log = ?", (one.log,))
                if found.fetchone() is None:
                    connection.execute(NEW_LOG, (one.log, 0, ""))
                connection.execute(
                    "UPDATE logs SET state = 'lost', epoch = epoch + 1, signed_size = ?,"
                    " signed_root = ? WHERE log = ?",
                    (one.signed.size, one.signed.root, one.log),
                )

    def head(self, log: str) -> LogHead | None:
        """Give a log's head."""
        rows = self._read(f"{_HEAD} WHERE log = ?", (log,))
        return _head(rows[0]) if rows else None

    def group(self, tournament: str) -> tuple[LogHead, ...]:
        """Give the heads of a tournament's logs, its own first."""
        own = self._read(f"{_HEAD} WHERE log = ? AND {_TOURNAMENTS}", (tournament,))
        tables = self._read(_TABLES, (tournament,)) if own else []
        return tuple(_head(row) for row in (*own, *tables))

    def heads(
        self,
        *,
        state: LogState | None = None,
        tournaments: bool = False,
        after: int = 0,
        limit: int = 100,
    ) -> tuple[LogHead, ...]:
        """Give heads by rising number."""
        of = _TOURNAMENTS if tournaments else _GAMES
        if state is None:
            rows = self._read(
                f"{_HEAD} WHERE {of} AND id > ? ORDER BY id LIMIT ?",
                (after, limit),
            )
        else:
            rows = self._read(
                f"{_HEAD} WHERE {of} AND state = ? AND id > ? ORDER BY id LIMIT ?",
                (state.value, after, limit),
            )
        return tuple(_head(row) for row in rows)

    def lines(self, log: str, start: int, limit: int) -> tuple[bytes, ...]:
        """Give lines from an index on."""
        rows = self._read(
            "SELECT line FROM lines WHERE log = (SELECT id FROM logs WHERE log = ?)"
            " AND idx >= ? ORDER BY idx LIMIT ?",
            (log, start, limit),
        )
        return tuple(line for (line,) in rows)

    def every_line(self, log: str, start: int = 0) -> Iterator[bytes]:
        """Give all lines from an index on, page by page."""
        while page := self.lines(log, start, _PAGE_LINES):
            yield from page
            start += len(page)

    def checkpoints(
        self, log: str, from_size: int = 0, limit: int = 1000
    ) -> tuple[StoredCheckpoint, ...]:
        """Give checkpoints from a size on."""
        rows = self._read(
            "SELECT size, note FROM checkpoints WHERE log = (SELECT id FROM logs WHERE log = ?)"
            " AND size >= ? ORDER BY size LIMIT ?",
            (log, from_size, limit),
        )
        return tuple(StoredCheckpoint(size, note) for size, note in rows)

    def last_checkpoint(self, log: str) -> StoredCheckpoint | None:
        """Give the checkpoint of the greatest size."""
        rows = self._read(
            "SELECT size, note FROM checkpoints WHERE log = (SELECT id FROM logs WHERE log = ?)"
            " ORDER BY size DESC LIMIT 1",
            (log,),
        )
        return StoredCheckpoint(*rows[0]) if rows else None

    def answer(self, scope: str, caller: str, request_id: str) -> Answer | None:
        """Give the answer that was stored for a request."""
        key = (scope, caller, request_id)
        rows = self._read(
            "SELECT digest, body FROM answers WHERE scope = ? AND caller = ? AND request_id = ?",
            key,
        )
        return Answer(*key, *rows[0]) if rows else None

    def answered(self, scope: str) -> Iterator[tuple[str, str]]:
        """Give caller and request id of a scope's answers, page by page."""
        after = ("", "")
        query = (
            "SELECT caller, request_id FROM answers WHERE scope = ?"
            " AND (caller, request_id) > (?, ?) ORDER BY caller, request_id LIMIT ?"
        )
        while page := self._read(query, (scope, *after, _PAGE_LINES)):
            for caller, request_id in page:
                after = (caller, request_id)
                yield after

    def sealed_secrets(self, log: str, from_hand: int = 0) -> tuple[SealedSecret, ...]:
        """Give a log's sealed secrets by rising hand."""
        rows = self._read(
            "SELECT hand, sealed FROM secrets WHERE log = (SELECT id FROM logs WHERE log = ?)"
            " AND hand >= ? ORDER BY hand",
            (log, from_hand),
        )
        return tuple(SealedSecret(hand, sealed) for hand, sealed in rows)

    def spent(self, log: str) -> frozenset[bytes]:
        """Give every anchor and link that the log has accepted."""
        rows = self._read(
            "SELECT value FROM spent WHERE log = (SELECT id FROM logs WHERE log = ?)", (log,)
        )
        return frozenset(value for (value,) in rows)

    def movements(self, after: int, limit: int) -> tuple[StoredMovement, ...]:
        """Give movements behind a cursor."""
        rows = self._read(
            "SELECT cursor, log, idx, at, what, player, seat, amount, reference FROM movements"
            " WHERE cursor > ? ORDER BY cursor LIMIT ?",
            (after, limit),
        )
        return tuple(
            StoredMovement(cursor, Movement(log, index, at, ChipMove(what), *rest))
            for cursor, log, index, at, what, *rest in rows
        )

    def notices(self, limit: int) -> tuple[StoredNotice, ...]:
        """Give notices that wait, oldest first."""
        rows = self._read(
            "SELECT notices.id, logs.log, hand, stage, size, root, at"
            " FROM notices JOIN logs ON logs.id = notices.log ORDER BY notices.id LIMIT ?",
            (limit,),
        )
        return tuple(
            StoredNotice(number, log, Notice(hand, Stage(stage), *rest))
            for number, log, hand, stage, *rest in rows
        )

    def close(self) -> None:
        """Close the file and give up its lock."""
        with self._lock:
            if self._unusable is None or self._unusable.reason is not Reason.STORE_CLOSED:
                message = f"the store {self._path} is closed"
                self._unusable = StoreError(Reason.STORE_CLOSED, message)
                with telling(self._path):
                    self._connection.close()

    @contextlib.contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._require_usable()
            try:
                with telling(self._path):
                    self._connection.execute("BEGIN IMMEDIATE")
                    yield self._connection
                    self._connection.execute("COMMIT")
            except BaseException as error:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.rollback()
                message = f"the store {self._path} failed before: start again"
                stored = error if isinstance(error, StoreError) else None
                self._unusable = stored or StoreError(Reason.STORE_FAILED, message)
                raise

    def _read(self, query: str, values: tuple[object, ...]) -> list[_Row]:
        with self._lock, telling(self._path):
            self._require_usable()
            return self._connection.execute(query, values).fetchall()

    def _require_usable(self) -> None:
        if self._unusable is not None:
            raise StoreError(self._unusable.reason, str(self._unusable))


def _forget(connection: sqlite3.Connection, head: LogHead) -> None:
    for table in ("lines", "checkpoints", "secrets", "spent"):
        connection.execute(f"DELETE FROM {table} WHERE log = ?", (head.number,))  # noqa: S608 - a table's own name
    connection.execute("DELETE FROM answers WHERE scope = ?", (head.log,))
    connection.execute(
        "UPDATE logs SET state = 'archived', epoch = epoch + 1 WHERE id = ?", (head.number,)
    )


def _head(row: _Row) -> LogHead:
    number, log, next_index, epoch, fold_from, size, root, state, *facts = row
    signed = None if root is None else SignedAt(size, root)
    return LogHead(
        number, log, next_index, epoch, fold_from, signed, LogFacts(LogState(state), *facts)
    )
