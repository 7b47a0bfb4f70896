"""Canonical JSON lines: RFC 8785 for objects, arrays, strings, booleans and integers.

One value has one line and one line has one value: `encode` writes it, and `decode` refuses every
line that `encode` would not have written. There is no null and no float, integers are 0
to 2^53 - 1, keys are printable ASCII, a line has at most 65,535 bytes and nests at most 32 deep.

Within that domain the standard library's encoder with sorted keys, no spaces and no ASCII
escaping writes RFC 8785: keys of ASCII sort alike by code point and by UTF-16 unit, integers
below 2^53 print alike, and both escape only the quote, the backslash and the characters below
U+0020, the same way (RFC 8785 3.2.2.2).

Lines of a transcript hold printable ASCII alone (`Text.ASCII`); the other lines of a game file
may hold any text, such as a signed note with its dash and its newlines (`Text.UNICODE`).
"""

import json
import re
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import Final, NoReturn, TypeAlias, cast

from dealer_service.transcript.refusal import Reason, TranscriptError

MAX_LINE_BYTES: Final = 65_535
MAX_DEPTH: Final = 32
MAX_INTEGER: Final = 2**53 - 1

Value: TypeAlias = "bool | int | str | list[Value] | dict[str, Value]"
Encodable: TypeAlias = "bool | int | str | Sequence[Encodable] | Mapping[str, Encodable]"

_PRINTABLE = re.compile(r"[ -~]*")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_BRACES_TO_BRACKETS = bytes.maketrans(b"{}", b"[]")
_ALL_BUT_BRACKETS = bytes(set(range(256)) - set(b"{}[]"))


class Text(Enum):
    """Which characters the strings of a line may have."""

    ASCII = auto()
    UNICODE = auto()


def encode(value: Mapping[str, Encodable], text: Text = Text.ASCII) -> bytes:
    """Write an object as its canonical line, without a newline.

    Objects are dicts, arrays are lists or tuples. TranscriptError VALUE_NOT_ALLOWED, with the
    path to what is not allowed (never its content), LINE_TOO_DEEP or LINE_TOO_LONG.
    """
    _require_object(value, Reason.VALUE_NOT_ALLOWED)
    _require_allowed(value, text, (), Reason.VALUE_NOT_ALLOWED)
    line = _ENCODER.encode(value).encode("utf-8")
    _require_short(line)
    return line


def decode(line: bytes, text: Text = Text.ASCII) -> dict[str, Value]:
    """Read a line, without its newline, that is byte for byte its own canonical form.

    TranscriptError LINE_TOO_LONG, LINE_TOO_DEEP, LINE_NOT_JSON or LINE_NOT_CANONICAL.
    """
    _require_short(line)
    _require_shallow(line)
    try:
        value: object = _DECODER.decode(line.decode("utf-8"))
        again = _ENCODER.encode(value).encode("utf-8")
    except UnicodeError as error:
        message = f"the line is not UTF-8 text: {error}"
        raise TranscriptError(Reason.LINE_NOT_JSON, message) from None
    except json.JSONDecodeError as error:
        message = f"the line is not JSON: {error.msg} at character {error.pos}"
        raise TranscriptError(Reason.LINE_NOT_JSON, message) from None
    if again != line:
        raise TranscriptError(Reason.LINE_NOT_CANONICAL, _difference(line, again))
    _require_object(value, Reason.LINE_NOT_CANONICAL)
    if text is not Text.ASCII or not _plainly_allowed(line):
        _require_allowed(value, text, (), Reason.LINE_NOT_CANONICAL)
    return cast("dict[str, Value]", value)


def _plainly_allowed(line: bytes) -> bool:
    """Say whether a line that is its own encoding can hold no null and only printable ASCII."""
    special = b"\\" in line or b"\x7f" in line or b"null" in line
    return line.isascii() and not special


def _require_allowed(value: object, text: Text, path: tuple[str, ...], reason: Reason) -> None:
    if isinstance(value, str):
        _require_text(value, text, path, reason)
    elif isinstance(value, int):
        if not 0 <= value <= MAX_INTEGER:
            _refuse(reason, path, "an integer below 0 or of 2^53 or more")
    elif isinstance(value, dict):
        _require_depth(path)
        for key, member in value.items():
            if not isinstance(key, str) or _PRINTABLE.fullmatch(key) is None:
                _refuse(reason, path, "a key that is not printable ASCII")
            _require_allowed(member, text, (*path, key), reason)
    elif isinstance(value, list | tuple):
        _require_depth(path)
        for index, member in enumerate(value):
            _require_allowed(member, text, (*path, str(index)), reason)
    else:
        _refuse(reason, path, _kind(value))


def _require_text(value: str, text: Text, path: tuple[str, ...], reason: Reason) -> None:
    if _PRINTABLE.fullmatch(value) is not None:
        return
    if text is Text.ASCII:
        _refuse(reason, path, "text that is not printable ASCII")
    if any("\ud800" <= character <= "\udfff" for character in value):
        _refuse(reason, path, "half of a surrogate pair, which is no text")


def _require_object(value: object, reason: Reason) -> None:
    if not isinstance(value, dict):
        message = f"a line is an object, not {_kind(value)}"
        raise TranscriptError(reason, message)


def _require_short(line: bytes) -> None:
    if len(line) > MAX_LINE_BYTES:
        message = f"the line has {len(line)} bytes and may have at most {MAX_LINE_BYTES}"
        raise TranscriptError(Reason.LINE_TOO_LONG, message)


def _require_depth(path: tuple[str, ...]) -> None:
    if len(path) >= MAX_DEPTH:
        _refuse_depth()


def _require_shallow(line: bytes) -> None:
    """Refuse a line nested too deep before any recursive reader sees it.

    Each pass removes the innermost pairs of brackets; only brackets inside strings, or a line
    that is no JSON, leave any over after that many passes, and are then counted exactly.
    """
    brackets = line.translate(_BRACES_TO_BRACKETS, _ALL_BUT_BRACKETS)
    for _ in range(MAX_DEPTH):
        brackets = brackets.replace(b"[]", b"")
        if not brackets:
            return
    depth = 0
    bare = _STRING.sub(b"", line)
    for bracket in bare.translate(_BRACES_TO_BRACKETS, _ALL_BUT_BRACKETS):
        depth += 1 if bracket == ord("[") else -1
        if depth > MAX_DEPTH:
            _refuse_depth()


def _refuse_depth() -> NoReturn:
    message = f"the line nests deeper than {MAX_DEPTH} levels"
    raise TranscriptError(Reason.LINE_TOO_DEEP, message)


def _refuse(reason: Reason, path: tuple[str, ...], what: str) -> NoReturn:
    message = f"{'.'.join(path) or 'the line'} holds {what}"
    raise TranscriptError(reason, message)


def _kind(value: object) -> str:
    names = {type(None): "null", float: "a float", str: "a string", bool: "a boolean"}
    names |= {int: "an integer", list: "an array", tuple: "an array"}
    return names.get(type(value), f"a value of type {type(value).__name__}")


def _difference(line: bytes, canonical: bytes) -> str:
    if twice := _key_twice(line):
        return f"the key {twice[:64]!r} stands twice in one object"
    pairs = zip(line, canonical, strict=False)
    shorter = min(len(line), len(canonical))
    at = next((i for i, (here, there) in enumerate(pairs) if here != there), shorter)
    here, there = line[at : at + 12], canonical[at : at + 12]
    return f"at byte {at} the line has {here!r} and its canonical form {there!r}"


def _key_twice(line: bytes) -> str | None:
    twice: list[str] = []

    def note_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
        members = dict(pairs)
        if len(members) < len(pairs):
            keys = [key for key, _ in pairs]
            twice.extend(key for key in members if keys.count(key) > 1)
        return members

    json.JSONDecoder(object_pairs_hook=note_repeats).decode(line.decode("utf-8"))
    return twice[0] if twice else None


def _read_integer(digits: str) -> int:
    if len(digits) > len("9007199254740991") or not 0 <= (number := int(digits)) <= MAX_INTEGER:
        message = f"the line holds {digits[:24]}, and integers are 0 to 2^53 - 1"
        raise TranscriptError(Reason.LINE_NOT_CANONICAL, message)
    return number


def _refuse_number(token: str) -> NoReturn:
    message = f"the line holds {token[:24]}, and numbers are integers in plain digits"
    raise TranscriptError(Reason.LINE_NOT_CANONICAL, message)


_ENCODER: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
)
_DECODER: Final = json.JSONDecoder(
    parse_int=_read_integer, parse_float=_refuse_number, parse_constant=_refuse_number
)
