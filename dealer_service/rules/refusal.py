"""Why the rules refuse: a value for what somebody asked, an error for a log that can not be.

A request of a player or an operator that the rules do not allow gives a `Refusal`. It changes
nothing, has a stable reason for machines, and says what would be allowed; every number of its
message is also in `numbers`. An entry that can not stand where it stands raises `ImpossibleEntry`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique


@unique
class HandReason(StrEnum):
    """The stable names of everything that a hand refuses."""

    NO_DECISION = "NO_DECISION"
    NOT_DEALT_IN = "NOT_DEALT_IN"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    WRONG_TURN = "WRONG_TURN"
    PLAYER_GONE = "PLAYER_GONE"
    CANNOT_CHECK = "CANNOT_CHECK"
    NOTHING_TO_CALL = "NOTHING_TO_CALL"
    BET_INSTEAD = "BET_INSTEAD"
    RAISE_INSTEAD = "RAISE_INSTEAD"
    NO_RAISE = "NO_RAISE"
    AMOUNT_MISSING = "AMOUNT_MISSING"
    AMOUNT_MISMATCH = "AMOUNT_MISMATCH"
    TOO_SMALL = "TOO_SMALL"
    TOO_LARGE = "TOO_LARGE"
    NOT_SHOWING_TIME = "NOT_SHOWING_TIME"
    ALREADY_SHOWN = "ALREADY_SHOWN"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something asked for that the rules do not allow; nothing has changed."""

    reason: StrEnum
    message: str
    numbers: Mapping[str, int] = field(default_factory=dict, hash=False)


class ImpossibleEntry(ValueError):  # noqa: N818 - named for what it says of the entry
    """An entry that can not follow the entries before it, or a hand that can not begin."""
