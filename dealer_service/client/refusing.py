"""Why a client leaves a game: the reasons of PROTOCOL.md section 11, and the evidence.

To refuse is to send nothing more, to say why, and to write down what was seen. Unlike the
refusal of a single call (`errors`), it is for good: the dealer has broken the protocol, or its
messages are not to be told from those of one that has.
"""

from dataclasses import dataclass, field
from enum import StrEnum, unique

from dealer_service.client.message import Message


@unique
class Reason(StrEnum):
    """What a client refuses."""

    SIGNATURE = "SIGNATURE"
    ROOT = "ROOT"
    LINE = "LINE"
    TIME = "TIME"
    HAND_NUMBER = "HAND_NUMBER"
    ANCHOR = "ANCHOR"
    NOT_MINE = "NOT_MINE"
    DEALT_EARLY = "DEALT_EARLY"
    UNCOVERED = "UNCOVERED"
    MIX = "MIX"
    SECOND_DECK = "SECOND_DECK"
    POSITION = "POSITION"
    OPENING = "OPENING"
    NO_TIME_TO_ANCHOR = "NO_TIME_TO_ANCHOR"


class ProtocolBreach(Exception):  # noqa: N818 - it is the dealer's breach, not our error
    """Raised where a rule is found broken, and turned into a `Refused` by the verifier."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Evidence:
    """All lines received, the checkpoints kept, by size, and what was refused.

    `kept` is the checkpoint of the record that the lines had not come to when it refused,
    `received` the message of the stream that was refused, `proof` one from the dealer's log.
    """

    lines: tuple[bytes, ...] = field(repr=False)
    checkpoints: tuple[tuple[int, str], ...] = field(repr=False)
    kept: str = field(default="", repr=False)
    received: Message | None = field(default=None, repr=False)
    proof: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Refused:
    """The client left `game`: why, in one word and in words, and what it saw."""

    game: str
    reason: Reason
    detail: str
    evidence: Evidence = field(repr=False)
