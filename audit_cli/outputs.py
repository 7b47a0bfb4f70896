"""Writes the files that the command line names; a place that can not be written is a wrong one.

What is there whole stays or is replaced whole; a pipe or a device is written into, a link followed.
The file that a command reads is never written over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from audit_cli.inputs import STANDARD_INPUT, UsageError, reason, shown
from audit_cli.writing import write_whole

if TYPE_CHECKING:
    from pathlib import Path

EVERYBODY: Final = 0o644
OWNER_ALONE: Final = 0o600
"""For what holds cards that not everybody has seen yet."""


def save(path: Path, data: bytes, mode: int, source: str = STANDARD_INPUT) -> None:
    """Write a file of that mode; `source` is the name of the file that was read.

    UsageError where it can not be written, or is the source.
    """
    try:
        if source != STANDARD_INPUT and path.exists() and path.samefile(source):
            message = f"{shown(str(path))} is the file that is read; it is not written over"
            raise UsageError(message)
        if path.exists() and not path.is_file():
            with path.open("wb") as stream:
                stream.write(data)
        else:
            write_whole(path.resolve(), data, mode)
    except OSError as error:
        message = f"can not write {shown(str(path))}: {reason(error)}"
        raise UsageError(message) from None
