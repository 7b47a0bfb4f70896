"""Evidence that anyone can check without the monitor: lines of a log, each proved to be in it.

A file of lines names the dealer's key, a checkpoint that it signed, and lines with their place and
inclusion path (RFC 6962 2.1.1) under it. Evidence is kept with what it is of, and written to files
from there, so that none is lost when a monitor stops between the two.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from audit_cli import say
from audit_cli.inputs import reason, shown
from audit_cli.problem import Problem
from audit_cli.writing import write_whole

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from audit_cli.log.tiles import TileReader
    from audit_cli.watch.state import State, Wrong

FORMAT: Final = "cutcard-lines/1"


def render_lines(
    wrong: Wrong, numbers: Sequence[int], reader: TileReader, note: str, key: str
) -> str:
    """Return the evidence of wrong lines as one JSON object.

    `note` signs the reader's root under `key`, a whole vkey.

    A line that the log's server does not give any more is left out.
    """
    value = {
        "format": FORMAT,
        "key": key,
        "kind": wrong.kind,
        "words": wrong.words,
        "checkpoint": note,
        "lines": [one for one in (_place(reader, number) for number in numbers) if one],
    }
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def _place(reader: TileReader, number: int) -> dict[str, Any] | None:
    line = next(reader.entries(number, number + 1))
    path = reader.inclusion(number)
    if isinstance(line, Problem) or isinstance(path, Problem):
        return None
    place: dict[str, Any] = {"index": number, "proof": [step.hex() for step in path]}
    # What is no text is wrong for that alone, and shown as it is.
    if line.isascii() and line.decode("ascii").isprintable():
        return place | {"line": line.decode("ascii")}
    return place | {"bytes": line.hex()}


def write_evidence(state: State, folder: Path) -> None:
    """Write what stands in no file yet, each in one that is named by its content; say where.

    What can not be written is told, and tried again with the next look.
    """
    for number, kind, content in state.unwritten():
        digest = sha256(content.encode("utf-8")).hexdigest()[:16]
        path = folder / f"cutcard-{kind.replace('_', '-')}-{digest}.json"
        try:
            write_whole(path, content.encode("utf-8"))
        except OSError as error:
            say.error(f"can not write the evidence to {shown(str(path))}: {reason(error)}")
            continue
        state.is_written(number)
        say.note(f"the evidence of a {kind.replace('_', ' ')} is in {shown(str(path))}")
