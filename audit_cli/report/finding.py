"""The values of a report: promises, verdicts, findings; and the exit status they add up to.

Protocol 12: a line for each promise, the worst of its findings; exit status 3, 1, 4 or 0, the
first that applies (2, a wrong command line, is decided before there is a report). A promise on
which no check reported is not established: silence never counts as proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Promise(Enum):
    """The lines of an audit, in the order in which they are printed."""

    BOUND = "BOUND"
    REPLAYED = "REPLAYED"
    ORDERED = "ORDERED"
    DEALT = "DEALT"
    COMPLETE = "COMPLETE"
    PLAYED = "PLAYED"
    SIGNED = "SIGNED"
    CONSISTENT = "CONSISTENT"
    PLAYER_MIXED = "PLAYER-MIXED"
    BEACON_MIXED = "BEACON-MIXED"
    WITNESSED = "WITNESSED"
    DRAWN = "DRAWN"
    SEATED = "SEATED"
    LEVELS = "LEVELS"
    COUNTED = "COUNTED"
    PLACED = "PLACED"
    LINKED = "LINKED"


ALWAYS_ASKED = frozenset(
    {
        Promise.BOUND,
        Promise.REPLAYED,
        Promise.ORDERED,
        Promise.DEALT,
        Promise.COMPLETE,
        Promise.PLAYED,
    }
)


TOURNAMENT_PROMISES = (
    Promise.DRAWN,
    Promise.SEATED,
    Promise.LEVELS,
    Promise.COUNTED,
    Promise.PLACED,
    Promise.LINKED,
)
"""What is promised of tournaments alone (protocol 14.11)."""


class Verdict(Enum):
    """What is said of a promise."""

    HOLDS = "holds"
    BROKEN = "broken"
    NOT_ESTABLISHED = "not established"
    NOT_APPLICABLE = "not applicable"


_WORST_FIRST = (Verdict.BROKEN, Verdict.NOT_ESTABLISHED, Verdict.HOLDS, Verdict.NOT_APPLICABLE)


class ExitStatus(IntEnum):
    """The exit status of `cutcard-audit verify`."""

    HOLDS = 0
    BROKEN = 1
    USAGE = 2
    UNREADABLE = 3
    NOT_ESTABLISHED = 4


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found about one promise.

    `text` is a short lower-case sentence. `game` is 32 hex digits, `entry` the index in the log
    (from 0), `line` the input's line (from 1); each None where it does not apply. `expected` and
    `found` say what should stand and what stands instead. `evidence` is what bears the verdict
    out, in words, a line each.
    """

    promise: Promise
    verdict: Verdict
    text: str
    game: str | None = None
    hand: int | None = None
    entry: int | None = None
    line: int | None = None
    expected: str | None = None
    found: str | None = None
    evidence: tuple[str, ...] = ()


class Stand(Enum):
    """Where a referee stands on a hand."""

    AGREES = "agrees"
    OUTSIDE = "outside its zone"
    DIFFERS = "differs"


class Opinion(NamedTuple):
    """What a referee says of a hand: why it is outside its zone, or what differs."""

    game: str
    hand: int
    stand: Stand
    text: str = ""


@dataclass(frozen=True, slots=True)
class Damaged:
    """A line of the input that is not of this format."""

    source: str
    line: int
    reason: str
    hint: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to know that is no verdict, such as a void, with what belongs to it."""

    text: str
    game: str | None = None
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AuditedGame:
    """One game of the input: how much of it there was and how much of that is signed.

    `beacon` tells whether its rules name one, `tournament` whether it is a tournament's log.
    """

    source: str
    game: str
    origin: str
    entries: int
    signed: int
    checkpoints: int
    beacon: bool
    tournament: bool = False


@dataclass(frozen=True, slots=True)
class NotedProof:
    """A line of the dealer's log with its index and its path under a note's root."""

    index: int
    line: str
    proof: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Fork:
    """Evidence that one key signed two histories: both notes, and leaf hashes where sizes differ.

    `key` is the whole vkey, so that anyone can verify both notes.

    The leaves are those of the audited lines up to the larger note's size: the one note's root is
    theirs, the other's is not that of their first `size` leaves. Or, in their place, `proof` is a
    consistency proof (RFC 6962 2.1.2) from the size of `notes[0]` to that of `notes[1]`: it leads
    to the latter's root and, for the former's size, to `prefix_root`, which is another.
    """

    log_origin: str
    key: str
    notes: tuple[str, str]
    leaves: tuple[bytes, ...] = ()
    proof: tuple[bytes, ...] = ()
    prefix_root: bytes | None = None
    noted: tuple[NotedProof, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """All that an audit has to say. `asked` are the promises that decide between 0 and 4.

    `opinions` are those of the `referee` that was asked for, if one was; they decide nothing.
    """

    games: tuple[AuditedGame, ...]
    findings: tuple[Finding, ...]
    damage: tuple[Damaged, ...]
    warnings: tuple[str, ...]
    notices: tuple[Notice, ...]
    forks: tuple[Fork, ...]
    asked: frozenset[Promise]
    required: frozenset[Promise]
    referee: str = ""
    opinions: tuple[Opinion, ...] = ()

    def of(self, promise: Promise) -> tuple[Finding, ...]:
        """Return the findings on one promise, in the order in which they were made."""
        return tuple(finding for finding in self.findings if finding.promise is promise)

    def verdicts(self) -> Mapping[Promise, Verdict]:
        """Return the verdict on each promise: the worst of its findings."""
        seen: dict[Promise, set[Verdict]] = {promise: set() for promise in Promise}
        for finding in self.findings:
            seen[finding.promise].add(finding.verdict)
        return {
            promise: next((v for v in _WORST_FIRST if v in found), Verdict.NOT_ESTABLISHED)
            for promise, found in seen.items()
        }

    def lines(self) -> tuple[Promise, ...]:
        """Return the promises that are told: those of tournaments where there is one, or asked."""
        told = self.asked | self.required | {finding.promise for finding in self.findings}
        return tuple(
            promise for promise in Promise if promise not in TOURNAMENT_PROMISES or promise in told
        )

    def exit_status(self) -> ExitStatus:
        """Protocol 12's status, the first that applies."""
        verdicts = self.verdicts()
        if self.damage:
            return ExitStatus.UNREADABLE
        if Verdict.BROKEN in verdicts.values():
            return ExitStatus.BROKEN
        if any(
            verdicts[promise] is Verdict.NOT_ESTABLISHED for promise in self.asked | self.required
        ) or any(verdicts[promise] is Verdict.NOT_APPLICABLE for promise in self.required):
            return ExitStatus.NOT_ESTABLISHED
        return ExitStatus.HOLDS
