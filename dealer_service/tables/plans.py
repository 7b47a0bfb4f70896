"""Plans of how values are written as lines of a log and read from them (PROTOCOL.md 5, 6, 14).

A kind of log is a table of dataclasses by their names in JSON, with a plan for each field by its
name. `make_lines` turns it into two functions: one writes the canonical JSON of RFC 8785, the other
reads nothing else: a line has exactly the fields of its kind, each of its own type and range, and
is byte for byte what would be written. Lines are written often and read rarely, so that both run on
plans made once: one template with a writer for each field.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import StrEnum, unique
from operator import attrgetter
from types import UnionType
from typing import (
    Any,
    Final,
    Generic,
    NamedTuple,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from dealer_service.transcript import canonical
from dealer_service.transcript.canonical import MAX_INTEGER, MAX_LINE_BYTES
from dealer_service.transcript.refusal import TranscriptError

Write: TypeAlias = Callable[[Any], str]
Read: TypeAlias = Callable[[Any], Any]
Rule: TypeAlias = Callable[[Any], str | None]
"""rule(value): what is wrong between the fields of an object; None where nothing is."""

E = TypeVar("E")


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


class Plan(NamedTuple):
    """How values of one type are written as JSON text and read from parsed JSON.

    `span` are the least and the greatest of integers, which are written as they print.
    """

    write: Write
    read: Read
    span: tuple[int, int] | None = None


class _FieldError(Exception):
    """What is wrong with a value, and the path to it, growing on the way out."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path: list[str] = []


@dataclass(frozen=True, slots=True)
class Format:
    """What lines of one kind of log are made of.

    `kinds` are the entries' dataclasses by their name in the log, `names` the plans of fields by
    name, since names mean the same everywhere, `exceptions` those of single fields that differ, and
    `rules` what the fields of one object have to do with each other.
    """

    kinds: Mapping[str, type]
    names: Mapping[str, Plan]
    exceptions: Mapping[tuple[type, str], Plan] = field(default_factory=dict)
    rules: Mapping[type, Rule] = field(default_factory=dict)


class Lines(NamedTuple, Generic[E]):
    """The two ways between entries and lines.

    `encode(at, entry)` gives a line without a newline: LineError BAD_FIELD for a value that is not
    allowed, TOO_LONG above 65,535 bytes. `decode(line)` gives its time and its entry, or LineError.
    """

    encode: Callable[[int, E], bytes]
    decode: Callable[[bytes], tuple[int, E]]


def make_lines(form: Format) -> "Lines[Any]":  # noqa: C901 - two closures over the same plans
    """Make the plans of a format."""
    kind_names = {kind: name for name, kind in form.kinds.items()}
    plans = {kind: _plan_of(form, kind) for kind in form.kinds.values()}
    readers = {name: plans[kind].read for name, kind in form.kinds.items()}
    frames = {kind: _frame(name) for kind, name in kind_names.items()}
    kind_first = frozenset(kind for kind, name in kind_names.items() if name < "at")

    def encode(at: int, entry: object) -> bytes:
        kind = type(entry)
        try:
            prefix, infix, suffix = frames[kind]
            first, last = (_time(at), plans[kind].write(entry))
        except KeyError:
            message = f"{kind.__name__} is no kind of entry"
            raise LineError(LineReason.UNKNOWN_KIND, message) from None
        except _FieldError as error:
            raise _refusal(kind_names[kind], error) from None
        if kind in kind_first:
            first, last = last, first
        line = f"{prefix}{first}{infix}{last}{suffix}".encode("ascii")
        if len(line) > MAX_LINE_BYTES:
            message = f"the line has {len(line)} bytes and may have at most {MAX_LINE_BYTES}"
            raise LineError(LineReason.TOO_LONG, message)
        return line

    def decode(line: bytes) -> tuple[int, Any]:
        try:
            value = _DECODER.decode(line.decode("ascii"))
        except (ValueError, RecursionError):
            raise _canonical_refusal(line) from None
        if type(value) is not dict or len(value) != 2 or "at" not in value:
            raise _canonical_refusal(line)
        first, second = value
        kind = first if second == "at" else second
        plan = readers.get(kind)
        if plan is None:
            message = f"{kind[:40]!r} is no kind of entry"
            raise LineError(LineReason.UNKNOWN_KIND, message)
        at = value["at"]
        try:
            _time(at)
            entry = plan(value[kind])
        except _FieldError as error:
            raise _refusal(kind, error) from None
        if encode(at, entry) != line:
            raise _canonical_refusal(line)
        return at, entry

    return Lines(encode, decode)


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


def integer(low: int, high: int = MAX_INTEGER) -> Plan:
    """Plan a whole number of a range."""
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

    return Plan(write, read, (low, high))


def text(pattern: str, what: str) -> Plan:
    """Plan a text that matches a pattern, in which nothing has to be escaped."""
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

    return Plan(write, read)


def printable(longest: int) -> Plan:
    """Plan printable ASCII, of which quotes and backslashes are escaped (RFC 8785 3.2.2.2)."""
    plain = text(f"[ -~]{{1,{longest}}}", f"1 to {longest} characters of printable ASCII")

    def write(value: object) -> str:
        plain.write(value)
        return json.dumps(value)

    return Plan(write, plain.read)


def choice(words: dict[str, Any]) -> Plan:
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

    return Plan(write, read)


def words(*words: str) -> Plan:
    """Plan one of some words that stand for themselves."""
    return choice({word: word for word in words})


def boolean() -> Plan:
    """Plan true or false."""
    problem = "is neither true nor false"

    def write(value: object) -> str:
        if type(value) is bool:
            return "true" if value else "false"
        raise _FieldError(problem)

    def read(value: object) -> object:
        if type(value) is bool:
            return value
        raise _FieldError(problem)

    return Plan(write, read)


def true() -> Plan:
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

    return Plan(write, read)


def _list(item: Plan) -> Plan:
    write_item, read_item = item.write, item.read
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

    return Plan(write, read)


def _object(
    rule: Rule | None, kind: type, members: Mapping[str, Plan], optional: frozenset[str]
) -> Plan:
    """Plan an object with all its fields, the optional ones where they have a value."""
    names = sorted(members)
    write_sound = _write_sound(names, members, optional)
    write_some = _write_some(names, members, optional)
    read = _read(kind, members, optional)
    problem = f"is no {kind.__name__}"

    def write_checked(value: object) -> str:
        if type(value) is not kind:
            raise _FieldError(problem)
        if rule is not None:
            _require(rule(value))
        try:
            return write_sound(value)
        except _FieldError:
            # Something is not allowed, and this says where.
            return write_some(value)

    def read_checked(value: object) -> object:
        made = read(value)
        if rule is not None:
            _require(rule(made))
        return made

    return Plan(write_checked, read if rule is None else read_checked)


def _write_sound(
    names: Sequence[str], members: Mapping[str, Plan], optional: frozenset[str]
) -> Write:
    """Write what `_write_some` writes in a third of the time; a _FieldError tells no path.

    Each act makes two lines. So one function is made for each kind, of the names of its fields and
    the bounds of integers alone, in which integers are judged and printed in place.
    """
    space: dict[str, Any] = {"refused": _FieldError("holds what is not allowed")}
    steps, parts = [], []
    for place, name in enumerate(names):
        plan, value = members[name], f"v{place}"
        space[f"w{place}"] = plan.write
        steps.append(f"{value} = value.{name}")
        if name in optional:
            steps.append(f"if {value} is not None: {value} = f',\"{name}\":{{w{place}({value})}}'")
            steps.append(f"else: {value} = ''")
            parts.append(f"{{{value}}}")
            continue
        if plan.span is None:
            steps.append(f"{value} = w{place}({value})")
        else:
            low, high = plan.span
            steps.append(f"if type({value}) is not int or not {low} <= {value} <= {high}:")
            steps.append("    raise refused")
        parts.append(f',"{name}":{{{value}}}')
    whole = "".join(parts)
    steps.append(f"return '{{' + f'{whole}'[1:] + '}}'")
    exec("\n    ".join(["def write(value):", *steps]), space)  # noqa: S102 - as said above
    written: Write = space["write"]
    return written


def _write_some(
    names: Sequence[str], members: Mapping[str, Plan], optional: frozenset[str]
) -> Write:
    """Join the fields that are there; a _FieldError has the path to what is not allowed."""
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


def _read(kind: type, members: Mapping[str, Plan], optional: frozenset[str]) -> Read:
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


def hex_of(count: int) -> Plan:
    """Plan so many bytes."""
    return text(f"[0-9a-f]{{{2 * count}}}", f"{count} bytes in lower-case hex")


def _plan(form: Format, owner: type, name: str, hint: object) -> Plan:
    if get_origin(hint) is UnionType:
        (hint,) = [part for part in get_args(hint) if part is not type(None)]
    if get_origin(hint) is tuple:
        return _list(_plan(form, owner, name, get_args(hint)[0]))
    if is_dataclass(hint) and isinstance(hint, type):
        return _plan_of(form, hint)
    if hint is bool:
        return form.exceptions.get((owner, name)) or boolean()
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return choice({word.value: word for word in hint})
    return form.exceptions.get((owner, name)) or form.names[name]


def _plan_of(form: Format, kind: type) -> Plan:
    hints = get_type_hints(kind)
    members = {
        field.name: _plan(form, kind, field.name, hints[field.name]) for field in fields(kind)
    }
    # Only optional fields have a default, and it is None.
    optional = frozenset(field.name for field in fields(kind) if field.default is not MISSING)
    return _object(form.rules.get(kind), kind, members, optional)


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
_time: Final = integer(0).write
