"""A store in memory, with the same contract and with faults: for tests and simulations.

`script` makes a coming call fail, either before anything is kept or after all of it is, which its
caller can not tell apart. `reopened` is what a restarted process finds.
"""

import hmac
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, unique
from typing import NoReturn, Self, TypeVar

from dealer_service.store.api import (
    DEALER_LOG,
    UNFINISHED,
    AlreadyAnswered,
    AlreadySpent,
    Answer,
    Append,
    Appended,
    AppendResult,
    Conflict,
    Fenced,
    LogAppend,
    LogFacts,
    LogHead,
    LogLost,
    LogState,
    LostLog,
    Movement,
    NoticeGone,
    NoTournament,
    Refused,
    RequestIdReused,
    SealedSecret,
    SecretExists,
    Signed,
    SignedAt,
    SignedBackwards,
    SignedBeyondLog,
    StoredCheckpoint,
    StoredMovement,
    StoredNotice,
)
from dealer_service.store.refusal import Reason, StoreError

T = TypeVar("T")


@unique
class Fault(Enum):
    """How a call fails: with nothing kept, or with everything kept and the caller not told."""

    NOT_PERSISTED = "not persisted"
    PERSISTED = "persisted"


@dataclass(slots=True)
class _Log:
    head: LogHead
    lines: list[bytes] = field(default_factory=list)
    checkpoints: dict[int, str] = field(default_factory=dict)
    secrets: dict[int, SealedSecret] = field(default_factory=dict)
    spent: set[bytes] = field(default_factory=set)

    def copy(self) -> "_Log":
        return _Log(
            self.head,
            self.lines.copy(),
            self.checkpoints.copy(),
            self.secrets.copy(),
            self.spent.copy(),
        )


@dataclass(slots=True)
class Content:
    """What is durable."""

    logs: dict[str, _Log] = field(default_factory=dict)
    answers: dict[tuple[str, str, str], Answer] = field(default_factory=dict)
    movements: list[Movement] = field(default_factory=list)
    notices: dict[int, StoredNotice] = field(default_factory=dict)
    noticed: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def copy(self) -> "Content":
        """Give what a restart finds, or a backup holds."""
        logs = {name: log.copy() for name, log in self.logs.items()}
        return Content(
            logs, self.answers.copy(), self.movements.copy(), self.notices.copy(), self.noticed
        )


class MemoryStore:
    """A `Store` without a disk; `calls` counts what was asked of it, by the call's name."""

    def __init__(self, content: Content | None = None) -> None:
        self.calls: dict[str, int] = {}
        self._content = content or Content()
        self._lock = self._content.lock
        self._faults: dict[tuple[str, int], Fault] = {}
        self._unusable: StoreError | None = None

    def script(self, call: str, fault: Fault, *, skip: int = 0) -> None:
        """Let `call` fail, after it has gone well `skip` more times."""
        self._faults[call, self.calls.get(call, 0) + skip] = fault

    def reopened(self) -> Self:
        """Give the store as it is found after a restart, without faults; this one is closed."""
        self.close()
        return type(self)(self._content.copy())

    def append_all(self, appends: Sequence[Append]) -> list[AppendResult]:
        """Write units, as `Store.append_all` says."""
        return self._change("append_all", lambda: [self._append(append) for append in appends])

    def claim(self, log: str) -> int | None:
        """Raise a log's epoch by one and give it."""
        return self._change("claim", lambda: self._claim(log))

    def claim_group(self, tournament: str) -> Mapping[str, int] | None:
        """Raise the epochs of a tournament's logs by one and give them."""
        return self._change("claim_group", lambda: self._claim_group(tournament))

    def reseal(self, log: str, old: SealedSecret, new: SealedSecret) -> bool:
        """Put a hand's secret under another key."""
        return self._change("reseal", lambda: self._reseal(log, old, new))

    def archive(self, log: str) -> bool:
        """Forget all of a revealed log but its head and its movements."""
        return self._change("archive", lambda: self._archive(log))

    def mark_lost(self, lost: Sequence[LostLog]) -> None:
        """Set logs to lost with what was last signed for each."""
        self._change("mark_lost", lambda: self._lose(lost))

    def head(self, log: str) -> LogHead | None:
        """Give a log's head."""
        found = self._read("head", lambda: self._content.logs.get(log))
        return None if found is None else found.head

    def group(self, tournament: str) -> tuple[LogHead, ...]:
        """Give the heads of a tournament's logs, its own first."""
        logs = self._read("group", lambda: self._group(tournament))
        return tuple(log.head for log in logs)

    def heads(
        self,
        *,
        state: LogState | None = None,
        tournaments: bool = False,
        after: int = 0,
        limit: int = 100,
    ) -> tuple[LogHead, ...]:
        """Give heads by rising number."""
        logs = self._read("heads", lambda: list(self._content.logs.items()))
        heads = [log.head for name, log in logs if name != DEALER_LOG]
        heads = [head for head in heads if head.is_tournament is tournaments]
        wanted = (head for head in heads if state is None or head.facts.state is state)
        return tuple(head for head in wanted if head.number > after)[:limit]

    def lines(self, log: str, start: int, limit: int) -> tuple[bytes, ...]:
        """Give lines from an index on."""
        return self._read("lines", lambda: tuple(self._log(log).lines[start : start + limit]))

    def every_line(self, log: str, start: int = 0) -> Iterator[bytes]:
        """Give all lines from an index on, page by page."""
        while page := self.lines(log, start, 64):
            yield from page
            start += len(page)

    def checkpoints(
        self, log: str, from_size: int = 0, limit: int = 1000
    ) -> tuple[StoredCheckpoint, ...]:
        """Give checkpoints from a size on."""
        notes = self._read("checkpoints", lambda: sorted(self._log(log).checkpoints.items()))
        return tuple(StoredCheckpoint(*note) for note in notes if note[0] >= from_size)[:limit]

    def last_checkpoint(self, log: str) -> StoredCheckpoint | None:
        """Give the checkpoint of the greatest size."""
        notes = self._read("last_checkpoint", lambda: sorted(self._log(log).checkpoints.items()))
        return StoredCheckpoint(*notes[-1]) if notes else None

    def answer(self, scope: str, caller: str, request_id: str) -> Answer | None:
        """Give the answer that was stored for a request."""
        key = (scope, caller, request_id)
        return self._read("answer", lambda: self._content.answers.get(key))

    def answered(self, scope: str) -> Iterator[tuple[str, str]]:
        """Give caller and request id of a scope's answers."""
        answers = self._read("answered", lambda: list(self._content.answers))
        return ((caller, request_id) for owner, caller, request_id in answers if owner == scope)

    def sealed_secrets(self, log: str, from_hand: int = 0) -> tuple[SealedSecret, ...]:
        """Give a log's sealed secrets by rising hand."""
        secrets = self._read("sealed_secrets", lambda: sorted(self._log(log).secrets.items()))
        return tuple(secret for hand, secret in secrets if hand >= from_hand)

    def spent(self, log: str) -> frozenset[bytes]:
        """Give every anchor and link that the log has accepted."""
        return self._read("spent", lambda: frozenset(self._log(log).spent))

    def movements(self, after: int, limit: int) -> tuple[StoredMovement, ...]:
        """Give movements behind a cursor."""
        found = self._read("movements", lambda: self._content.movements[after : after + limit])
        return tuple(
            StoredMovement(cursor, movement) for cursor, movement in enumerate(found, after + 1)
        )

    def notices(self, limit: int) -> tuple[StoredNotice, ...]:
        """Give notices that wait, oldest first."""
        return self._read("notices", lambda: tuple(self._content.notices.values())[:limit])

    def close(self) -> None:
        """Let go of the store."""
        self._unusable = StoreError(Reason.STORE_CLOSED, "the store in memory is closed")

    def _fault(self, call: str) -> Fault | None:
        self._require_usable()
        count = self.calls.get(call, 0)
        self.calls[call] = count + 1
        return self._faults.pop((call, count), None)

    def _change(self, call: str, change: Callable[[], T]) -> T:
        with self._lock:
            fault = self._fault(call)
            if fault is Fault.NOT_PERSISTED:
                self._fail(call)
            result = change()
            if fault is Fault.PERSISTED:
                self._fail(call)
            return result

    def _read(self, call: str, read: Callable[[], T]) -> T:
        with self._lock:
            if self._fault(call) is not None:
                message = f"the store in memory failed in {call}"
                raise StoreError(Reason.STORE_FAILED, message)
            return read()

    def _fail(self, call: str) -> NoReturn:
        message = f"the store in memory failed in {call}"
        self._unusable = StoreError(Reason.STORE_FAILED, message)
        raise self._unusable

    def _require_usable(self) -> None:
        if self._unusable is not None:
            raise StoreError(self._unusable.reason, str(self._unusable))

    def _log(self, log: str) -> _Log:
        return self._content.logs.get(log) or _Log(_new_head(0, log, 0))

    def _append(self, append: Append) -> AppendResult:
        answer = append.answer
        if answer is not None:
            key = (answer.scope, answer.caller, answer.request_id)
            known = self._content.answers.get(key)
            if known is not None:
                same = hmac.compare_digest(known.digest, answer.digest)
                return AlreadyAnswered(known.body) if same else RequestIdReused(answer.request_id)
        changed: dict[str, _Log] = {}
        for change in append.logs:
            log = changed.get(change.log) or self._copied(change, changed)
            if not isinstance(log, _Log):
                return log
            refused = _change(log, change)
            if refused is not None:
                return refused
            changed[change.log] = log
        refused = self._take_out(append.noticed)
        if refused is not None:
            return refused
        self._put_in(append.logs)
        self._content.logs.update(changed)
        if answer is not None:
            self._content.answers[answer.scope, answer.caller, answer.request_id] = answer
        first = len(self._content.movements) + 1
        self._content.movements.extend(append.movements)
        return Appended(tuple(range(first, first + len(append.movements))))

    def _take_out(self, noticed: Sequence[int]) -> NoticeGone | None:
        waiting = self._content.notices
        for place, number in enumerate(noticed):
            if number not in waiting or number in noticed[:place]:
                return NoticeGone(number)
        for number in noticed:
            del waiting[number]
        return None

    def _put_in(self, changes: Sequence[LogAppend]) -> None:
        for change in changes:
            for notice in change.notices:
                self._content.noticed += 1
                number = self._content.noticed
                self._content.notices[number] = StoredNotice(number, change.log, notice)

    def _copied(self, change: LogAppend, changed: dict[str, _Log]) -> _Log | Refused:
        log = self._content.logs.get(change.log)
        if log is not None:
            return log.copy()
        if change.expected_next_index != 0:
            return Conflict(change.log, change.expected_next_index, 0)
        tournament = change.facts.tournament if change.facts is not None else ""
        if tournament not in {"", change.log}:
            group = changed.get(tournament) or self._content.logs.get(tournament)
            refused = _joins(group, change, tournament)
            if refused is not None:
                return refused
        number = len(self._content.logs.keys() | changed.keys()) + 1
        return _Log(_new_head(number, change.log, change.epoch, tournament))

    def _claim(self, log: str) -> int | None:
        found = self._content.logs.get(log)
        if found is None or found.head.facts.tournament:
            return None
        found.head = replace(found.head, epoch=found.head.epoch + 1)
        return found.head.epoch

    def _group(self, tournament: str) -> list[_Log]:
        """Give a tournament's logs, its own first; none for what is no tournament."""
        own = self._content.logs.get(tournament)
        if own is None or not own.head.is_tournament:
            return []
        logs = self._content.logs.values()
        return [own] + [
            log for log in logs if log is not own and log.head.facts.tournament == tournament
        ]

    def _claim_group(self, tournament: str) -> Mapping[str, int] | None:
        logs = self._group(tournament)
        for log in logs:
            log.head = replace(log.head, epoch=log.head.epoch + 1)
        return {log.head.log: log.head.epoch for log in logs} or None

    def _reseal(self, log: str, old: SealedSecret, new: SealedSecret) -> bool:
        secrets = self._log(log).secrets
        found = secrets.get(old.hand)
        if found is None or not hmac.compare_digest(found.sealed, old.sealed):
            return False
        secrets[old.hand] = replace(found, sealed=new.sealed)
        return True

    def _archive(self, log: str) -> bool:
        found = self._content.logs.get(log)
        if found is None or found.head.facts.state not in {LogState.REVEALED, LogState.ARCHIVED}:
            return False
        if found.head.owned_as != log:
            return False
        logs = self._group(log) or [found]
        if any(one.head.facts.state in UNFINISHED for one in logs):
            return False
        for one in logs:
            if one.head.facts.state is LogState.REVEALED:
                self._forget(one.head)
        return True

    def _forget(self, head: LogHead) -> None:
        facts = replace(head.facts, state=LogState.ARCHIVED)
        self._content.logs[head.log] = _Log(replace(head, epoch=head.epoch + 1, facts=facts))
        for key in [key for key in self._content.answers if key[0] == head.log]:
            del self._content.answers[key]

    def _lose(self, lost: Sequence[LostLog]) -> None:
        for one in lost:
            number = len(self._content.logs) + 1
            log = self._content.logs.setdefault(one.log, _Log(_new_head(number, one.log, 0)))
            facts = replace(log.head.facts, state=LogState.LOST)
            log.head = replace(log.head, epoch=log.head.epoch + 1, signed=one.signed, facts=facts)


def _new_head(number: int, log: str, epoch: int, tournament: str = "") -> LogHead:
    return LogHead(number, log, 0, epoch, None, None, LogFacts(tournament=tournament))


def _joins(group: _Log | None, change: LogAppend, tournament: str) -> Refused | None:
    if group is None or not group.head.is_tournament:
        return NoTournament(change.log, tournament)
    if group.head.facts.state is LogState.LOST:
        return LogLost(tournament, group.head.signed_size)
    if group.head.epoch != change.epoch:
        return Fenced(tournament, group.head.epoch)
    return None


def _change(log: _Log, change: LogAppend) -> Refused | None:
    head = log.head
    if head.facts.state is LogState.LOST:
        return LogLost(change.log, head.signed_size)
    if head.epoch != change.epoch:
        return Fenced(change.log, head.epoch)
    if head.next_index != change.expected_next_index:
        return Conflict(change.log, change.expected_next_index, head.next_index)
    log.lines.extend(change.lines)
    for signed in change.signed:
        refused = _sign(log, signed)
        if refused is not None:
            return refused
    log.head = replace(
        log.head,
        next_index=len(log.lines),
        fold_from=head.fold_from if change.fold_from is None else change.fold_from,
        facts=replace(change.facts or head.facts, tournament=head.facts.tournament),
    )
    return _keep_values(log, change)


def _sign(log: _Log, signed: Signed) -> Refused | None:
    last = log.head.signed
    if signed.size > len(log.lines):
        return SignedBeyondLog(log.head.log, signed.size, len(log.lines))
    changed = last is not None and last.size == signed.size and last.root != signed.root
    back = signed.size < 1 or signed.size < log.head.signed_size
    if changed or back or signed.previous_size != log.head.signed_size:
        return SignedBackwards(log.head.log, signed.size, log.head.signed_size)
    log.checkpoints.setdefault(signed.size, signed.note)
    log.head = replace(log.head, signed=SignedAt(signed.size, signed.root))
    return None


def _keep_values(log: _Log, change: LogAppend) -> Refused | None:
    for value in change.spent:
        if value in log.spent:
            return AlreadySpent(change.log, value)
        log.spent.add(value)
    for secret in change.secrets:
        if secret.hand in log.secrets:
            return SecretExists(change.log, secret.hand)
        log.secrets[secret.hand] = secret
    return None
