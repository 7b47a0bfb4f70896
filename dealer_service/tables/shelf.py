"""The files of finished games in one directory, as GetGameFile gives them, byte for byte.

A file is there whole or not at all, also after a crash: it is written beside its place, synced,
moved there, and the directory is synced. Several dealers may share a directory: they write the
same bytes. Reading it gives the game's lines and those of its checkpoints that stand in the file,
by the store's own calls: from near the place that is asked for, for where lines begin is known.
"""

import asyncio
import hashlib
import os
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from dealer_service.durable import sync_folder
from dealer_service.store.api import StoredCheckpoint
from dealer_service.tables.offsets import STEP, Offsets
from dealer_service.transcript import canonical

T = TypeVar("T")

_CHECKPOINT: Final = b'{"checkpoint":'
_CHUNK: Final = 64 * 1024
_STALE_SECONDS: Final = 3600
_DRAFTS: Final = ".*.part"


class Shelf:
    """A directory of game files.

    `do` runs a call outside the event loop; the others block. Those that read raise
    FileNotFoundError where a game has no file.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        # One for whoever writes, one for those who read.
        self._threads = ThreadPoolExecutor(2, "shelf")
        self._offsets = Offsets(_CHECKPOINT)

    async def do(self, call: Callable[[], T]) -> T:
        """Give what a blocking call gives."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)

    def close(self) -> None:
        """Start no further call."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def prepare(self) -> None:
        """Make the directory, and clear away what a crash left half written; OSError."""
        self._directory.mkdir(parents=True, exist_ok=True)
        # Another dealer may be writing here at this moment.
        long_ago = time.time() - _STALE_SECONDS
        for draft in self._directory.glob(_DRAFTS):
            if draft.stat().st_mtime < long_ago:
                draft.unlink(missing_ok=True)

    def path(self, game: str) -> Path:
        """Give where a game's file stands, or would."""
        return self._directory / f"{game}.jsonl"

    def has(self, game: str) -> bool:
        """Say whether a game's file is there."""
        return self.path(game).exists()

    def draft(self, game: str) -> "Draft":
        """Begin a game's file; OSError."""
        return Draft(self.path(game))

    def digest(self, game: str) -> bytes:
        """Give the SHA-256 of a game's file."""
        with self.path(game).open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()

    def chunk(self, game: str, at: int) -> bytes:
        """Give some bytes of a game's file from a place on; none behind its end."""
        with self.path(game).open("rb") as file:
            file.seek(at)
            return file.read(_CHUNK)

    def lines(self, log: str, start: int, limit: int) -> tuple[bytes, ...]:
        """Give up to `limit` lines from index `start` on."""
        return tuple(islice(self.every_line(log, start), limit))

    def every_line(self, log: str, start: int = 0) -> Iterator[bytes]:
        """Give all lines from index `start` on."""
        for before, line in self._from(log, start):
            if before >= start and not line.startswith(_CHECKPOINT):
                yield line

    def checkpoints(
        self, log: str, from_size: int = 0, limit: int = 1000
    ) -> tuple[StoredCheckpoint, ...]:
        """Give up to `limit` checkpoints with a size of `from_size` or more, rising."""
        # One of a size stands behind so many lines.
        signed = self._signed(log, max(0, from_size - 1))
        return tuple(islice((one for one in signed if one.size >= from_size), limit))

    def last_checkpoint(self, log: str) -> StoredCheckpoint | None:
        """Give the checkpoint of the greatest size."""
        with self.path(log).open("rb") as file:
            marks = len(self._offsets.marks(file))
        for mark in reversed(range(marks)):
            found = deque(self._signed(log, mark * STEP), maxlen=1)
            if found:
                return found[0]
        return None

    def _signed(self, log: str, start: int) -> Iterator[StoredCheckpoint]:
        for size, line in self._from(log, start):
            if line.startswith(_CHECKPOINT):
                yield StoredCheckpoint(size, _note(line))

    def _from(self, log: str, start: int) -> Iterator[tuple[int, bytes]]:
        """Give lines and checkpoints from the line `start` on, or from a bit before it.

        Each is without its end, and with the number of the log's lines that stand before it.
        """
        with self.path(log).open("rb") as file:
            marks = self._offsets.marks(file)
            if not marks:
                return
            mark = min(start // STEP, len(marks) - 1)
            file.seek(marks[mark])
            before = mark * STEP
            for line in file:
                yield before, line.removesuffix(b"\n")
                before += not line.startswith(_CHECKPOINT)


class Draft:
    """A file that is written beside its place; `finish` or `drop` it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        self._draft = Path(name)
        self._file = os.fdopen(handle, "wb")

    def write(self, content: bytes) -> None:
        """Add bytes; OSError."""
        self._file.write(content)

    def finish(self) -> None:
        """Put the file in its place, durably; OSError."""
        with self._file as file:
            file.flush()
            # mkstemp's files are their owner's alone; what is revealed is anybody's to check.
            os.fchmod(file.fileno(), 0o644)
            os.fsync(file.fileno())
        self._draft.replace(self._path)
        sync_folder(self._path.parent)

    def drop(self) -> None:
        """Leave nothing of it."""
        try:
            self._file.close()
        finally:
            self._draft.unlink(missing_ok=True)


def _note(line: bytes) -> str:
    note = canonical.decode(line, canonical.Text.UNICODE).get("checkpoint")
    if not isinstance(note, str):
        message = "a game file's checkpoint is no text"
        raise TypeError(message)
    return note
