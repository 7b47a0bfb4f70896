"""The formats: one row a hand in, bytes for a file or a pipe out.

At level `raw` a row is 1,024 bytes of a generator, read as words with the first byte the highest,
whatever their width: `u32be` and `u8` write the same bytes, `u32le` turns each word round, so that
a reader of a little-endian machine gets the same numbers. At the other levels each value (a draw, a
card) is one number of the format's width.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.derive import CARDS, DECK_SIZE, STREAM_BYTES
from audit_cli.inputs import UsageError
from audit_cli.rng.counting.tables import SEATS
from audit_cli.rng.dump.origins import GAME_POSITIONS
from audit_cli.rng.hands import DRAWS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Rows = NDArray[np.uint8]

#: Formats of bytes as they are, which only a generator's bytes have.
RAW_ALONE: Final = ("bits-reversed", "ascii01", "dieharder")
TEXT: Final = ("ascii01", "dieharder", "csv")
WORDS: Final = {"u8": 1, "u32le": 4, "u32be": 4, "u64le": 8, "bits-reversed": 1, "dieharder": 4}
WIDTHS: Final = {
    "raw": STREAM_BYTES,
    "scaled": len(DRAWS),
    "deck": DECK_SIZE,
    "game": len(GAME_POSITIONS),
}

_REVERSED: Final = np.packbits(
    np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)[:, ::-1], axis=1
)[:, 0]
_NUMBERS: Final = {"u8": "u1", "u32le": "<u4", "u32be": ">u4", "u64le": "<u8"}
_ZERO: Final = ord("0")


@dataclass(frozen=True, slots=True)
class Encoding:
    """A format at a level.

    `unit` is the number of a row's values that a piece of output holds at least, in bytes of the
    generator at level raw; `piece` how many bytes of output those are, 0 where that differs.
    """

    level: str
    format: str

    @property
    def unit(self) -> int:
        """How many values belong together: a word's bytes, or all of a hand's."""
        if self.level == "raw" and self.format != "csv":
            return WORDS.get(self.format, 1)
        return WIDTHS[self.level]

    @property
    def piece(self) -> int:
        """How many bytes of output a unit is; 0 where that differs from unit to unit."""
        if self.format in {"csv", "dieharder"}:
            return 0
        if self.format == "ascii01":
            return 8
        return self.unit if self.level == "raw" else self.unit * WORDS[self.format]

    def head(self, words: int | None) -> bytes:
        """Return what stands before the data; `words` is the number of dieharder's numbers."""
        if self.format == "csv":
            return ",".join(("hand", *_columns(self.level))).encode() + b"\n"
        if self.format == "dieharder":
            line = b"#" + b"=" * 66 + b"\n"
            name = b"# generator cutcard  seed = 0\n"
            return line + name + line + b"type: d\ncount: %d\nnumbit: 32\n" % (words or 0)
        return b""

    def body(self, first: int, rows: Rows) -> bytes | memoryview:
        """Encode rows of hands `first`, …; at level raw any whole number of units."""
        if self.format == "csv":
            return _csv(self.level, first, rows)
        if self.level != "raw":
            return rows.astype(_NUMBERS[self.format]).tobytes()
        return _RAW[self.format](rows)


def encoding(level: str, form: str) -> Encoding:
    """Return a format at a level. UsageError where the level has no such format."""
    if level != "raw" and form in RAW_ALONE:
        message = f"--format {form} is for bits, and --level {level} has numbers"
        raise UsageError(message, "u8, u32le, u32be, u64le and csv are for every level")
    return Encoding(level, form)


def _turned(width: int) -> Callable[[Rows], bytes]:
    def turn(rows: Rows) -> bytes:
        return np.ascontiguousarray(rows).reshape(-1, width)[:, ::-1].tobytes()

    return turn


def _as_is(rows: Rows) -> memoryview:
    return np.ascontiguousarray(rows).reshape(-1).data


def _bits(rows: Rows) -> bytes:
    return (np.unpackbits(rows) + np.uint8(_ZERO)).tobytes()


def _decimal(rows: Rows) -> bytes:
    words = np.ascontiguousarray(rows).reshape(-1).view(">u4").tolist()
    return ("\n".join(map(str, words)) + "\n").encode()


_RAW: Final[dict[str, Callable[[Rows], bytes | memoryview]]] = {
    "u8": _as_is,
    "u32be": _as_is,
    "u32le": _turned(4),
    "u64le": _turned(8),
    "bits-reversed": lambda rows: _REVERSED[rows].tobytes(),
    "ascii01": _bits,
    "dieharder": _decimal,
}


def _columns(level: str) -> list[str]:
    if level == "raw":
        return ["stream"]
    if level == "scaled":
        return [f"draw{place}_below_{n}" for place, n in enumerate(DRAWS, 1)]
    if level == "deck":
        return [f"card{place}" for place in range(1, DECK_SIZE + 1)]
    return [*(f"seat{seat}" for seat in range(1, SEATS + 1)), "flop", "turn", "river"]


def _csv(level: str, first: int, rows: Rows) -> bytes:
    lines = []
    for hand, row in enumerate(rows, first):
        if level == "raw":
            cells = [row.tobytes().hex()]
        elif level == "scaled":
            cells = [str(draw) for draw in row.tolist()]
        else:
            cells = [CARDS[card] for card in row.tolist()]
        if level == "game":
            holes = ["".join(cells[at : at + 2]) for at in range(0, 2 * SEATS, 2)]
            flop, turn, river = cells[12:15], cells[15], cells[16]
            cells = [*holes, "".join(flop), turn, river]
        lines.append(f"{hand},{','.join(cells)}\n")
    return "".join(lines).encode()
