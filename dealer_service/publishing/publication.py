"""The folder of static files that is the dealer's log for all the world (C2SP tlog-tiles).

What is read here can be served by any web server as it is: `checkpoint`, `tile/<level>/<index>`
and `tile/entries/<index>`, with partial ones beside. A file stands whole under its name or not at
all, and is on disk, with its name, before `keep` returns; so whoever keeps tiles first and then
the checkpoint never has a checkpoint without its tiles, whenever the machine dies.
"""

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from dealer_service.durable import sync_folder, write_all
from dealer_service.store.directory import DirectoryLock
from dealer_service.transcript.tiles import CHECKPOINT_PATH

_DRAFTS: Final = ".drafts"


class Publication:
    """The folder, of one process alone; paths are the specification's. Calls block."""

    def __init__(self, folder: Path) -> None:
        """Open the folder, or make it; StoreError DIRECTORY_IN_USE, or OSError."""
        self.folder = folder
        self._drafts = folder / _DRAFTS
        self._count = 0
        # Folders whose names are on disk: of one that a kill left there nobody knows.
        self._known: set[Path] = set()
        self._make()
        self._lock = DirectoryLock(folder)
        self._clear_drafts()

    def take_up(self) -> None:
        """Make the folder again where somebody removed it; StoreError DIRECTORY_IN_USE, OSError."""
        self._known.clear()
        self._make()
        if not self._lock.stands:
            self._lock.close()
            self._lock = DirectoryLock(self.folder)
        self._clear_drafts()

    def read(self, path: str) -> bytes:
        """Give a file's content; FileNotFoundError or another OSError."""
        return (self.folder / path).read_bytes()

    def checkpoint(self) -> str | None:
        """Give the note that is published; None before the first."""
        try:
            return self.read(CHECKPOINT_PATH).decode("utf-8", "replace")
        except FileNotFoundError:
            return None

    def keep(self, files: Iterable[tuple[str, bytes]]) -> None:
        """Put files in place, and return when all of them are on disk; OSError."""
        folders: dict[Path, None] = {}
        for path, content in files:
            place = self.folder / path
            self._make_folders(place.parent, folders)
            self._put(place, content)
            folders[place.parent] = None
        for folder in folders:
            sync_folder(folder)

    def publish(self, note: str) -> None:
        """Show a checkpoint to the world; its tiles were kept before. OSError."""
        self.keep([(CHECKPOINT_PATH, note.encode())])

    def drop(self, folders: Sequence[str]) -> None:
        """Remove folders of partial tiles, where they are there."""
        for folder in folders:
            self._known.discard(self.folder / folder)
            shutil.rmtree(self.folder / folder, ignore_errors=True)

    def close(self) -> None:
        """Let go of the folder; a second call does nothing."""
        self._lock.close()

    def _make(self) -> None:
        made = not self.folder.exists()
        self.folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        if made:
            sync_folder(self.folder.parent)

    def _clear_drafts(self) -> None:
        # What a crash left half written.
        shutil.rmtree(self._drafts, ignore_errors=True)
        self._drafts.mkdir(mode=0o700, exist_ok=True)

    def _make_folders(self, folder: Path, touched: dict[Path, None]) -> None:
        if folder == self.folder or (folder in self._known and folder.is_dir()):
            return
        self._make_folders(folder.parent, touched)
        folder.mkdir(mode=0o755, exist_ok=True)
        touched[folder.parent] = None
        self._known.add(folder)

    def _put(self, place: Path, content: bytes) -> None:
        self._count += 1
        draft = self._drafts / str(self._count)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        try:
            write_all(descriptor, content)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        draft.replace(place)
