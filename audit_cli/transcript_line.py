"""One line of a transcript, from its bytes to time, kind and fields (protocol 5 and 6).

There is a fast way and a slow one. The fast way knows the line's kind by its first bytes and asks
that kind's pattern, which matches canonical lines of the right shape and no others; such a line
needs no further check. The slow way decides for every other line, and says what is wrong.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from audit_cli.canonical import MAX_LINE, read_transcript_line
from audit_cli.entries import SHAPES, line_pattern
from audit_cli.problem import Problem, printable
from audit_cli.tournament.shapes import SHAPES as TOURNAMENT_SHAPES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from audit_cli.shape import Shape

# Where the second key of a line can begin at the latest: behind `{"at":` and 15 digits.
_SECOND_KEY = 24

_value_of = json.JSONDecoder().raw_decode


class Entry(NamedTuple):
    """A line's time in milliseconds, its kind, and the fields of that kind's shape."""

    at: int
    kind: str
    body: dict[str, Any]


@cache
def _matcher(kind: str) -> Callable[[str], re.Match[str] | None]:
    """Give the matcher of whole lines of a kind, made when a line of the kind first comes."""
    return re.compile(line_pattern(kind)).fullmatch


def parse_entry(raw: bytes) -> Entry | Problem:
    """Return the entry of a line (without its LF), or what is wrong with it."""
    if len(raw) <= MAX_LINE and raw.isascii():
        text = raw.decode("ascii")
        start = text.find(',"', 6, _SECOND_KEY) + 2 if text.startswith('{"at":') else 2
        kind = text[start : text.find('"', start)]
        if kind in SHAPES and _matcher(kind)(text):
            value = _value_of(text)[0]
            return Entry(value["at"], kind, value[kind])
    return parse_entry_strictly(raw)


def parse_tournament_entry(raw: bytes) -> Entry | Problem:
    """Return the entry of a line of a tournament's log (protocol 14.4), or what is wrong."""
    return parse_entry_strictly(raw, TOURNAMENT_SHAPES)


def parse_entry_strictly(raw: bytes, shapes: Mapping[str, Shape] = SHAPES) -> Entry | Problem:
    """Return what `parse_entry` does, without the help of any pattern."""
    value = read_transcript_line(raw)
    if isinstance(value, Problem):
        return value
    if type(value) is not dict or len(value) != 2 or "at" not in value:
        return Problem(
            'an entry without exactly "at" and its kind',
            'an entry is {"at":TIME,KIND:{...}}, keys in order',
        )
    kind, body = next(pair for pair in value.items() if pair[0] != "at")
    at = value["at"]
    if type(at) is not int or at < 0:
        return Problem("a time that is no integer from 0 on", "times are milliseconds")
    shape = shapes.get(kind)
    if shape is None:
        return Problem(f"an entry of the unknown kind {printable(kind)!r}")
    wrong = shape(body)
    if wrong is not None:
        return Problem(f"{kind}{wrong}")
    return Entry(at, kind, body)
