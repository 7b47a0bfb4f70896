"""Files of hands that no secret repeats: what `rng collect` writes and every command reads.

Format `cutcard-hands/1`: one line of JSON, ended by LF,

    {"count":N,"format":"cutcard-hands/1","from":WORDS,"origin":ORIGIN}

and then N records of 116 bytes: hand secret (32), mix (32), deck (52 card numbers from the top).
A record cut short by a crash is dropped when the writing goes on; a file that holds fewer than N
is not read. Beside a finished file stands its SHA-256 in FILE.sha256, as `sha256sum -c` reads it.
"""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from audit_cli.derive import DECK_SIZE
from audit_cli.inputs import reason, shown
from audit_cli.rng.file_hash import hash_file

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import BinaryIO

    from numpy.typing import NDArray

FORMAT: Final = "cutcard-hands/1"
RECORD: Final = 32 + 32 + DECK_SIZE
_HEADER_LIMIT: Final = 4096


class HandsFileError(Exception):
    """The file can not be read or written as hands; says why."""


@dataclass(frozen=True, slots=True)
class Header:
    """How many hands, under which origin they were mixed, and where they are from, in words."""

    count: int
    origin: str
    source: str

    def line(self) -> bytes:
        """Return the file's first line."""
        shape = {
            "count": self.count,
            "format": FORMAT,
            "from": self.source,
            "origin": self.origin,
        }
        return json.dumps(shape, separators=(",", ":"), sort_keys=True).encode("ascii") + b"\n"


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Hands of a file, not yet derived: (n, 32), (n, 32) and (n, 52) uint8."""

    secrets: NDArray[np.uint8] = field(repr=False)
    mixes: NDArray[np.uint8] = field(repr=False)
    decks: NDArray[np.uint8]


def read_header(path: Path) -> Header:
    """Return the header of a finished file. HandsFileError where it is none, or not finished."""
    try:
        with path.open("rb") as stream:
            line = stream.readline(_HEADER_LIMIT)
            size = os.fstat(stream.fileno()).st_size
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    header = _parse(path, line)
    held, torn = divmod(size - len(line), RECORD)
    if (held, torn) != (header.count, 0):
        more = " and a part of one" if torn else ""
        message = f"{shown(str(path))} holds {held:,} hands{more} of the {header.count:,} it names"
        raise HandsFileError(message)
    return header


def read_records(path: Path, first: int, count: int) -> Records:
    """Return `count` hands of a finished file from `first` on, counted from 0.

    HandsFileError where the file is not finished or has no such hands.
    """
    header = read_header(path)
    if not 0 <= first <= first + count <= header.count:
        message = f"{shown(str(path))} has {header.count:,} hands, not {first + count:,}"
        raise HandsFileError(message)
    at = len(header.line()) + first * RECORD
    try:
        rows = np.fromfile(path, np.uint8, count * RECORD, offset=at).reshape(count, RECORD)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    columns = (rows[:, :32], rows[:, 32:64], rows[:, 64:])
    return Records(*(np.ascontiguousarray(column) for column in columns))


class HandsWriter:
    """Writes a file of hands, or goes on with one that was left unfinished.

    `written` hands are there already when it opens. HandsFileError where the file is of another
    header, or can not be written.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self._path = path
        self._header = header
        line = header.line()
        if len(line) >= _HEADER_LIMIT:
            message = f"the header of {shown(str(path))} is longer than {_HEADER_LIMIT:,} bytes"
            raise HandsFileError(message)
        try:
            self._stream: BinaryIO = path.open("r+b" if path.exists() else "x+b")
        except (OSError, ValueError) as error:
            raise _unreadable(path, error) from None
        self.written = 0
        try:
            self._alone()
            self._go_on(line)
        except BaseException:
            self._stream.close()
            raise

    def _alone(self) -> None:
        try:
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            message = f"{shown(str(self._path))} is being written by another process"
            raise HandsFileError(message) from None

    def _go_on(self, line: bytes) -> None:
        size = self._stream.seek(0, os.SEEK_END)
        self._stream.seek(0)
        found = self._stream.read(len(line))
        if not line.startswith(found):
            message = f"{shown(str(self._path))} is there already and not of this collection"
            raise HandsFileError(message)
        if found == line:
            self.written = (size - len(line)) // RECORD
        if self.written > self._header.count:
            message = f"{shown(str(self._path))} holds more hands than it names"
            raise HandsFileError(message)
        self._stream.seek(0)
        self._stream.write(line)
        self._stream.seek(len(line) + self.written * RECORD)
        self._stream.truncate()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def append(self, records: Records) -> None:
        """Write hands behind the others: what returns outlives this process.

        ValueError where there are more than the header names, HandsFileError where the system
        does not take them.
        """
        rows = np.concatenate((records.secrets, records.mixes, records.decks), axis=1)
        if rows.dtype != np.uint8 or rows.shape[1:] != (RECORD,):
            message = f"records are rows of {RECORD} bytes, not {rows.dtype} {rows.shape}"
            raise ValueError(message)
        if self.written + len(rows) > self._header.count:
            message = f"{self.written + len(rows):,} hands for a file of {self._header.count:,}"
            raise ValueError(message)
        try:
            self._stream.write(rows.tobytes())
            self._stream.flush()
        except OSError as error:
            # What is there in part is dropped when the writing goes on, not written behind.
            with suppress(OSError):
                self._stream.close()
            raise _unreadable(self._path, error) from None
        self.written += len(rows)

    def close(self) -> None:
        """Bring all to the disk and, where the file is finished, write its SHA-256 beside it.

        HandsFileError where the system does not take it.
        """
        if self._stream.closed:
            return
        try:
            with self._stream:
                self._stream.flush()
                os.fsync(self._stream.fileno())
            if self.written == self._header.count:
                line = f"{hash_file(self._path)}  {self._path.name}\n"
                sidecar(self._path).write_text(line, encoding="utf-8")
        except OSError as error:
            raise _unreadable(self._path, error) from None


def sidecar(path: Path) -> Path:
    """Return where the SHA-256 of a file stands."""
    return path.with_name(path.name + ".sha256")


def _parse(path: Path, line: bytes) -> Header:
    try:
        shape = json.loads(line)
        header = Header(shape["count"], shape["origin"], shape["from"])
        fits = header.line() == line and type(header.count) is int and header.count > 0
    except (ValueError, KeyError, TypeError):
        fits = False
    if not fits:
        message = f"{shown(str(path))} is no file of hands ({FORMAT})"
        raise HandsFileError(message)
    return header


def _unreadable(path: Path, error: OSError | ValueError) -> HandsFileError:
    return HandsFileError(f"{shown(str(path))}: {reason(error)}")
