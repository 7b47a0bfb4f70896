"""Small parts from which the exact shapes of lines are built: types, ranges, fields.

A `Shape` has two sides that say the same. `check` takes a value that the canonical reader gave
and returns None, or in words what is wrong with it, beginning with the path to the field. `pattern`
is a regular expression for the value's canonical text: whatever it matches is canonical and of
the shape, which lets a reader accept a line in one step. It may match less than `check` accepts
(then the slow way decides), never more.

Objects have exactly their fields: an unknown one is as wrong as a missing one (protocol 5).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from audit_cli.canonical import MAX_INTEGER
from audit_cli.problem import printable

NEVER = "(?!)"

Judge = Callable[[object], str | None]

_ORIGIN = "[a-z0-9./-]{1,128}"
_PLAYER = "[A-Za-z0-9._-]{1,64}"
# Printable ASCII less the two that JSON escapes.
_PLAIN_TEXT = r"[ !#-\[\]-~]*+"


@dataclass(frozen=True, slots=True)
class Shape:
    """What a value has to be, as a judge of values and as a pattern of canonical texts."""

    check: Judge
    pattern: str = NEVER

    def __call__(self, value: object) -> str | None:
        """Return None where `value` is of the shape, else what is wrong with it."""
        return self.check(value)


def integer(low: int = 0, high: int = MAX_INTEGER) -> Shape:
    """Accept a whole number from `low` to `high`."""

    def check(value: object) -> str | None:
        # bool is an int to isinstance, and is none here.
        if type(value) is int and low <= value <= high:
            return None
        return f" is no integer from {low} to {high}"

    return Shape(check, _integers(low, high))


def _integers(low: int, high: int) -> str:
    if high == MAX_INTEGER and low == 0:
        return "(?:0|[1-9][0-9]{0,14}+)"
    if high == MAX_INTEGER and low == 1:
        return "[1-9][0-9]{0,14}+"
    if not 0 <= low <= high < 100:
        return NEVER
    parts = [
        f"{tens or ''}[{max(low, 10 * tens) % 10}-{min(high, 10 * tens + 9) % 10}]"
        for tens in range(high // 10, low // 10 - 1, -1)
    ]
    return f"(?:{'|'.join(parts)})"


def hex_bytes(length: int) -> Shape:
    """Accept `length` bytes in lower-case hex."""
    digits = f"[0-9a-f]{{{2 * length}}}"
    match = re.compile(digits).fullmatch

    def check(value: object) -> str | None:
        if type(value) is str and match(value):
            return None
        return f" is not {length} bytes in lower-case hex"

    return Shape(check, f'"{digits}"')


def choice(*words: str, pattern: str | None = None) -> Shape:
    """Accept one of a closed set of words; `pattern` may say the same set more shortly."""
    allowed = frozenset(words)

    def check(value: object) -> str | None:
        if type(value) is str and value in allowed:
            return None
        return f" is none of {', '.join(words)}"

    return Shape(check, f'"(?:{pattern or "|".join(map(re.escape, words))})"')


def either(one: Shape, other: Shape) -> Shape:
    """Accept what is of one shape or of the other; what is of neither is told by the first."""

    def check(value: object) -> str | None:
        wrong = one.check(value)
        return wrong if wrong is not None and other.check(value) is not None else None

    return Shape(check, f"(?:{one.pattern}|{other.pattern})")


def _check_boolean(value: object) -> str | None:
    return None if type(value) is bool else " is neither true nor false"


def _check_true(value: object) -> str | None:
    return None if value is True else " is not true"


def _check_text(value: object) -> str | None:
    return None if type(value) is str else " is no text"


def _check_origin(value: object) -> str | None:
    if type(value) is str and re.fullmatch(_ORIGIN, value) and "/games/" not in value:
        return None
    return " is no origin: 1 to 128 of a-z 0-9 . / -, without /games/"


def _check_player(value: object) -> str | None:
    if type(value) is str and _match_player(value):
        return None
    return " is no player: 1 to 64 of A-Z a-z 0-9 . _ -"


_match_player = re.compile(_PLAYER).fullmatch

boolean = Shape(_check_boolean, "(?:true|false)")
# A field that is there where something is true, and else left out.
only_true = Shape(_check_true, "true")
text = Shape(_check_text, f'"{_PLAIN_TEXT}"')
# "/games/" is for the judge alone to find.
origin = Shape(_check_origin)
player = Shape(_check_player, f'"{_PLAYER}"')


def list_of(item: Shape, low: int = 0, high: int | None = None) -> Shape:
    """Accept a list of `low` to `high` items of one shape."""
    check_item = item.check

    def check(value: object) -> str | None:
        if type(value) is not list:
            return " is no list"
        if len(value) < low or (high is not None and len(value) > high):
            most = "" if high is None else f" to {high}"
            return f" has {len(value)} items, not {low}{most}"
        for index, entry in enumerate(value):
            wrong = check_item(entry)
            if wrong is not None:
                return f"[{index}]{wrong}"
        return None

    most = "" if high is None else high - 1
    items = f"{item.pattern}(?:,{item.pattern}){{{max(low - 1, 0)},{most}}}+"
    return Shape(check, rf"\[(?:{items})?\]" if low == 0 else rf"\[{items}\]")


def fields(
    required: Mapping[str, Shape],
    optional: Mapping[str, Shape] | None = None,
    *,
    together: tuple[tuple[str, ...], ...] | None = None,
    also: Callable[[dict[str, object]], str | None] | None = None,
) -> Shape:
    """Accept an object with all `required` fields, any of `optional` ones, and no other.

    `together` names the sets of optional fields that may stand beside each other, all others
    being refused. `also` judges the object when each field is right alone.
    """
    pairs = tuple((name, shape.check) for name, shape in required.items())
    wanted = required.keys()
    extra = dict(optional or {})
    check_optional = _optional_fields(wanted, extra, together)

    def check(value: object) -> str | None:
        if type(value) is not dict:
            return " is no object"
        if value.keys() != wanted or together is not None:
            wrong = check_optional(value)
            if wrong is not None:
                return wrong
        for name, check_field in pairs:
            wrong = check_field(value[name])
            if wrong is not None:
                return f".{name}{wrong}"
        return None if also is None else also(value)

    if also is not None:
        return Shape(check)
    if together is None:
        return Shape(check, _object(required, extra))
    ways = [
        _object({**required, **{name: extra[name] for name in names}}, {}) for names in together
    ]
    return Shape(check, f"(?:{'|'.join(ways)})")


def _optional_fields(
    wanted: AbstractSet[str],
    extra: Mapping[str, Shape],
    together: tuple[tuple[str, ...], ...] | None,
) -> Callable[[dict[str, object]], str | None]:
    """Judge which fields there are, and each optional one."""
    sets = None if together is None else {frozenset(names) for names in together}
    ways = " or ".join(" and ".join(names) or "none" for names in together or ())

    def check(value: dict[str, object]) -> str | None:
        for name in wanted:
            if name not in value:
                return f" has no field {name}"
        present = value.keys() - wanted
        for name in sorted(present):
            shape = extra.get(name)
            if shape is None:
                return f" has the unknown field {printable(name)!r}"
            wrong = shape.check(value[name])
            if wrong is not None:
                return f".{name}{wrong}"
        if sets is not None and present not in sets:
            return f" has to have, of {', '.join(extra)}: {ways}"
        return None

    return check


def _object(required: Mapping[str, Shape], optional: Mapping[str, Shape]) -> str:
    """Give the pattern of an object: its keys in order, the optional ones each perhaps."""
    if not required:
        return NEVER if optional else r"\{\}"
    shapes = {**required, **optional}
    parts = []
    comma = False
    for name in sorted(shapes):
        field = f'"{name}":{shapes[name].pattern}'
        if name in required:
            parts.append(f",{field}" if comma else field)
            comma = True
        else:
            parts.append(f"(?:,{field})?" if comma else f"(?:{field},)?")
    return rf"\{{{''.join(parts)}\}}"


def tagged(tag: str, shapes: Mapping[str, Shape]) -> Shape:
    """Accept an object whose field `tag` is one of some words, each with its own shape."""

    def check(value: object) -> str | None:
        if type(value) is not dict:
            return " is no object"
        if tag not in value:
            return f" has no field {tag}"
        word = value[tag]
        shape = shapes.get(word) if type(word) is str else None
        if shape is None:
            return f".{tag} is none of {', '.join(shapes)}"
        return shape.check(value)

    return Shape(check, f"(?:{'|'.join(shape.pattern for shape in shapes.values())})")
