"""`append_sqlite` and `append_postgres`: what a store takes with nobody before it.

Units as acts make them, one or two lines with the answer and now and then a checkpoint, in batches
of 64 logs' and each batch durable before the next. The yardstick is the same bytes by bare
statements of the database's own client, two tables and nothing else, one transaction a batch.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from hashlib import sha256
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import psycopg

from dealer_service.store.api import Answer, Append, Appended, LogAppend, LogFacts, Signed, Store
from dealer_service.store.leases import Node, leases_of
from dealer_service.store.postgres import PostgresStore
from dealer_service.store.sqlite import SqliteStore
from tests.bench.database import database
from tests.bench.figure import Figure, Goal, measure_in_turn

LOGS: Final = 64
BATCHES: Final = 60
SQLITE: Final = Goal("append_sqlite", "units/s", "units/s of bare sqlite3", "higher", 0.7)
POSTGRES: Final = Goal("append_postgres", "units/s", "units/s of bare psycopg", "higher", 1)
_LINE: Final = b'{"acted":{"act":"raise","by":"player","hand":%d,"seat":3,"to":12},"at":%d}'
_SIGNED_EACH: Final = 6
"""Acts to a checkpoint."""


def measure_sqlite(*, quick: bool = False) -> Figure:
    """Measure units a second through the SQLite store."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        store = SqliteStore(folder / "store.sqlite")
        try:
            return _measure(SQLITE, store, _bare_sqlite(folder / "bare.sqlite"), quick=quick)
        finally:
            store.close()


def measure_postgres(*, quick: bool = False) -> Figure:
    """Measure units a second through the PostgreSQL store, over loopback."""
    with ExitStack() as stack:
        server = stack.enter_context(database())
        store = PostgresStore(server.new_database())
        stack.callback(store.close)
        leases = leases_of(store)
        assert leases is not None
        leases.join(Node("bench", "127.0.0.1:1"), 600_000)
        connection = stack.enter_context(psycopg.connect(server.new_database()))
        return _measure(POSTGRES, store, _bare_postgres(connection), quick=quick)


def _measure(
    goal: Goal, store: Store, bare: Callable[[Sequence[Append]], None], *, quick: bool
) -> Figure:
    batches = _batches()
    # The first batch makes the logs.
    _take(store, next(batches))
    number = 5 if quick else BATCHES

    def through(take: Callable[[Sequence[Append]], None]) -> float:
        units = [next(batches) for _ in range(number)]
        began = time.perf_counter()
        for batch in units:
            take(batch)
        return number * LOGS / (time.perf_counter() - began)

    held: list[Sequence[Append]] = []

    def own() -> float:
        return through(lambda batch: _take(store, batch))

    def other() -> float:
        def take(batch: Sequence[Append]) -> None:
            held.append(batch)
            bare(batch)

        rate = through(take)
        # Units that the store had not taken would leave a gap in its logs.
        for batch in held:
            _take(store, batch)
        held.clear()
        return rate

    remark = f"on the wall, {LOGS} units a transaction, each durable; {number} transactions a round"
    return measure_in_turn(goal, own, other, rounds=2 if quick else 7, remark=remark)


def _take(store: Store, batch: Sequence[Append]) -> None:
    for result in store.append_all(batch):
        assert isinstance(result, Appended), result


def _batches() -> Iterator[list[Append]]:
    logs = [sha256(b"log %d" % number).hexdigest()[:32] for number in range(LOGS)]
    sizes = [0] * LOGS
    signed = [0] * LOGS
    for turn in count():
        batch = []
        for place, log in enumerate(logs):
            lines = tuple(_LINE % (turn, index) for index in range(1 + (turn + place) % 2))
            first, sizes[place] = sizes[place], sizes[place] + len(lines)
            notes: tuple[Signed, ...] = ()
            if turn % _SIGNED_EACH == 0:
                root = sha256(b"%d" % sizes[place]).digest()
                notes = (Signed(sizes[place], root, signed[place], "note " * 40),)
                signed[place] = sizes[place]
            facts = LogFacts(opened_at=1) if turn == 0 else None
            change = LogAppend(log, first, 1, lines, facts=facts, signed=notes)
            digest = sha256(b"%d" % turn).digest()
            answer = Answer(log, "ann", f"act-{turn:08}", digest, b"\x08\x01")
            batch.append(Append((change,), (), answer))
        yield batch


def _bare_sqlite(path: Path) -> Callable[[Sequence[Append]], None]:
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode=WAL", "synchronous=EXTRA", "locking_mode=EXCLUSIVE"):
        connection.execute(f"PRAGMA {pragma}")
    for table in _TABLES:
        connection.execute(table.replace("BYTES", "BLOB"))

    def take(batch: Sequence[Append]) -> None:
        lines, answers = _rows(batch)
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO lines VALUES (?, ?, ?)", lines)
        connection.executemany("INSERT INTO answers VALUES (?, ?, ?, ?, ?)", answers)
        connection.execute("COMMIT")

    return take


def _bare_postgres(connection: "psycopg.Connection[Any]") -> Callable[[Sequence[Append]], None]:
    for table in _TABLES:
        connection.execute(table.replace("BYTES", "BYTEA"))
    connection.commit()

    def take(batch: Sequence[Append]) -> None:
        lines, answers = _rows(batch)
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO lines VALUES (%s, %s, %s)", lines)
            cursor.executemany("INSERT INTO answers VALUES (%s, %s, %s, %s, %s)", answers)
        connection.commit()

    return take


_TABLES: Final = (
    "CREATE TABLE lines (log TEXT, idx BIGINT, line BYTES, PRIMARY KEY (log, idx))",
    """CREATE TABLE answers (scope TEXT, caller TEXT, request TEXT, digest BYTES, body BYTES,
    PRIMARY KEY (scope, caller, request))""",
)


def _rows(batch: Sequence[Append]) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    lines: list[tuple[Any, ...]] = []
    answers: list[tuple[Any, ...]] = []
    for append in batch:
        for change in append.logs:
            first = change.expected_next_index
            lines += ((change.log, index, line) for index, line in enumerate(change.lines, first))
        one = append.answer
        assert one is not None
        answers.append((one.scope, one.caller, one.request_id, one.digest, one.body))
    return lines, answers
