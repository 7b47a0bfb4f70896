"""Why this package refuses an input: one error with a stable reason."""

from enum import StrEnum, unique


@unique
class Reason(StrEnum):
    """The stable names of everything that `transcript` refuses."""

    LINE_TOO_LONG = "LINE_TOO_LONG"
    LINE_TOO_DEEP = "LINE_TOO_DEEP"
    LINE_NOT_JSON = "LINE_NOT_JSON"
    LINE_NOT_CANONICAL = "LINE_NOT_CANONICAL"
    VALUE_NOT_ALLOWED = "VALUE_NOT_ALLOWED"
    TREE_RANGE = "TREE_RANGE"
    BAD_HASH = "BAD_HASH"
    BAD_KEY = "BAD_KEY"
    NOTE_MALFORMED = "NOTE_MALFORMED"
    NOTE_INVALID_SIGNATURE = "NOTE_INVALID_SIGNATURE"
    NOTE_NO_VERIFIABLE_SIGNATURE = "NOTE_NO_VERIFIABLE_SIGNATURE"
    NOTE_AMBIGUOUS_KEY = "NOTE_AMBIGUOUS_KEY"
    COSIGNATURE_MALFORMED = "COSIGNATURE_MALFORMED"
    CHECKPOINT_MALFORMED = "CHECKPOINT_MALFORMED"
    CHECKPOINT_OF_ANOTHER_LOG = "CHECKPOINT_OF_ANOTHER_LOG"
    NOTED_MALFORMED = "NOTED_MALFORMED"
    TILE_MALFORMED = "TILE_MALFORMED"
    POLICY_MALFORMED = "POLICY_MALFORMED"
    LOG_PROOF_MALFORMED = "LOG_PROOF_MALFORMED"
    LOG_PROOF_FAILS = "LOG_PROOF_FAILS"


class TranscriptError(ValueError):
    """Bytes that are not of the format; `reason` is for machines, the text for people."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
