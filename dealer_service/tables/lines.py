"""Between entries and the lines of a transcript: one entry, one line, both ways (section 5, 6).

`encode` writes the line of an entry and `decode` reads it, as `tables.plans` says.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from dealer_service.rules.entry import (
    KINDS,
    Anchored,
    BlindsChopped,
    CarriedSeat,
    Choice,
    DealtPosition,
    Entry,
    HandOpened,
    Opened,
    Owed,
    Preferred,
    Previous,
    RunsAgreed,
    SeatState,
    SeatTaken,
    Winner,
)
from dealer_service.tables.plans import (
    Format,
    LineError,
    LineReason,
    Lines,
    Plan,
    Rule,
    hex_of,
    integer,
    make_lines,
    read_time,
    text,
    true,
    words,
)

__all__ = ["FIELDS", "LineError", "LineReason", "decode", "encode", "read_time"]


def _anchored_rule(value: Anchored) -> str | None:
    if (value.missing_hand is None) == (value.missing_link is None):
        return None
    return "has one of missing_hand and missing_link without the other"


def _dealt_rule(value: DealtPosition) -> str | None:
    to_seat, to_board = value.to == "seat", value.to == "board"
    if (value.seat is not None) == to_seat and (value.board is not None) == to_board:
        return None
    return "has a seat or a board that does not go with its destination"


def _opened_rule(value: Opened) -> str | None:
    if (value.seat is None) != (value.board is None):
        return None
    return "needs exactly one of seat and board"


def _winner_rule(value: Winner) -> str | None:
    if (value.name is None) != (value.best_five is None):
        return "has one of name and best_five without the other"
    if value.best_five is not None and len(value.best_five) != 5:
        return "has a best_five of other than five cards"
    return None


def _hand_opened_rule(value: HandOpened) -> str | None:
    if value.small_blind_seat is not None and value.dead_small_blind_seat is not None:
        return "has both a small blind and a dead one"
    if (value.last_small_blind_seat is None) != (value.last_big_blind_seat is None):
        return "has one of last_small_blind_seat and last_big_blind_seat without the other"
    return None


def _owed_rule(value: Owed) -> str | None:
    return None if value.live or value.dead else "is left out where nothing is owed"


def _preferred_rule(value: Preferred) -> str | None:
    return _rising_rule(value.choices)


def _seat_state_rule(value: SeatState) -> str | None:
    if value.choices is not None:
        return _rising_rule(value.choices) if value.choices else "has choices that are none"
    return None


def _rising_rule(choices: tuple[Choice, ...]) -> str | None:
    if all(one < other for one, other in pairwise(choices)):
        return None
    return "has choices that do not rise"


RULES: Final[Mapping[type, Rule]] = {
    Anchored: _anchored_rule,
    DealtPosition: _dealt_rule,
    HandOpened: _hand_opened_rule,
    Opened: _opened_rule,
    Owed: _owed_rule,
    Preferred: _preferred_rule,
    SeatState: _seat_state_rule,
    Winner: _winner_rule,
}
"""What fields of one object have to do with each other."""


_SEAT: Final = integer(1, 10)
_CHIPS: Final = integer(0)
_COUNT: Final = integer(1)
_BYTES16: Final = hex_of(16)
_BYTES32: Final = hex_of(32)

FIELDS: Final[Mapping[str, Plan]] = {
    # numbers
    "amount": _CHIPS,
    "at": _CHIPS,
    "bank_ms": _CHIPS,
    "big_bet": _COUNT,
    "big_blind": _COUNT,
    "big_blind_seat": _SEAT,
    "board": integer(1, 2),
    "button": _SEAT,
    "buy_in_max": _CHIPS,
    "buy_in_min": _CHIPS,
    "cap": _CHIPS,
    "chip_unit": _COUNT,
    "dead": _CHIPS,
    "dead_small_blind_seat": _SEAT,
    "disconnect_ms": _CHIPS,
    "hand": _COUNT,
    "hands": _COUNT,
    "hole_cards": integer(4, 6),
    "last_big_blind_seat": _SEAT,
    "last_small_blind_seat": _SEAT,
    "level": integer(1, 100),
    "link_ms": _CHIPS,
    "live": _CHIPS,
    "max_hands": _COUNT,
    "max_ms": _CHIPS,
    "missing_hand": _COUNT,
    "pause_ms": _CHIPS,
    "per_hand_ms": _CHIPS,
    "per_ten_thousand": integer(0, 10_000),
    "players": integer(2, 10),
    "position": integer(0, 51),
    "pot": integer(0, 9),
    "rake": _CHIPS,
    "return_ms": _CHIPS,
    "round": _COUNT,
    "runs": integer(2, 2),
    "seat": _SEAT,
    "seats": integer(2, 10),
    "size": _COUNT,
    "small_bet": _COUNT,
    "small_blind": _COUNT,
    "small_blind_seat": _SEAT,
    "stack": _CHIPS,
    "start_ms": _CHIPS,
    "straddle_seat": _SEAT,
    "table": _COUNT,
    "to": _CHIPS,
    "turn": _COUNT,
    "turn_ms": _CHIPS,
    "unit": _COUNT,
    "voids": _CHIPS,
    "watch_delay_ms": integer(1_000, 3_600_000),
    "within_ms": _CHIPS,
    # bytes
    "anchor": _BYTES32,
    "chain": _BYTES32,
    "commitment": _BYTES32,
    "deck_root": _BYTES32,
    "game": _BYTES16,
    "link": _BYTES32,
    "missing_link": _BYTES32,
    "mix": _BYTES32,
    "next": _BYTES16,
    "randomness": _BYTES32,
    "root": _BYTES32,
    "salt": hex_of(16),
    "secret": _BYTES32,
    "signature": hex_of(48),
    "tournament": _BYTES16,
    # names
    "best_five": text("[2-9TJQKA][cdhs]", "a card"),
    "card": text("[2-9TJQKA][cdhs]", "a card"),
    "name": text("[A-Za-z, ]{1,64}", "the name of a hand"),
    "origin": text(
        r"(?!.*/games/)[a-z0-9./-]{1,128}", "1 to 128 of a-z 0-9 . / -, without /games/"
    ),
    "player": text("[A-Za-z0-9._-]{1,64}", "1 to 64 of A-Z a-z 0-9 . _ -"),
    # words
    "absent": words("sit_out", "dealt_in"),
    "all_in": words("face_up"),
    "chop": words("blinds"),
    "policy": words("all_cards"),
    "suite": words("cutcard/v1"),
}
"""The type of a field by its name; names mean the same everywhere."""

EXCEPTIONS: Final[Mapping[tuple[type, str], Plan]] = {
    # A game that had no hand before it went on has no last button.
    (Previous, "button"): integer(0, 10),
    (CarriedSeat, "house"): true(),
    (SeatState, "house"): true(),
    (SeatState, "waits"): true(),
    (SeatTaken, "house"): true(),
    # Seats themselves, and not how many a table has.
    (BlindsChopped, "seats"): _SEAT,
    (RunsAgreed, "seats"): _SEAT,
}

_LINES: Final[Lines[Entry]] = make_lines(Format(KINDS, FIELDS, EXCEPTIONS, RULES))
encode: Final = _LINES.encode
decode: Final = _LINES.decode
