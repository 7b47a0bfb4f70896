"""How the PostgreSQL store appends a batch of units: in two round trips where nothing is refused.

Units are nearly always accepted, and the heads of the logs are known from the batch before. So
they are decided from what is remembered, and written under the condition that the rows are still
so: statements, then COMMIT. Where one would be refused, makes a new log, or where a row is not as
it was remembered, all of it is undone; then the rows that the units touch are read under locks,
the units decided in order, and the accepted ones written. A refused unit leaves no trace.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from psycopg import Cursor

from dealer_service.store.api import Answer, Append, Appended, AppendResult, LogState, SignedAt
from dealer_service.store.decide import Head, Known, answer_key, decide_all, group_of
from dealer_service.store.postgres_change import Changes, Transaction
from dealer_service.store.postgres_link import Row
from dealer_service.store.postgres_write import NEW_LOGS, Writing, count_up, write_units
from dealer_service.store.refusal import Reason, StoreError

_REMEMBERED: Final = 10_000
_TRIES: Final = 50
_HEADS: Final = (
    "SELECT log, id, next_index, epoch, signed_size, signed_root, state, tournament FROM logs"
    " WHERE log = ANY(%s) ORDER BY id"
)
_ANSWERS: Final = """
SELECT answers.scope, answers.caller, answers.request_id, answers.digest, answers.body
FROM answers JOIN unnest(%s::text[], %s::text[], %s::text[]) AS asked (scope, caller, request_id)
  ON answers.scope = asked.scope AND answers.caller = asked.caller
  AND answers.request_id = asked.request_id
"""
_SPENT: Final = """
SELECT asked.log, asked.value
FROM unnest(%s::text[], %b::bytea[]) AS asked (log, value)
JOIN logs ON logs.log = asked.log JOIN spent ON spent.log = logs.id AND spent.value = asked.value
"""
_SECRETS: Final = """
SELECT asked.log, asked.hand
FROM unnest(%s::text[], %s::bigint[]) AS asked (log, hand)
JOIN logs ON logs.log = asked.log JOIN secrets ON secrets.log = logs.id
  AND secrets.hand = asked.hand
"""

_NOTICES: Final = "SELECT id FROM notices WHERE id = ANY(%s)"

_Result = tuple[list[AppendResult], dict[str, Head]]


class _Between(Exception):  # noqa: N818 - names what another writer did
    """Another writer wrote between the reading and the writing."""


class Appends:
    """Appends through `changes`, and remembers where logs stand."""

    def __init__(self, changes: Changes, patience: float) -> None:
        self._changes = changes
        self._patience = patience
        self._heads: dict[str, Head] = {}

    def append_all(self, appends: Sequence[Append]) -> list[AppendResult]:
        """Write units, as `Store.append_all` says."""
        results, heads = self._changes.change(
            lambda begun: self._append(begun, appends), self._patience
        )
        if len(self._heads) > _REMEMBERED:
            self._heads.clear()
        self._heads.update(heads)
        return results

    def _append(self, begun: Transaction, appends: Sequence[Append]) -> _Result:
        if not appends:
            return [], {}
        swift = self._append_swiftly(begun, appends)
        if swift is not None:
            return swift
        for _ in range(_TRIES):
            begun.start_again()
            try:
                return _append_surely(begun, appends)
            except _Between:
                continue
        message = "other writers came between again and again"
        raise StoreError(Reason.STORE_FAILED, message)

    def _append_swiftly(self, begun: Transaction, appends: Sequence[Append]) -> _Result | None:
        logs = {change.log for append in appends for change in append.logs}
        before = {log: self._heads[log] for log in logs if log in self._heads}
        missing = [log for log in logs if log not in before]
        if missing:
            before |= _read_heads(begun, missing, locked=False)
        if len(before) < len(logs):
            return None
        known = Known(dict(before))
        if any(refused is not None for refused in decide_all(known, appends)):
            return None
        try:
            return _write(begun, appends, before, known.heads), known.heads
        except _Between:
            return None


def _append_surely(begun: Transaction, appends: Sequence[Append]) -> _Result:
    known = _load(begun, appends)
    before = dict(known.heads)
    decided = decide_all(known, appends)
    accepted = [append for append, refused in zip(appends, decided, strict=True) if refused is None]
    if not accepted:
        begun.give_up()
        return [refused for refused in decided if refused is not None], before
    new = {log: head for log, head in known.heads.items() if log not in before}
    if new:
        before |= _make_logs(begun, new)
        for log in new:
            known.heads[log] = replace(known.heads[log], number=before[log].number)
    appended = iter(_write(begun, accepted, before, known.heads))
    results = [next(appended) if refused is None else refused for refused in decided]
    return results, known.heads


def _load(begun: Transaction, appends: Sequence[Append]) -> Known:
    """Read all that the units touch; logs stay locked until the transaction's end.

    With a log that may become a tournament's table its tournament: whoever claims that waits, and
    then finds the table.
    """
    changes = [change for append in appends for change in append.logs]
    logs = {one.log for one in changes} | {group_of(one) for one in changes}
    known = Known(_read_heads(begun, sorted(logs), locked=True))
    answers = [append.answer for append in appends if append.answer is not None]
    spent = [(one.log, value) for one in changes for value in one.spent]
    secrets = [(one.log, secret.hand) for one in changes for secret in one.secrets]
    noticed = [notice for append in appends for notice in append.noticed]
    found_answers, found_spent, found_secrets, found_notices = begun.run(
        (_ANSWERS, _columns([answer_key(answer) for answer in answers], 3)),
        (_SPENT, _columns(spent, 2)),
        (_SECRETS, _columns(secrets, 2)),
        (_NOTICES, (noticed,)),
    )
    for row in found_answers:
        answer = Answer(*row)
        known.answers[answer_key(answer)] = answer
    known.spent.update((log, value) for log, value in found_spent)
    known.secrets.update((log, hand) for log, hand in found_secrets)
    known.gone.update(noticed)
    known.gone.difference_update(notice for (notice,) in found_notices)
    return known


def _read_heads(begun: Transaction, logs: Sequence[str], *, locked: bool) -> dict[str, Head]:
    (rows,) = begun.run((_HEADS + " FOR UPDATE" if locked else _HEADS, (list(logs),)))
    return {
        log: Head(
            number,
            next_index,
            epoch,
            None if root is None else SignedAt(size, root),
            LogState(state),
            tournament,
        )
        for log, number, next_index, epoch, size, root, state, tournament in rows
    }


def _make_logs(begun: Transaction, new: Mapping[str, Head]) -> dict[str, Head]:
    """Make logs without lines, of the writer's node where it is one, or their tournament's."""
    (counted,) = begun.run(count_up("logs", len(new)))
    row = counted.fetchone()
    assert row is not None
    heads = {
        log: Head(number, 0, head.epoch, None, tournament=head.tournament)
        for number, (log, head) in enumerate(new.items(), row[0] + 1)
    }
    who = begun.writer
    owner = (who.name, who.incarnation) if who.is_node else ("", 0)
    rows = [(head.number, log, head.epoch, head.tournament) for log, head in heads.items()]
    columns = _columns(rows, 4)
    (made,) = begun.run((NEW_LOGS, (*owner, *columns)))
    if made.rowcount != len(heads):
        raise _Between
    return heads


def _write(
    begun: Transaction,
    accepted: Sequence[Append],
    before: Mapping[str, Head],
    after: Mapping[str, Head],
) -> list[AppendResult]:
    writing: Writing = write_units(accepted, before, after)
    cursors = begun.run(*writing.statements)
    for cursor, count in zip(cursors, writing.counts, strict=True):
        if count is not None and cursor.rowcount != count:
            raise _Between
    results: list[AppendResult] = []
    moved = _moved_before(cursors) if any(append.movements for append in accepted) else 0
    for append in accepted:
        last = moved + len(append.movements)
        results.append(Appended(tuple(range(moved + 1, last + 1))))
        moved = last
    return results


def _moved_before(cursors: Sequence[Cursor[Row]]) -> int:
    row = cursors[-2].fetchone()
    assert row is not None
    return int(row[0])


def _columns(rows: Sequence[Sequence[object]], width: int) -> list[list[object]]:
    return [[row[place] for row in rows] for place in range(width)]
