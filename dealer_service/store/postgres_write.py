"""What accepted units write to PostgreSQL: a few statements for all of them, in one round trip.

Rows go in as arrays, a statement for each table. Every statement says how many rows it must have
written: a log's row only where it still stands as it was seen (epoch, next index, last signed),
anything else only where it is not there yet. A count that differs means that another writer came
between, and that all of it has to be undone.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from dealer_service.store.api import Append, LogAppend, LogFacts, Movement
from dealer_service.store.decide import Head
from dealer_service.store.postgres_link import Statement

_UPDATE_LOGS: Final = """
UPDATE logs SET next_index = new.next_index, fold_from = coalesce(new.fold_from, logs.fold_from),
  signed_size = new.signed_size, signed_root = new.signed_root
FROM unnest(%b::bigint[], %b::bigint[], %b::bigint[], %b::bigint[], %b::bytea[],
  %b::bigint[], %b::bigint[], %b::bigint[], %b::bytea[])
  AS new (id, epoch, had_index, had_size, had_root, next_index, fold_from, signed_size, signed_root)
WHERE logs.id = new.id AND logs.epoch = new.epoch AND logs.next_index = new.had_index
  AND logs.signed_size = new.had_size AND logs.signed_root IS NOT DISTINCT FROM new.had_root
  AND logs.state <> 'lost'
"""
_UPDATE_FACTS: Final = """
UPDATE logs SET state = new.state, opened_at = new.opened_at, hands = new.hands,
  players = new.players, previous = new.previous, next = new.next
FROM unnest(%b::bigint[], %b::text[], %b::bigint[], %b::bigint[], %b::bigint[], %b::text[],
  %b::text[])
  AS new (id, state, opened_at, hands, players, previous, next)
WHERE logs.id = new.id
"""
_METAS: Final = """
INSERT INTO metas (log, meta) SELECT * FROM unnest(%b::bigint[], %b::bytea[])
ON CONFLICT (log) DO UPDATE SET meta = excluded.meta WHERE metas.meta <> excluded.meta
"""
NEW_LOGS: Final = """
INSERT INTO logs (id, log, next_index, epoch, signed_size, state, owner, incarnation, opened_at,
  hands, players, previous, next, tournament)
SELECT new.id, new.log, 0, new.epoch, 0, 'open', coalesce(its.owner, %s),
  coalesce(its.incarnation, %s), 0, 0, 0, '', '', new.tournament
FROM unnest(%b::bigint[], %b::text[], %b::bigint[], %b::text[]) AS new (id, log, epoch, tournament)
  LEFT JOIN logs AS its ON its.log = new.tournament
ON CONFLICT DO NOTHING
"""
_COUNT: Final = "UPDATE counters SET value = value + %s WHERE name = %s RETURNING value - %s"
_MOVE: Final = """
INSERT INTO movements (id, log, idx, at, what, player, seat, amount, reference)
SELECT counters.value - %s + new.place, new.log, new.idx, new.at, new.what, new.player, new.seat,
  new.amount, new.reference
FROM counters, unnest(%b::bigint[], %b::text[], %b::bigint[], %b::bigint[], %b::text[],
  %b::text[], %b::bigint[], %b::bigint[], %b::text[])
  AS new (place, log, idx, at, what, player, seat, amount, reference)
WHERE counters.name = 'movements'
"""


def _insert(table: str, types: Sequence[str]) -> str:
    arrays = ", ".join(f"%b::{name}[]" for name in types)
    return f"INSERT INTO {table} SELECT * FROM unnest({arrays}) ON CONFLICT DO NOTHING"  # noqa: S608 - names of our own


_LINES: Final = _insert("lines", ("bigint", "bigint", "bytea"))
_CHECKPOINTS: Final = _insert("checkpoints", ("bigint", "bigint", "text"))
_ANSWERS: Final = _insert("answers", ("text", "text", "text", "bytea", "bytea"))
_SPENT: Final = _insert("spent", ("bigint", "bytea"))
_SECRETS: Final = _insert("secrets", ("bigint", "bigint", "bytea"))
_NOTICES: Final = _insert(
    "notices", ("bigint", "bigint", "bigint", "text", "bigint", "bytea", "bigint")
)
_NOTICED: Final = "DELETE FROM notices WHERE id = ANY(%b::bigint[])"
_ID_BITS: Final = 62


@dataclass(slots=True)
class Writing:
    """Statements, and the rows that each must write; None where any number will do."""

    statements: list[Statement] = field(default_factory=list)
    counts: list[int | None] = field(default_factory=list)

    def add(self, sql: str, rows: Sequence[Sequence[object]], *, all_new: bool = True) -> None:
        """Add a statement that takes rows as one array a column."""
        if rows:
            columns = [list(column) for column in zip(*rows, strict=True)]
            self.statements.append((sql, columns))
            self.counts.append(len(rows) if all_new else None)


def count_up(name: str, by: int) -> Statement:
    """Give the statement that counts up, and gives what the count was; its row stays locked."""
    return _COUNT, (by, name, by)


def write_units(
    accepted: Sequence[Append], before: Mapping[str, Head], after: Mapping[str, Head]
) -> Writing:
    """Give what writes units, all of whose logs are there, where `before` and `after` say.

    Where there are movements, the last statement but one gives how many there were before.
    """
    writing = Writing()
    changes = [change for append in accepted for change in append.logs]
    numbered = [(before[change.log].number, change) for change in changes]
    _write_heads(writing, changes, before, after)
    writing.add(
        _LINES,
        [
            (number, index, line)
            for number, change in numbered
            for index, line in enumerate(change.lines, change.expected_next_index)
        ],
    )
    # A checkpoint may be signed again.
    writing.add(
        _CHECKPOINTS,
        [
            (number, signed.size, signed.note)
            for number, change in numbered
            for signed in change.signed
        ],
        all_new=False,
    )
    answers = [append.answer for append in accepted if append.answer is not None]
    writing.add(_ANSWERS, [(a.scope, a.caller, a.request_id, a.digest, a.body) for a in answers])
    writing.add(_SPENT, [(number, value) for number, change in numbered for value in change.spent])
    writing.add(
        _SECRETS,
        [(number, one.hand, one.sealed) for number, change in numbered for one in change.secrets],
    )
    writing.add(
        _NOTICES,
        [
            (_any_id(), number, one.hand, one.stage.value, one.size, one.root, one.at)
            for number, change in numbered
            for one in change.notices
        ],
    )
    writing.add(_NOTICED, [(notice,) for append in accepted for notice in append.noticed])
    _write_movements(writing, [moved for append in accepted for moved in append.movements])
    return writing


def _write_heads(
    writing: Writing,
    changes: Sequence[LogAppend],
    before: Mapping[str, Head],
    after: Mapping[str, Head],
) -> None:
    fold_from: dict[str, int] = {}
    facts: dict[str, LogFacts] = {}
    for change in changes:
        if change.fold_from is not None:
            fold_from[change.log] = change.fold_from
        if change.facts is not None:
            facts[change.log] = change.facts
    rows = []
    for log in {change.log: None for change in changes}:
        had, has = before[log], after[log]
        rows.append(
            (
                had.number,
                had.epoch,
                had.next_index,
                had.signed.size if had.signed else 0,
                had.signed.root if had.signed else None,
                has.next_index,
                fold_from.get(log),
                has.signed.size if has.signed else 0,
                has.signed.root if has.signed else None,
            )
        )
    writing.add(_UPDATE_LOGS, rows)
    writing.add(
        _UPDATE_FACTS,
        [
            (
                before[log].number,
                one.state.value,
                one.opened_at,
                one.hands,
                one.players,
                one.previous,
                one.next,
            )
            for log, one in facts.items()
        ],
    )
    metas = [(before[log].number, one.meta) for log, one in facts.items()]
    writing.add(_METAS, metas, all_new=False)


def _any_id() -> int:
    """Give an id that no other notice has, or all is undone: counting would make nodes wait."""
    return random.getrandbits(_ID_BITS) + 1


def _write_movements(writing: Writing, moves: Sequence[Movement]) -> None:
    """Lock the counter's row as late as can be: others wait for it until the commit."""
    if not moves:
        return
    count = len(moves)
    writing.statements.append(count_up("movements", count))
    writing.counts.append(1)
    rows = [
        (
            place,
            moved.log,
            moved.index,
            moved.at,
            moved.what.value,
            moved.player,
            moved.seat,
            moved.amount,
            moved.reference,
        )
        for place, moved in enumerate(moves, 1)
    ]
    writing.add(_MOVE, rows)
    sql, columns = writing.statements[-1]
    writing.statements[-1] = (sql, [count, *columns])
