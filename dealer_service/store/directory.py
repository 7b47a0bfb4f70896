"""What a dealer keeps in its directory besides keys: a lock, and its name among dealers.

The directory is one dealer's: two processes that shared it would write one journal of what was
signed between them, and each would miss what the other knows.
"""

import fcntl
import os
import re
from pathlib import Path
from typing import Final

from dealer_service.durable import sync_folder, write_all
from dealer_service.store.refusal import Reason, StoreError

_NAME: Final = re.compile(r"[a-z0-9.-]{1,64}")


class DirectoryLock:
    """The lock of a directory, held until it is closed or the process ends."""

    def __init__(self, directory: Path) -> None:
        """Take the lock; the directory is made where it is missing. StoreError DIRECTORY_IN_USE."""
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = directory / "lock"
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.close()
            message = (
                f"the directory {directory} is in use by another dealer; stop that one, or name "
                "another directory"
            )
            raise StoreError(Reason.DIRECTORY_IN_USE, message) from error

    @property
    def stands(self) -> bool:
        """Whether it is held and its file is where it was, so that it keeps others out."""
        if self._descriptor < 0:
            return False
        try:
            return os.path.samestat(os.fstat(self._descriptor), self._path.stat())
        except FileNotFoundError:
            return False

    def close(self) -> None:
        """Let go of the lock; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1


def is_node_name(name: str) -> bool:
    """Say whether a text may name a node: 1 to 64 of [a-z0-9.-]."""
    return _NAME.fullmatch(name) is not None


def kept_node_name(path: Path, fresh: str) -> str:
    """Give the name that a dealer drew at its first start; it becomes `fresh` where none is kept.

    StoreError NODE_NAME_WRONG for a file that holds none.
    """
    try:
        name = path.read_text("ascii").removesuffix("\n")
    except FileNotFoundError:
        write_durably(path, f"{fresh}\n".encode("ascii"))
        return fresh
    except UnicodeDecodeError:
        name = ""
    if not is_node_name(name):
        message = f"the file {path} holds no node name: bring it back, or say --node"
        raise StoreError(Reason.NODE_NAME_WRONG, message)
    return name


def write_durably(path: Path, content: bytes) -> None:
    """Put a file in place, whole and on disk, or leave the one that is there."""
    draft = path.with_name(path.name + ".new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        write_all(descriptor, content)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    draft.replace(path)
    sync_folder(path.parent)
