"""What a witness knows and must not forget: its key, and whole checkpoints as logs signed them.

A folder holds both, since a key without its state could co-sign a second history: it is never made
anew beside a key. What is kept is on disk when a call returns (SQLite, write-ahead log, each
commit synced), and one process at a time has the folder. The caller has one call at a time.
"""

from __future__ import annotations

import os
import sqlite3
from base64 import b64encode
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from audit_cli.inputs import UsageError, reason, shown
from audit_cli.log.cosignature import WitnessSigner, new_signer
from audit_cli.note import decode_base64
from audit_cli.own_base import begin
from audit_cli.problem import Problem
from audit_cli.writing import sync_folder, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FORMAT: Final = "cutcard-witness/1"
STATE: Final = "witness.sqlite"
KEY: Final = "witness.key"

_HEAD: Final = "PRIVATE+KEY+"
_TYPE: Final = b"\x04"
_SEED_BYTES: Final = 32
_LONGEST_KEY: Final = 4096

_SCHEMA: Final = """
CREATE TABLE about (format TEXT NOT NULL);
CREATE TABLE checkpoints (
  origin TEXT NOT NULL, size INTEGER NOT NULL, root BLOB NOT NULL, note TEXT NOT NULL,
  PRIMARY KEY (origin, size, root)
) WITHOUT ROWID;
CREATE TABLE latest (
  origin TEXT PRIMARY KEY, size INTEGER NOT NULL, root BLOB NOT NULL, note TEXT NOT NULL,
  time INTEGER NOT NULL, line TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE forks (
  number INTEGER PRIMARY KEY, origin TEXT NOT NULL, evidence TEXT NOT NULL UNIQUE
);
"""


@dataclass(frozen=True, slots=True)
class Latest:
    """The last checkpoint of a log that was co-signed: the log's note, and the line beneath it."""

    origin: str
    size: int
    root: bytes
    note: str
    time: int
    line: str


class State:
    """The checkpoints of all logs. Only `opened_state` makes one."""

    __slots__ = ("_base",)

    def __init__(self, base: sqlite3.Connection) -> None:
        self._base = base

    def latest(self, origin: str) -> Latest | None:
        """Return the last co-signed checkpoint of a log."""
        asked = "SELECT origin, size, root, note, time, line FROM latest WHERE origin = ?"
        row = self._base.execute(asked, (origin,)).fetchone()
        return None if row is None else Latest(*row)

    def kept(self, origin: str, size: int) -> list[str]:
        """Return all notes of a log of one size: more than one where it signed a fork."""
        asked = "SELECT note FROM checkpoints WHERE origin = ? AND size = ? ORDER BY root"
        return [row[0] for row in self._base.execute(asked, (origin, size))]

    def contrary(self, origin: str, size: int, root: bytes) -> str | None:
        """Return a note of a log of one size with another root than `root`."""
        asked = "SELECT note FROM checkpoints WHERE origin = ? AND size = ? AND root <> ? LIMIT 1"
        row = self._base.execute(asked, (origin, size, root)).fetchone()
        return None if row is None else str(row[0])

    def keep_latest(self, latest: Latest) -> None:
        """Make a checkpoint its log's last one; it is on disk when this returns.

        sqlite3.IntegrityError where a larger one, or another of its size, was co-signed before: a
        caller that judged rightly never comes to it.
        """
        row = (latest.origin, latest.size, latest.root, latest.note, latest.time, latest.line)
        with self._base:
            self._keep(latest.origin, latest.size, latest.root, latest.note)
            done = self._base.execute(
                "INSERT INTO latest VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (origin) DO UPDATE SET "
                "size = excluded.size, root = excluded.root, note = excluded.note, "
                "time = excluded.time, line = excluded.line "
                "WHERE size < excluded.size OR (size = excluded.size AND root = excluded.root)",
                row,
            )
            if done.rowcount != 1:
                message = "a witness never goes back"
                raise sqlite3.IntegrityError(message)

    def keep_refused(
        self, origin: str, size: int, root: bytes, note: str, evidence: str | None
    ) -> bool:
        """Keep a checkpoint that its log signed and that was not co-signed; whether a fork is new.

        It is on disk when this returns.
        """
        with self._base:
            self._keep(origin, size, root, note)
            if evidence is None:
                return False
            asked = "INSERT OR IGNORE INTO forks (origin, evidence) VALUES (?, ?)"
            return self._base.execute(asked, (origin, evidence)).rowcount == 1

    def _keep(self, origin: str, size: int, root: bytes, note: str) -> None:
        row = (origin, size, root, note)
        self._base.execute("INSERT OR IGNORE INTO checkpoints VALUES (?, ?, ?, ?)", row)

    def forks(self, origin: str) -> list[str]:
        """Return the evidence of every fork of a log, in the order in which they came."""
        asked = "SELECT evidence FROM forks WHERE origin = ? ORDER BY number"
        return [row[0] for row in self._base.execute(asked, (origin,))]


@contextmanager
def opened_state(
    folder: Path, name: str | None, randomness: Callable[[int], bytes] = os.urandom
) -> Iterator[tuple[State, WitnessSigner]]:
    """Open a witness's folder, or begin it under a name; for this process alone.

    UsageError where it can not be used: no name to begin with, another name than its own, a key
    that others can read, a key whose state is gone, or a process that has it open.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_whole(folder)
        base = sqlite3.connect(
            folder / STATE, timeout=0, isolation_level="IMMEDIATE", check_same_thread=False
        )
    except (OSError, sqlite3.Error) as error:
        raise _unusable(folder, error) from None
    with closing(base):
        try:
            begin(base, _SCHEMA, FORMAT)
            signer = _signer(folder, name, randomness)
            sync_folder(folder)
        except (OSError, sqlite3.Error) as error:
            raise _unusable(folder, error) from None
        yield State(base), signer


def _unusable(folder: Path, error: OSError | sqlite3.Error) -> UsageError:
    words = reason(error) if isinstance(error, OSError) else str(error)
    message = f"can not use {shown(str(folder))}: {words}"
    return UsageError(message, "one witness at a time works with a folder")


def _check_whole(folder: Path) -> None:
    if (folder / KEY).exists() and not (folder / STATE).exists():
        message = f"{shown(str(folder))} has a witness's key, and no state of what it co-signed"
        hint = "a key that forgot must not co-sign again: begin another folder, with another name"
        raise UsageError(message, hint)


def _signer(folder: Path, name: str | None, randomness: Callable[[int], bytes]) -> WitnessSigner:
    path = folder / KEY
    if not path.exists():
        if name is None:
            message = f"{shown(str(folder))} holds no witness yet"
            raise UsageError(message, "begin one with --name, such as witness.example.org/w1")
        signer = new_signer(name, seed := randomness(_SEED_BYTES))
        if isinstance(signer, Problem):
            message = f"--name {shown(name)}: {signer.reason}"
            raise UsageError(message, "a name has no space and no plus sign")
        _write_key(path, signer, seed)
        return signer
    signer = _read_key(path)
    if name not in {None, signer.key.name}:
        message = f"the witness in {shown(str(folder))} is {shown(signer.key.name)}"
        raise UsageError(message, "leave --name out, or begin another folder")
    return signer


def _write_key(path: Path, signer: WitnessSigner, seed: bytes) -> None:
    """Write the key for its owner alone, whole or not at all."""
    # Its text is a secret.
    text = f"{_HEAD}{signer.key}+{b64encode(_TYPE + seed).decode('ascii')}\n"
    write_whole(path, text.encode("utf-8"), 0o600)


def _read_key(path: Path) -> WitnessSigner:
    with path.open("rb") as stream:
        mode = os.fstat(stream.fileno()).st_mode
        data = stream.read(_LONGEST_KEY)
    if mode & 0o077:
        message = f"others can read the key {shown(str(path))}"
        raise UsageError(message, f"chmod 600 {shown(str(path))}")
    text = data.decode("utf-8", "replace").removesuffix("\n")
    parts = text.removeprefix(_HEAD).split("+", 2)
    seed = decode_base64(parts[-1]) if text.startswith(_HEAD) and len(parts) == 3 else None
    if seed is not None and seed[:1] == _TYPE and len(seed) == 1 + _SEED_BYTES:
        signer = new_signer(parts[0], seed[1:])
        if isinstance(signer, WitnessSigner) and signer.key.key_id.hex() == parts[1]:
            return signer
    message = f"{shown(str(path))} is not a witness's key"
    raise UsageError(message, "it is one line PRIVATE+KEY+NAME+ID+BASE64, as it was made")
