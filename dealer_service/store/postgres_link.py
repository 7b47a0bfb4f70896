"""A connection to PostgreSQL: made so that what it commits is durable, and what its errors mean.

Every session commits with `synchronous_commit` on (or remote_apply, where the server has that),
and is refused by us where the server would lose commits in a crash. The server ends what we left
lying: an open transaction whose client is gone or frozen, a statement that hangs, a wait for a
lock. It runs in autocommit; who wants a transaction says BEGIN.

Statements go through libpq's pipeline mode, which is never left while all is well: what leaves it
sends a Flush, and after a Flush PostgreSQL counts no idle time, so that a frozen client would hold
its locks for ever.
"""

import contextlib
from collections.abc import Iterator, Sequence
from enum import Enum, unique
from typing import Any, Final

import psycopg
from psycopg import Connection, Cursor, Pipeline
from psycopg.pq import ExecStatus
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper

from dealer_service.store.postgres_target import Target
from dealer_service.store.refusal import Reason, StoreError

Row = tuple[Any, ...]
Statement = tuple[str, Sequence[object]]

_SESSION: Final = """
SELECT
  set_config('synchronous_commit', CASE current_setting('synchronous_commit')
    WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('statement_timeout', %s, false),
  set_config('lock_timeout', %s, false),
  set_config('idle_in_transaction_session_timeout', %s, false),
  current_setting('fsync', true),
  current_setting('full_page_writes', true),
  current_setting('server_encoding', true)
"""
_RETRIED: Final = {
    "40001",  # serialization failure
    "40P01",  # deadlock
    "55P03",  # lock not available
    "57014",  # query cancelled, as by statement_timeout
}
_LOST: Final = {
    "25006",  # read-only transaction: the server has become a standby
    "25P03",  # idle in transaction for too long
    "40003",  # statement completion unknown
    "57P01",  # admin shutdown
    "57P02",  # crash shutdown
    "57P03",  # cannot connect now
    "57P05",  # idle session for too long
}
_FULL: Final = "53100"


@unique
class Meaning(Enum):
    """What is to be done about an error."""

    AGAIN = "the same once more"
    RECONNECT = "the same once more on a new connection"
    FINAL = "nothing can be done"


class Link:
    """A connection for one thread at a time."""

    def __init__(self, connection: Connection[Row]) -> None:
        self._connection = connection
        self._leaving = contextlib.ExitStack()
        self._pipeline: Pipeline | None = None

    @property
    def is_lost(self) -> bool:
        """Whether nothing can come over it any more."""
        return self._connection.broken or self._connection.closed

    @property
    def backend(self) -> int:
        """The number of the server's process for it."""
        return self._connection.info.backend_pid

    def fileno(self) -> int:
        """Give the socket's descriptor. psycopg.Error when it is closed."""
        return self._connection.fileno()

    def run(self, *statements: Statement) -> list[Cursor[Row]]:
        """Run statements in one round trip, and give their cursors with all results seen."""
        try:
            if self._pipeline is None:
                self._pipeline = self._leaving.enter_context(self._connection.pipeline())
            cursors = [self._connection.execute(*one, binary=True) for one in statements]
            self._pipeline.sync()
        except BaseException:
            self._leave()
            raise
        return cursors

    def roll_back(self) -> None:
        """Undo the open transaction, if there is one.

        Sent past psycopg, which forgets every prepared statement at a ROLLBACK.
        """
        self._leave()
        result = self._connection.pgconn.exec_(b"ROLLBACK")
        if result.status != ExecStatus.COMMAND_OK:
            message = result.get_error_message() or "the connection is lost"
            raise psycopg.OperationalError(message)

    @contextlib.contextmanager
    def hearing(self) -> Iterator[list[str]]:
        """Gather the notices that the server sends meanwhile, by their SQLSTATE."""
        heard: list[str] = []

        def hear(diagnostic: psycopg.errors.Diagnostic) -> None:
            heard.append(diagnostic.sqlstate or "")

        self._connection.add_notice_handler(hear)
        try:
            yield heard
        finally:
            self._connection.remove_notice_handler(hear)

    def close(self) -> None:
        """Let go of it; nothing is raised."""
        with contextlib.suppress(psycopg.Error):
            self._connection.close()
        self._leave()

    def _leave(self) -> None:
        """Leave the pipeline, with whatever is still under way in it."""
        self._pipeline = None
        try:
            self._leaving.close()
        except psycopg.Error:
            self._connection.close()


def connect(target: Target) -> Link:
    """Connect and set the session up. psycopg.Error; StoreError STORE_NOT_DURABLE."""
    connection = psycopg.connect(**target.parameters, autocommit=True, prepare_threshold=0)  # type: ignore[arg-type]  # libpq's own names
    try:
        connection.prepared_max = None
        for dumper in (Int8Dumper, Int8BinaryDumper):
            connection.adapters.register_dumper(int, dumper)  # one type, so one plan a statement
        milliseconds = int(target.lease * 1000)
        limits = (milliseconds, milliseconds // 2, max(250, milliseconds // 3))
        row = connection.execute(_SESSION, [str(limit) for limit in limits]).fetchone()
        assert row is not None
        _require_durable(target, *row[-3:])
    except BaseException:
        connection.close()
        raise
    return Link(connection)


def _require_durable(
    target: Target, fsync: str | None, full_page_writes: str | None, encoding: str | None
) -> None:
    for name, value in (("fsync", fsync), ("full_page_writes", full_page_writes)):
        if value == "off":
            message = (
                f"the store {target.shown} would lose what it has acknowledged: {name} is off "
                "there; set it to on"
            )
            raise StoreError(Reason.STORE_NOT_DURABLE, message)
    if encoding not in {None, "UTF8"}:
        message = (
            f"the store {target.shown} is a database in {encoding}; make one with the encoding UTF8"
        )
        raise StoreError(Reason.STORE_NOT_OURS, message)


def meaning(error: psycopg.Error, link: Link | None) -> Meaning:
    """Say what an error means that came before COMMIT was sent, or as the answer to it."""
    code = error.sqlstate
    if code in _RETRIED:
        return Meaning.AGAIN
    if code is not None and (code in _LOST or code[:2] in {"08", "53"}):
        return Meaning.RECONNECT
    if link is None or link.is_lost:
        return Meaning.RECONNECT
    return Meaning.FINAL


def final(error: psycopg.Error, target: Target, link: Link | None) -> StoreError:
    """Give what people are told when nothing can be done, or not for long enough."""
    told = target.clean(" ".join(str(error).split()))
    if error.sqlstate == _FULL:
        message = f"the store {target.shown} can not grow: its disk is full; make room ({told})"
        return StoreError(Reason.STORE_FULL, message)
    if meaning(error, link) is Meaning.RECONNECT:
        message = f"the store {target.shown} can not be reached; start again when it can ({told})"
        return StoreError(Reason.STORE_UNREACHABLE, message)
    message = f"the store {target.shown} failed; look at its server's log ({told})"
    return StoreError(Reason.STORE_FAILED, message)
