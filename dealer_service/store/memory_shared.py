"""A store in memory that several dealers share, each through a view of its own: for tests.

The views see one content at once, as dealers see one database. `Shared.now` is the store's clock,
by which leases run; a test moves it. A view can lose contact with the store for a while, or for
good, which is how a test kills its dealer or pulls its cable.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dealer_service.store.api import (
    DEALER_LOG,
    UNFINISHED,
    Append,
    Appended,
    AppendResult,
    LogHead,
)
from dealer_service.store.leases import Beat, Node, Owner
from dealer_service.store.memory import Content, MemoryStore
from dealer_service.store.refusal import Reason, StoreError


@dataclass(frozen=True, slots=True)
class _Member:
    """A node that joined: its process, and until when its lease runs (ms of the store's clock)."""

    node: Node
    incarnation: int
    lease_ms: int
    until: int


@dataclass(slots=True)
class Shared:
    """What all views share: the content, the nodes, and who owns what (name, incarnation)."""

    now: int = 0
    content: Content = field(default_factory=Content)
    members: dict[str, _Member] = field(default_factory=dict)
    owners: dict[str, tuple[str, int]] = field(default_factory=dict)
    beats: int = 0
    incarnations: int = 0

    def open(self) -> "SharedMemoryStore":
        """Open a view, which has not joined yet."""
        return SharedMemoryStore(self)

    def copy(self) -> "Shared":
        """Give what a backup holds at this moment."""
        with self.content.lock:
            return Shared(
                self.now,
                self.content.copy(),
                self.members.copy(),
                self.owners.copy(),
                self.beats,
                self.incarnations,
            )


class SharedMemoryStore(MemoryStore):
    """One dealer's view: a `Store` and its `Leases`."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared.content)
        self.shared = shared
        self._me: _Member | None = None
        self._reaches = True
        self._answers = threading.Event()
        self._answers.set()

    # What a test does to it.

    def lose_contact(self) -> None:
        """Let every call fail from now on, as after a cable was pulled."""
        self._reaches = False
        self._answers.set()

    def find_contact(self) -> None:
        """Let calls reach the store again."""
        self._reaches = True

    def hang(self) -> None:
        """Let writes wait, as for a database that starts again, until `go_on`."""
        self._answers.clear()

    def go_on(self) -> None:
        """Let the writes that wait be done."""
        self._answers.set()

    # The store's own calls.

    def append_all(self, appends: Sequence[Append]) -> list[AppendResult]:
        """Write units, as `Store.append_all` says."""
        self._answers.wait()
        return super().append_all(appends)

    def close(self) -> None:
        """Let go of the store; what waits is not written."""
        super().close()
        self._answers.set()

    # The leases.

    def join(self, node: Node, lease_ms: int) -> Beat:
        """Become a node."""

        def join() -> Beat:
            self.shared.incarnations += 1
            until = self.shared.now + lease_ms
            self._me = _Member(node, self.shared.incarnations, lease_ms, until)
            self.shared.members[node.name] = self._me
            return self._beaten()

        return self._read("join", join)

    def beat(self) -> Beat:
        """Renew the lease."""

        def beat() -> Beat:
            me = self._joined()
            until = self.shared.now + me.lease_ms
            self.shared.members[me.node.name] = _Member(me.node, me.incarnation, me.lease_ms, until)
            return self._beaten()

        return self._read("beat", beat)

    def last_beat(self) -> int:
        """Give the count of beats."""
        return self._read("last_beat", lambda: self.shared.beats)

    def nodes(self) -> frozenset[str]:
        """Give the names of all nodes that ever joined."""
        return self._read("nodes", lambda: frozenset(self.shared.members))

    def claimable(self, limit: int) -> tuple[str, ...]:
        """Give games that are not over and that nobody alive owns."""

        def find() -> tuple[str, ...]:
            self._joined()
            heads = [log.head for log in self.shared.content.logs.values()]
            units = dict.fromkeys(
                head.owned_as
                for head in heads
                if head.facts.state in UNFINISHED
                and head.log != DEALER_LOG
                and self._is_free(head.log)
            )
            return tuple(units)[:limit]

        return self._read("claimable", find)

    def owner(self, log: str) -> Owner | None:
        """Give a log's owner."""
        return self.owners((log,)).get(log)

    def owners(self, logs: Sequence[str]) -> dict[str, Owner]:
        """Give the owner of each of these logs that has one."""

        def find() -> dict[str, Owner]:
            self._joined()
            known, owners, members = (
                self.shared.content.logs,
                self.shared.owners,
                self.shared.members,
            )
            have = {log: members[owners[log][0]] for log in logs if log in owners and log in known}
            return {
                log: Owner(member.node, known[log].head.epoch, self._is_alive(member))
                for log, member in have.items()
            }

        return self._read("owners", find)

    def sizes(self, logs: Sequence[str]) -> Mapping[str, tuple[int, int]]:
        """Give the number of lines and the last signed size of logs."""

        def find() -> dict[str, tuple[int, int]]:
            known = self.shared.content.logs
            heads = {log: known[log].head for log in logs if log in known}
            return {log: (head.next_index, head.signed_size) for log, head in heads.items()}

        return self._read("sizes", find)

    def living(self) -> tuple[Node, ...]:
        """Give every node whose lease runs."""

        def find() -> tuple[Node, ...]:
            self._joined()
            members = sorted(self.shared.members.items())
            return tuple(member.node for _, member in members if self._is_alive(member))

        return self._read("living", find)

    def release(self, logs: tuple[str, ...]) -> None:
        """Own these logs no longer."""
        self._read("release", lambda: self._release(logs))

    def leave(self) -> None:
        """Release every log, and end the lease."""

        def leave() -> None:
            me = self._joined()
            known = self.shared.content.logs
            self._release([known[log].head.owned_as for log in self.shared.owners])
            ended = _Member(me.node, me.incarnation, me.lease_ms, self.shared.now)
            self.shared.members[me.node.name] = ended

        self._read("leave", leave)

    # Inside, under the lock.

    def _append(self, append: Append) -> AppendResult:
        known = self.shared.content.logs
        new = [change.log for change in append.logs if change.log not in known]
        result = super()._append(append)
        if isinstance(result, Appended) and self._me is not None:
            for log in new:
                self._own_new(known[log].head)
        return result

    def _own_new(self, head: LogHead) -> None:
        assert self._me is not None
        if head.owned_as == head.log:
            self.shared.owners[head.log] = (self._me.node.name, self._me.incarnation)
        elif head.owned_as in self.shared.owners:
            self.shared.owners[head.log] = self.shared.owners[head.owned_as]

    def _claim(self, log: str) -> int | None:
        if not self._may_claim(log):
            return None
        epoch = super()._claim(log)
        if epoch is not None:
            self._own((log,))
        return epoch

    def _claim_group(self, tournament: str) -> Mapping[str, int] | None:
        logs = [log.head.log for log in self._group(tournament)]
        if not all(self._may_claim(log) for log in logs):
            return None
        epochs = super()._claim_group(tournament)
        self._own(logs)
        return epochs

    def _may_claim(self, log: str) -> bool:
        if self._me is None:
            return True
        self._joined()
        mine = (self._me.node.name, self._me.incarnation)
        return self._is_free(log) or self.shared.owners.get(log) == mine

    def _own(self, logs: Sequence[str]) -> None:
        if self._me is not None:
            for log in logs:
                self.shared.owners[log] = (self._me.node.name, self._me.incarnation)

    def _require_usable(self) -> None:
        super()._require_usable()
        if not self._reaches:
            raise StoreError(Reason.STORE_UNREACHABLE, "the store in memory can not be reached")

    def _joined(self) -> _Member:
        me = self._me
        if me is None:
            message = "this dealer has not joined the store in memory"
            raise StoreError(Reason.STORE_FAILED, message)
        if self.shared.members[me.node.name].incarnation != me.incarnation:
            message = f"another dealer has joined the store as {me.node.name} since"
            raise StoreError(Reason.NODE_REPLACED, message)
        return me

    def _beaten(self) -> Beat:
        self.shared.beats += 1
        return Beat(self.shared.beats, frozenset(self.shared.members), self.shared.now)

    def _is_alive(self, member: _Member) -> bool:
        return self.shared.now < member.until

    def _is_free(self, log: str) -> bool:
        owner = self.shared.owners.get(log)
        if owner is None:
            return True
        name, incarnation = owner
        me = self._me
        if me is not None and name == me.node.name:
            return incarnation != me.incarnation
        return not self._is_alive(self.shared.members[name])

    def _release(self, units: Sequence[str]) -> None:
        me = self._joined()
        known, asked = self.shared.content.logs, set(units)
        for log, (name, _) in tuple(self.shared.owners.items()):
            if name == me.node.name and known[log].head.owned_as in asked:
                del self.shared.owners[log]
