"""Reads of a PostgreSQL store: each a statement of its own, on one of a few connections.

No transaction is held open between two pages, however slow the reader. A read whose connection is
lost is done again on a new one, for as long as a lease lasts; a failed read leaves the store
usable.
"""

import threading
from collections.abc import Iterator, Sequence
from typing import Any, Final

import psycopg

from dealer_service.store.api import (
    DEALER_LOG,
    Answer,
    ChipMove,
    LogFacts,
    LogHead,
    LogState,
    Movement,
    Notice,
    SealedSecret,
    SignedAt,
    StoredCheckpoint,
    StoredMovement,
    StoredNotice,
)
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
from dealer_service.transcript.noted import Stage

_MOST_LINKS: Final = 4
_PAGE: Final = 512
_HEAD: Final = (
    "SELECT logs.id, logs.log, next_index, epoch, fold_from, signed_size, signed_root,"
    " state, coalesce(meta, ''), opened_at, hands, players, previous, next, tournament"
    " FROM logs LEFT JOIN metas ON metas.log = logs.id"
)
_GAMES: Final = f"tournament <> logs.log AND logs.log <> '{DEALER_LOG}'"
_TOURNAMENTS: Final = "tournament = logs.log"
_GROUP: Final = (
    f"{_HEAD} WHERE tournament = %s AND tournament <> '' ORDER BY tournament <> logs.log, id"
)
# The time of a log's entries never falls. Of two notices at one size, the game's close is first.
_NOTICES: Final = (
    "SELECT notices.id, logs.log, hand, stage, size, root, at"
    " FROM notices JOIN logs ON logs.id = notices.log"
    " ORDER BY at, notices.log, size, stage LIMIT %s"
)
_OF_LOG: Final = "log = (SELECT id FROM logs WHERE log = %s)"


class Reads:
    """Reads from a few connections, which are made when they are needed."""

    def __init__(self, target: Target, condition: Condition, watchdog: Watchdog) -> None:
        self._target = target
        self._watchdog = watchdog
        self._condition = condition
        self._free: list[Link] = []
        self._guard = threading.Lock()
        self._places = threading.BoundedSemaphore(_MOST_LINKS)

    def rows(self, query: str, values: Sequence[object]) -> list[Row]:
        """Give the rows of a query; StoreError."""
        return self.rows_of_all((query, values))[0]

    def rows_of_all(self, *statements: Statement) -> list[list[Row]]:
        """Give the rows of several queries, in one round trip; StoreError."""
        wait = Patience(self._target.lease, self._condition.closing)
        with self._places:
            while True:
                self._condition.require()
                link: Link | None = None
                try:
                    link = self._take()
                    with self._watchdog.watching(link):
                        found = [cursor.fetchall() for cursor in link.run(*statements)]
                except psycopg.Error as error:
                    told = final(error, self._target, link)
                    what = meaning(error, link)
                    self._end(link)
                    if what is Meaning.FINAL or not wait.wait():
                        self._condition.require()
                        raise told from None
                except BaseException:
                    self._end(link)
                    raise
                else:
                    self._give_back(link)
                    return found

    def head(self, log: str) -> LogHead | None:
        """Give a log's head."""
        rows = self.rows(f"{_HEAD} WHERE logs.log = %s", (log,))
        return _head(rows[0]) if rows else None

    def group(self, tournament: str) -> tuple[LogHead, ...]:
        """Give the heads of a tournament's logs, its own first."""
        return tuple(_head(row) for row in self.rows(_GROUP, (tournament,)))

    def heads(
        self, state: LogState | None, after: int, limit: int, *, tournaments: bool
    ) -> tuple[LogHead, ...]:
        """Give heads by rising number."""
        of = _TOURNAMENTS if tournaments else _GAMES
        if state is None:
            query = f"{_HEAD} WHERE {of} AND id > %s ORDER BY id LIMIT %s"
            rows = self.rows(query, (after, limit))
        else:
            query = f"{_HEAD} WHERE {of} AND state = %s AND id > %s ORDER BY id LIMIT %s"
            rows = self.rows(query, (state.value, after, limit))
        return tuple(_head(row) for row in rows)

    def lines(self, log: str, start: int, limit: int) -> tuple[bytes, ...]:
        """Give lines from an index on."""
        query = f"SELECT line FROM lines WHERE {_OF_LOG} AND idx >= %s ORDER BY idx LIMIT %s"  # noqa: S608 - text of our own
        return tuple(line for (line,) in self.rows(query, (log, start, limit)))

    def every_line(self, log: str, start: int) -> Iterator[bytes]:
        """Give all lines from an index on, page by page."""
        while page := self.lines(log, start, _PAGE):
            yield from page
            start += len(page)

    def checkpoints(self, log: str, from_size: int, limit: int) -> tuple[StoredCheckpoint, ...]:
        """Give checkpoints from a size on."""
        query = (
            f"SELECT size, note FROM checkpoints WHERE {_OF_LOG}"  # noqa: S608 - text of our own
            " AND size >= %s ORDER BY size LIMIT %s"
        )
        return tuple(StoredCheckpoint(*row) for row in self.rows(query, (log, from_size, limit)))

    def last_checkpoint(self, log: str) -> StoredCheckpoint | None:
        """Give the checkpoint of the greatest size."""
        query = f"SELECT size, note FROM checkpoints WHERE {_OF_LOG} ORDER BY size DESC LIMIT 1"  # noqa: S608 - text of our own
        rows = self.rows(query, (log,))
        return StoredCheckpoint(*rows[0]) if rows else None

    def answer(self, scope: str, caller: str, request_id: str) -> Answer | None:
        """Give the answer that was stored for a request."""
        key = (scope, caller, request_id)
        rows = self.rows(
            "SELECT digest, body FROM answers WHERE scope = %s AND caller = %s AND request_id = %s",
            key,
        )
        return Answer(*key, *rows[0]) if rows else None

    def answered(self, scope: str) -> Iterator[tuple[str, str]]:
        """Give caller and request id of a scope's answers, page by page."""
        after = ("", "")
        query = (
            "SELECT caller, request_id FROM answers WHERE scope = %s"
            " AND (caller, request_id) > (%s, %s) ORDER BY caller, request_id LIMIT %s"
        )
        while page := self.rows(query, (scope, *after, _PAGE)):
            for caller, request_id in page:
                after = (caller, request_id)
                yield after

    def sealed_secrets(self, log: str, from_hand: int) -> tuple[SealedSecret, ...]:
        """Give a log's sealed secrets by rising hand."""
        query = f"SELECT hand, sealed FROM secrets WHERE {_OF_LOG} AND hand >= %s ORDER BY hand"  # noqa: S608 - text of our own
        return tuple(SealedSecret(*row) for row in self.rows(query, (log, from_hand)))

    def spent(self, log: str) -> frozenset[bytes]:
        """Give every anchor and link that the log has accepted."""
        query = f"SELECT value FROM spent WHERE {_OF_LOG}"  # noqa: S608 - text of our own
        return frozenset(value for (value,) in self.rows(query, (log,)))

    def movements(self, after: int, limit: int) -> tuple[StoredMovement, ...]:
        """Give movements behind a cursor."""
        rows = self.rows(
            "SELECT id, log, idx, at, what, player, seat, amount, reference FROM movements"
            " WHERE id > %s ORDER BY id LIMIT %s",
            (after, limit),
        )
        return tuple(
            StoredMovement(cursor, Movement(log, index, at, ChipMove(what), *rest))
            for cursor, log, index, at, what, *rest in rows
        )

    def notices(self, limit: int) -> tuple[StoredNotice, ...]:
        """Give notices that wait, oldest first."""
        rows = self.rows(_NOTICES, (limit,))
        return tuple(
            StoredNotice(number, log, Notice(hand, Stage(stage), *rest))
            for number, log, hand, stage, *rest in rows
        )

    def close(self) -> None:
        """Let go of the connections that nobody reads from."""
        with self._guard:
            free, self._free = self._free, []
        for link in free:
            self._end(link)

    def _take(self) -> Link:
        with self._guard:
            if self._free:
                return self._free.pop()
        return connect(self._target)

    def _give_back(self, link: Link) -> None:
        with self._guard:
            if not self._condition.closing.is_set():
                self._free.append(link)
                return
        self._end(link)

    def _end(self, link: Link | None) -> None:
        if link is not None:
            link.close()


def _head(row: Sequence[Any]) -> LogHead:
    number, log, next_index, epoch, fold_from, size, root, state, *facts = row
    signed = None if root is None else SignedAt(size, root)
    return LogHead(
        number, log, next_index, epoch, fold_from, signed, LogFacts(LogState(state), *facts)
    )
