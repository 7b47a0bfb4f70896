"""A dealer's part among those that share its store: its name, its address, what it remembers.

The name is the settings', or drawn at the first start and kept in the directory: the journal and
the memory of the store beside it are those of this node. The address is where callers reach this
node; whoever calls another one about a game of this one is sent there.
"""

import os
from typing import Final

from dealer_service.config import Settings, split_address
from dealer_service.fairness.randomness import Entropy
from dealer_service.store.directory import kept_node_name
from dealer_service.store.last_seen import LastSeen
from dealer_service.store.leases import Beat, Leases
from dealer_service.store.signed_journal import read_journal

_NAME_BYTES: Final = 6


class Membership:
    """Made before joining: of a store that went back nothing is asked but what it says itself."""

    def __init__(self, settings: Settings, leases: Leases, entropy: Entropy) -> None:
        """Name the node and look at the store.

        StoreError STORE_WENT_BACK where this node has seen a later state of the store, unless the
        settings accept that.
        """
        self.leases = leases
        self.name = settings.cluster.node or kept_node_name(
            settings.node_name, f"node-{entropy(_NAME_BYTES).hex()}"
        )
        self._accepts = settings.accept_restore
        self._seen = LastSeen(settings.last_seen)
        if not self._accepts:
            self._seen.require(leases.last_beat())
        self._known = leases.nodes()
        self._wrote: frozenset[str] = frozenset()
        self._has_journal = os.path.lexists(settings.signed_journal)
        if self._has_journal:
            self._wrote = read_journal(settings.signed_journal, settings.origin).nodes

    @property
    def is_new(self) -> bool:
        """Whether neither the store nor this directory knows the node."""
        return self.name not in self._known | self._seen.nodes

    @property
    def lacks_journal(self) -> bool:
        """Whether this node has signed before, and its journal is not there."""
        return not self._has_journal and not self.is_new

    def address(self, settings: Settings, port: int) -> str:
        """Say where callers reach this node, which listens on `port`."""
        if settings.cluster.advertise:
            return settings.cluster.advertise
        host, _ = split_address(settings.address)
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def others(self) -> tuple[str, ...]:
        """Give the other nodes that live."""
        return tuple(node.name for node in self.leases.living() if node.name != self.name)

    def missing(self, given: frozenset[str]) -> frozenset[str]:
        """Give the nodes that may have signed, and whose journals are neither here nor given."""
        needed = self._known | self._seen.nodes
        return needed - given - self._wrote

    def remember(self, beat: Beat) -> None:
        """Keep a beat, durably; StoreError STORE_WENT_BACK where the count has not risen."""
        self._seen.note(beat)

    def joined(self, beat: Beat) -> None:
        """Keep the first beat of this process, which may be that of a store that went back."""
        if self._accepts:
            self._seen.accept(beat)
        else:
            self._seen.note(beat)
