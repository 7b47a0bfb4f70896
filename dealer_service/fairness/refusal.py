"""Why this package refuses an input: one error with a stable reason, and never a secret in it."""

from enum import StrEnum, unique


@unique
class Reason(StrEnum):
    """The stable names of everything that `fairness` refuses."""

    BAD_ORIGIN = "BAD_ORIGIN"
    BAD_GAME = "BAD_GAME"
    BAD_PLAYER = "BAD_PLAYER"
    BAD_NUMBER = "BAD_NUMBER"
    BAD_LENGTH = "BAD_LENGTH"
    BAD_CARD = "BAD_CARD"
    BAD_POSITION = "BAD_POSITION"
    SEAT_TWICE = "SEAT_TWICE"
    PLAYER_TWICE = "PLAYER_TWICE"
    RESEED_REQUIRED = "RESEED_REQUIRED"
    STREAM_EXHAUSTED = "STREAM_EXHAUSTED"
    ENTROPY_FAILED = "ENTROPY_FAILED"
    KNOWN_ANSWER_FAILED = "KNOWN_ANSWER_FAILED"


class FairnessError(ValueError):
    """An input that the protocol does not allow; `reason` is for machines, the text for people."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def require_length(name: str, value: bytes, length: int) -> None:
    """Refuse `value` unless it has `length` bytes; the error names lengths, never content."""
    if len(value) != length:
        message = f"{name} has {len(value)} bytes and must have {length}"
        raise FairnessError(Reason.BAD_LENGTH, message)


def require_range(name: str, value: int, low: int, high: int) -> None:
    """Refuse `value` unless low <= value <= high."""
    if not low <= value <= high:
        message = f"{name} is {value} and must be from {low} to {high}"
        raise FairnessError(Reason.BAD_NUMBER, message)
