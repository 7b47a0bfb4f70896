"""What a node remembers of a shared store: its count of beats, and which nodes there were.

The count never falls, so that a store with a lower one than was seen is an older copy: a backup
that was restored, or a replica that lacked the last writes. Every node would fork the logs that
others signed since, so none goes on with it unless the operator accepts the restore. Whoever
accepts needs the journals of all nodes that may have signed; their names stand here, because the
older store may not know the younger ones.

The file stands in the node's own directory, which no backup of the database brings back, and is
written at every beat: `cutcard-seen/1 <count> <names…>` in one line.
"""

import re
from pathlib import Path
from typing import Final

from dealer_service.store.directory import is_node_name, write_durably
from dealer_service.store.leases import Beat
from dealer_service.store.refusal import Reason, StoreError

_LINE: Final = re.compile(r"cutcard-seen/1 ([0-9]{1,19})((?: [a-z0-9.-]{1,64})*)\n")


class LastSeen:
    """The file at `path`; nothing was seen where it is missing. One thread at a time uses it."""

    def __init__(self, path: Path) -> None:
        """Read the file. StoreError JOURNAL_DAMAGED for one that can not be read as such."""
        self._path = path
        self.count = 0
        self.nodes: frozenset[str] = frozenset()
        try:
            content = path.read_text("ascii", "replace")
        except FileNotFoundError:
            return
        match = _LINE.fullmatch(content)
        if match is None:
            message = (
                f"{path}, in which the dealer remembers the store, is damaged: bring it back, or "
                "remove it when the store was never restored from a backup"
            )
            raise StoreError(Reason.JOURNAL_DAMAGED, message)
        self.count = int(match[1])
        self.nodes = frozenset(match[2].split())

    def require(self, count: int) -> None:
        """Check the count of a store that is opened. StoreError STORE_WENT_BACK for a lower one."""
        if count < self.count:
            self._refuse(count)

    def note(self, beat: Beat) -> None:
        """Remember a beat, durably. StoreError STORE_WENT_BACK where the count has not risen."""
        if beat.count <= self.count:
            self._refuse(beat.count)
        self.accept(beat)

    def accept(self, beat: Beat) -> None:
        """Remember a beat whatever was seen before, because the operator accepts a restore."""
        nodes = self.nodes | {name for name in beat.nodes if is_node_name(name)}
        names = "".join(f" {name}" for name in sorted(nodes))
        try:
            write_durably(self._path, f"cutcard-seen/1 {beat.count}{names}\n".encode("ascii"))
        except OSError as error:
            message = f"{self._path} can not be written: {error.strerror}"
            raise StoreError(Reason.JOURNAL_FAILED, message) from error
        self.count, self.nodes = beat.count, nodes

    def _refuse(self, count: int) -> None:
        message = (
            f"the store went back to an older state: it counts {count} beats, and this node has "
            f"seen {self.count}. Bring back the newest store; or stop every node and start one "
            "with --accept-restore"
        )
        raise StoreError(Reason.STORE_WENT_BACK, message)
