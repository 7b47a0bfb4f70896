"""What becomes of units, decided from what a store holds: no I/O, the same for every engine.

A store that can not try a unit and take it back cheaply loads what the units touch, has it
decided here, and writes only what was accepted. The order of the checks is the contract's: the
answer first, then each change with its lines, checkpoints, spent values and secrets, then the
notices that are taken out.
"""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from dealer_service.quick import quick
from dealer_service.store.api import (
    AlreadyAnswered,
    AlreadySpent,
    Answer,
    Append,
    Conflict,
    Fenced,
    LogAppend,
    LogLost,
    LogState,
    NoticeGone,
    NoTournament,
    Refused,
    RequestIdReused,
    SecretExists,
    Signed,
    SignedAt,
    SignedBackwards,
    SignedBeyondLog,
)

NOT_NUMBERED: Final = 0
"""The number of a log that is not written yet."""

AnswerKey = tuple[str, str, str]


@quick
@dataclass(frozen=True, slots=True)
class Head:
    """What a log's row says of where it stands."""

    number: int
    next_index: int
    epoch: int
    signed: SignedAt | None
    state: LogState = LogState.OPEN
    tournament: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """What is there of all that some units touch; it is carried on as units are accepted.

    `gone` are the notices that do not wait.
    """

    heads: dict[str, Head] = field(default_factory=dict)
    answers: dict[AnswerKey, Answer] = field(default_factory=dict)
    spent: set[tuple[str, bytes]] = field(default_factory=set)
    secrets: set[tuple[str, int]] = field(default_factory=set)
    gone: set[int] = field(default_factory=set)


def answer_key(answer: Answer) -> AnswerKey:
    """Give what an answer is found by."""
    return answer.scope, answer.caller, answer.request_id


def decide_all(known: Known, appends: Sequence[Append]) -> list[Refused | None]:
    """Decide units in order, each seeing the accepted ones before it; None is accepted."""
    return [_decide(known, append) for append in appends]


def _decide(known: Known, append: Append) -> Refused | None:
    answer = append.answer
    before = None if answer is None else known.answers.get(answer_key(answer))
    if answer is not None and before is not None:
        if hmac.compare_digest(before.digest, answer.digest):
            return AlreadyAnswered(before.body)
        return RequestIdReused(answer.request_id)
    heads: dict[str, Head] = {}
    spent: set[tuple[str, bytes]] = set()
    secrets: set[tuple[str, int]] = set()
    for change in append.logs:
        head = heads.get(change.log) or known.heads.get(change.log)
        group = group_of(change) if head is None else ""
        moved = advance(head, change, heads.get(group) or known.heads.get(group))
        if not isinstance(moved, Head):
            return moved
        heads[change.log] = moved
        refused = _take_values(known, change, spent, secrets)
        if refused is not None:
            return refused
    gone = set(known.gone) if append.noticed else set()
    for notice in append.noticed:
        if notice in gone:
            return NoticeGone(notice)
        gone.add(notice)
    known.heads.update(heads)
    known.spent.update(spent)
    known.secrets.update(secrets)
    known.gone.update(gone)
    if answer is not None:
        known.answers[answer_key(answer)] = answer
    return None


def _take_values(
    known: Known, change: LogAppend, spent: set[tuple[str, bytes]], secrets: set[tuple[str, int]]
) -> Refused | None:
    for value in change.spent:
        if (change.log, value) in known.spent or (change.log, value) in spent:
            return AlreadySpent(change.log, value)
        spent.add((change.log, value))
    for secret in change.secrets:
        if (change.log, secret.hand) in known.secrets or (change.log, secret.hand) in secrets:
            return SecretExists(change.log, secret.hand)
        secrets.add((change.log, secret.hand))
    return None


def group_of(change: LogAppend) -> str:
    """Give the tournament of which a change would make a table; "" where it makes none."""
    tournament = change.facts.tournament if change.facts is not None else ""
    return tournament if tournament != change.log else ""


def _make(change: LogAppend, group: Head | None) -> Head | Refused:
    if change.expected_next_index != 0:
        return Conflict(change.log, change.expected_next_index, 0)
    refused = _joins(group, change)
    if refused is not None:
        return refused
    tournament = change.facts.tournament if change.facts is not None else ""
    return Head(NOT_NUMBERED, 0, change.epoch, None, tournament=tournament)


def _joins(group: Head | None, change: LogAppend) -> Refused | None:
    """Say why a change can not make a log in the tournament whose log has the head `group`."""
    tournament = group_of(change)
    if not tournament:
        return None
    if group is None or group.tournament != tournament:
        return NoTournament(change.log, tournament)
    if group.state is LogState.LOST:
        return LogLost(tournament, 0 if group.signed is None else group.signed.size)
    # Whoever owns the tournament makes its tables: nobody else has this epoch.
    return None if group.epoch == change.epoch else Fenced(tournament, group.epoch)


def advance(head: Head | None, change: LogAppend, group: Head | None = None) -> Head | Refused:
    """Give the head after a log's change, or why there is none; no head is a log not there.

    `group` is the head of the tournament's log, for a log that is to be made as its table's.
    """
    begun = _make(change, group) if head is None else head
    if not isinstance(begun, Head):
        return begun
    head = begun
    if head.state is LogState.LOST:
        return LogLost(change.log, 0 if head.signed is None else head.signed.size)
    if head.epoch != change.epoch:
        return Fenced(change.log, head.epoch)
    if head.next_index != change.expected_next_index:
        return Conflict(change.log, change.expected_next_index, head.next_index)
    after = head.next_index + len(change.lines)
    last = head.signed
    for signed in change.signed:
        refused = follows(change.log, signed, last, after)
        if refused is not None:
            return refused
        last = SignedAt(signed.size, signed.root)
    state = head.state if change.facts is None else change.facts.state
    return Head(head.number, after, head.epoch, last, state, head.tournament)


def follows(log: str, signed: Signed, last: SignedAt | None, after: int) -> Refused | None:
    """Say why a checkpoint does not go on from the last one, in a log of `after` lines."""
    size = 0 if last is None else last.size
    if signed.size > after:
        return SignedBeyondLog(log, signed.size, after)
    same = last is not None and signed.size == size and signed.root != last.root
    if same or signed.previous_size != size or signed.size < max(size, 1):
        return SignedBackwards(log, signed.size, size)
    return None
