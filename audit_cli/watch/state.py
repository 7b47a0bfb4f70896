"""What a monitor has seen of one log: one SQLite file, whole after a crash at any point.

The tip is the last checkpoint that was followed, as it was signed. The leaf hashes of all lines
that were read are kept (32 bytes a line), so that an older or another checkpoint can be held to
them without asking the log's server, which may be the one to lie. Lines are read behind the tip,
some at a time, each lot with what it changed in one transaction: a monitor that stops goes on
there.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Final

from audit_cli.inputs import UsageError, reason, shown
from audit_cli.log.tiles import TILE_WIDTH
from audit_cli.merkle import HASH_BYTES, root_of
from audit_cli.own_base import begin
from audit_cli.problem import Problem
from audit_cli.watch.grammar import GameSeen, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from audit_cli.log.noted import Noted

FORMAT: Final = "cutcard-watch/1"
NAME: Final = "watch.sqlite"

_TILE: Final = re.compile(r"tile/([0-9]+)/([x0-9/]+?)(?:\.p/([0-9]+))?")
#: The columns of `games` stand in this order, too.
_GAME: Final = ", ".join(GameSeen._fields)
_SCHEMA: Final = """
CREATE TABLE about (format TEXT NOT NULL, key TEXT NOT NULL);
CREATE TABLE tip (
  one INTEGER PRIMARY KEY CHECK (one = 1), note TEXT NOT NULL, size INTEGER NOT NULL,
  root BLOB NOT NULL, seen INTEGER NOT NULL
);
CREATE TABLE tiles (number INTEGER PRIMARY KEY, hashes BLOB NOT NULL, root BLOB);
CREATE TABLE lines (
  number INTEGER PRIMARY KEY, game TEXT NOT NULL, hand INTEGER NOT NULL, stage TEXT NOT NULL,
  size INTEGER NOT NULL, root BLOB NOT NULL, at INTEGER NOT NULL
);
CREATE INDEX lines_by_stage ON lines (game, hand, stage);
CREATE TABLE games (
  game TEXT PRIMARY KEY, opened_at INTEGER NOT NULL, size INTEGER NOT NULL, root BLOB NOT NULL,
  at INTEGER NOT NULL, hand INTEGER NOT NULL, settled INTEGER NOT NULL,
  last_void INTEGER NOT NULL, committed INTEGER NOT NULL, voids INTEGER NOT NULL,
  closed_at INTEGER, revealed_at INTEGER, joined INTEGER NOT NULL
);
CREATE TABLE wrong (
  kind TEXT NOT NULL, game TEXT NOT NULL, number INTEGER NOT NULL, words TEXT NOT NULL,
  PRIMARY KEY (kind, game, number, words)
);
CREATE TABLE forks (
  size INTEGER NOT NULL, root BLOB NOT NULL, words TEXT NOT NULL, PRIMARY KEY (size, root)
);
CREATE TABLE evidence (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, content TEXT NOT NULL, written INTEGER NOT NULL
);
"""


@dataclass(frozen=True, slots=True)
class Tip:
    """The last checkpoint that was followed; `seen` is when, in milliseconds since 1970."""

    note: str
    size: int
    root: bytes
    seen: int


@dataclass(frozen=True, slots=True)
class Wrong:
    """One thing that is wrong: with the line `number` of the log (from 0), or with a whole game.

    `game` is 32 hex digits, empty where it is of no game; `number` is -1 where it is of no line.
    """

    kind: Kind
    game: str
    number: int
    words: str


class State:
    """What was seen. Only `opened_state` makes one."""

    __slots__ = ("_base",)

    def __init__(self, base: sqlite3.Connection) -> None:
        self._base = base

    def tip(self) -> Tip | None:
        """Return the last checkpoint that was followed."""
        row = self._base.execute("SELECT note, size, root, seen FROM tip").fetchone()
        return None if row is None else Tip(*row)

    def keep_tip(self, tip: Tip) -> None:
        """Make a checkpoint the tip; it is on disk when this returns."""
        with self._base:
            row = astuple(tip)
            self._base.execute("INSERT OR REPLACE INTO tip VALUES (1, ?, ?, ?, ?)", row)

    @property
    def count(self) -> int:
        """How many lines were read."""
        asked = "SELECT number, LENGTH(hashes) FROM tiles ORDER BY number DESC LIMIT 1"
        row = self._base.execute(asked).fetchone()
        return 0 if row is None else int(row[0] * TILE_WIDTH + row[1] // HASH_BYTES)

    def game(self, game: str) -> GameSeen | None:
        """Return what the lines of a game tell so far."""
        asked = f"SELECT {_GAME} FROM games WHERE game = ?"  # noqa: S608  (a constant list)
        row = self._base.execute(asked, (game,)).fetchone()
        return None if row is None else GameSeen._make(row)

    def games(self) -> Iterator[GameSeen]:
        """Give all games, by the time of their opening."""
        asked = f"SELECT {_GAME} FROM games ORDER BY opened_at, game"  # noqa: S608  (as above)
        return map(GameSeen._make, self._base.execute(asked))

    def line_of(self, noted: Noted) -> int | None:
        """Return the number of the first line for the same stage of the same hand."""
        asked = "SELECT MIN(number) FROM lines WHERE game = ? AND hand = ? AND stage = ?"
        row = self._base.execute(asked, (noted.game, noted.hand, noted.stage)).fetchone()
        return None if row[0] is None else int(row[0])

    def line_before(self, game: str, number: int) -> int | None:
        """Return the number of a game's last line before another."""
        asked = "SELECT MAX(number) FROM lines WHERE game = ? AND number < ?"
        row = self._base.execute(asked, (game, number)).fetchone()
        return None if row[0] is None else int(row[0])

    def lines(self, game: str) -> list[tuple[int, str, int, int, bytes, int]]:
        """Return number, stage, hand, size, root and time of each line of a game."""
        asked = (
            "SELECT number, stage, hand, size, root, at FROM lines WHERE game = ? ORDER BY number"
        )
        return list(self._base.execute(asked, (game,)))

    @contextmanager
    def taking(self) -> Iterator[None]:
        """Take what the block keeps as one: all of it is on disk behind it, or none."""
        with self._base:
            self._base.execute("BEGIN IMMEDIATE")
            yield

    def keep_leaves(self, first: int, leaves: Iterable[bytes]) -> None:
        """Keep the leaf hashes of lines from `first` on, within `taking`."""
        number, within = divmod(first, TILE_WIDTH)
        row = self._base.execute("SELECT hashes FROM tiles WHERE number = ?", (number,)).fetchone()
        data = (b"" if row is None else row[0])[: within * HASH_BYTES] + b"".join(leaves)
        whole = TILE_WIDTH * HASH_BYTES
        for at in range(0, len(data), whole):
            hashes = data[at : at + whole]
            root = root_of(_split(hashes)) if len(hashes) == whole else None
            tile = (number + at // whole, hashes, root)
            self._base.execute("INSERT OR REPLACE INTO tiles VALUES (?, ?, ?)", tile)

    def keep_line(self, number: int, noted: Noted) -> None:
        """Keep a line that could be read, within `taking`."""
        row = (number, noted.game, noted.hand, noted.stage, noted.size, noted.root, noted.at)
        self._base.execute("INSERT INTO lines VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def keep_games(self, games: Iterable[GameSeen]) -> None:
        """Keep games as they are now, within `taking`."""
        asked = "INSERT OR REPLACE INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        self._base.executemany(asked, games)

    def keep_wrong(self, wrong: Wrong, evidence: str) -> None:
        """Keep what is wrong with a line for good, within `taking`; the evidence may be empty."""
        self._base.execute("INSERT OR IGNORE INTO wrong VALUES (?, ?, ?, ?)", astuple(wrong))
        if evidence:
            self._keep_evidence(wrong.kind, evidence)

    def _keep_evidence(self, kind: Kind, content: str) -> None:
        asked = "INSERT INTO evidence (kind, content, written) VALUES (?, ?, 0)"
        self._base.execute(asked, (kind, content))

    def unwritten(self) -> list[tuple[int, Kind, str]]:
        """Return number, kind and content of evidence that stands in no file yet."""
        asked = "SELECT id, kind, content FROM evidence WHERE written = 0 ORDER BY id"
        return [(row[0], Kind(row[1]), row[2]) for row in self._base.execute(asked)]

    def is_written(self, number: int) -> None:
        """Keep that evidence stands in a file."""
        self._base.execute("UPDATE evidence SET written = 1 WHERE id = ?", (number,))

    def wrong(self) -> list[Wrong]:
        """Return all that was ever wrong with a line, in the order of lines."""
        asked = "SELECT kind, game, number, words FROM wrong ORDER BY number, kind, words"
        return [Wrong(Kind(row[0]), *row[1:]) for row in self._base.execute(asked)]

    def knows_fork(self, size: int, root: bytes) -> bool:
        """Whether a fork at a checkpoint was kept."""
        asked = "SELECT 1 FROM forks WHERE size = ? AND root = ?"
        return self._base.execute(asked, (size, root)).fetchone() is not None

    def keep_fork(self, size: int, root: bytes, words: str, evidence: str) -> None:
        """Keep for good that a checkpoint was contradicted, with the evidence."""
        with self.taking():
            row = (size, root, words)
            self._base.execute("INSERT OR IGNORE INTO forks VALUES (?, ?, ?)", row)
            self._keep_evidence(Kind.FORK, evidence)

    def forks(self) -> list[Wrong]:
        """Return all forks that were ever seen."""
        asked = "SELECT words FROM forks ORDER BY size"
        return [Wrong(Kind.FORK, "", -1, row[0]) for row in self._base.execute(asked)]

    def fetch(self, path: str) -> bytes | Problem:
        """Give a tile of hashes of the lines that were read, as the log's server would."""
        found = _TILE.fullmatch(path)
        if found is None:
            return Problem(f"{path} is not kept")
        level, number = int(found.group(1)), int(re.sub("[x/]", "", found.group(2)))
        width = int(found.group(3) or TILE_WIDTH)
        hashes = b"".join(self._hashes(level, number, width))
        if len(hashes) < width * HASH_BYTES:
            return Problem(f"{path} is not kept")
        return hashes[: width * HASH_BYTES]

    def _hashes(self, level: int, number: int, width: int) -> Iterator[bytes]:
        """Give the hashes of a tile: kept at level 0, made from those below elsewhere."""
        first = number * TILE_WIDTH
        if level == 0:
            asked = "SELECT hashes FROM tiles WHERE number = ?"
            for row in self._base.execute(asked, (number,)):
                yield row[0]
        elif level == 1:
            asked = (
                "SELECT root FROM tiles WHERE number >= ? AND number < ? AND root IS NOT NULL "
                "ORDER BY number"
            )
            for row in self._base.execute(asked, (first, first + width)):
                yield row[0]
        else:
            for below in range(first, first + width):
                hashes = b"".join(self._hashes(level - 1, below, TILE_WIDTH))
                if len(hashes) < TILE_WIDTH * HASH_BYTES:
                    return
                yield root_of(_split(hashes))


def _split(hashes: bytes) -> list[bytes]:
    return [hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES)]


@contextmanager
def opened_state(folder: Path, key: str) -> Iterator[State]:
    """Open or begin the state of a folder for a log's verifier key, for this process alone.

    UsageError where it can not be used, or is of another log.
    """
    path = folder / NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        base = sqlite3.connect(path, timeout=0, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        words = reason(error) if isinstance(error, OSError) else str(error)
        message = f"can not keep a state in {shown(str(folder))}: {words}"
        raise UsageError(message) from None
    with closing(base):
        try:
            (found,) = begin(base, _SCHEMA, FORMAT, key)
        except sqlite3.Error as error:
            message = f"can not use the state in {shown(str(folder))}: {error}"
            raise UsageError(message, "one monitor at a time works with a state") from None
        if found != key:
            message = f"the state in {shown(str(folder))} is of the log {shown(found)}"
            raise UsageError(message, "give its --key, or begin another --state")
        yield State(base)
