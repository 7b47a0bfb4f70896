"""Small parts from which the exact shapes of lines are built: types, ranges, fields.

A `Shape` takes a value that the canonical reader gave and returns None, or in words what is wrong
with it, beginning with the path to the field. Objects have exactly their fields: an unknown one
is as wrong as a missing one (protocol 5, "Lines").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet

from audit_cli.canonical import MAX_INTEGER
from audit_cli.problem import printable

Shape = Callable[[object], str | None]

_ORIGIN = re.compile(r"[a-z0-9./-]{1,128}")
_PLAYER = re.compile(r"[A-Za-z0-9._-]{1,64}")


def integer(low: int = 0, high: int = MAX_INTEGER) -> Shape:
    """Accept a whole number from `low` to `high`."""

    def check(value: object) -> str | None:
        # bool is an int to isinstance, and is none here.
        if type(value) is int and low <= value <= high:
            return None
        return f" is no integer from {low} to {high}"

    return check


def hex_bytes(length: int) -> Shape:
    """`length` bytes in lower-case hex."""
    match = re.compile(rf"[0-9a-f]{{{2 * length}}}").fullmatch

    def check(value: object) -> str | None:
        if type(value) is str and match(value):
            return None
        return f" is not {length} bytes in lower-case hex"

    return check


def choice(*words: str) -> Shape:
    """One of a closed set of words."""
    allowed = frozenset(words)

    def check(value: object) -> str | None:
        if type(value) is str and value in allowed:
            return None
        return f" is none of {', '.join(words)}"

    return check


def boolean(value: object) -> str | None:
    """Accept true or false."""
    return None if type(value) is bool else " is neither true nor false"


def text(value: object) -> str | None:
    """Any text."""
    return None if type(value) is str else " is no text"


def origin(value: object) -> str | None:
    """Accept the name of a dealer (protocol 1)."""
    if type(value) is str and _ORIGIN.fullmatch(value) and "/games/" not in value:
        return None
    return " is no origin: 1 to 128 of a-z 0-9 . / -, without /games/"


def player(value: object) -> str | None:
    """Accept the name of a player (protocol 1)."""
    if type(value) is str and _PLAYER.fullmatch(value):
        return None
    return " is no player: 1 to 64 of A-Z a-z 0-9 . _ -"


def list_of(item: Shape, low: int = 0, high: int | None = None) -> Shape:
    """Accept a list of `low` to `high` items of one shape."""

    def check(value: object) -> str | None:
        if type(value) is not list:
            return " is no list"
        if len(value) < low or (high is not None and len(value) > high):
            most = "" if high is None else f" to {high}"
            return f" has {len(value)} items, not {low}{most}"
        for index, entry in enumerate(value):
            wrong = item(entry)
            if wrong is not None:
                return f"[{index}]{wrong}"
        return None

    return check


def fields(
    required: Mapping[str, Shape],
    optional: Mapping[str, Shape] | None = None,
    also: Callable[[dict[str, object]], str | None] | None = None,
) -> Shape:
    """Accept an object with all `required` fields, any of `optional` ones, and no other.

    `also` judges fields that depend on each other; it is asked when each is right alone.
    """
    pairs = tuple(required.items())
    wanted = required.keys()
    extra = dict(optional or {})

    def check(value: object) -> str | None:
        if type(value) is not dict:
            return " is no object"
        if value.keys() != wanted:
            wrong = _check_names(value, wanted, extra)
            if wrong is not None:
                return wrong
        for name, shape in pairs:
            wrong = shape(value[name])
            if wrong is not None:
                return f".{name}{wrong}"
        return None if also is None else also(value)

    return check


def _check_names(
    value: dict[str, object], wanted: AbstractSet[str], extra: Mapping[str, Shape]
) -> str | None:
    """Judge an object that has other fields than the required ones alone."""
    for name in wanted:
        if name not in value:
            return f" has no field {name}"
    for name in value.keys() - wanted:
        shape = extra.get(name)
        if shape is None:
            return f" has the unknown field {printable(name)!r}"
        wrong = shape(value[name])
        if wrong is not None:
            return f".{name}{wrong}"
    return None
