"""Every word that the command says beside its results: lower case, with a hint where one helps.

Results go to standard output, all else to standard error.
"""

from __future__ import annotations

import sys

NAME = "cutcard-audit"


def out(text: str) -> None:
    """Print a result, on standard output."""
    sys.stdout.write(text)


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
