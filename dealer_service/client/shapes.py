"""What JSON values must look like, as checks that are put together, and a line read by them.

A check looks at a value and refuses it as a breach LINE that says where. `shape` is of an object,
`list_of` of a list; what comes through can be used without asking again whether a field is there
or of which type it is.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NoReturn

from dealer_service.client.refusing import ProtocolBreach, Reason
from dealer_service.transcript.canonical import MAX_INTEGER, decode
from dealer_service.transcript.refusal import TranscriptError

Body = Mapping[str, Any]
Check = Callable[[object, str], None]
"""check(value, where): ProtocolBreach LINE where the value can not be."""

MAX_SEATS: Final = 10


@dataclass(frozen=True, slots=True)
class Entry:
    """One line read: its index in the log, its time in ms, its kind and the kind's fields."""

    index: int
    at: int
    kind: str
    body: Body


def read_entry(index: int, line: bytes, kinds: Mapping[str, Check]) -> Entry:
    """Read the line at `index`, of one of `kinds`; ProtocolBreach LINE unless it is one."""
    try:
        value = decode(line)
    except TranscriptError as error:
        fail(f"line {index}", str(error))
    named = [key for key in value if key != "at"]
    if "at" not in value or len(named) != 1:
        fail(f"line {index}", 'it has not exactly the keys "at" and a kind')
    kind = named[0]
    check = kinds.get(kind)
    if check is None:
        fail(f"line {index}", f"no entry is of the kind {kind[:40]!r}")
    AMOUNT(value["at"], f"line {index}: at")
    body = value[kind]
    check(body, f"line {index}: {kind}")
    assert isinstance(body, dict)
    at = value["at"]
    assert isinstance(at, int)
    return Entry(index, at, kind, body)


def fail(where: str, why: str) -> NoReturn:
    """Refuse a value: ProtocolBreach LINE."""
    raise ProtocolBreach(Reason.LINE, f"{where}: {why}") from None


@dataclass(frozen=True, slots=True)
class Optional:
    """A field that may be left out."""

    check: Check


def integer(low: int, high: int) -> Check:
    """Check that a value is a whole number from `low` to `high`."""

    def check(value: object, where: str) -> None:
        if type(value) is not int or not low <= value <= high:
            fail(where, f"it is not an integer from {low} to {high}")

    return check


def text(pattern: str, what: str) -> Check:
    """Check that a pattern matches the whole of a text; `what` says what it is then."""
    whole = re.compile(pattern)

    def check(value: object, where: str) -> None:
        if not isinstance(value, str) or whole.fullmatch(value) is None:
            fail(where, f"it is not {what}")

    return check


def words(*known: str) -> Check:
    """Check that a value is one of these words."""

    def check(value: object, where: str) -> None:
        if not isinstance(value, str) or value not in known:
            fail(where, f"it is none of {', '.join(known)}")

    return check


def hex_of(count: int) -> Check:
    """Check that a text is so many bytes in lower-case hex."""
    return text(f"[0-9a-f]{{{2 * count}}}", f"{count} bytes in lower-case hex")


def boolean(value: object, where: str) -> None:
    """Check a truth value."""
    if not isinstance(value, bool):
        fail(where, "it is neither true nor false")


def list_of(member: Check, *, rising: str = "", least: int = 0) -> Check:
    """Check a list's members, that it has enough of them, and that `rising` rises strictly."""

    def check(value: object, where: str) -> None:
        if not isinstance(value, list) or len(value) < least:
            fail(where, f"it is not a list of {least} or more")
        for number, each in enumerate(value):
            member(each, f"{where}[{number}]")
        keys: list[Any] = [each[rising] for each in value] if rising else []
        if any(left >= right for left, right in pairwise(keys)):
            fail(where, f"it is not in rising order of {rising}")

    return check


def numbers_rising(value: object, where: str) -> None:
    """Check a list of numbers from 1 on, not empty, rising."""
    list_of(COUNT, least=1)(value, where)
    assert isinstance(value, list)
    if any(left >= right for left, right in pairwise(value)):
        fail(where, "its numbers do not rise")


def words_rising(*known: str) -> Check:
    """Check a list of such words, each once, rising."""
    word = words(*known)

    def check(value: object, where: str) -> None:
        list_of(word)(value, where)
        assert isinstance(value, list)
        if any(left >= right for left, right in pairwise(value)):
            fail(where, "its words do not rise")

    return check


def not_empty(value: object, where: str) -> None:
    """Check that something is in a list."""
    if not value:
        fail(where, "it is left out where there is none")


def true(value: object, where: str) -> None:
    """Check that a value is true, and not false."""
    if value is not True:
        fail(where, "it is true, or left out")


def shape(**fields: Check | Optional) -> Check:
    """Check an object: every field that is not optional, and none that is unknown."""
    required = frozenset(name for name, each in fields.items() if not isinstance(each, Optional))
    checks = {
        name: each.check if isinstance(each, Optional) else each for name, each in fields.items()
    }

    def check(value: object, where: str) -> None:
        if not isinstance(value, dict):
            fail(where, "it is not an object")
        for name, member in value.items():
            if name not in checks:
                fail(where, f"it has no field {name[:40]!r}")
            checks[name](member, f"{where}.{name}")
        if missing := required - value.keys():
            fail(where, f"the field {min(missing)!r} is missing")

    return check


def ruled(parts: Check, rule: Check) -> Check:
    """Check a value's parts, then a rule over the whole of it."""

    def check(value: object, where: str) -> None:
        parts(value, where)
        rule(value, where)

    return check


def together(*names: str) -> Check:
    """Check that all of these fields are there, or none."""

    def check(value: object, where: str) -> None:
        assert isinstance(value, dict)
        if len({name in value for name in names}) > 1:
            fail(where, f"{' and '.join(names)} stand together or not at all")

    return check


def exactly_one(one: str, other: str) -> Check:
    """Check that one of two fields is there, and the other is not."""

    def check(value: object, where: str) -> None:
        assert isinstance(value, dict)
        if (one in value) == (other in value):
            fail(where, f"exactly one of {one} and {other} stands")

    return check


AMOUNT: Final = integer(0, MAX_INTEGER)
COUNT: Final = integer(1, MAX_INTEGER)
SEAT: Final = integer(1, MAX_SEATS)
PLAYER: Final = text(r"[A-Za-z0-9._-]{1,64}", "a player's name")
PLAIN: Final = text("[ -~]{1,128}", "a text of 1 to 128 characters")
BYTES16: Final = hex_of(16)
BYTES32: Final = hex_of(32)
