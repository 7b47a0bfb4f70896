"""The lines of the dealer's log: which game came to which stage, at which size and root.

A line is canonical JSON, `{"at":MS,"noted":{"game":HEX,"hand":N,"root":HEX,"size":N,"stage":S}}`
(protocol 5): `root` is the game's transcript's root at `size`, just after the entry that the stage
names, and `at` is that entry's own time. Stages of the whole game have the hand 0.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final, NamedTuple

from audit_cli.canonical import MAX_INTEGER, read_transcript_line
from audit_cli.problem import Problem
from audit_cli.shape import choice, fields, hex_bytes, integer


class Stage(StrEnum):
    """What a line tells of: the entry of a game's transcript that it stands for."""

    GAME_OPENED = "game_opened"
    HAND_OPENED = "hand_opened"
    DECK_COMMITTED = "deck_committed"
    HAND_VOID = "hand_void"
    GAME_CLOSED = "game_closed"
    GAME_REVEALED = "game_revealed"


OF_GAME: Final = frozenset({Stage.GAME_OPENED, Stage.GAME_CLOSED, Stage.GAME_REVEALED})

_STAGES = "|".join(Stage)
_NUMBER = "(0|[1-9][0-9]{0,15})"
_LINE = re.compile(
    rf'\{{"at":{_NUMBER},"noted":\{{"game":"([0-9a-f]{{32}})","hand":{_NUMBER},'
    rf'"root":"([0-9a-f]{{64}})","size":{_NUMBER},"stage":"({_STAGES})"\}}\}}',
    re.ASCII,
)
_SHAPE = fields(
    {
        "at": integer(),
        "noted": fields(
            {
                "game": hex_bytes(16),
                "hand": integer(),
                "root": hex_bytes(32),
                "size": integer(1),
                "stage": choice(*Stage),
            }
        ),
    }
)


class Noted(NamedTuple):
    """One line. `at` is in milliseconds, `game` 32 hex digits, `root` 32 bytes at `size`."""

    at: int
    game: str
    hand: int
    stage: Stage
    size: int
    root: bytes

    def __str__(self) -> str:
        """Say which stage of what it is: "hand_opened of hand 3"."""
        return f"{self.stage} of hand {self.hand}" if self.hand else str(self.stage)


def read_noted(line: bytes) -> Noted | Problem:
    """Return what a line (without any length or LF) tells, or the first thing that is wrong."""
    found = _LINE.fullmatch(line.decode("ascii")) if line.isascii() else None
    if found is None:
        value = read_transcript_line(line)
        if isinstance(value, Problem):
            return value
        wrong = _SHAPE(value)
        return Problem(f"a line of the dealer's log: it{wrong or ' is not of its shape'}")
    at, game, hand, root, size, stage = found.groups()
    noted = Noted(int(at), game, int(hand), Stage(stage), int(size), bytes.fromhex(root))
    if max(noted.at, noted.hand, noted.size) > MAX_INTEGER:
        return Problem("a number of 2^53 or more", "integers stay below 2^53")
    if noted.size == 0:
        return Problem("a line of the dealer's log for size 0", "its entry is under the root")
    if (noted.stage in OF_GAME) != (noted.hand == 0):
        return Problem(
            f"a line of the dealer's log with stage {stage} and hand {hand}",
            "stages of the whole game have the hand 0, those of a hand its number",
        )
    return noted


def write_noted(noted: Noted) -> bytes:
    """Return the canonical line that tells this: what an entry's line has to be, to compare."""
    return (
        f'{{"at":{noted.at},"noted":{{"game":"{noted.game}","hand":{noted.hand},'
        f'"root":"{noted.root.hex()}","size":{noted.size},"stage":"{noted.stage}"}}}}'
    ).encode("ascii")
