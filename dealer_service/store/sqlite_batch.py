"""How the SQLite store writes a whole batch in a few statements, where nothing in it is refused.

Units are nearly always accepted. So what they say of their logs is checked against the heads that
are kept in memory (exclusive locking: nobody else can change them), and the rows of all units are
written together, a few statements for a batch. Every statement hands the interpreter over to
another thread and waits to have it back, which costs more than a row does.

Whatever would be refused, and a log that is new, is left to `sqlite_append`, unit by unit: then
the batch gives None and the transaction has to be rolled back. Both ways write the same rows.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from dealer_service.store.api import Append, Appended, AppendResult, LogAppend
from dealer_service.store.decide import Head, advance
from dealer_service.store.sqlite_append import move, notice_row, read_head, write_facts

MOST_ROWS: Final = 64
"""Rows of one statement at most; with all its sizes it stays prepared (`CACHED_STATEMENTS`)."""

CACHED_STATEMENTS: Final = 10 * MOST_ROWS

_REMEMBERED: Final = 10_000

Row = tuple[object, ...]


class Heads:
    """The heads of logs as the file has them; who changes a log otherwise has to `forget`."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, Head] = {}

    def forget(self) -> None:
        """Read every head anew from now on."""
        self._known.clear()

    def keep(self, heads: dict[str, Head]) -> None:
        """Take over heads as a batch leaves them."""
        if len(self._known) > _REMEMBERED:
            self._known.clear()
        self._known.update(heads)

    def find(self, connection: sqlite3.Connection, log: str) -> Head | None:
        """Give the head of a log; None for one that is not there."""
        head = self._known.get(log)
        if head is None:
            head = read_head(connection, log)
            if head is not None:
                self._known[log] = head
        return head


def append_batch(
    connection: sqlite3.Connection, heads: Heads, appends: Sequence[Append]
) -> tuple[list[AppendResult], dict[str, Head]] | None:
    """Write units inside the open transaction; None where one would be refused.

    Gives the results and the heads that hold once the transaction is committed. After None the
    transaction may hold a part of the batch.
    """
    after: dict[str, Head] = {}
    changes = [change for append in appends for change in append.logs]
    for change in changes:
        head = after.get(change.log) or heads.find(connection, change.log)
        if head is None or not isinstance(moved := advance(head, change), Head):
            return None
        after[change.log] = moved
    numbered = [(after[change.log].number, change) for change in changes]
    answers = [append.answer for append in appends if append.answer is not None]
    _write_heads(connection, numbered, after)
    # A checkpoint may be signed again.
    _insert(
        connection,
        "checkpoints",
        [
            (number, signed.size, signed.note)
            for number, change in numbered
            for signed in change.signed
        ],
    )
    # Of all else a row that is there already is a refusal.
    for table, rows in (
        (
            "lines",
            [
                (number, index, line)
                for number, change in numbered
                for index, line in enumerate(change.lines, change.expected_next_index)
            ],
        ),
        ("answers", [(a.scope, a.caller, a.request_id, a.digest, a.body) for a in answers]),
        ("spent", [(number, value) for number, change in numbered for value in change.spent]),
        (
            "secrets",
            [
                (number, one.hand, one.sealed)
                for number, change in numbered
                for one in change.secrets
            ],
        ),
        (
            "notices",
            [notice_row(number, one) for number, change in numbered for one in change.notices],
        ),
    ):
        if _insert(connection, table, rows) != len(rows):
            return None
    noticed = [(notice,) for append in appends for notice in append.noticed]
    if _delete_notices(connection, noticed) != len(noticed):
        return None
    results: list[AppendResult] = [
        Appended(tuple(move(connection, movement) for movement in append.movements))
        for append in appends
    ]
    return results, after


def _write_heads(
    connection: sqlite3.Connection,
    numbered: Iterable[tuple[int, LogAppend]],
    after: dict[str, Head],
) -> None:
    fold_from: dict[int, int] = {}
    for number, change in numbered:
        if change.fold_from is not None:
            fold_from[number] = change.fold_from
        if change.facts is not None:
            write_facts(connection, number, change.facts)
    rows: list[Row] = [
        (
            head.number,
            head.next_index,
            fold_from.get(head.number),
            head.signed.size if head.signed else 0,
            head.signed.root if head.signed else None,
        )
        for head in after.values()
    ]
    for values, flat in _statements(rows):
        statement = (
            "UPDATE logs SET next_index = new.column2,"  # noqa: S608 - only question marks are put in
            " fold_from = coalesce(new.column3, fold_from), signed_size = new.column4,"
            f" signed_root = new.column5 FROM (VALUES {values}) AS new WHERE id = new.column1"
        )
        connection.execute(statement, flat)


def _insert(connection: sqlite3.Connection, table: str, rows: Sequence[Row]) -> int:
    """Insert rows that are not there yet, and count them."""
    written = 0
    for values, flat in _statements(rows):
        statement = f"INSERT INTO {table} VALUES {values} ON CONFLICT DO NOTHING"  # noqa: S608 - a table's own name
        written += connection.execute(statement, flat).rowcount
    return written


def _delete_notices(connection: sqlite3.Connection, rows: Sequence[Row]) -> int:
    """Delete notices, and count those that were there."""
    deleted = 0
    for values, flat in _statements(rows):
        statement = f"DELETE FROM notices WHERE id IN (VALUES {values})"  # noqa: S608 - only question marks are put in
        deleted += connection.execute(statement, flat).rowcount
    return deleted


def _statements(rows: Sequence[Row]) -> Iterator[tuple[str, list[object]]]:
    """Give the VALUES of statements for all rows, with their parameters."""
    for start in range(0, len(rows), MOST_ROWS):
        chunk = rows[start : start + MOST_ROWS]
        values = ", ".join([f"({', '.join('?' * len(chunk[0]))})"] * len(chunk))
        yield values, [value for row in chunk for value in row]
