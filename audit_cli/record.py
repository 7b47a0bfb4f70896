"""Reads a player's record (protocol 10): what its client sent and kept, its own witness.

A file may hold the records of several games, each begun by its header. A last line without its
line feed was being written when the client stopped; it is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from audit_cli.canonical import read_file_line
from audit_cli.checkpoint import Checkpoint, parse_game_checkpoint_note
from audit_cli.problem import Problem, printable
from audit_cli.shape import Shape, fields, hex_bytes, integer, origin, player, text

if TYPE_CHECKING:
    from audit_cli.note import Note

FORMAT = "cutcard-record/1"

_BYTES32 = hex_bytes(32)
_HAND = integer(1)
_HEADER = fields(
    {"format": text, "game": hex_bytes(16), "key": text, "origin": origin, "player": player}
)
_LINES: dict[str, Shape] = {
    "anchor": fields({"anchor": _BYTES32}),
    "link": fields({"checkpoint": text, "hand": _HAND, "link": _BYTES32}),
    "checkpoint": text,
    "missed": fields({"hand": _HAND}),
    "refused": fields({"reason": text, "detail": text}),
}


@dataclass(frozen=True, slots=True)
class KeptNote:
    """A checkpoint that the client kept, with its line in the record."""

    number: int
    note: Note
    checkpoint: Checkpoint


@dataclass(frozen=True, slots=True)
class SentLink:
    """A link that the client sent for a hand, and the checkpoint under which it did."""

    link: str
    kept: KeptNote


@dataclass(slots=True)
class Record:
    """One game's record. `refused` are the reasons for which the client left."""

    game: str
    origin: str
    player: str
    anchors: set[str] = field(default_factory=set)
    links: dict[int, SentLink] = field(default_factory=dict)
    kept: list[KeptNote] = field(default_factory=list)
    missed: set[int] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RecordProblem:
    """A line that is not of this format."""

    number: int
    problem: Problem


def read_records(data: bytes, records: dict[str, dict[str, Record]]) -> RecordProblem | None:
    """Put the records of a file into `records`, by player and game.

    Returns the first line that is not of this format; what stands before it has been taken.
    """
    record: Record | None = None
    lines = data.split(b"\n")[:-1]
    for number, raw in enumerate(lines, 1):
        value = read_file_line(raw)
        if isinstance(value, Problem):
            return RecordProblem(number, value)
        if isinstance(value, dict) and "format" in value:
            begun = _begin(value)
            if isinstance(begun, Problem):
                return RecordProblem(number, begun)
            record = records.setdefault(begun.player, {}).setdefault(begun.game, begun)
            continue
        wrong = _not_begun() if record is None else _add(record, value, number)
        if wrong is not None:
            return RecordProblem(number, wrong)
    return RecordProblem(len(lines), _not_begun()) if record is None else None


def _not_begun() -> Problem:
    return Problem("no record", f'a record begins with {{"format":"{FORMAT}"')


def _begin(value: dict[str, object]) -> Record | Problem:
    if value["format"] != FORMAT:
        return Problem("a record of another format", f"this audit reads {FORMAT!r} alone")
    wrong = _HEADER(value)
    if wrong is not None:
        return Problem(f"header{wrong}")
    return Record(str(value["game"]), str(value["origin"]), str(value["player"]))


def _add(record: Record, value: object, number: int) -> Problem | None:
    if type(value) is not dict or len(value) != 1:
        return Problem("a line of a record that is not one named thing")
    ((kind, content),) = value.items()
    shape = _LINES.get(kind)
    if shape is None:
        return Problem(f"a line of the unknown kind {printable(kind)!r}")
    wrong = shape(content)
    if wrong is not None:
        return Problem(f"{kind}{wrong}")
    if kind == "anchor":
        record.anchors.add(content["anchor"])
    elif kind == "missed":
        record.missed.add(content["hand"])
    elif kind == "refused":
        record.refused.append(f"{content['reason']}: {content['detail']}")
    else:
        return _keep(record, kind, content, number)
    return None


def _keep(record: Record, kind: str, content: object, number: int) -> Problem | None:
    note_text = content["checkpoint"] if isinstance(content, dict) else content
    found = parse_game_checkpoint_note(str(note_text))
    if isinstance(found, Problem):
        return found
    kept = KeptNote(number, *found)
    if kind == "checkpoint" or not isinstance(content, dict):
        record.kept.append(kept)
        return None
    sent = SentLink(content["link"], kept)
    before = record.links.setdefault(content["hand"], sent)
    if before.link != sent.link:
        return Problem(f"two links for hand {content['hand']}", "a client sends one at most")
    return None
