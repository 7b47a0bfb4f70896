"""Colours of a terminal, where there is one: suits, headings, and what was not seen at the table.

Without colours the text is the same, so that nothing is told by colour alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_RESET = "\x1b[0m"
_STRONG = "\x1b[1m"
_FAINT = "\x1b[2m"
# The four colours of a four-colour deck; spades are as bold as text may be.
_SUITS = {"h": "\x1b[31m", "d": "\x1b[34m", "c": "\x1b[32m", "s": _STRONG}


class Stream(Protocol):
    """What may be a terminal."""

    def isatty(self) -> bool:
        """Tell whether it is one."""
        ...


@dataclass(frozen=True, slots=True)
class Paint:
    """Paints text, or leaves it as it is."""

    on: bool

    def cards(self, cards: Iterable[str]) -> str:
        """Return cards with a space between them, each in the colour of its suit."""
        return " ".join([self._paint(card, _SUITS[card[-1]]) for card in cards])

    def strong(self, text: str) -> str:
        """Return a heading."""
        return self._paint(text, _STRONG)

    def faint(self, text: str) -> str:
        """Return what steps back."""
        return self._paint(text, _FAINT)

    def _paint(self, text: str, code: str) -> str:
        return f"{code}{text}{_RESET}" if self.on and text else text


def choose_paint(when: str, stream: Stream | None, environment: Mapping[str, str]) -> Paint:
    """Return the paint for a stream: `auto` is colour on a terminal that has it.

    The environment may forbid it by `NO_COLOR`, or by a `TERM` that is `dumb`; `always` does not
    ask.
    """
    if when != "auto":
        return Paint(when == "always")
    forbidden = environment.get("NO_COLOR") or environment.get("TERM") == "dumb"
    return Paint(not forbidden and stream is not None and stream.isatty())
