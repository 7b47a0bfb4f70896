"""How several dealers share one store: who owns which log, and until when.

A node is a dealer that serves games; each process of it has an incarnation, so that a second
process under the same name takes everything over from the first. A node lives as long as it beats:
each beat renews its lease, by the store's own clock. A log has at most one owner, whose epoch
stands in the log's row and is checked by the very statement that appends to it: whoever lost a
log, and does not know yet, writes nothing more to it, whatever the clocks say. Leases decide only
when a log may be taken over, never who may write. A tournament and its tables are owned as
one: a log that an append makes in it is of the tournament's owner from the start.

The count of beats is the store's own and never falls: a node that has seen a higher one has a
store before it that went back to an older state. Each beat also tells the store's time, by which
all nodes deal.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from dealer_service.store.api import Store


@dataclass(frozen=True, slots=True)
class Node:
    """A dealer by its name (1 to 64 of [a-z0-9.-]) and the address at which callers reach it."""

    name: str
    address: str


@dataclass(frozen=True, slots=True)
class Owner:
    """Who has a log; `is_alive` says whether the lease still runs."""

    node: Node
    epoch: int
    is_alive: bool


@dataclass(frozen=True, slots=True)
class Beat:
    """The store's count of beats, after this one, and the names of all nodes that ever joined.

    `at` is the store's time, in milliseconds since 1970, at some moment of the call.
    """

    count: int
    nodes: frozenset[str]
    at: int


@runtime_checkable
class Leases(Protocol):
    """What a store that is shared does besides; it acts for the node that joined through it.

    Each call raises StoreError when the store can not be read or written, and NODE_REPLACED when
    another process has joined under this node's name since (then this one must stop).
    Appending creates logs for this node, and `Store.claim` gives None, besides for an unknown log,
    for one that another node owns and whose lease still runs; so does `Store.claim_group`.
    """

    def join(self, node: Node, lease_ms: int) -> Beat:
        """Become this node, with a lease of so many milliseconds from each beat on.

        Whoever was this node before is replaced; its logs are claimable by this one at once.
        """
        ...

    def beat(self) -> Beat:
        """Renew the lease."""
        ...

    def last_beat(self) -> int:
        """Give the store's count of beats without beating; 0 when nobody ever did.

        May be asked before joining.
        """
        ...

    def nodes(self) -> frozenset[str]:
        """Give the names of all nodes that ever joined; may be asked before joining."""
        ...

    def claimable(self, limit: int) -> tuple[str, ...]:
        """Give up to `limit` games that are not over and that nobody alive owns, oldest first.

        Not over are open, paused and closed ones. This node's own count when an earlier process
        of it claimed them. Tables of tournaments are not given, but in their place the tournaments
        of which any log is not over.
        """
        ...

    def owner(self, log: str) -> Owner | None:
        """Give a log's owner; None for an unknown log, and for one that was released."""
        ...

    def owners(self, logs: Sequence[str]) -> Mapping[str, Owner]:
        """Give the owner of each of these logs that has one; one read for all."""
        ...

    def sizes(self, logs: Sequence[str]) -> Mapping[str, tuple[int, int]]:
        """Give the number of lines and the last signed size (0: none) of each log that is known.

        One read for all, so that many logs of other nodes can be followed.
        """
        ...

    def living(self) -> tuple[Node, ...]:
        """Give every node whose lease runs, this one included, by name."""
        ...

    def release(self, logs: tuple[str, ...]) -> None:
        """Own these logs no longer, so that another node can claim them at once.

        A tournament's name releases it with its tables; that of a table, nothing.
        """
        ...

    def leave(self) -> None:
        """Release every log, and end the lease; the name stays known."""
        ...


def leases_of(store: Store) -> Leases | None:
    """Give what a shared store does besides; None for the store of one dealer."""
    return store if isinstance(store, Leases) else None
