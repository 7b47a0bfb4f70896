"""C2SP tlog-checkpoint texts, read strictly: origin, size, root, and nothing that reads two ways.

The size is decimal in ASCII digits, without sign or leading zero, below 2^63; the root is 32
bytes in canonical base64. Cutcard's checkpoints have no extension lines (protocol 6).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from audit_cli.merkle import HASH_BYTES, MAX_SIZE
from audit_cli.note import Note, decode_base64, parse_note
from audit_cli.problem import Problem, printable

if TYPE_CHECKING:
    from collections.abc import Callable

_SIZE = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)


class Checkpoint(NamedTuple):
    """The state of a log that a note signs: `root` (32 bytes) over the first `size` leaves."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()


def parse_checkpoint(text: str) -> Checkpoint | Problem:
    """Return the checkpoint in a note's text, or the first thing that is wrong with it."""
    lines = text.split("\n")
    if lines[-1] or len(lines) < 4:
        return Problem(
            "a checkpoint of fewer than three whole lines",
            "a checkpoint is origin, size and root, a line each",
        )
    origin, size_text, root_text, *extensions = lines[:-1]
    if not origin:
        return Problem("a checkpoint without an origin line")
    if _SIZE.fullmatch(size_text) is None or int(size_text) > MAX_SIZE:
        return Problem(
            f"a checkpoint of size {printable(size_text)!r}",
            "a size is decimal, without sign or leading zero, below 2^63",
        )
    root = decode_base64(root_text)
    if root is None or len(root) != HASH_BYTES:
        return Problem("a checkpoint whose root is not 32 bytes in canonical base64")
    if "" in extensions:
        return Problem("a checkpoint with an empty extension line")
    return Checkpoint(origin, int(size_text), root, tuple(extensions))


def parse_game_checkpoint(text: str) -> Checkpoint | Problem:
    """`parse_checkpoint` for a game's log, in which extension lines are refused (protocol 6)."""
    checkpoint = parse_checkpoint(text)
    if isinstance(checkpoint, Checkpoint) and checkpoint.extensions:
        return Problem("a checkpoint with extension lines", "a dealer's checkpoints have none")
    return checkpoint


def parse_checkpoint_note(data: bytes | str) -> tuple[Note, Checkpoint] | Problem:
    """Return a note and the checkpoint that it signs, or the first thing that is wrong.

    Whether anyone signed it is for the caller to see.
    """
    return _parse_both(data, parse_checkpoint)


def parse_game_checkpoint_note(data: bytes | str) -> tuple[Note, Checkpoint] | Problem:
    """`parse_checkpoint_note` for a dealer's logs: extension lines are refused (protocol 6)."""
    return _parse_both(data, parse_game_checkpoint)


def _parse_both(
    data: bytes | str, parse: Callable[[str], Checkpoint | Problem]
) -> tuple[Note, Checkpoint] | Problem:
    note = parse_note(data)
    if isinstance(note, Problem):
        return note
    checkpoint = parse(note.text)
    return checkpoint if isinstance(checkpoint, Problem) else (note, checkpoint)
