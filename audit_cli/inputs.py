"""Opens and reads what the command line names; a name that can not be opened is a wrong one."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from audit_cli.problem import printable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

STANDARD_INPUT = "-"


class UsageError(Exception):
    """The command line is wrong: message and hint for the person, exit status 2."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class WorkerLostError(Exception):
    """A process that shared the work ended early: there is no verdict, exit status 3."""


def shown(name: str) -> str:
    """Return a file's name as messages may print it."""
    return printable(name, 200)


def reason(error: OSError | ValueError) -> str:
    """Return the system's reason, in lower case."""
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return words.lower()


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """Open a file for binary reading, `-` for standard input, which is left open.

    UsageError where it can not be opened.
    """
    if name == STANDARD_INPUT:
        yield sys.stdin.buffer
        return
    try:
        stream = open(name, "rb")  # noqa: PTH123, SIM115  (closed below, opened apart)
    except (OSError, ValueError) as error:
        message = f"can not open {shown(name)}: {reason(error)}"
        raise UsageError(message) from None
    with stream:
        yield stream


def read_bounded(name: str, limit: int) -> bytes:
    """Read a small file whole: `limit` bytes and one more at most, so that too much is seen.

    UsageError where it can not be read.
    """
    with opened(name) as stream:
        try:
            return stream.read(limit + 1)
        except OSError as error:
            message = f"can not read {shown(name)}: {reason(error)}"
            raise UsageError(message) from None
