"""The lines of the dealer's log: what came to stand in a game's transcript, and its root there.

Protocol section 5, "The dealer's log": one canonical line for each game opened, hand opened, deck
committed, hand void, game closed and game revealed. `size` and `root` are those of the game's
transcript just after the entry that the line is of; `at` is that entry's own time.
"""

import re
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final, NoReturn

from dealer_service.transcript.canonical import MAX_INTEGER, Encodable, Value, decode, encode
from dealer_service.transcript.merkle import HASH_BYTES
from dealer_service.transcript.refusal import Reason, TranscriptError

GAME_BYTES: Final = 16

_FIELDS: Final = {"game", "hand", "root", "size", "stage"}
_HEX = re.compile(r"[0-9a-f]*")


@unique
class Stage(StrEnum):
    """What a line of the dealer's log tells of a game or of one of its hands."""

    GAME_OPENED = "game_opened"
    HAND_OPENED = "hand_opened"
    DECK_COMMITTED = "deck_committed"
    HAND_VOID = "hand_void"
    GAME_CLOSED = "game_closed"
    GAME_REVEALED = "game_revealed"


OF_A_HAND: Final = frozenset({Stage.HAND_OPENED, Stage.DECK_COMMITTED, Stage.HAND_VOID})
"""The stages of a hand; the others are of the game, and their `hand` is 0."""


@dataclass(frozen=True, slots=True)
class Noted:
    """One line: `at` in milliseconds, the game (16 bytes), hand, stage, and size and root there."""

    at: int
    game: bytes
    hand: int
    stage: Stage
    size: int
    root: bytes

    @property
    def subject(self) -> tuple[bytes, int, Stage]:
        """What it is of: two lines with one subject are a fork."""
        return self.game, self.hand, self.stage


def write_noted(noted: Noted) -> bytes:
    """Write the canonical line, without a newline; TranscriptError NOTED_MALFORMED."""
    _require_sound(noted)
    fields: dict[str, Encodable] = {
        "game": noted.game.hex(),
        "hand": noted.hand,
        "root": noted.root.hex(),
        "size": noted.size,
        "stage": noted.stage.value,
    }
    return encode({"at": noted.at, "noted": fields})


def read_noted(line: bytes) -> Noted:
    """Read a line that `write_noted` wrote.

    TranscriptError NOTED_MALFORMED, or a reason of `canonical.decode` where it is not canonical.
    """
    value = decode(line)
    fields = value.get("noted")
    if set(value) != {"at", "noted"} or not isinstance(fields, dict) or set(fields) != _FIELDS:
        _refuse("it is {at, noted: {game, hand, root, size, stage}}")
    stage = fields["stage"]
    if not isinstance(stage, str) or stage not in {known.value for known in Stage}:
        _refuse(f"stage is one of {', '.join(Stage)}")
    noted = Noted(
        at=_integer(value["at"], "at"),
        game=_octets(fields["game"], "game"),
        hand=_integer(fields["hand"], "hand"),
        stage=Stage(stage),
        size=_integer(fields["size"], "size"),
        root=_octets(fields["root"], "root"),
    )
    _require_sound(noted)
    return noted


def _require_sound(noted: Noted) -> None:
    if len(noted.game) != GAME_BYTES:
        _refuse(f"game is {GAME_BYTES} bytes")
    if len(noted.root) != HASH_BYTES:
        _refuse(f"root is {HASH_BYTES} bytes")
    if not 0 <= noted.at <= MAX_INTEGER:
        _refuse("at is from 0 to 2^53 - 1")
    if not 1 <= noted.size <= MAX_INTEGER:
        _refuse("size is from 1 to 2^53 - 1")
    if noted.stage in OF_A_HAND:
        if not 1 <= noted.hand <= MAX_INTEGER:
            _refuse(f"hand is 1 or more with {noted.stage}")
    elif noted.hand != 0:
        _refuse(f"hand is 0 with {noted.stage}")


def _integer(value: Value, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        _refuse(f"{name} is an integer")
    return value


def _octets(value: Value, name: str) -> bytes:
    if not isinstance(value, str) or len(value) % 2 or _HEX.fullmatch(value) is None:
        _refuse(f"{name} is lower-case hex")
    return bytes.fromhex(value)


def _refuse(why: str) -> NoReturn:
    message = f"not a line of a dealer's log: {why}"
    raise TranscriptError(Reason.NOTED_MALFORMED, message)
