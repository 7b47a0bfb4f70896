"""Every change of a PostgreSQL store: one transaction, whose outcome is never guessed.

One connection and one lock serve all changes. Each counts up the `changes` of this writer's row
in `nodes`, in the same transaction and only under this writer's incarnation: a writer that was
replaced writes nothing. All results are seen before COMMIT is sent, so what was lost before it is
known not to be written, and is done again. Where the answer to COMMIT is lost, a new connection
reads the row's count under its lock, which waits for the old transaction's end: it was written or
it was not. That look is a change of its own, whose commit waits for the standbys that the lost
one may not have waited for.
"""

import contextlib
import secrets
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto, unique
from typing import Final, TypeVar

import psycopg
from psycopg import Cursor

from dealer_service.store.postgres_link import (
    Link,
    Meaning,
    Row,
    Statement,
    connect,
    final,
    meaning,
)
from dealer_service.store.postgres_patience import Condition, Patience
from dealer_service.store.postgres_target import Target
from dealer_service.store.postgres_watchdog import Watchdog
from dealer_service.store.refusal import Reason, StoreError

T = TypeVar("T")

NOW: Final = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
"""The database's clock, in ms since 1970."""

_BEGIN: Final[Statement] = ("BEGIN", ())
_COMMIT: Final[Statement] = ("COMMIT", ())
_COUNT_UP: Final = (
    "UPDATE nodes SET changes = %s WHERE name = %s AND incarnation = %s AND changes = %s"
)
_FIND: Final = "SELECT incarnation, changes FROM nodes WHERE name = %s"
_SETTLE: Final = (
    "UPDATE nodes SET settled = settled + 1 WHERE name = %s AND incarnation = %s RETURNING changes"
)
_ENTER: Final = (
    "INSERT INTO nodes (name, is_node, address, incarnation, expires_at, changes, settled)"  # noqa: S608 - no value is put in
    f" VALUES (%s, false, '', %s, {NOW} + 2592000000, 0, 0) ON CONFLICT DO NOTHING"
)
_SWEEP: Final = f"DELETE FROM nodes WHERE NOT is_node AND expires_at < {NOW}"  # noqa: S608 - no value is put in
_EXIT: Final = "DELETE FROM nodes WHERE NOT is_node AND name = %s"
# What the server answers COMMIT with when nothing of it was written.
_UNDONE: Final = {"40001", "40P01"}


@dataclass(slots=True)
class Writer:
    """Who writes: the row in `nodes`, the incarnation, and how many changes it has made."""

    name: str
    incarnation: int
    is_node: bool
    changes: int = 0


class _NotMine(Exception):  # noqa: N818 - names what the writer's row is
    """The writer's row has another incarnation or count (which it bears), or is gone."""

    def __init__(self, found: Row | None) -> None:
        super().__init__()
        self.found = found


@unique
class _Outcome(Enum):
    WRITTEN = auto()
    NOT_WRITTEN = auto()
    UNKNOWN = auto()


class Transaction:
    """A transaction of a writer that begins with its first statement."""

    __slots__ = ("_is_counted", "_link", "_opening", "is_given_up", "writer")

    def __init__(self, link: Link, writer: Writer, *, is_counted: bool) -> None:
        self.writer = writer
        self.is_given_up = False
        self._link = link
        self._is_counted = is_counted
        self._opening = self._begin()

    @property
    def is_begun(self) -> bool:
        """Whether the server has been told of it."""
        return not self._opening

    def run(self, *statements: Statement) -> list[Cursor[Row]]:
        """Run statements in one round trip, and give their cursors with all results seen."""
        if not statements:
            return []
        opening, self._opening = self._opening, []
        cursors = self._link.run(*opening, *statements)
        if opening and self._is_counted and cursors[len(opening) - 1].rowcount != 1:
            (found,) = self._link.run((_FIND, (self.writer.name,)))
            raise _NotMine(found.fetchone())
        return cursors[len(opening) :]

    def start_again(self) -> None:
        """Undo all statements."""
        if self.is_begun:
            self._link.roll_back()
            self._opening = self._begin()

    def give_up(self) -> None:
        """Let it end without a trace."""
        self.is_given_up = True

    def _begin(self) -> list[Statement]:
        if not self._is_counted:
            return [_BEGIN]
        who = self.writer
        values = (who.changes + 1, who.name, who.incarnation, who.changes)
        return [_BEGIN, (_COUNT_UP, values)]


class Changes:
    """Runs changes one after another."""

    def __init__(self, target: Target, condition: Condition, watchdog: Watchdog) -> None:
        self._target = target
        self._condition = condition
        self._watchdog = watchdog
        self._lock = threading.Lock()
        self._link: Link | None = None
        self._writer: Writer | None = None
        self._is_unsettled = False

    @property
    def node(self) -> Writer | None:
        """The node that has joined through this store."""
        writer = self._writer
        return writer if writer is not None and writer.is_node else None

    def change(
        self, work: Callable[[Transaction], T], patience: float, *, is_final: bool = True
    ) -> T:
        """Do `work` in a transaction, and give what it gives once that is durable.

        `work` may be called several times, and must change nothing but the database. `patience`
        is for how many seconds the store may be away. StoreError, after which no further change
        is taken when it is final; else this one may have been made or not.
        """
        with self._lock, self._failing(is_final=is_final):
            wait = Patience(patience, self._condition.closing)
            writer = self._writer
            if writer is None:
                writer = self._writer = self._enter(wait)
            if self._is_unsettled:
                self._settle(writer, wait)
            return self._do(writer, work, wait, is_counted=True)

    def join(self, name: str, work: Callable[[Transaction], T], patience: float) -> T:
        """Become the writer of a node; `work` writes its row, and changes nothing when repeated."""
        with self._lock, self._failing(is_final=False):
            wait = Patience(patience, self._condition.closing)
            writer = Writer(name, _incarnation(), is_node=True)
            result = self._do(writer, work, wait, is_counted=False)
            self._exit()
            self._writer, self._is_unsettled = writer, False
            return result

    def close(self) -> None:
        """Let go of the connection."""
        with self._lock:
            self._exit()
            self._drop()

    def _enter(self, wait: Patience) -> Writer:
        incarnation = _incarnation()
        writer = Writer(f"~{incarnation:016x}", incarnation, is_node=False)
        row = (writer.name, writer.incarnation)
        enter = (_SWEEP, ()), (_ENTER, row)
        self._do(writer, lambda begun: begun.run(*enter), wait, is_counted=False)
        return writer

    def _exit(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None and not writer.is_node and self._link is not None:
            with contextlib.suppress(psycopg.Error):
                self._link.run((_EXIT, (writer.name,)))

    @contextlib.contextmanager
    def _failing(self, *, is_final: bool) -> Iterator[None]:
        self._condition.require()
        try:
            yield
        except BaseException as error:
            self._drop()
            away = isinstance(error, StoreError) and error.reason is Reason.STORE_UNREACHABLE
            if is_final or not away:
                self._condition.fail(error)
            raise

    def _do(
        self, writer: Writer, work: Callable[[Transaction], T], wait: Patience, *, is_counted: bool
    ) -> T:
        while True:
            try:
                link = self._connected()
                with self._watchdog.watching(link):
                    begun = Transaction(link, writer, is_counted=is_counted)
                    result = work(begun)
                    if not begun.is_begun:
                        return result
                    if begun.is_given_up:
                        link.roll_back()
                        return result
            except _NotMine as other:
                raise self.not_mine(writer, other.found) from None
            except psycopg.Error as error:
                self._recover(error, wait)
                continue
            outcome = self._commit(link)
            if outcome is _Outcome.UNKNOWN and is_counted:
                self._is_unsettled = True
                outcome = self._settle(writer, wait)
            elif outcome is _Outcome.WRITTEN:
                writer.changes += is_counted
            if outcome is _Outcome.WRITTEN:
                return result
            if not wait.wait():
                message = f"the store {self._target.shown} takes no change; look at its server"
                raise StoreError(Reason.STORE_UNREACHABLE, message)

    def _commit(self, link: Link) -> _Outcome:
        """Commit; the transaction's results have been seen and are good."""
        try:
            with link.hearing() as heard, self._watchdog.watching(link):
                (told,) = link.run(_COMMIT)
        except psycopg.Error as error:
            if error.sqlstate in _UNDONE and not link.is_lost:
                return _Outcome.NOT_WRITTEN
            self._drop()
            return _Outcome.UNKNOWN
        # A warning says that a wait for standbys was cut off: the commit may not outlive this
        # server.
        return (
            _Outcome.WRITTEN if told.statusmessage == "COMMIT" and not heard else _Outcome.UNKNOWN
        )

    def _settle(self, writer: Writer, wait: Patience) -> _Outcome:
        """Find out whether the change after `writer.changes` was written, and count it if so."""
        while True:
            try:
                link = self._connected()
                with link.hearing() as heard, self._watchdog.watching(link):
                    me = (writer.name, writer.incarnation)
                    settled, found = link.run((_SETTLE, me), (_FIND, me[:1]))
                row = settled.fetchone()
            except psycopg.Error as error:
                self._recover(error, wait)
                continue
            if row is None:
                raise self.not_mine(writer, found.fetchone())
            if heard:
                if not wait.wait():
                    message = f"the standbys of the store {self._target.shown} do not answer"
                    raise StoreError(Reason.STORE_UNREACHABLE, message)
                continue
            if row[0] not in {writer.changes, writer.changes + 1}:
                raise self.not_mine(writer, (writer.incarnation, row[0]))
            is_written = row[0] == writer.changes + 1
            writer.changes, self._is_unsettled = row[0], False
            return _Outcome.WRITTEN if is_written else _Outcome.NOT_WRITTEN

    def _recover(self, error: psycopg.Error, wait: Patience) -> None:
        """Get ready to try once more after an error; StoreError where that is of no use."""
        link = self._link
        told = final(error, self._target, link)
        what = meaning(error, link)
        if what is Meaning.AGAIN and link is not None:
            try:
                link.roll_back()
            except psycopg.Error:
                self._drop()
        else:
            self._drop()
        if what is Meaning.FINAL or not wait.wait():
            self._condition.require()
            raise told from None

    def not_mine(self, writer: Writer, found: Row | None) -> StoreError:
        """Say why the row of a writer is not as it left it: replaced, or an older store."""
        if found is not None and (found[0] != writer.incarnation or found[1] > writer.changes):
            message = (
                f"another process has joined the store {self._target.shown} as this node; one of "
                "the two needs another name"
            )
            return StoreError(Reason.NODE_REPLACED, message)
        message = (
            f"the store {self._target.shown} went back to an older state: it lacks what this "
            "dealer has written; bring the newest one back"
        )
        return StoreError(Reason.STORE_WENT_BACK, message)

    def _connected(self) -> Link:
        if self._link is None:
            self._condition.require()
            self._link = connect(self._target)
        return self._link

    def _drop(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            link.close()


def _incarnation() -> int:
    """Give a number that no process had before, not even in a past that a backup brings back."""
    return secrets.randbits(62) + 1
