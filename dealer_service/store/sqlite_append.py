"""How the SQLite store writes one unit: all of it, or nothing and the reason.

Runs inside the batch's transaction, under a savepoint; for a batch in which something is refused.
"""

import hmac
import sqlite3
from typing import Final

from dealer_service.store.api import (
    AlreadyAnswered,
    AlreadySpent,
    Answer,
    Append,
    Appended,
    AppendResult,
    LogAppend,
    LogFacts,
    LogState,
    Movement,
    Notice,
    NoticeGone,
    Refused,
    RequestIdReused,
    SecretExists,
    SignedAt,
)
from dealer_service.store.decide import Head, advance, group_of

# A log without lines: its name, epoch and tournament.
NEW_LOG: Final = (
    "INSERT INTO logs (log, next_index, epoch, signed_size, state, meta, opened_at, hands, players,"
    " previous, next, tournament) VALUES (?, 0, ?, 0, 'open', x'', 0, 0, 0, '', '', ?)"
)

_Row = tuple[int, int, int, int, bytes | None, str, str]


def append_unit(connection: sqlite3.Connection, append: Append) -> AppendResult:
    """Write one unit inside the open transaction, or give why not with nothing changed."""
    connection.execute("SAVEPOINT unit")
    refused = _apply(connection, append)
    if refused is not None:
        connection.execute("ROLLBACK TO unit")
        connection.execute("RELEASE unit")
        return refused
    cursors = tuple(move(connection, movement) for movement in append.movements)
    connection.execute("RELEASE unit")
    return Appended(cursors)


def _apply(connection: sqlite3.Connection, append: Append) -> Refused | None:
    if append.answer is not None:
        refused = _answer(connection, append.answer)
        if refused is not None:
            return refused
    for change in append.logs:
        refused = _change(connection, change)
        if refused is not None:
            return refused
    for notice in append.noticed:
        if connection.execute("DELETE FROM notices WHERE id = ?", (notice,)).rowcount == 0:
            return NoticeGone(notice)
    return None


def _answer(connection: sqlite3.Connection, answer: Answer) -> Refused | None:
    key = (answer.scope, answer.caller, answer.request_id)
    written = connection.execute(
        "INSERT INTO answers VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (*key, answer.digest, answer.body),
    )
    if written.rowcount == 1:
        return None
    digest, body = connection.execute(
        "SELECT digest, body FROM answers WHERE scope = ? AND caller = ? AND request_id = ?", key
    ).fetchone()
    if hmac.compare_digest(digest, answer.digest):
        return AlreadyAnswered(body)
    return RequestIdReused(answer.request_id)


def _change(connection: sqlite3.Connection, change: LogAppend) -> Refused | None:
    head = read_head(connection, change.log)
    tournament = group_of(change) if head is None else ""
    moved = advance(head, change, read_head(connection, tournament) if tournament else None)
    if not isinstance(moved, Head):
        return moved
    number = moved.number
    if head is None:
        new = (change.log, change.epoch, moved.tournament)
        made = connection.execute(NEW_LOG, new).lastrowid
        assert made is not None
        number = made
    _write_log(connection, number, change, moved.signed)
    return _write_values(connection, number, change)


def read_head(connection: sqlite3.Connection, log: str) -> Head | None:
    """Give the head of a log; None for one that is not there."""
    row: _Row | None = connection.execute(
        "SELECT id, next_index, epoch, signed_size, signed_root, state, tournament FROM logs"
        " WHERE log = ?",
        (log,),
    ).fetchone()
    if row is None:
        return None
    number, next_index, epoch, size, root, state, tournament = row
    signed = None if root is None else SignedAt(size, root)
    return Head(number, next_index, epoch, signed, LogState(state), tournament)


def _write_log(
    connection: sqlite3.Connection, number: int, change: LogAppend, last: SignedAt | None
) -> None:
    start = change.expected_next_index
    if change.lines:
        connection.executemany(
            "INSERT INTO lines VALUES (?, ?, ?)",
            [(number, index, line) for index, line in enumerate(change.lines, start)],
        )
    connection.execute(
        "UPDATE logs SET next_index = ?, fold_from = coalesce(?, fold_from), signed_size = ?,"
        " signed_root = ? WHERE id = ?",
        (
            start + len(change.lines),
            change.fold_from,
            0 if last is None else last.size,
            None if last is None else last.root,
            number,
        ),
    )
    if change.facts is not None:
        write_facts(connection, number, change.facts)


def write_facts(connection: sqlite3.Connection, number: int, facts: LogFacts) -> None:
    """Write what lists show of the log with that number."""
    connection.execute(
        "UPDATE logs SET state = ?, meta = ?, opened_at = ?, hands = ?, players = ?,"
        " previous = ?, next = ? WHERE id = ?",
        (
            facts.state.value,
            facts.meta,
            facts.opened_at,
            facts.hands,
            facts.players,
            facts.previous,
            facts.next,
            number,
        ),
    )


def _write_values(connection: sqlite3.Connection, number: int, change: LogAppend) -> Refused | None:
    for signed in change.signed:
        connection.execute(
            "INSERT INTO checkpoints VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (number, signed.size, signed.note),
        )
    for value in change.spent:
        written = connection.execute(
            "INSERT INTO spent VALUES (?, ?) ON CONFLICT DO NOTHING", (number, value)
        )
        if written.rowcount == 0:
            return AlreadySpent(change.log, value)
    for secret in change.secrets:
        written = connection.execute(
            "INSERT INTO secrets VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (number, secret.hand, secret.sealed),
        )
        if written.rowcount == 0:
            return SecretExists(change.log, secret.hand)
    connection.executemany(
        "INSERT INTO notices VALUES (?, ?, ?, ?, ?, ?, ?)",
        [notice_row(number, notice) for notice in change.notices],
    )
    return None


def notice_row(number: int, notice: Notice) -> tuple[object, ...]:
    """Give a notice of the log with that number as a row, whose id SQLite counts."""
    return None, number, notice.hand, notice.stage.value, notice.size, notice.root, notice.at


def move(connection: sqlite3.Connection, movement: Movement) -> int:
    """Write a movement of chips, and give its cursor."""
    cursor = connection.execute(
        "INSERT INTO movements (log, idx, at, what, player, seat, amount, reference)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            movement.log,
            movement.index,
            movement.at,
            movement.what.value,
            movement.player,
            movement.seat,
            movement.amount,
            movement.reference,
        ),
    ).lastrowid
    assert cursor is not None
    return cursor
