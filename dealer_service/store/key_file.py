"""Key files: made once, whole, readable by their owner alone, and never written over.

A key that others may read is refused, and so is one that is missing where the dealer has dealt
before: a new key in its place would neither open what the old one sealed nor sign for its logs.
A start is the first when there is no store yet: keys are made before the store is.
Errors tell names, modes and lengths, never content.
"""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final, NoReturn

from dealer_service.durable import make_private
from dealer_service.store.refusal import Reason, StoreError

_MAX_BYTES: Final = 4096
_LOOSE: Final = stat.S_IRWXG | stat.S_IRWXO


def read_or_make(
    path: Path, what: str, make: Callable[[], bytes], *, first_start: bool
) -> bytearray:
    """Give a key file's content; at the first start a missing one is made with mode 0600.

    `what` names the key in errors. StoreError KEY_FILE_MISSING when it is not the first start,
    KEY_FILE_EXPOSED when others than its owner have any right to it, KEY_FILE_MALFORMED when it
    is too long, KEY_FILE_UNREACHABLE when the operating system refuses.
    """
    try:
        if not _is_there(path):
            if not first_start:
                message = (
                    f"the {what} {path} is missing; bring it back from a backup: "
                    "no other key can take its place"
                )
                raise StoreError(Reason.KEY_FILE_MISSING, message)
            make_private(path, make())
        return _read(path, what)
    except OSError as error:
        message = f"the {what} {path} can not be read or made: {error.strerror}"
        raise StoreError(Reason.KEY_FILE_UNREACHABLE, message) from error


def read_secret(path: Path, what: str) -> bytearray:
    """Give the content of a secret's file that must be there; StoreError as above."""
    return read_or_make(path, what, lambda: b"", first_start=False)


def wipe(content: bytearray) -> None:
    """Write zeros over what was read, once it is used up."""
    content[:] = bytes(len(content))


def _is_there(path: Path) -> bool:
    """Say whether anything has this name; OSError where that can not be looked at."""
    try:
        os.lstat(path)
    except FileNotFoundError:
        return False
    return True


def _read(path: Path, what: str) -> bytearray:
    # Unbuffered and into one place, so that the place can be wiped.
    with path.open("rb", buffering=0) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            _refuse(Reason.KEY_FILE_MALFORMED, f"the {what} {path} is not a file")
        if status.st_mode & _LOOSE:
            mode = stat.S_IMODE(status.st_mode)
            _refuse(
                Reason.KEY_FILE_EXPOSED,
                f"the {what} {path} has mode {mode:04o}, and only its owner may have any right to "
                f"it: chmod 600 {path}, and ask who has read it",
            )
        content = bytearray(min(status.st_size, _MAX_BYTES) + 1)
        size = file.readinto(content)
    if size > _MAX_BYTES:
        _refuse(Reason.KEY_FILE_MALFORMED, f"the {what} {path} is over {_MAX_BYTES} bytes")
    del content[size:]
    return content


def _refuse(reason: Reason, message: str) -> NoReturn:
    raise StoreError(reason, message)
