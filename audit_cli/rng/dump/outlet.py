"""Where a dump goes: standard output, one file, or a file after every so many bytes.

Files are new ones, never written over, and hashed as they are written. To a pipe nothing is hashed,
and it is given what memory the system lets it have.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, Self

from audit_cli.inputs import STANDARD_INPUT, UsageError, reason, shown

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import BinaryIO

STANDARD_OUTPUT: Final = STANDARD_INPUT

_PIPE_BYTES: Final = 1_048_576
_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Part:
    """A file that was written: its name, where in the dump it begins, its bytes and SHA-256."""

    name: str
    offset: int
    size: int
    sha256: str


class Outlet(Protocol):
    """Takes the bytes of a dump in their order."""

    @property
    def written(self) -> int:
        """How many bytes it took."""

    def write(self, data: bytes | memoryview) -> None:
        """Take some more. BrokenPipeError where the reader has gone."""


class Pipe:
    """Standard output. UsageError for binary data that would go to a screen."""

    def __init__(self, *, is_text: bool) -> None:
        sys.stdout.flush()
        self._descriptor = sys.stdout.fileno()
        if not is_text and os.isatty(self._descriptor):
            message = "binary data is not for a screen"
            raise UsageError(message, "give --out FILE, a pipe, or --format csv")
        self.written = 0
        # More room means fewer turns between writer and reader, where the system has it to give.
        try:
            fcntl.fcntl(self._descriptor, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        except (AttributeError, OSError):
            return

    def write(self, data: bytes | memoryview) -> None:
        """Write all of it. BrokenPipeError, or UsageError where a disk behind it refuses."""
        view = memoryview(data)
        while view:
            try:
                sent = os.write(self._descriptor, view)
            except BrokenPipeError:
                raise
            except OSError as error:
                message = f"can not write to standard output: {reason(error)}"
                raise UsageError(message) from None
            self.written += sent
            view = view[sent:]


class Files:
    """One file, or with `split` a file NAME.0000, NAME.0001, … after every `split` bytes.

    UsageError where a file is there already or can not be written.
    """

    def __init__(self, path: Path, split: int | None = None) -> None:
        self._path = path
        self._split = split
        self._done: list[Part] = []
        self._stream: BinaryIO | None = None
        self._hash = hashlib.sha256()
        self._size = 0
        self.written = 0
        self._begin()

    def __enter__(self) -> Self:
        """Be closed at the end of a block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file that is open, whatever came."""
        if self._stream is not None:
            self._stream.close()

    @property
    def parts(self) -> tuple[Part, ...]:
        """The files that are finished."""
        return tuple(self._done)

    def write(self, data: bytes | memoryview) -> None:
        """Write all of it, to as many files as it takes. UsageError where the disk refuses."""
        view = memoryview(data)
        while view:
            if self._split is not None and self._size == self._split:
                self._end()
                self._begin()
            room = len(view) if self._split is None else self._split - self._size
            self._put(view[:room])
            view = view[room:]

    def finish(self) -> tuple[Part, ...]:
        """End the last file and return all."""
        self._end()
        return self.parts

    def _put(self, data: memoryview) -> None:
        assert self._stream is not None
        try:
            self._stream.write(data)
        except OSError as error:
            raise self._refused(self._name(), error) from None
        self._hash.update(data)
        self._size += len(data)
        self.written += len(data)

    def _name(self) -> Path:
        if self._split is None:
            return self._path
        return self._path.with_name(f"{self._path.name}.{len(self._done):0{_DIGITS}}")

    def _begin(self) -> None:
        name = self._name()
        try:
            self._stream = name.open("xb")
        except FileExistsError:
            message = f"{shown(str(name))} is there already"
            raise UsageError(message, "name another file, or remove it") from None
        except (OSError, ValueError) as error:
            raise self._refused(name, error) from None
        self._hash = hashlib.sha256()
        self._size = 0

    def _end(self) -> None:
        assert self._stream is not None
        name = self._name()
        try:
            self._stream.close()
        except OSError as error:
            raise self._refused(name, error) from None
        offset = self.written - self._size
        self._done.append(Part(name.name, offset, self._size, self._hash.hexdigest()))
        self._stream = None

    @staticmethod
    def _refused(name: Path, error: OSError | ValueError) -> UsageError:
        return UsageError(f"can not write {shown(str(name))}: {reason(error)}")
