"""What a check is: something that is told of a game's parts and gives findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from audit_cli.ahead import Ahead
from audit_cli.gamefile import Extra, Header, Line, Play, Signed

if TYPE_CHECKING:
    from audit_cli.beacon import Network
    from audit_cli.checkpoint import Checkpoint
    from audit_cli.coverage import Ended
    from audit_cli.log.logproof import LogProof
    from audit_cli.log.policy import Policy
    from audit_cli.log.tiles import Fetch
    from audit_cli.note import Note, VerifierKey
    from audit_cli.report.finding import Damaged, Finding, Fork, Notice, Opinion


@dataclass(frozen=True, slots=True)
class OutsideNote:
    """A checkpoint that came from outside the file: where it was read, its text and its parts."""

    source: str
    text: str
    note: Note
    checkpoint: Checkpoint


@dataclass(frozen=True, slots=True)
class RecordFile:
    """A client's record as its file holds it, with the file's name for messages."""

    source: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ProofFile:
    """A `tlog-proof` from outside the file: where it was read, and its parts."""

    source: str
    proof: LogProof


@dataclass(frozen=True, slots=True)
class Publication:
    """A dealer's log as it is published: where, and how its files are fetched."""

    source: str
    fetch: Fetch = field(repr=False)


@dataclass(frozen=True, slots=True)
class Request:
    """What the auditor brings: a trusted key, notes from outside, a client's records.

    `outside_ignored` tells that a note or proof was given and could not be read as one. Then the
    dealer's log, proofs of its lines, and the policy that says which witnesses are trusted.
    `beacons` are the drand networks that are known besides quicknet. `ahead` is what was worked
    out ahead by other processes, by default nothing.
    """

    trusted: VerifierKey | None = None
    outside: tuple[OutsideNote, ...] = ()
    outside_ignored: bool = False
    mine: tuple[RecordFile, ...] = ()
    beacons: tuple[Network, ...] = ()
    dealer_log: Publication | None = None
    proofs: tuple[ProofFile, ...] = ()
    policy: Policy | None = None
    ahead: Ahead = field(default_factory=lambda: Ahead(1, asked=True), repr=False, compare=False)


Handler = Callable[[Line], None]
PlayHandler = Callable[[Play], None]

TOURNAMENT = "tournament"
"""The kind under which a check takes every entry of tournaments' logs."""


class Emit(Protocol):
    """Where a check puts what it has to say."""

    def finding(self, finding: Finding, /) -> None:
        """Report one finding."""
        ...

    def notice(self, notice: Notice, /) -> None:
        """Print something that is no verdict: voids, re-rolls, late acts."""
        ...

    def warning(self, text: str, /) -> None:
        """Warn about something that the auditor gave."""
        ...

    def fork(self, fork: Fork, /) -> None:
        """Have the evidence of a fork written out."""
        ...

    def opinion(self, opinion: Opinion, /) -> None:
        """Tell what a referee says of a hand."""
        ...

    def unreadable(self, damaged: Damaged, /) -> None:
        """Report a line of an input beside the game files that is not of its format."""
        ...


class Check(Protocol):
    """One promise's check, over all games of the input in order."""

    def handlers(self) -> Mapping[str, Handler]:
        """Which kinds of entry it wants, each with the function to call.

        The kind "" is an entry that could not be read; the kind "*" is every entry. These are of
        games: a check that has the kind `TOURNAMENT` is told of tournaments' logs as well, and no
        other check is.
        """
        ...

    def begin(self, header: Header, /) -> None:
        """Take the header of a game that begins."""
        ...

    def signed(self, signed: Signed, /) -> None:
        """All entries so far are covered by this checkpoint."""
        ...

    def behind(self, extra: Extra, /) -> None:
        """Take a line behind the transcript."""
        ...

    def end(self, ended: Ended, /) -> None:
        """Take the end of the game's lines."""
        ...

    def conclude(self) -> None:
        """Report, the input being over, what holds, or that there was nothing to judge."""
        ...


@runtime_checkable
class TakesPlay(Protocol):
    """A check that takes the lines of a hand's play in one, if no other check wants any of them."""

    def play(self, play: Play, /) -> None:
        """Take what `handlers` would be given line by line."""
        ...


CheckMaker = Callable[[Request, Emit], Check]
