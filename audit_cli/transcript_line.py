"""One line of a transcript, from its bytes to time, kind and fields (protocol 5 and 6).

There is a fast way and a slow one. The fast way knows the line's kind by its first bytes and asks
that kind's pattern, which matches canonical lines of the right shape and no others; such a line
needs no further check. The slow way decides for every other line, and says what is wrong.

What stands in many lines, but for the time or the hand's number, is read once: the same bytes then
give the very same fields, which nobody changes.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from audit_cli.canonical import MAX_LINE, read_transcript_line
from audit_cli.entries import (
    ACT_WORDS,
    HAND_PATTERN,
    SHAPES,
    TIME_PATTERN,
    acted_pattern,
    line_pattern,
)
from audit_cli.problem import Problem, printable
from audit_cli.tournament.shapes import SHAPES as TOURNAMENT_SHAPES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from audit_cli.shape import Shape

# How an entry's line begins: no other kind of line does.
ENTRY = (b'{"at":', b'{"a')

_value_of = json.JSONDecoder().raw_decode


class Entry(NamedTuple):
    """A line's time in milliseconds, its kind, and the fields of that kind's shape."""

    at: int
    kind: str
    body: dict[str, Any]


@cache
def _matcher(kind: bytes) -> Callable[[bytes], re.Match[bytes] | None]:
    """Give the matcher of whole lines of a kind, made when a line of the kind first comes."""
    return re.compile(line_pattern(_KINDS[kind]).encode("ascii")).fullmatch


_KINDS = {kind.encode("ascii"): kind for kind in SHAPES}

# Most lines of most games are acts: their fields are the groups of a pattern of their own.
_match_act = re.compile(acted_pattern().encode("ascii")).fullmatch
_WORDS = {word.encode("ascii"): word for word in ACT_WORDS}

# The ends of a line of which the rest has been read before.
_match_first_time = re.compile(rf'\{{"at":({TIME_PATTERN})'.encode("ascii")).fullmatch
_match_last_time = re.compile(rf"({TIME_PATTERN})\}}".encode("ascii")).fullmatch
_match_dealing = re.compile(rf'dealt":\{{"hand":({HAND_PATTERN})'.encode("ascii")).fullmatch

# Kinds whose fields are those of many other lines, and how long such a line is at most.
_COMMON = frozenset({b"posted", b"returned", b"awarded"})
_DEALT = b"dealt"
_SHORT = 160
# Those of ten players with six cards each are shorter.
_SHORT_DEALING = 4096
_POSITIONS = b',"positions":'

Plain = tuple[int, str, dict[str, Any]]


# The fields of acts, by what stands before their time, and those of common lines, by what stands
# behind their time and a comma; positions that are dealt, by what stands from them on.
_known_acts: dict[bytes, dict[str, Any]] = {}
_known_lines: dict[bytes, dict[str, Any]] = {}
_known_positions: dict[bytes, list[dict[str, Any]]] = {}
_MOST_ACTS = 2048
_MOST_LINES = 512
_MOST_POSITIONS = 64


def parse_plainly(raw: bytes) -> Plain | None:
    """Return time, kind and fields of a line that a pattern accepts; None leaves it undecided."""
    return parse_all_plainly((raw,))[0]


def parse_all_plainly(lines: Sequence[bytes]) -> list[Plain | None]:
    """`parse_plainly` of each line, quicker for many: equal keys are read as one object."""
    entries: list[Plain | None] = []
    # Where what is to be read by its text stands, and its kind.
    places: list[tuple[int, bytes]] = []
    texts: list[bytes] = []
    for place, raw in enumerate(lines):
        entry = None
        if raw.startswith(b'{"at":'):
            head, _, rest = raw.partition(b',"')
            kind = rest[: rest.find(b'"')]
            if kind in _COMMON or kind == _DEALT:
                entry = _recall(head, kind, rest)
        elif raw.startswith(b'{"acted"'):
            kind = b"acted"
            entry = _parse_act(raw)
        else:
            kind = raw[2 : raw.find(b'"', 2)]
        entries.append(entry)
        if entry is None and kind in _KINDS and len(raw) <= MAX_LINE and _matcher(kind)(raw):
            places.append((place, kind))
            texts.append(raw)
    if texts:
        values = _value_of(f"[{b','.join(texts).decode('ascii')}]")[0]
        for (place, kind), value in zip(places, values, strict=True):
            name = _KINDS[kind]
            body = value[name]
            entries[place] = value["at"], name, body
            _remember(lines[place], kind, body)
    return entries


def _recall(head: bytes, kind: bytes, rest: bytes) -> Plain | None:
    """Return what a line says that is like one that was read, but for time or hand.

    `rest` is what stands behind its time and a comma, and the `kind` in quotes.
    """
    if kind == _DEALT:
        dealing, _, positions = rest.partition(_POSITIONS)
        known, hand = _known_positions.get(positions), _match_dealing(dealing)
        if known is None or hand is None or len(rest) > _SHORT_DEALING:
            return None
        body: dict[str, Any] = {"hand": int(hand[1]), "positions": known}
    elif len(rest) <= _SHORT and rest in _known_lines:
        body = _known_lines[rest]
    else:
        return None
    at = _match_first_time(head)
    return None if at is None else (int(at[1]), _KINDS[kind], body)


def _remember(raw: bytes, kind: bytes, body: dict[str, Any]) -> None:
    """Keep what a line says, if other lines are likely to say the same."""
    if kind in _COMMON and len(raw) <= _SHORT:
        _make_room(_known_lines, _MOST_LINES)
        _known_lines[raw.partition(b',"')[2]] = body
    elif kind == _DEALT and len(raw) <= _SHORT_DEALING:
        _make_room(_known_positions, _MOST_POSITIONS)
        _known_positions[raw.partition(_POSITIONS)[2]] = body["positions"]


def _make_room(known: dict[bytes, Any], most: int) -> None:
    """Forget what is known where it has become too much."""
    if len(known) >= most:
        known.clear()


def _parse_act(raw: bytes) -> Plain | None:
    told, _, ending = raw.partition(b',"at":')
    body = _known_acts.get(told)
    if body is not None:
        at = _match_last_time(ending)
        return None if at is None else (int(at[1]), "acted", body)
    act = _match_act(raw)
    if act is None:
        return None
    what, by, seat, to, turn, time = act.groups()
    body = {
        "act": _WORDS[what],
        "by": _WORDS[by],
        "seat": int(seat),
        "to": int(to),
        "turn": int(turn),
    }
    _make_room(_known_acts, _MOST_ACTS)
    _known_acts[told] = body
    return int(time), "acted", body


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
