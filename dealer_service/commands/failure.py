"""How a command ends: its exit status, and the one error that carries it with words for people."""

from enum import IntEnum, unique


@unique
class Exit(IntEnum):
    """What exit statuses mean, for every sub-command but `demo`, which ends with the audit's."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    CANNOT_START = 3
    INTERRUPTED = 130


class Failure(Exception):  # noqa: N818 - what happened, and not a mistake of the program's
    """Why a command stops; `hint` says what to do about it."""

    def __init__(self, message: str, hint: str = "", *, status: int = Exit.CANNOT_START) -> None:
        super().__init__(message)
        self.hint = hint
        self.status = status
