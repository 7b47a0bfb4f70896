"""Changes of a PostgreSQL store that are no appends: of secrets, of finished and of lost logs.

A log is archived by many transactions: one that deleted all of a long game would keep appends
waiting for longer than a lease. The first one marks it in `archiving`, and a tournament with all of
its tables; the last one takes that mark away, and those between delete from the end of the log, so
that what is left is its beginning.
"""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Final, TypeVar

from dealer_service.store.api import UNFINISHED, LogState, LostLog, SealedSecret
from dealer_service.store.postgres_change import Changes, Transaction
from dealer_service.store.postgres_read import Reads
from dealer_service.store.postgres_write import NEW_LOGS, count_up

T = TypeVar("T")

_RESEAL: Final = (
    "UPDATE secrets SET sealed = %s"
    " WHERE log = (SELECT id FROM logs WHERE log = %s) AND hand = %s AND sealed = %s"
)
_LOSE: Final = (
    "UPDATE logs SET state = 'lost', epoch = epoch + 1, owner = '', incarnation = 0,"
    " signed_size = %s, signed_root = %s WHERE log = %s"
)
_FIND: Final = "SELECT 1 FROM logs WHERE log = %s FOR UPDATE"
_FIND_ALL: Final = (
    "SELECT id, log, state, tournament FROM logs"
    " WHERE log = %s OR tournament = %s AND tournament <> '' ORDER BY id FOR UPDATE"
)
_ARCHIVE: Final = (
    "UPDATE logs SET state = 'archived', epoch = epoch + 1, owner = '', incarnation = 0"
    " WHERE id = ANY(%s)"
)
_MARK: Final = "INSERT INTO archiving (log) SELECT * FROM unnest(%s::bigint[])"
_IS_MARKED: Final = "SELECT log FROM archiving WHERE log = ANY(%s)"
_MARKED: Final = "SELECT logs.id, logs.log FROM archiving JOIN logs ON logs.id = archiving.log"
_ARCHIVABLE: Final = (LogState.REVEALED, LogState.ARCHIVED)
_KEYS: Final = (("secrets", "hand"), ("spent", "value"), ("checkpoints", "size"), ("lines", "idx"))
_DELETE_ANSWERS: Final = (
    "DELETE FROM answers WHERE (scope, caller, request_id) IN"
    " (SELECT scope, caller, request_id FROM answers WHERE scope = %s LIMIT %s)"
)
_IS_EMPTY: Final = " AND ".join(
    f"NOT EXISTS (SELECT 1 FROM {table} WHERE {table}.log = archiving.log)"  # noqa: S608 - names of our own
    for table, _ in _KEYS
)
_UNMARK: Final = f"DELETE FROM archiving WHERE log = %s AND {_IS_EMPTY}"  # noqa: S608 - names of our own

AT_ONCE: Final = 4_000
"""So many rows are deleted in one transaction."""


def reseal(
    changes: Changes, log: str, old: SealedSecret, new: SealedSecret, patience: float
) -> bool:
    """Put a hand's secret under another key."""

    def reseal(begun: Transaction) -> bool:
        (written,) = begun.run((_RESEAL, (new.sealed, log, old.hand, old.sealed)))
        if written.rowcount == 0:
            begun.give_up()
        return written.rowcount == 1

    return changes.change(reseal, patience)


class Archiving:
    """Archives logs, and gives appends their turn in between."""

    def __init__(
        self, changes: Changes, reads: Reads, patience: float, closing: threading.Event
    ) -> None:
        self._changes = changes
        self._reads = reads
        self._patience = patience
        self._closing = closing
        self._has_caught_up = False

    def archive(self, log: str) -> bool:
        """Forget all of a revealed log, or of a tournament's, but heads and movements."""
        if not self._has_caught_up:
            for number, half in self._reads.rows(_MARKED, ()):
                self._empty(number, half)
            self._has_caught_up = True
        found = self._change(partial(_begin_archiving, log=log))
        if found is None:
            return False
        for number, name in found.items():
            self._empty(number, name)
        return True

    def _empty(self, number: int, log: str) -> None:
        is_done = False
        while not is_done:
            for table, key in _KEYS:
                self._delete_all(_delete_from(table, key), (number, number, AT_ONCE))
            self._delete_all(_DELETE_ANSWERS, (log, AT_ONCE))
            # Another dealer that does the same may have rows under way yet.
            is_done = self._change(partial(_end_archiving, number=number))

    def _delete_all(self, statement: str, values: Sequence[object]) -> None:
        while True:
            began = perf_counter()
            if not self._change(partial(_delete, statement=statement, values=values)):
                return
            # The lock of changes is not a fair one: whoever waits for it needs the time to take it.
            self._closing.wait(perf_counter() - began)

    def _change(self, work: Callable[[Transaction], T]) -> T:
        return self._changes.change(work, self._patience)


def _begin_archiving(begun: Transaction, *, log: str) -> dict[int, str] | None:
    """Mark a log, and the tables of a tournament; gives which are to be emptied, by number.

    None where it can not be.
    """
    (found,) = begun.run((_FIND_ALL, (log, log)))
    rows = found.fetchall()
    own = next((row for row in rows if row[1] == log and row[3] in {"", log}), None)
    states = {row[2] for row in rows}
    if own is None or own[2] not in _ARCHIVABLE or not states.isdisjoint(UNFINISHED):
        begun.give_up()
        return None
    revealed = [row[0] for row in rows if row[2] == LogState.REVEALED]
    if revealed:
        begun.run((_ARCHIVE, (revealed,)), (_MARK, (revealed,)))
    (marked,) = begun.run((_IS_MARKED, ([row[0] for row in rows],)))
    numbers = {number for (number,) in marked}
    if not revealed:
        begun.give_up()
    return {row[0]: row[1] for row in rows if row[0] in numbers}


def _delete(begun: Transaction, *, statement: str, values: Sequence[object]) -> bool:
    """Delete some rows; False where there were none."""
    (deleted,) = begun.run((statement, values))
    if deleted.rowcount == 0:
        begun.give_up()
    return deleted.rowcount > 0


def _end_archiving(begun: Transaction, *, number: int) -> bool:
    """Take the mark away where nothing is left, and say whether it is gone."""
    _, marked = begun.run((_UNMARK, (number,)), (_IS_MARKED, ([number],)))
    return marked.fetchone() is None


def _delete_from(table: str, key: str) -> str:
    return (
        f"DELETE FROM {table} WHERE log = %s AND {key} IN"  # noqa: S608 - names of our own
        f" (SELECT {key} FROM {table} WHERE log = %s ORDER BY {key} DESC LIMIT %s)"
    )


def mark_lost(changes: Changes, lost: Sequence[LostLog], patience: float) -> None:
    """Set logs to lost with what was last signed for each; unknown ones are made."""

    def lose(begun: Transaction) -> None:
        for one in lost:
            (found,) = begun.run((_FIND, (one.log,)))
            if found.fetchone() is None:
                (counted,) = begun.run(count_up("logs", 1))
                row = counted.fetchone()
                assert row is not None
                begun.run((NEW_LOGS, ("", 0, [row[0] + 1], [one.log], [0], [""])))
            begun.run((_LOSE, (one.signed.size, one.signed.root, one.log)))

    changes.change(lose, patience)
