"""The PostgreSQL store: shared by any number of dealers, each with a connection for its changes.

A change is one transaction, durable when the call returns (`postgres_change`); a batch of units
takes two round trips (`postgres_append`). A server that restarts or is away for a while is waited
for: calls take longer and nothing else is seen of it. When the patience ends for a change, or it
fails otherwise, the store takes no further call until it is opened again; only a read, and what
is asked of `Leases`, may be asked again when the store was away for too long.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dealer_service.store.api import (
    Answer,
    Append,
    AppendResult,
    LogHead,
    LogState,
    LostLog,
    SealedSecret,
    StoredCheckpoint,
    StoredMovement,
    StoredNotice,
)
from dealer_service.store.leases import Beat, Node, Owner
from dealer_service.store.postgres_alter import Archiving, mark_lost, reseal
from dealer_service.store.postgres_append import Appends
from dealer_service.store.postgres_change import Changes
from dealer_service.store.postgres_lease import NodeLeases
from dealer_service.store.postgres_patience import Condition
from dealer_service.store.postgres_read import Reads
from dealer_service.store.postgres_tables import require_tables
from dealer_service.store.postgres_target import read_target
from dealer_service.store.postgres_watchdog import Watchdog

LEASE_SECONDS: Final = 5.0
PATIENCE_SECONDS: Final = 60.0


class PostgresStore:
    """A `Store` and its `Leases` in the database at a postgresql:// URL.

    `lease` is how many seconds may go until other dealers take over: what hangs that long is
    given up. `patience` is for how many seconds a change waits for a store that is away; a read and
    what is asked of `Leases` wait for a lease alone.
    """

    def __init__(
        self, url: str, *, lease: float = LEASE_SECONDS, patience: float = PATIENCE_SECONDS
    ) -> None:
        target = read_target(url, lease)
        self._shown = target.shown
        self._patience = patience
        self._condition = Condition(target.shown)
        require_tables(target, self._condition.closing)
        watchdog = Watchdog(2 * lease, self._condition.closing)
        self._changes = Changes(target, self._condition, watchdog)
        self._reads = Reads(target, self._condition, watchdog)
        self._appends = Appends(self._changes, self._patience)
        self._archiving = Archiving(
            self._changes, self._reads, self._patience, self._condition.closing
        )
        self._leases = NodeLeases(self._changes, self._reads, lease)

    def __repr__(self) -> str:
        """Name the database, without secrets."""
        return f"PostgresStore({self._shown!r})"

    def append_all(self, appends: Sequence[Append]) -> list[AppendResult]:
        """Write units in one transaction, as `Store.append_all` says."""
        return self._appends.append_all(appends)

    def claim(self, log: str) -> int | None:
        """Become a log's owner, as `Store.claim` and `Leases` say."""
        return self._leases.claim(log)

    def claim_group(self, tournament: str) -> Mapping[str, int] | None:
        """Become the owner of a tournament's logs, as `Store.claim_group` and `Leases` say."""
        return self._leases.claim_group(tournament)

    def reseal(self, log: str, old: SealedSecret, new: SealedSecret) -> bool:
        """Put a hand's secret under another key."""
        return reseal(self._changes, log, old, new, self._patience)

    def archive(self, log: str) -> bool:
        """Forget all of a revealed log but its head and its movements."""
        return self._archiving.archive(log)

    def mark_lost(self, lost: Sequence[LostLog]) -> None:
        """Set logs to lost with what was last signed for each."""
        mark_lost(self._changes, lost, self._patience)

    def head(self, log: str) -> LogHead | None:
        """Give a log's head."""
        return self._reads.head(log)

    def group(self, tournament: str) -> tuple[LogHead, ...]:
        """Give the heads of a tournament's logs, its own first."""
        return self._reads.group(tournament)

    def heads(
        self,
        *,
        state: LogState | None = None,
        tournaments: bool = False,
        after: int = 0,
        limit: int = 100,
    ) -> tuple[LogHead, ...]:
        """Give heads by rising number."""
        return self._reads.heads(state, after, limit, tournaments=tournaments)

    def lines(self, log: str, start: int, limit: int) -> tuple[bytes, ...]:
        """Give lines from an index on."""
        return self._reads.lines(log, start, limit)

    def every_line(self, log: str, start: int = 0) -> Iterator[bytes]:
        """Give all lines from an index on, page by page."""
        return self._reads.every_line(log, start)

    def checkpoints(
        self, log: str, from_size: int = 0, limit: int = 1000
    ) -> tuple[StoredCheckpoint, ...]:
        """Give checkpoints from a size on."""
        return self._reads.checkpoints(log, from_size, limit)

    def last_checkpoint(self, log: str) -> StoredCheckpoint | None:
        """Give the checkpoint of the greatest size."""
        return self._reads.last_checkpoint(log)

    def answer(self, scope: str, caller: str, request_id: str) -> Answer | None:
        """Give the answer that was stored for a request."""
        return self._reads.answer(scope, caller, request_id)

    def answered(self, scope: str) -> Iterator[tuple[str, str]]:
        """Give caller and request id of a scope's answers, page by page."""
        return self._reads.answered(scope)

    def sealed_secrets(self, log: str, from_hand: int = 0) -> tuple[SealedSecret, ...]:
        """Give a log's sealed secrets by rising hand."""
        return self._reads.sealed_secrets(log, from_hand)

    def spent(self, log: str) -> frozenset[bytes]:
        """Give every anchor and link that the log has accepted."""
        return self._reads.spent(log)

    def movements(self, after: int, limit: int) -> tuple[StoredMovement, ...]:
        """Give movements behind a cursor."""
        return self._reads.movements(after, limit)

    def notices(self, limit: int) -> tuple[StoredNotice, ...]:
        """Give notices that wait, oldest first."""
        return self._reads.notices(limit)

    def join(self, node: Node, lease_ms: int) -> Beat:
        """Become this node, with a lease from each beat on."""
        return self._leases.join(node, lease_ms)

    def beat(self) -> Beat:
        """Renew the lease."""
        return self._leases.beat()

    def last_beat(self) -> int:
        """Give the store's count of beats."""
        return self._leases.last_beat()

    def nodes(self) -> frozenset[str]:
        """Give the names of all nodes that ever joined."""
        return self._leases.nodes()

    def sizes(self, logs: Sequence[str]) -> Mapping[str, tuple[int, int]]:
        """Give the number of lines and the last signed size of logs."""
        return self._leases.sizes(logs)

    def claimable(self, limit: int) -> tuple[str, ...]:
        """Give games that are not over and that nobody alive owns."""
        return self._leases.claimable(limit)

    def owner(self, log: str) -> Owner | None:
        """Give a log's owner."""
        return self._leases.owner(log)

    def owners(self, logs: Sequence[str]) -> Mapping[str, Owner]:
        """Give the owner of each of these logs that has one."""
        return self._leases.owners(logs)

    def living(self) -> tuple[Node, ...]:
        """Give every node whose lease runs."""
        return self._leases.living()

    def release(self, logs: tuple[str, ...]) -> None:
        """Own these logs no longer."""
        self._leases.release(logs)

    def leave(self) -> None:
        """Release every log, and end the lease."""
        self._leases.leave()

    def close(self) -> None:
        """Let go of every connection."""
        self._condition.closing.set()
        self._changes.close()
        self._reads.close()
