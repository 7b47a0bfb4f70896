"""Every word that the command says beside its results: lower case, with a hint where one helps.

Results go to standard output, all else to standard error.
"""

import sys

NAME = "cutcard-dealer"


def out(text: str) -> None:
    """Print a result, a line on standard output."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def error(message: str, hint: str = "") -> None:
    """Say why the command stops."""
    _say("error", message)
    if hint:
        _say("hint", hint)


def warning(message: str) -> None:
    """Something that deserves a second look; the command goes on."""
    _say("warning", message)


def note(message: str) -> None:
    """Something done on the way, such as a file that was written."""
    _say("note", message)


def _say(kind: str, message: str) -> None:
    sys.stderr.write(f"{NAME}: {kind}: {message}\n")
    sys.stderr.flush()
