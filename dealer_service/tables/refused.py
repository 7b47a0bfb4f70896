"""What a table answers when it does not do what was asked: one error that carries the refusal."""

from collections.abc import Mapping
from enum import StrEnum, unique

from dealer_service.rules.refusal import Refusal


@unique
class ServiceReason(StrEnum):
    """The stable names of what the service refuses beyond the rules."""

    GAME_LOST = "GAME_LOST"
    GAME_OPENING = "GAME_OPENING"
    GAME_OVER = "GAME_OVER"
    NO_CHECKPOINT_YET = "NO_CHECKPOINT_YET"
    NO_SUCH_GAME = "NO_SUCH_GAME"
    NO_SUCH_LINE = "NO_SUCH_LINE"
    NO_SUCH_SIZE = "NO_SUCH_SIZE"
    RANDOMNESS_FAILED = "RANDOMNESS_FAILED"
    REQUEST_ID_REUSED = "REQUEST_ID_REUSED"
    STOPPING = "STOPPING"
    STORE_FAILED = "STORE_FAILED"
    TABLE_HALTED = "TABLE_HALTED"
    TOO_MANY_WAITING = "TOO_MANY_WAITING"
    WATCHED_TOO_SLOWLY = "WATCHED_TOO_SLOWLY"


class Refused(Exception):  # noqa: N818 - what was asked is refused
    """A call that changed nothing; `refusal` says why and what would be allowed."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


def refused(
    reason: ServiceReason, message: str, numbers: Mapping[str, int] | None = None
) -> Refused:
    """Build the error of a refusal by the service itself."""
    return Refused(Refusal(reason, message, numbers or {}))


def stopping() -> Refused:
    """Build the refusal of a dealer that stops."""
    return refused(ServiceReason.STOPPING, "the dealer is stopping: call again soon")
