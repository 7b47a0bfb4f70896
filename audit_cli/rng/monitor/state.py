"""What a monitor has seen so far: one SQLite file, whole after a crash at any point.

Each game is taken in one transaction, so that its hands are all there or none; a hand is known by
its origin, game and number, and so is never counted twice, whatever files it comes in. Hands are
numbered from 0 as they came; look k is of hands (k - 1) x every to k x every - 1.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.inputs import UsageError, reason, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from audit_cli.rng.monitor.reading import LiveGame, LiveHand

FORMAT: Final = "cutcard-monitor/1"
NAME: Final = "monitor.sqlite"

_SCHEMA: Final = """
CREATE TABLE about (format TEXT NOT NULL, every INTEGER NOT NULL);
CREATE TABLE hands (
  number INTEGER PRIMARY KEY, origin TEXT NOT NULL, game BLOB NOT NULL, hand INTEGER NOT NULL,
  secret BLOB NOT NULL, mix BLOB NOT NULL, UNIQUE (game, hand, origin)
);
CREATE INDEX hands_by_secret ON hands (secret);
CREATE TABLE wrong (
  origin TEXT NOT NULL, game BLOB NOT NULL, hand INTEGER NOT NULL, words TEXT NOT NULL,
  PRIMARY KEY (game, hand, origin, words)
);
CREATE TABLE games (game BLOB NOT NULL, origin TEXT NOT NULL, PRIMARY KEY (game, origin));
CREATE TABLE files (
  path TEXT PRIMARY KEY, size INTEGER NOT NULL, changed INTEGER NOT NULL
);
CREATE TABLE looks (look INTEGER PRIMARY KEY, result TEXT NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class WrongHand:
    """Something that is wrong with a hand, or with its whole game where `hand` is 0."""

    origin: str
    game: bytes
    hand: int
    words: str


class State:
    """What was seen. Only `opened` makes one."""

    __slots__ = ("_base", "every")

    def __init__(self, base: sqlite3.Connection, every: int) -> None:
        self._base = base
        self.every = every

    def knows(self, hand: LiveHand) -> bool:
        """Whether a hand was taken before, with this secret and mix."""
        return self._found(hand) == (hand.secret, hand.mix)

    def contradicts(self, hand: LiveHand) -> bool:
        """Whether a hand was taken before with another secret or mix."""
        return self._found(hand) not in {None, (hand.secret, hand.mix)}

    def _found(self, hand: LiveHand) -> tuple[bytes, bytes] | None:
        asked = "SELECT secret, mix FROM hands WHERE game = ? AND hand = ? AND origin = ?"
        row = self._base.execute(asked, (hand.game, hand.hand, hand.origin)).fetchone()
        return None if row is None else (row[0], row[1])

    def take(
        self, game: LiveGame, fresh: Sequence[LiveHand], wrong: Sequence[WrongHand]
    ) -> list[WrongHand]:
        """Take hands of a game that were not taken before, and what is wrong with it, all at once.

        Returns what was wrong and not known before; a secret that another hand has, too, is wrong.
        """
        with self._base:
            at = self.count
            told = [*wrong]
            for hand in fresh:
                told += self._shared_secrets(hand)
                row = (at, hand.origin, hand.game, hand.hand, hand.secret, hand.mix)
                self._base.execute("INSERT INTO hands VALUES (?, ?, ?, ?, ?, ?)", row)
                at += 1
            new = [one for one in told if self._write_wrong(one)]
            if not game.hidden:
                whole = (game.game, game.origin)
                self._base.execute("INSERT OR IGNORE INTO games VALUES (?, ?)", whole)
        return new

    def _shared_secrets(self, hand: LiveHand) -> Iterator[WrongHand]:
        asked = "SELECT origin, game, hand FROM hands WHERE secret = ?"
        for origin, game, number in self._base.execute(asked, (hand.secret,)):
            words = f"has the secret of hand {number:,} of the game {game.hex()} of {origin}"
            yield WrongHand(hand.origin, hand.game, hand.hand, words)

    def _write_wrong(self, one: WrongHand) -> bool:
        row = (one.origin, one.game, one.hand, one.words)
        done = self._base.execute("INSERT OR IGNORE INTO wrong VALUES (?, ?, ?, ?)", row)
        return done.rowcount == 1

    def knows_game(self, game: bytes) -> bool:
        """Whether a game was taken, and every hand of it that was dealt was revealed."""
        asked = "SELECT 1 FROM games WHERE game = ?"
        return self._base.execute(asked, (game,)).fetchone() is not None

    def knows_file(self, path: str, size: int, changed: int) -> bool:
        """Whether a file was taken whole as it is now: its size and time of change are the same."""
        asked = "SELECT 1 FROM files WHERE path = ? AND size = ? AND changed = ?"
        return self._base.execute(asked, (path, size, changed)).fetchone() is not None

    def take_file(self, path: str, size: int, changed: int) -> None:
        """Remember a file that was taken whole."""
        with self._base:
            self._base.execute(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?)", (path, size, changed)
            )

    @property
    def count(self) -> int:
        """How many hands were taken."""
        (count,) = self._base.execute("SELECT COALESCE(MAX(number) + 1, 0) FROM hands").fetchone()
        return int(count)

    def wrong(self) -> list[WrongHand]:
        """Return all that was ever wrong, in the order of origins, games and hands."""
        asked = "SELECT origin, game, hand, words FROM wrong ORDER BY origin, game, hand, words"
        return [WrongHand(*row) for row in self._base.execute(asked)]

    def looks(self) -> list[str]:
        """Return the result of every look, in their order: JSON."""
        return [row[0] for row in self._base.execute("SELECT result FROM looks ORDER BY look")]

    def write_look(self, look: int, result: str) -> None:
        """Keep the result of a look, once and for good."""
        with self._base:
            self._base.execute("INSERT INTO looks VALUES (?, ?)", (look, result))

    def hands(self, first: int, count: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Return secrets and mixes of hands `first`, ..., (count, 32) each."""
        asked = "SELECT secret, mix FROM hands WHERE number BETWEEN ? AND ? ORDER BY number"
        rows = self._base.execute(asked, (first, first + count - 1)).fetchall()
        secrets, mixes = (b"".join(row[column] for row in rows) for column in (0, 1))
        shape = (len(rows), 32)
        return (
            np.frombuffer(secrets, np.uint8).reshape(shape),
            np.frombuffer(mixes, np.uint8).reshape(shape),
        )

    def name(self, number: int) -> str:
        """Return in words which hand has a number."""
        asked = "SELECT hand, game, origin FROM hands WHERE number = ?"
        hand, game, origin = self._base.execute(asked, (number,)).fetchone()
        return f"hand {hand:,} of the game {game.hex()} of {origin}"


@contextmanager
def opened(folder: Path, every: int | None) -> Iterator[State]:
    """Open or begin the state of a folder, for this process alone.

    `every` is the number of hands a look; None takes the state's own, or 1,000,000 where it begins.
    UsageError where it can not be used, or was begun with another number.
    """
    path = folder / NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        base = sqlite3.connect(path, timeout=0)
    except (OSError, sqlite3.Error) as error:
        message = f"can not keep a state in {shown(str(folder))}: {_reason(error)}"
        raise UsageError(message) from None
    with closing(base):
        try:
            base.execute("PRAGMA locking_mode = EXCLUSIVE")
            base.execute("BEGIN EXCLUSIVE")
            found = _begin(base, every)
        except sqlite3.Error as error:
            message = f"can not use the state in {shown(str(folder))}: {_reason(error)}"
            raise UsageError(message, "one monitor at a time works with a state") from None
        if every not in {None, found}:
            message = f"this state takes a look every {found:,} hands, not every {every:,}"
            raise UsageError(message, "leave --every out, or begin another --state")
        yield State(base, found)


def _begin(base: sqlite3.Connection, every: int | None) -> int:
    """Make the tables where there are none, and return the number of hands a look."""
    known = base.execute("SELECT 1 FROM sqlite_schema WHERE name = 'about'").fetchone()
    if known is None:
        for statement in _SCHEMA.split(";"):
            base.execute(statement)
        base.execute("INSERT INTO about VALUES (?, ?)", (FORMAT, every or 1_000_000))
    format_, found = base.execute("SELECT format, every FROM about").fetchone()
    base.execute("COMMIT")
    if format_ != FORMAT:
        message = f"it is of another format, {format_!r}"
        raise sqlite3.DatabaseError(message)
    return int(found)


def _reason(error: OSError | sqlite3.Error) -> str:
    return reason(error) if isinstance(error, OSError) else str(error)
