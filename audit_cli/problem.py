"""What is wrong with an input, as a value: the place, the reason and what would be right."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    `reason` is lower-case prose without a full stop, `hint` says what would be right (or is
    empty), `byte` counts from 0 within the text that was read (None where no byte is to blame).
    """

    reason: str
    hint: str = ""
    byte: int | None = None

    def __str__(self) -> str:
        """Return the reason with its byte, without the hint."""
        return self.reason if self.byte is None else f"{self.reason} at byte {self.byte}"


def printable(text: str, limit: int = 80) -> str:
    """Return `text` cut to `limit` characters, all but printable ASCII escaped for a terminal."""
    shown = text[:limit].encode("unicode_escape").decode("ascii")
    return shown + "..." if len(text) > limit else shown
