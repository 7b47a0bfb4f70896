"""Files of lines that survive a crash: what was appended is on disk when the call returns.

A last line without its newline is what a crash in the middle of an append leaves: it was never
acknowledged, so it is cut off when the file is opened again. Files are their owner's alone.
"""

import fcntl
import os
import stat
from pathlib import Path
from types import TracebackType
from typing import Self

from dealer_service.durable import sync_folder, write_all
from dealer_service.transcript.canonical import Text, Value, decode, encode
from dealer_service.transcript.refusal import TranscriptError

PRIVATE: int = 0o600


class FileError(ValueError):
    """A file of the client's that can not be used; the text says why, for people."""


class LineFile:
    """An append-only file of canonical JSON lines, held by one process at a time.

    `lines` are those that were there when it was opened. FileError when others can read the file,
    another process holds it, or a line of it is not canonical JSON.
    """

    __slots__ = ("_descriptor", "lines", "path")

    def __init__(self, path: Path) -> None:
        self.path = path
        fresh = not path.exists()
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, PRIVATE)
        try:
            self._require_private()
            self._lock()
            self.lines = self._read()
            if fresh:
                sync_folder(path.parent)
        except BaseException:
            os.close(self._descriptor)
            raise

    def append(self, *lines: dict[str, Value]) -> None:
        """Write whole lines and wait until they are on disk."""
        block = b"".join(encode(line, Text.UNICODE) + b"\n" for line in lines)
        write_all(self._descriptor, block)
        os.fsync(self._descriptor)

    def close(self) -> None:
        """Let the file go; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _require_private(self) -> None:
        mode = stat.S_IMODE(os.fstat(self._descriptor).st_mode)
        if mode & 0o077:
            message = f"{self.path} has mode {mode:04o}, and must be its owner's alone: 0600"
            raise FileError(message)

    def _lock(self) -> None:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = f"{self.path} is held by another client of the same player and game"
            raise FileError(message) from None

    def _read(self) -> list[dict[str, Value]]:
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole != len(content):
            os.ftruncate(self._descriptor, whole)
            os.fsync(self._descriptor)
        try:
            return [decode(line, Text.UNICODE) for line in content[:whole].split(b"\n")[:-1]]
        except TranscriptError as error:
            message = f"{self.path} is damaged: {error}"
            raise FileError(message) from None


def write_whole(path: Path, content: bytes) -> None:
    """Put `content` at `path`, whole or not at all, for the owner's eyes alone."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    sync_folder(path.parent)
