"""Nodes, their leases, and who owns which log: statements on `nodes` and on the logs' rows.

A node lives while `expires_at` lies ahead by the database's clock, whatever its incarnation: when
its process is replaced, the logs stay its own, and the new process may claim them at once.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from dealer_service.store.api import DEALER_LOG
from dealer_service.store.leases import Beat, Node, Owner
from dealer_service.store.postgres_change import NOW, Changes, Transaction, Writer
from dealer_service.store.postgres_link import Row
from dealer_service.store.postgres_read import Reads
from dealer_service.store.refusal import Reason, StoreError

T = TypeVar("T")

_JOIN: Final = (
    "INSERT INTO nodes (name, is_node, address, incarnation, expires_at, changes, settled)"  # noqa: S608 - no value is put in
    f" VALUES (%s, true, %s, %s, {NOW} + %s, 0, 0)"
    " ON CONFLICT (name) DO UPDATE SET is_node = true, address = excluded.address,"
    " incarnation = excluded.incarnation, expires_at = excluded.expires_at, changes = 0,"
    " settled = 0"
)
_RENEW: Final = f"UPDATE nodes SET expires_at = {NOW} + %s WHERE name = %s"  # noqa: S608 - no value is put in
_BEAT: Final = f"UPDATE counters SET value = value + 1 WHERE name = 'beats' RETURNING value, {NOW}"  # noqa: S608 - no value is put in
_MINE: Final = "SELECT incarnation FROM nodes WHERE name = %s"
_SIZES: Final = "SELECT log, next_index, signed_size FROM logs WHERE log = ANY(%s)"
_NAMES: Final = "SELECT name FROM nodes WHERE is_node"
_IS_ALIVE: Final = f"nodes.is_node AND nodes.expires_at > {NOW}"
_IS_FREE: Final = f"""
(logs.owner = '' OR logs.owner = %s OR NOT EXISTS
  (SELECT 1 FROM nodes WHERE nodes.name = logs.owner AND {_IS_ALIVE}))
"""  # noqa: S608 - no value is put in
_CLAIM: Final = (
    "UPDATE logs SET epoch = epoch + 1, owner = %s, incarnation = %s"  # noqa: S608 - no value is put in
    f" WHERE log = %s AND tournament = '' AND {_IS_FREE} RETURNING epoch"
)
# Whoever makes a table holds this row: when it is had, every table is seen.
_LOCK_TOURNAMENT: Final = "SELECT 1 FROM logs WHERE log = %s AND tournament = log FOR UPDATE"
_CLAIM_GROUP: Final = (
    "UPDATE logs AS one SET epoch = epoch + 1, owner = %s, incarnation = %s"  # noqa: S608 - no value is put in
    " WHERE tournament = %s AND tournament <> '' AND NOT EXISTS"
    f" (SELECT 1 FROM logs WHERE logs.tournament = one.tournament AND NOT {_IS_FREE})"
    " RETURNING log, epoch"
)
_CLAIMABLE: Final = f"""
SELECT unit FROM
  (SELECT CASE WHEN tournament = '' THEN log ELSE tournament END AS unit, id FROM logs
   WHERE state IN ('open', 'paused', 'closed') AND log <> %s
     AND NOT (owner = %s AND incarnation = %s) AND {_IS_FREE}) AS free
GROUP BY unit ORDER BY min(id) LIMIT %s
"""  # noqa: S608 - no value is put in
_OWNERS: Final = (
    f"SELECT logs.log, nodes.name, nodes.address, logs.epoch, {_IS_ALIVE}"  # noqa: S608 - no value is put in
    " FROM logs JOIN nodes ON nodes.name = logs.owner WHERE logs.log = ANY(%s)"
)
_LIVING: Final = f"SELECT name, address FROM nodes WHERE {_IS_ALIVE}"  # noqa: S608 - no value is put in
_RELEASE: Final = (
    "UPDATE logs SET owner = '', incarnation = 0 WHERE owner = %s AND incarnation = %s"
)
_RELEASE_THESE: Final = (
    f"{_RELEASE} AND (tournament = '' AND log = ANY(%s)"
    " OR tournament <> '' AND tournament = ANY(%s))"
)


class NodeLeases:
    """What the node that joined through this store does with leases."""

    def __init__(self, changes: Changes, reads: Reads, patience: float) -> None:
        self._changes = changes
        self._reads = reads
        self._patience = patience
        self._lease_ms = 0

    def join(self, node: Node, lease_ms: int) -> Beat:
        """Become this node."""

        def join(begun: Transaction) -> Beat:
            row = (node.name, node.address, begun.writer.incarnation, lease_ms)
            begun.run((_JOIN, row))
            return _beat(begun)

        beat = self._changes.join(node.name, join, self._patience)
        self._lease_ms = lease_ms
        return beat

    def beat(self) -> Beat:
        """Renew the lease."""
        me = self._me()

        def beat(begun: Transaction) -> Beat:
            begun.run((_RENEW, (self._lease_ms, me.name)))
            return _beat(begun)

        return self._change(beat)

    def last_beat(self) -> int:
        """Give the count of beats."""
        rows = self._reads.rows("SELECT value FROM counters WHERE name = 'beats'", ())
        return int(rows[0][0])

    def claim(self, log: str) -> int | None:
        """Become a log's owner, where nobody else that lives is."""

        def claim(begun: Transaction) -> int | None:
            name, incarnation = _owner(begun.writer)
            (claimed,) = begun.run((_CLAIM, (name, incarnation, log, name)))
            row = claimed.fetchone()
            if row is None:
                begun.give_up()
                return None
            return int(row[0])

        return self._change(claim)

    def claim_group(self, tournament: str) -> dict[str, int] | None:
        """Become the owner of a tournament's logs, where nobody else that lives is."""

        def claim(begun: Transaction) -> dict[str, int] | None:
            name, incarnation = _owner(begun.writer)
            begun.run((_LOCK_TOURNAMENT, (tournament,)))
            (claimed,) = begun.run((_CLAIM_GROUP, (name, incarnation, tournament, name)))
            epochs: dict[str, int] = dict(claimed.fetchall())
            if not epochs:
                begun.give_up()
            return epochs or None

        return self._change(claim)

    def claimable(self, limit: int) -> tuple[str, ...]:
        """Give what is not over and what nobody alive owns, oldest first."""
        me = self._me()
        values = (DEALER_LOG, me.name, me.incarnation, me.name, limit)
        return tuple(log for (log,) in self._rows(me, _CLAIMABLE, values))

    def owner(self, log: str) -> Owner | None:
        """Give a log's owner."""
        return self.owners((log,)).get(log)

    def owners(self, logs: Sequence[str]) -> dict[str, Owner]:
        """Give the owner of each of these logs that has one."""
        return {
            log: Owner(Node(name, address), epoch, is_alive)
            for log, name, address, epoch, is_alive in self._rows(
                self._me(), _OWNERS, (list(logs),)
            )
        }

    def nodes(self) -> frozenset[str]:
        """Give the names of all nodes that ever joined."""
        return frozenset(name for (name,) in self._reads.rows(_NAMES, ()))

    def sizes(self, logs: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Give the number of lines and the last signed size of logs."""
        rows = self._reads.rows(_SIZES, (list(logs),))
        return {log: (next_index, signed_size) for log, next_index, signed_size in rows}

    def living(self) -> tuple[Node, ...]:
        """Give the nodes whose lease runs, by name."""
        return tuple(sorted((Node(*row) for row in self._rows(self._me(), _LIVING, ())), key=_name))

    def release(self, logs: Sequence[str]) -> None:
        """Own these logs no longer."""
        me = self._me()
        values = (me.name, me.incarnation, list(logs), list(logs))
        self._change(lambda begun: begun.run((_RELEASE_THESE, values)))

    def leave(self) -> None:
        """Release every log, and end the lease."""
        me = self._me()
        release = (_RELEASE, (me.name, me.incarnation))
        end = ("UPDATE nodes SET expires_at = 0 WHERE name = %s", (me.name,))
        self._change(lambda begun: begun.run(release, end))

    def _change(self, work: Callable[[Transaction], T]) -> T:
        """Do `work`; when the store is away for too long, it may be asked again later."""
        return self._changes.change(work, self._patience, is_final=False)

    def _me(self) -> Writer:
        me = self._changes.node
        if me is None:
            message = "no node has joined through this store"
            raise StoreError(Reason.STORE_FAILED, message)
        return me

    def _rows(self, me: Writer, query: str, values: Sequence[object]) -> list[Row]:
        """Give the rows of a query that this node asks; StoreError NODE_REPLACED."""
        rows, found = self._reads.rows_of_all((query, values), (_MINE, (me.name,)))
        if found != [(me.incarnation,)]:
            raise self._changes.not_mine(me, None if not found else (found[0][0], me.changes))
        return rows


def _owner(writer: Writer) -> tuple[str, int]:
    return (writer.name, writer.incarnation) if writer.is_node else ("", 0)


def _beat(begun: Transaction) -> Beat:
    counted, names = begun.run((_BEAT, ()), (_NAMES, ()))
    row = counted.fetchone()
    assert row is not None
    return Beat(row[0], frozenset(name for (name,) in names), row[1])


def _name(node: Node) -> str:
    return node.name
