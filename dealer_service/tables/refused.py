"""What a table answers when it does not do what was asked: one error that carries the refusal."""

from collections.abc import Mapping
from enum import StrEnum, unique

from dealer_service.rules.refusal import Refusal


@unique
class ServiceReason(StrEnum):
    """The stable names of what the service refuses beyond the rules."""

    GAME_ARCHIVED = "GAME_ARCHIVED"
    GAME_ELSEWHERE = "GAME_ELSEWHERE"
    GAME_LOST = "GAME_LOST"
    GAME_MOVING = "GAME_MOVING"
    GAME_OPENING = "GAME_OPENING"
    GAME_OVER = "GAME_OVER"
    NOT_PUBLISHED = "NOT_PUBLISHED"
    NO_CHECKPOINT_YET = "NO_CHECKPOINT_YET"
    NO_DEALER_LOG = "NO_DEALER_LOG"
    NO_SUCH_GAME = "NO_SUCH_GAME"
    NO_SUCH_LINE = "NO_SUCH_LINE"
    NO_SUCH_SIZE = "NO_SUCH_SIZE"
    NO_SUCH_TOURNAMENT = "NO_SUCH_TOURNAMENT"
    RANDOMNESS_FAILED = "RANDOMNESS_FAILED"
    READ_TOO_SLOWLY = "READ_TOO_SLOWLY"
    REQUEST_ID_REUSED = "REQUEST_ID_REUSED"
    STOPPING = "STOPPING"
    STORE_FAILED = "STORE_FAILED"
    TABLE_HALTED = "TABLE_HALTED"
    TOO_MANY_WAITING = "TOO_MANY_WAITING"
    WATCHED_TOO_SLOWLY = "WATCHED_TOO_SLOWLY"


class Refused(Exception):  # noqa: N818 - what was asked is refused
    """A call that changed nothing; `refusal` says why and what would be allowed.

    `words` are what a caller's program needs besides the numbers, such as an address.
    """

    def __init__(self, refusal: Refusal, words: Mapping[str, str] | None = None) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal
        self.words = words or {}


def refused(
    reason: ServiceReason, message: str, numbers: Mapping[str, int] | None = None
) -> Refused:
    """Build the error of a refusal by the service itself."""
    return Refused(Refusal(reason, message, numbers or {}))


def elsewhere(node: str, address: str) -> Refused:
    """Build the refusal of a game that another dealer has, which says where that is."""
    message = "another node deals this game: call it at the address that `owner` names"
    words = {"owner": address, "node": node}
    return Refused(Refusal(ServiceReason.GAME_ELSEWHERE, message), words)


def moving() -> Refused:
    """Build the refusal of a game that no dealer has at this moment."""
    message = "the game is between two nodes or just opening: call again in a moment"
    return refused(ServiceReason.GAME_MOVING, message)


def lost(signed_size: int) -> Refused:
    """Build the refusal of a game of which the store lacks lines that were signed."""
    message = (
        f"the game lost lines up to its signed size {signed_size} and is never played on: its "
        "players' own records and checkpoints tell what it was"
    )
    return refused(ServiceReason.GAME_LOST, message, {"signed_size": signed_size})


def archived() -> Refused:
    """Build the refusal of a game that stands in its file alone, which is not at this node."""
    message = (
        "the game is archived: what it was stands in its file, in the operator's archive of "
        "finished games, and can not be read here"
    )
    return refused(ServiceReason.GAME_ARCHIVED, message)


def no_such_game() -> Refused:
    """Build the refusal of a game that is not there."""
    return refused(ServiceReason.NO_SUCH_GAME, "there is no such game")


def no_such_tournament() -> Refused:
    """Build the refusal of a tournament that is not there."""
    return refused(ServiceReason.NO_SUCH_TOURNAMENT, "there is no such tournament")


def not_published() -> Refused:
    """Build the refusal of a line of the dealer's log that is not in it."""
    message = (
        "the dealer's log has no line of this stage: a stage that has just come is there in a "
        "moment; one that never comes, or came when the dealer published no log, has none"
    )
    return refused(ServiceReason.NOT_PUBLISHED, message)


def no_dealer_log() -> Refused:
    """Build the refusal of a dealer that publishes no log of its own."""
    message = "this dealer publishes no log of its own: a game's own log proves what it can prove"
    return refused(ServiceReason.NO_DEALER_LOG, message)


def store_away() -> Refused:
    """Build the refusal of what the store would have to be asked for, while it does not answer."""
    message = "the store does not answer: call again in a moment"
    return refused(ServiceReason.STORE_FAILED, message)


def stopping() -> Refused:
    """Build the refusal of a dealer that stops."""
    return refused(ServiceReason.STOPPING, "the dealer is stopping: call again soon")


def read_too_slowly() -> Refused:
    """Build the refusal of a stream that its caller does not read."""
    message = "the stream was not read for too long: call again, and go on from what was read"
    return refused(ServiceReason.READ_TOO_SLOWLY, message)
