"""Every word that the command says beside its results: lower case, with a hint where one helps.

Results go to standard output, all else to standard error.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from io import TextIOWrapper
from typing import TYPE_CHECKING

from audit_cli.inputs import UsageError, reason

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "cutcard-audit"


def out(text: str) -> None:
    """Print a result, on standard output; UsageError where it can not be written there."""
    with _writing():
        sys.stdout.write(text)


def flush() -> None:
    """Have all results out; UsageError where they can not be written."""
    with _writing():
        sys.stdout.flush()


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        # Keep the interpreter from flushing into it again.
        sys.stdout = None
        message = f"can not write to standard output: {reason(error)}"
        raise UsageError(message) from None


def out_file(text: str) -> None:
    """Print a file's content, on standard output: in UTF-8, whatever the terminal's language."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    out(text)


def error(message: str, hint: str = "") -> None:
    """Say why the command stops."""
    _say("error", message)
    if hint:
        _say("hint", hint)


def warning(message: str) -> None:
    """Something that was ignored, or that deserves a second look; the command goes on."""
    _say("warning", message)


def note(message: str) -> None:
    """Something done on the way, such as a file that was written."""
    _say("note", message)


def _say(kind: str, message: str) -> None:
    sys.stderr.write(f"{NAME}: {kind}: {message}\n")
