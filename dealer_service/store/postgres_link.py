"""A connection to PostgreSQL: made so that what it commits is durable, and what its errors mean.

Every session commits with `synchronous_commit` on (or remote_apply, where the server has that),
and is refused by us where the server would lose commits in a crash. The server ends what we left
lying: an open transaction whose client is gone or frozen, a statement that hangs, a wait for a
lock. It runs in autocommit; who wants a transaction says BEGIN.
"""

import contextlib
from collections.abc import Iterator, Sequence
from enum import Enum, unique
from typing import Any, Final

import psycopg
from psycopg import Connection, Cursor
from psycopg.pq import ExecStatus
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper

from dealer_service.store.postgres_target import Target
from dealer_service.store.refusal import Reason, StoreError

Row = tuple[Any, ...]
Statement = tuple[str, Sequence[object]]
Link = Connection[Row]

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


def connect(target: Target) -> Link:
    """Connect and set the session up. psycopg.Error; StoreError STORE_NOT_DURABLE."""
    link = psycopg.connect(**target.parameters, autocommit=True, prepare_threshold=0)  # type: ignore[arg-type]  # libpq's own names
    try:
        link.prepared_max = None
        for dumper in (Int8Dumper, Int8BinaryDumper):
            link.adapters.register_dumper(int, dumper)  # one type, so one plan a statement
        milliseconds = int(target.lease * 1000)
        limits = (milliseconds, milliseconds // 2, max(250, milliseconds // 3))
        row = link.execute(_SESSION, [str(limit) for limit in limits]).fetchone()
        assert row is not None
        _require_durable(target, *row[-3:])
    except BaseException:
        link.close()
        raise
    return link


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
    if link is None or link.broken or link.closed:
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


def run(link: Link, statements: Sequence[Statement]) -> list[Cursor[Row]]:
    """Run statements in one round trip and give their cursors, with all results seen."""
    if len(statements) == 1:
        return [link.execute(*statements[0], binary=True)]
    with link.pipeline() as pipeline:
        cursors = [link.execute(*statement, binary=True) for statement in statements]
        pipeline.sync()
    return cursors


def roll_back(link: Link) -> None:
    """Undo the open transaction, if there is one.

    Sent past psycopg, which forgets every prepared statement at a ROLLBACK.
    """
    result = link.pgconn.exec_(b"ROLLBACK")
    if result.status != ExecStatus.COMMAND_OK:
        message = result.get_error_message() or "the connection is lost"
        raise psycopg.OperationalError(message)


@contextlib.contextmanager
def hearing(link: Link) -> Iterator[list[str]]:
    """Gather the notices that the server sends meanwhile."""
    heard: list[str] = []

    def hear(diagnostic: psycopg.errors.Diagnostic) -> None:
        heard.append(diagnostic.sqlstate or "")

    link.add_notice_handler(hear)
    try:
        yield heard
    finally:
        link.remove_notice_handler(hear)
