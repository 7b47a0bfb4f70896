"""Reads a whole dealer's log, as published: its signed checkpoint, then each line under it.

What its server sends is held to the checkpoint, so that what is told here was signed. Lines of
wanted games are kept; of every game it is remembered how far it came, and each second line for one
stage of one hand is found (protocol 5: a fork).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from audit_cli.checkpoint import Checkpoint, parse_game_checkpoint_note
from audit_cli.log.noted import Noted, Stage, read_noted
from audit_cli.log.tiles import CHECKPOINT_PATH, TileReader, open_tiles
from audit_cli.note import Note, NoteVerdict, verify_note
from audit_cli.problem import Problem
from audit_cli.watch.grammar import GameSeen, take

if TYPE_CHECKING:
    from collections.abc import Collection

    from audit_cli.log.tiles import Fetch
    from audit_cli.note import VerifierKey

MAX_TROUBLES = 20


@dataclass(frozen=True, slots=True)
class Told:
    """A line with its place in the log."""

    index: int
    noted: Noted


@dataclass(frozen=True, slots=True)
class Second:
    """A line for a stage that had one already, at index `first`."""

    told: Told
    first: int


@dataclass(frozen=True, slots=True)
class Trouble:
    """A line that can not be read, or that can not follow those of its game before it."""

    index: int
    game: str | None
    text: str


@dataclass(slots=True)
class WholeLog:
    """A log's checkpoint, its tree, and what its lines tell; lists of what is wrong are bounded."""

    note_text: str
    note: Note
    checkpoint: Checkpoint
    tree: TileReader
    lines: dict[str, list[Told]]
    games: dict[str, GameSeen] = field(default_factory=dict)
    seconds: list[Second] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)


def read_whole_log(
    fetch: Fetch, origin: str, key: VerifierKey, wanted: Collection[str]
) -> WholeLog | Problem:
    """Return the log of `origin` as `key` signed it, or why there is none to be had.

    Asks for every bundle once, and once more where lines stand behind a reveal. `wanted` are the
    games whose lines are kept.
    """
    opened = _open(fetch, origin, key)
    if isinstance(opened, Problem):
        return opened
    scan = _Scan(opened, wanted)
    for index, line in enumerate(opened.tree.entries()):
        if isinstance(line, Problem):
            return line
        scan.take(index, line)
    return scan.conclude()


def _open(fetch: Fetch, origin: str, key: VerifierKey) -> WholeLog | Problem:
    data = fetch(CHECKPOINT_PATH)
    if isinstance(data, Problem):
        return data
    found = parse_game_checkpoint_note(data)
    if isinstance(found, Problem):
        return found
    note, checkpoint = found
    if verify_note(note, (key,)).verdict is not NoteVerdict.OK:
        return Problem(f"its checkpoint has no good signature of {key}")
    if checkpoint.origin != origin:
        return Problem(f"its checkpoint is of another log, {checkpoint.origin}")
    tree = open_tiles(fetch, checkpoint.size, checkpoint.root)
    if isinstance(tree, Problem):
        return tree
    return WholeLog(data.decode("utf-8"), note, checkpoint, tree, {})


_Place = tuple[int, Stage]


class _Scan:
    """Follows each game through the lines."""

    def __init__(self, log: WholeLog, wanted: Collection[str]) -> None:
        self._log = log
        self._wanted = frozenset(wanted)
        # Where the stages of games that are not revealed stand, so that a second line is known.
        self._stages: dict[str, dict[_Place, int]] = {}
        # Lines behind the reveal of their game: an honest log has none.
        self._behind: dict[str, dict[_Place, Told]] = {}

    def take(self, index: int, line: bytes) -> None:
        """Take the next line."""
        noted = read_noted(line)
        if isinstance(noted, Problem):
            self._trouble(Trouble(index, None, noted.reason))
            return
        told = Told(index, noted)
        if noted.game in self._wanted:
            self._log.lines.setdefault(noted.game, []).append(told)
        place = (noted.hand, noted.stage)
        seen = self._log.games.get(noted.game)
        if seen is not None and seen.revealed_at is not None:
            before = self._behind.setdefault(noted.game, {}).setdefault(place, told)
            if before is not told:
                self._second(told, before.index)
            return
        first = self._stages.setdefault(noted.game, {}).setdefault(place, index)
        if first == index:
            self._follow(told)
        else:
            self._second(told, first)
        if noted.stage is Stage.GAME_REVEALED:
            self._stages.pop(noted.game, None)

    def conclude(self) -> WholeLog | Problem:
        """Give the log. Where lines stand behind a reveal all are read again, to find the first."""
        if self._behind:
            for index, line in enumerate(self._log.tree.entries()):
                if isinstance(line, Problem):
                    return line
                noted = read_noted(line)
                if isinstance(noted, Noted):
                    told = self._behind.get(noted.game, {}).get((noted.hand, noted.stage))
                    if told is not None:
                        self._settle(told, index)
        return self._log

    def _settle(self, told: Told, first: int) -> None:
        """Decide on a line behind a reveal, now that the first of its stage is known."""
        del self._behind[told.noted.game][told.noted.hand, told.noted.stage]
        if first == told.index:
            self._follow(told)
        else:
            self._second(told, first)

    def _follow(self, told: Told) -> None:
        """Hold a line that is the first of its stage to those of its game before it."""
        noted = told.noted
        seen, wrong = take(self._log.games.get(noted.game), noted)
        if seen is not None:
            self._log.games[noted.game] = seen
        if wrong is not None:
            self._trouble(Trouble(told.index, noted.game, wrong[1]))

    def _second(self, told: Told, first: int) -> None:
        if len(self._log.seconds) < MAX_TROUBLES:
            self._log.seconds.append(Second(told, first))

    def _trouble(self, trouble: Trouble) -> None:
        if len(self._log.troubles) < MAX_TROUBLES:
            self._log.troubles.append(trouble)
