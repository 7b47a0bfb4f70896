"""Between entries and the lines of a transcript: one entry, one line, both ways (section 5, 6).

`encode` writes the canonical JSON of RFC 8785 and `decode` reads nothing else: a line has exactly
the fields of its kind, each of its own type and range, and is byte for byte what `encode` would
write. Every act is written once and read rarely, so that both run on plans made once at import
from the dataclasses of `rules.entry`: one template with a writer for each field.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum, unique
from itertools import pairwise
from operator import attrgetter
from types import UnionType
from typing import Any, Final, NamedTuple, TypeAlias, get_args, get_origin, get_type_hints

from dealer_service.rules.entry import (
    KINDS,
    Anchored,
    BlindsChopped,
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
from dealer_service.transcript import canonical
from dealer_service.transcript.canonical import MAX_INTEGER, MAX_LINE_BYTES
from dealer_service.transcript.refusal import TranscriptError

Write: TypeAlias = Callable[[Any], str]
Read: TypeAlias = Callable[[Any], Any]


@unique
class LineReason(StrEnum):
    """Why an entry has no line, or a line is none."""

    NOT_CANONICAL = "LINE_NOT_CANONICAL"
    NO_ENTRY = "LINE_NO_ENTRY"
    UNKNOWN_KIND = "LINE_UNKNOWN_KIND"
    BAD_FIELD = "LINE_BAD_FIELD"
    TOO_LONG = "LINE_TOO_LONG"


class LineError(ValueError):
    """Not a line of this format; the text names the place and what belongs there, no content."""

    def __init__(self, reason: LineReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class _Plan(NamedTuple):
    """How values of one type are written as JSON text and read from parsed JSON."""

    write: Write
    read: Read


class _FieldError(Exception):
    """What is wrong with a value, and the path to it, growing on the way out."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path: list[str] = []


def encode(at: int, entry: Entry) -> bytes:
    """Write the line of `entry` at the time `at`, without a newline.

    LineError BAD_FIELD for a value that section 6 does not allow, TOO_LONG above 65,535 bytes.
    """
    kind = type(entry)
    try:
        prefix, infix, suffix = _FRAMES[kind]
        first, last = (_time(at), _PLANS[kind].write(entry))
    except KeyError:
        message = f"{kind.__name__} is no kind of entry"
        raise LineError(LineReason.UNKNOWN_KIND, message) from None
    except _FieldError as error:
        raise _refusal(_NAMES[kind], error) from None
    if kind in _KIND_FIRST:
        first, last = last, first
    line = f"{prefix}{first}{infix}{last}{suffix}".encode("ascii")
    if len(line) > MAX_LINE_BYTES:
        message = f"the line has {len(line)} bytes and may have at most {MAX_LINE_BYTES}"
        raise LineError(LineReason.TOO_LONG, message)
    return line


def decode(line: bytes) -> tuple[int, Entry]:
    """Read a line, without its newline: its time and its entry; LineError otherwise."""
    try:
        value = _DECODER.decode(line.decode("ascii"))
    except (ValueError, RecursionError):
        raise _canonical_refusal(line) from None
    if type(value) is not dict or len(value) != 2 or "at" not in value:
        raise _canonical_refusal(line)
    first, second = value
    kind = first if second == "at" else second
    plan = _READERS.get(kind)
    if plan is None:
        message = f"{kind[:40]!r} is no kind of entry"
        raise LineError(LineReason.UNKNOWN_KIND, message)
    at = value["at"]
    try:
        _time(at)
        entry: Entry = plan(value[kind])
    except _FieldError as error:
        raise _refusal(kind, error) from None
    if encode(at, entry) != line:
        raise _canonical_refusal(line)
    return at, entry


def _refusal(kind: str, error: _FieldError) -> LineError:
    place = ".".join([kind, *reversed(error.path)])
    return LineError(LineReason.BAD_FIELD, f"{place} {error.problem}")


def _canonical_refusal(line: bytes) -> LineError:
    """Say what keeps a line from being canonical; the canonical reader knows best."""
    try:
        canonical.decode(line)
    except TranscriptError as error:
        return LineError(LineReason.NOT_CANONICAL, str(error))
    message = 'an entry is an object with exactly two keys, "at" and its kind'
    return LineError(LineReason.NO_ENTRY, message)


def _integer(low: int, high: int = MAX_INTEGER) -> _Plan:
    problem = f"is no integer from {low} to {high}"

    def write(value: object) -> str:
        # A bool is an int to isinstance, and is none here.
        if type(value) is int and low <= value <= high:
            return str(value)
        raise _FieldError(problem)

    def read(value: object) -> object:
        if type(value) is int and low <= value <= high:
            return value
        raise _FieldError(problem)

    return _Plan(write, read)


def _text(pattern: str, what: str) -> _Plan:
    matches = re.compile(pattern).fullmatch
    problem = f"is not {what}"

    def write(value: object) -> str:
        if isinstance(value, str) and matches(value):
            return f'"{value}"'
        raise _FieldError(problem)

    def read(value: object) -> object:
        if type(value) is str and matches(value):
            return value
        raise _FieldError(problem)

    return _Plan(write, read)


def _choice(words: dict[str, Any]) -> _Plan:
    """One of a closed set of words, each with the value that stands for it."""
    quoted = {value: f'"{word}"' for word, value in words.items()}
    problem = f"is none of {', '.join(words)}"

    def write(value: object) -> str:
        try:
            return quoted[value]
        except (KeyError, TypeError):
            raise _FieldError(problem) from None

    def read(value: object) -> object:
        try:
            return words[value]  # type: ignore[index] # what is no word is no key
        except (KeyError, TypeError):
            raise _FieldError(problem) from None

    return _Plan(write, read)


def _words(*words: str) -> _Plan:
    return _choice({word: word for word in words})


def _boolean() -> _Plan:
    problem = "is neither true nor false"

    def write(value: object) -> str:
        if type(value) is bool:
            return "true" if value else "false"
        raise _FieldError(problem)

    def read(value: object) -> object:
        if type(value) is bool:
            return value
        raise _FieldError(problem)

    return _Plan(write, read)


def _true() -> _Plan:
    """Plan what is true where it stands, and else left out."""
    problem = "is not true, and else it is left out"

    def write(value: object) -> str:
        if value is True:
            return "true"
        raise _FieldError(problem)

    def read(value: object) -> object:
        if value is True:
            return value
        raise _FieldError(problem)

    return _Plan(write, read)


def _list(item: _Plan) -> _Plan:
    write_item, read_item = item
    problem = "is no list"

    def write(values: object) -> str:
        if type(values) is not tuple:
            raise _FieldError(problem)
        parts: list[str] = []
        try:
            for value in values:
                parts.append(write_item(value))  # noqa: PERF401 - its length tells which failed
        except _FieldError as error:
            error.path.append(str(len(parts)))
            raise
        return f"[{','.join(parts)}]"

    def read(values: object) -> object:
        if type(values) is not list:
            raise _FieldError(problem)
        parts: list[object] = []
        try:
            for value in values:
                parts.append(read_item(value))  # noqa: PERF401 - as above
        except _FieldError as error:
            error.path.append(str(len(parts)))
            raise
        return tuple(parts)

    return _Plan(write, read)


def _object(kind: type, members: Mapping[str, _Plan], optional: frozenset[str]) -> _Plan:
    """Plan an object with all its fields, the optional ones where they have a value."""
    rule = _RULES.get(kind)
    names = sorted(members)
    write = _write_some(names, members, optional) if optional else _write_all(names, members)
    read = _read(kind, members, optional)
    problem = f"is no {kind.__name__}"

    def write_checked(value: object) -> str:
        if type(value) is not kind:
            raise _FieldError(problem)
        if rule is not None:
            _require(rule(value))
        return write(value)

    def read_checked(value: object) -> object:
        made = read(value)
        if rule is not None:
            _require(rule(made))
        return made

    return _Plan(write_checked, read if rule is None else read_checked)


def _write_all(names: Sequence[str], members: Mapping[str, _Plan]) -> Write:
    """Fill one template: every field is there."""
    if not names:
        return lambda _: "{}"
    template = "{" + ",".join(f'"{name}":%s' for name in names) + "}"
    writers = tuple(members[name].write for name in names)
    # With one name attrgetter gives the value itself, with more a tuple.
    values = attrgetter(*names) if len(names) > 1 else _single(attrgetter(names[0]))

    def write(value: object) -> str:
        parts: list[str] = []
        try:
            for one, part in zip(writers, values(value), strict=True):
                parts.append(one(part))
        except _FieldError as error:
            error.path.append(names[len(parts)])
            raise
        return template % tuple(parts)

    return write


def _single(get: Callable[[object], object]) -> Callable[[object], tuple[object]]:
    return lambda value: (get(value),)


def _write_some(
    names: Sequence[str], members: Mapping[str, _Plan], optional: frozenset[str]
) -> Write:
    """Join the fields that are there."""
    steps = tuple(
        (name, attrgetter(name), f'"{name}":', members[name].write, name in optional)
        for name in names
    )

    def write(value: object) -> str:
        parts = []
        for name, get, key, one, may_lack in steps:
            part = get(value)
            if part is None and may_lack:
                continue
            try:
                parts.append(key + one(part))
            except _FieldError as error:
                error.path.append(name)
                raise
        return "{" + ",".join(parts) + "}"

    return write


def _read(kind: type, members: Mapping[str, _Plan], optional: frozenset[str]) -> Read:
    """Read an object with exactly its fields, the optional ones or not."""
    steps = tuple((field.name, members[field.name].read) for field in fields(kind))
    every = frozenset(members)
    required = every - optional
    problem = "is no object"

    def read(value: object) -> object:
        if type(value) is not dict:
            raise _FieldError(problem)
        keys = value.keys()
        if keys != every and not required <= keys <= every:
            raise _FieldError(_wrong_fields(keys, required, every))
        parts: list[object] = []
        try:
            for name, one in steps:
                parts.append(one(value[name]) if name in value else None)
        except _FieldError as error:
            error.path.append(name)
            raise
        return kind(*parts)

    return read


def _wrong_fields(keys: AbstractSet[str], required: frozenset[str], every: frozenset[str]) -> str:
    if lacking := required - keys:
        return f"has no field {min(lacking)}"
    return f"has the unknown field {min(keys - every)[:40]!r}"


def _require(problem: str | None) -> None:
    if problem is not None:
        raise _FieldError(problem)


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


_RULES: Final[dict[type, Callable[[Any], str | None]]] = {
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


def _hex(count: int) -> _Plan:
    return _text(f"[0-9a-f]{{{2 * count}}}", f"{count} bytes in lower-case hex")


_SEAT: Final = _integer(1, 10)
_CHIPS: Final = _integer(0)
_COUNT: Final = _integer(1)
_BYTES16: Final = _hex(16)
_BYTES32: Final = _hex(32)

_BY_NAME: Final[dict[str, _Plan]] = {
    # numbers
    "amount": _CHIPS,
    "at": _CHIPS,
    "bank_ms": _CHIPS,
    "big_bet": _COUNT,
    "big_blind": _COUNT,
    "big_blind_seat": _SEAT,
    "board": _integer(1, 2),
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
    "hole_cards": _integer(4, 6),
    "last_big_blind_seat": _SEAT,
    "last_small_blind_seat": _SEAT,
    "level": _integer(1, 100),
    "link_ms": _CHIPS,
    "live": _CHIPS,
    "max_hands": _COUNT,
    "max_ms": _CHIPS,
    "missing_hand": _COUNT,
    "pause_ms": _CHIPS,
    "per_hand_ms": _CHIPS,
    "per_ten_thousand": _integer(0, 10_000),
    "players": _integer(2, 10),
    "position": _integer(0, 51),
    "pot": _integer(0, 9),
    "rake": _CHIPS,
    "return_ms": _CHIPS,
    "round": _COUNT,
    "runs": _integer(2, 2),
    "seat": _SEAT,
    "seats": _integer(2, 10),
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
    "watch_delay_ms": _integer(1_000, 3_600_000),
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
    "salt": _hex(16),
    "secret": _BYTES32,
    "signature": _hex(48),
    "tournament": _BYTES16,
    # names
    "best_five": _text("[2-9TJQKA][cdhs]", "a card"),
    "card": _text("[2-9TJQKA][cdhs]", "a card"),
    "name": _text("[A-Za-z, ]{1,64}", "the name of a hand"),
    "origin": _text(
        r"(?!.*/games/)[a-z0-9./-]{1,128}", "1 to 128 of a-z 0-9 . / -, without /games/"
    ),
    "player": _text("[A-Za-z0-9._-]{1,64}", "1 to 64 of A-Z a-z 0-9 . _ -"),
    # words
    "absent": _words("sit_out", "dealt_in"),
    "all_in": _words("face_up"),
    "chop": _words("blinds"),
    "policy": _words("all_cards"),
    "suite": _words("cutcard/v1"),
}
"""The type of a field by its name; names mean the same everywhere."""

_EXCEPTIONS: Final[dict[tuple[type, str], _Plan]] = {
    # A game that had no hand before it went on has no last button.
    (Previous, "button"): _integer(0, 10),
    (SeatState, "house"): _true(),
    (SeatState, "waits"): _true(),
    (SeatTaken, "house"): _true(),
    # Seats themselves, and not how many a table has.
    (BlindsChopped, "seats"): _SEAT,
    (RunsAgreed, "seats"): _SEAT,
}


def _plan(owner: type, name: str, hint: object) -> _Plan:
    if get_origin(hint) is UnionType:
        (hint,) = [part for part in get_args(hint) if part is not type(None)]
    if get_origin(hint) is tuple:
        return _list(_plan(owner, name, get_args(hint)[0]))
    if is_dataclass(hint) and isinstance(hint, type):
        return _plan_of(hint)
    if hint is bool:
        return _EXCEPTIONS.get((owner, name)) or _boolean()
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _choice({word.value: word for word in hint})
    return _EXCEPTIONS.get((owner, name)) or _BY_NAME[name]


def _plan_of(kind: type) -> _Plan:
    hints = get_type_hints(kind)
    members = {field.name: _plan(kind, field.name, hints[field.name]) for field in fields(kind)}
    # Only optional fields have a default, and it is None.
    optional = frozenset(field.name for field in fields(kind) if field.default is not MISSING)
    return _object(kind, members, optional)


def _frame(kind: str) -> tuple[str, str, str]:
    if kind < "at":
        return f'{{"{kind}":', ',"at":', "}"
    return '{"at":', f',"{kind}":', "}"


def read_time(line: bytes) -> int:
    """Read the time of a line that the dealer wrote, and nothing else of it."""
    found = _TIME.match(line) or _TIME_LAST.search(line)
    if found is None:
        message = "the line has no time"
        raise LineError(LineReason.NO_ENTRY, message)
    return int(found[1])


_TIME: Final = re.compile(rb'\{"at":([0-9]+),')
_TIME_LAST: Final = re.compile(rb'\},"at":([0-9]+)\}\Z')
_DECODER: Final = json.JSONDecoder()
_NAMES: Final = {kind: name for name, kind in KINDS.items()}
_PLANS: Final[dict[type, _Plan]] = {kind: _plan_of(kind) for kind in KINDS.values()}
_READERS: Final = {name: _PLANS[kind].read for name, kind in KINDS.items()}
_FRAMES: Final = {kind: _frame(name) for kind, name in _NAMES.items()}
_KIND_FIRST: Final = frozenset(kind for kind, name in _NAMES.items() if name < "at")
_time: Final = _integer(0).write
