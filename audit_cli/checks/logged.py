"""Holds a line of the dealer's log to the entries of its game: it tells what they say, or lies.

A game's covered entries say which lines the dealer's log has of them. A line that tells another
root, size or time, or of an entry that these are not, breaks CONSISTENT; a line of entries behind
those of the file breaks COMPLETE where the file has the whole game, and leaves it open where not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from audit_cli.log.noted import Noted, Stage, read_noted
from audit_cli.merkle import HASH_BYTES, Frontier
from audit_cli.problem import Problem, printable
from audit_cli.report.finding import Finding, Fork, NotedProof, Promise, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from audit_cli.checks.check import Emit
    from audit_cli.checks.quorum import Quorum
    from audit_cli.gamefile import Header, Signed
    from audit_cli.note import VerifierKey

MAX_LISTED = 20

Key = tuple[int, Stage]
"""A hand (0 for the whole game) and a stage of it: what has one line in the dealer's log."""


@dataclass(slots=True)
class LoggedGame:
    """A game of the input, as its covered entries say that the dealer's log has to tell it.

    `promised` tells whether its rules promise lines, `whole` whether the file has all of it.
    `told` are the stages whose line was found as it should be, `witnessed` those under a quorum,
    `doubts` why others are not.
    """

    header: Header
    key: VerifierKey
    signed: Signed
    leaves: bytes
    expected: dict[Key, Noted]
    promised: bool
    whole: bool
    told: set[Key] = field(default_factory=set)
    witnessed: dict[Key, Quorum] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)
    broken: int = 0

    @property
    def covered(self) -> int:
        """How many entries are signed."""
        return len(self.leaves) // HASH_BYTES

    def doubt(self, text: str) -> None:
        """Keep why a line is not witnessed, once, and not without end."""
        if text not in self.doubts and len(self.doubts) < MAX_LISTED:
            self.doubts.append(text)

    def vouch(self, key: Key, quorum: Quorum) -> None:
        """Keep the quorum that was reached first over the line of a stage."""
        known = self.witnessed.get(key)
        if known is None or quorum.reached < known.reached:
            self.witnessed[key] = quorum

    def say(  # noqa: PLR0913, PLR0917 - a finding with its place
        self,
        emit: Emit,
        promise: Promise,
        verdict: Verdict,
        text: str,
        hand: int = 0,
        line: int | None = None,
    ) -> None:
        """Report a finding of this game."""
        found = Finding(promise, verdict, text, self.header.game, hand or None, line=line)
        emit.finding(found)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line that a checkpoint of the dealer's log covers: where it was read, and its path.

    `number` is its line in the input, None where it is from elsewhere; `index` that in the log.
    """

    source: str
    number: int | None
    index: int
    line: bytes
    path: Callable[[], tuple[bytes, ...]]
    note_text: str


def compare_line(emit: Emit, game: LoggedGame, evidence: Evidence) -> Key | None:
    """Compare a line with the entries of its game; the stage that it tells of, where it agrees."""
    noted = read_noted(evidence.line)
    if isinstance(noted, Problem):
        text = f"a line of the dealer's log is not of its format: {noted.reason}"
        _break(emit, game, text, evidence, (None, printable(repr(evidence.line), 200)))
        return None
    if noted.game != game.header.game:
        game.doubt(f"a line of the dealer's log ({evidence.source}) is of another game")
        return None
    key = (noted.hand, noted.stage)
    expected = game.expected.get(key)
    if expected == noted:
        game.told.add(key)
        return key
    if expected is None and noted.size > game.covered:
        _beyond(emit, game, noted, evidence)
    else:
        _differ(emit, game, (expected, noted), evidence)
    return None


def _beyond(emit: Emit, game: LoggedGame, noted: Noted, evidence: Evidence) -> None:
    """Take a line of an entry that the file does not have."""
    if game.whole:
        text = f"the dealer's log has {noted} of this game, behind its end"
        game.say(emit, Promise.COMPLETE, Verdict.BROKEN, text, noted.hand, evidence.number)
        _break(emit, game, text, evidence, (None, _place(noted)), noted)
        return
    ends = f"the signed entries end at {game.covered:,}"
    text = f"the dealer's log has {noted} at size {noted.size:,}; {ends}"
    if not game.doubts or ends not in game.doubts[-1]:
        game.say(emit, Promise.COMPLETE, Verdict.NOT_ESTABLISHED, text, noted.hand)
        game.doubt(text)


def _differ(
    emit: Emit, game: LoggedGame, pair: tuple[Noted | None, Noted], evidence: Evidence
) -> None:
    expected, noted = pair
    if expected is None:
        text = f"the dealer's log has {noted}, which these entries have not"
        if noted.stage is Stage.GAME_REVEALED:
            missing = "the dealer's log has the game as revealed, and a secret is missing"
            game.say(emit, Promise.BOUND, Verdict.BROKEN, missing, line=evidence.number)
    elif (expected.size, expected.root) != (noted.size, noted.root):
        text = f"the dealer's log has {noted} of another history"
    else:
        text = f"the dealer's log tells another time of {noted}"
    wanted = None if expected is None else _place(expected)
    _break(emit, game, text, evidence, (wanted, _place(noted)), noted)


def _break(  # noqa: PLR0913, PLR0917 - what differs, and where
    emit: Emit,
    game: LoggedGame,
    text: str,
    evidence: Evidence,
    differ: tuple[str | None, str],
    noted: Noted | None = None,
) -> None:
    game.broken += 1
    if game.broken > MAX_LISTED:
        return
    emit.finding(
        Finding(
            Promise.CONSISTENT,
            Verdict.BROKEN,
            f"{text} ({evidence.source}, entry {evidence.index:,})",
            game=game.header.game,
            hand=noted.hand or None if noted is not None else None,
            line=evidence.number,
            expected=differ[0],
            found=differ[1],
        )
    )
    if noted is None or game.broken > 1 or _fits(game, noted):
        return
    shown = NotedProof(evidence.index, evidence.line.decode("ascii"), evidence.path())
    leaves = tuple(
        game.leaves[at : at + HASH_BYTES] for at in range(0, len(game.leaves), HASH_BYTES)
    )
    notes = (game.signed.text, evidence.note_text)
    emit.fork(Fork(game.header.log_origin, game.key.text, notes, leaves, noted=(shown,)))


def _fits(game: LoggedGame, noted: Noted) -> bool:
    """Whether the line's root is that of these entries, so that hashes prove nothing."""
    return noted.size <= game.covered and roots_at(game.leaves, {noted.size})[noted.size] == (
        noted.root
    )


def _place(noted: Noted) -> str:
    return f"{noted} at {noted.at}, size {noted.size}, root {noted.root.hex()}"


def roots_at(leaves: bytes, sizes: Iterable[int]) -> dict[int, bytes]:
    """Return the roots of the first so many leaf hashes, for each of the sizes."""
    wanted = set(sizes)
    frontier = Frontier()
    roots = {0: frontier.root()}
    for at in range(0, len(leaves), HASH_BYTES):
        frontier.append(leaves[at : at + HASH_BYTES])
        if frontier.size in wanted:
            roots[frontier.size] = frontier.root()
    return roots
