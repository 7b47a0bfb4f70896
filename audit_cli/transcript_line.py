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
from audit_cli.entries import ACT_WORDS, SHAPES, acted_pattern, line_pattern
from audit_cli.problem import Problem, printable
from audit_cli.tournament.shapes import SHAPES as TOURNAMENT_SHAPES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from audit_cli.shape import Shape

# How an entry's line begins: no other kind of line does.
ENTRY = (b'{"at":', b'{"a')
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


# Most lines of most games are acts: their fields are the groups of a pattern of their own.
_match_act = re.compile(acted_pattern().encode("ascii")).fullmatch
_WORDS = {word.encode("ascii"): word for word in ACT_WORDS}

Plain = tuple[int, str, dict[str, Any]]


def parse_plainly(raw: bytes) -> Plain | None:
    """Return time, kind and fields of a line that a pattern accepts; None leaves it undecided."""
    if raw.startswith(b'{"acted"'):
        return _parse_act(raw)
    found = _match(raw)
    if found is None:
        return None
    kind, text = found
    value = _value_of(text)[0]
    return value["at"], kind, value[kind]


def parse_all_plainly(lines: Sequence[bytes]) -> list[Plain | None]:
    """`parse_plainly` of each line, quicker for many: equal keys are read as one object."""
    entries: list[Plain | None] = []
    places: list[tuple[int, str]] = []
    texts: list[str] = []
    for place, raw in enumerate(lines):
        entries.append(_parse_act(raw) if raw.startswith(b'{"acted"') else None)
        if raw.startswith(ENTRY):
            found = None if entries[-1] is not None else _match(raw)
            if found is not None:
                places.append((place, found[0]))
                texts.append(found[1])
    values = _value_of(f"[{','.join(texts)}]")[0]
    for (place, kind), value in zip(places, values, strict=True):
        entries[place] = value["at"], kind, value[kind]
    return entries


def _parse_act(raw: bytes) -> Plain | None:
    act = _match_act(raw)
    if act is None:
        return None
    what, by, seat, to, turn, at = act.groups()
    body: dict[str, Any] = {
        "act": _WORDS[what],
        "by": _WORDS[by],
        "seat": int(seat),
        "to": int(to),
        "turn": int(turn),
    }
    return int(at), "acted", body


def _match(raw: bytes) -> tuple[str, str] | None:
    """Return kind and text of a line that its kind's pattern accepts."""
    if len(raw) > MAX_LINE or not raw.isascii():
        return None
    text = raw.decode("ascii")
    start = text.find(',"', 6, _SECOND_KEY) + 2 if text.startswith('{"at":') else 2
    kind = text[start : text.find('"', start)]
    return (kind, text) if kind in SHAPES and _matcher(kind)(text) else None


def parse_entry(raw: bytes) -> Entry | Problem:
    """Return the entry of a line (without its LF), or what is wrong with it."""
    plain = parse_plainly(raw)
    return parse_entry_strictly(raw) if plain is None else Entry(*plain)


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
