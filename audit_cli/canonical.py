r"""Reads canonical JSON (RFC 8785) in the protocol's narrow domain, and nothing else.

Accepted is exactly: no null, no fraction, no exponent, integers of at most 2^53 - 1 in size,
object keys once each in the order of their UTF-16 units, no space between tokens, the shortest
escapes, at most `MAX_DEPTH` levels. A transcript's line is printable ASCII besides; other lines
of a game file are UTF-8 without needless escapes. A line has at most `MAX_LINE` bytes.

There are two readers of one language. The fast one lets the C parser read, writes the value
again, and compares: equal bytes are canonical by definition, less the few things that survive a
round trip (null, large integers, fractions, control characters, depth), which it looks for. In
any doubt the strict one decides, character by character, and names the first offence.
"""

from __future__ import annotations

import json
import re
from typing import NoReturn

from audit_cli.problem import Problem

MAX_LINE = 65_535
MAX_DEPTH = 64
MAX_INTEGER = 2**53 - 1

_SHORT_ESCAPES = {"\b": "b", "\t": "t", "\n": "n", "\f": "f", "\r": "r", '"': '"', "\\": "\\"}
_UNESCAPED = {letter: char for char, letter in _SHORT_ESCAPES.items()}
_NUMBER = re.compile(r"-?[0-9]+")
_HEX4 = re.compile(r"[0-9a-fA-F]{4}")
_HIGH = re.compile("[\ud800-\U0010ffff]")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]+')
# Digits of which int() and the comparison stay cheap; 2^53 - 1 has 16.
_SAFE_DIGITS = 15


class _NotCanonicalError(Exception):
    """Carries a problem out of the strict reader's recursion; never leaves this module."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.reason)
        self.problem = problem


def _doubt(_: str) -> NoReturn:
    raise ValueError


def _small_int(digits: str) -> int:
    if len(digits) > _SAFE_DIGITS:
        raise ValueError
    return int(digits)


_parse = json.JSONDecoder(
    parse_int=_small_int, parse_float=_doubt, parse_constant=_doubt
).raw_decode
_write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


def read_transcript_line(raw: bytes) -> object | Problem:
    """Return the value of a transcript line (without its LF), or what is wrong with it.

    Protocol 6, "Lines": canonical, printable ASCII, at most 65,535 bytes.
    """
    if len(raw) > MAX_LINE:
        return _too_long(len(raw))
    if not raw.isascii():
        at = next(i for i, byte in enumerate(raw) if byte > 0x7E)
        return Problem("a character outside ASCII", "text in a transcript is printable ASCII", at)
    text = raw.decode("ascii")
    if (
        "\\" not in text
        and "null" not in text
        and "\x7f" not in text
        and text.count("{") + text.count("[") <= MAX_DEPTH
    ):
        value = _read_plainly(text)
        if value is not None:
            return value
    return _read_strictly(text, ascii_only=True)


def _read_plainly(text: str) -> object | None:
    """Return the value of a text that is its own canonical form; None where it is not."""
    try:
        value: object = _parse(text)[0]
        return value if _write(value) == text else None
    except (ValueError, RecursionError):
        return None


def read_file_line(raw: bytes) -> object | Problem:
    """Return the value of one line of a game file that is not an entry, or what is wrong with it.

    Protocol 6, "A game file": canonical JSON in UTF-8, in which a note's dash is not escaped.
    """
    if len(raw) > MAX_LINE:
        return _too_long(len(raw))
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return Problem("not UTF-8", "", error.start)
    if (
        "null" not in text
        and text.count("{") + text.count("[") <= MAX_DEPTH
        # Beyond U+D7FF the order of code points is no longer that of UTF-16 units.
        and _HIGH.search(text) is None
    ):
        value = _read_plainly(text)
        if value is not None:
            return value
    return _read_strictly(text, ascii_only=False)


def write(value: object) -> str:
    """Return the canonical text of a value of the narrow domain (keys in ASCII)."""
    return _write(value)


def _too_long(length: int) -> Problem:
    return Problem(f"a line of {length} bytes", f"a line has at most {MAX_LINE:,} bytes", MAX_LINE)


def _read_strictly(text: str, *, ascii_only: bool) -> object | Problem:
    reader = _StrictReader(text, ascii_only=ascii_only)
    try:
        return reader.read()
    except _NotCanonicalError as found:
        problem = found.problem
        if problem.byte is None or text.isascii():
            return problem
        byte = len(text[: problem.byte].encode("utf-8"))
        return Problem(problem.reason, problem.hint, byte)


def _fail(at: int, reason: str, hint: str = "") -> NoReturn:
    raise _NotCanonicalError(Problem(reason, hint, at))


class _StrictReader:
    """Recursive descent over the grammar in the module's docstring; stops at the first offence."""

    __slots__ = ("_ascii_only", "_at", "_text")

    def __init__(self, text: str, *, ascii_only: bool) -> None:
        self._text = text
        self._at = 0
        self._ascii_only = ascii_only

    def read(self) -> object:
        value = self._value(0)
        if self._at != len(self._text):
            self._unexpected("the end of the line")
        return value

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _unexpected(self, wanted: str) -> NoReturn:
        char = self._peek()
        if not char:
            _fail(self._at, f"the line ends where {wanted} should be")
        if char in " \t\r":
            _fail(self._at, "a space between tokens", "canonical JSON has none; lines end with LF")
        _fail(self._at, f"{char!a} where {wanted} should be")

    def _value(self, depth: int) -> object:
        char = self._peek()
        if char == "{":
            return self._object(depth + 1)
        if char == "[":
            return self._list(depth + 1)
        if char == '"':
            return self._string()
        if char == "-" or (char and char in "0123456789"):
            return self._integer()
        for word, value in (("true", True), ("false", False)):
            if self._text.startswith(word, self._at):
                self._at += len(word)
                return value
        if self._text.startswith("null", self._at):
            _fail(self._at, "a null", "a field without a value is left out")
        return self._unexpected("a value")

    def _enter(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            _fail(self._at, f"nesting deeper than {MAX_DEPTH} levels")
        self._at += 1

    def _object(self, depth: int) -> dict[str, object]:
        self._enter(depth)
        fields: dict[str, object] = {}
        last: bytes | None = None
        if self._peek() == "}":
            self._at += 1
            return fields
        while True:
            start = self._at
            if self._peek() != '"':
                self._unexpected("a key")
            key = self._string()
            order = key.encode("utf-16-be", "surrogatepass")
            if key in fields:
                _fail(start, f"the key {key!a} twice")
            if last is not None and order < last:
                _fail(start, f"the key {key!a} out of order", "keys stand in ascending order")
            last = order
            if self._peek() != ":":
                self._unexpected("a colon")
            self._at += 1
            fields[key] = self._value(depth)
            if self._closes("}"):
                return fields

    def _list(self, depth: int) -> list[object]:
        self._enter(depth)
        items: list[object] = []
        if self._peek() == "]":
            self._at += 1
            return items
        while True:
            items.append(self._value(depth))
            if self._closes("]"):
                return items

    def _closes(self, bracket: str) -> bool:
        char = self._peek()
        if char not in (bracket, ",") or not char:
            self._unexpected(f"a comma or {bracket!a}")
        self._at += 1
        return char == bracket

    def _integer(self) -> int:
        start = self._at
        found = _NUMBER.match(self._text, start)
        if found is None:
            _fail(start, "a minus without digits")
        digits = found.group()
        self._at = found.end()
        if self._peek() in (".", "e", "E") and self._peek():
            _fail(start, "a number that is not an integer", "write whole numbers without . or e")
        if digits == "-0" or (digits.lstrip("-").startswith("0") and digits != "0"):
            _fail(start, "a number with a needless zero or sign")
        if len(digits) > _SAFE_DIGITS + 2 or abs(int(digits)) > MAX_INTEGER:
            _fail(start, "a number of 2^53 or more", "integers stay below 2^53")
        return int(digits)

    def _string(self) -> str:
        start = self._at
        self._at += 1
        parts: list[str] = []
        while True:
            plain = _PLAIN.match(self._text, self._at)
            if plain is not None:
                parts.append(plain.group())
                self._check_text(plain.group(), self._at)
                self._at = plain.end()
            char = self._peek()
            if char == '"':
                self._at += 1
                return "".join(parts)
            if char == "\\":
                parts.append(self._escape())
            elif char:
                _fail(self._at, f"the control character {char!a}", "escape it, or leave it out")
            else:
                _fail(start, "text without its closing quote")

    def _check_text(self, text: str, at: int) -> None:
        if self._ascii_only and "\x7f" in text:
            where = at + text.index("\x7f")
            _fail(where, "the control character '\\x7f'", "text is printable ASCII")

    def _escape(self) -> str:
        start = self._at
        letter = self._text[start + 1 : start + 2]
        self._at = start + 2
        if letter == "u":
            return self._unicode_escape(start)
        char = _UNESCAPED.get(letter)
        if not letter or char is None:
            _fail(start, "an escape that canonical JSON does not use")
        if self._ascii_only and char not in '"\\':
            _fail(start, f"the control character {char!a}", "text is printable ASCII")
        return char

    def _unicode_escape(self, start: int) -> str:
        digits = _HEX4.match(self._text, self._at)
        if digits is None:
            _fail(start, "\\u without four hex digits")
        self._at += 4
        char = chr(int(digits.group(), 16))
        needed = char < " " and char not in _SHORT_ESCAPES
        if not needed:
            _fail(start, f"a needless escape {self._text[start : start + 6]!a}", "write it plain")
        if digits.group() != digits.group().lower():
            _fail(start, "an escape in upper case", "hex digits are lower-case")
        if self._ascii_only:
            _fail(start, f"the control character {char!a}", "text is printable ASCII")
        return char
