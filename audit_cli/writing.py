"""Files that are there whole or not at all, whenever the machine stops."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_whole(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Write a file: under another name, to the disk, and then under its own.

    A file of that name before is replaced. What a stop leaves under the other name is overwritten
    by the next try. OSError where it can not be written.
    """
    beside = path.with_name(f".{path.name}.part")
    beside.unlink(missing_ok=True)
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with open(handle, "wb") as stream:  # noqa: PTH123  (a descriptor, made with its mode)
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    beside.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder outlive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
