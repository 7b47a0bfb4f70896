"""A bar on standard error for work that takes a while: how far, how fast, how long still.

It is drawn for a person who watches a terminal, and nowhere else. The rate is that of this process:
what an earlier one did counts for how far, not for how fast.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable

_WIDTH: Final = 30
_BETWEEN_SECONDS: Final = 0.1
_MINUTE: Final = 60
_HOUR: Final = 3600
_SCALES: Final = ((10**9, "G"), (10**6, "M"), (10**3, "k"))


@dataclass(slots=True)
class Bar:
    """What is drawn, and where; `screen` is None where nobody watches.

    `total` is in `unit`s, None where the end is not known. `already` of them were done before.
    """

    words: str
    total: int | None
    unit: str = "decks"
    already: int = 0
    screen: TextIO | None = None
    clock: Callable[[], float] = time.monotonic
    done: int = 0
    _began: float = 0.0
    _drawn: float | None = None

    def __enter__(self) -> Self:
        """Start the clock."""
        self._began = self.clock()
        return self

    def __exit__(self, *_: object) -> None:
        """Take the bar away."""
        if self.screen is not None and self._drawn is not None:
            self.screen.write("\r\x1b[K")
            self.screen.flush()

    def add(self, amount: int) -> None:
        """Say that so many more are done."""
        self.done += amount
        if self.screen is None:
            return
        now = self.clock()
        if self._drawn is not None and now - self._drawn < _BETWEEN_SECONDS:
            return
        self._drawn = now
        self.screen.write(f"\r\x1b[K{self.line(now)}")
        self.screen.flush()

    def line(self, now: float) -> str:
        """Return what stands there at a time of the clock."""
        done = self.already + self.done
        passed = now - self._began
        rate = self.done / passed if passed > 0 else 0.0
        shown = f"{short(done)} {self.unit}"
        if rate:
            shown += f", {short(rate)}/s"
        if not self.total:
            return f"{self.words} {shown}"
        part = min(done / self.total, 1.0)
        filled = int(part * _WIDTH)
        if rate:
            shown += f", {duration(max(self.total - done, 0) / rate)} left"
        return f"{self.words} [{'#' * filled}{' ' * (_WIDTH - filled)}] {part:4.0%}, {shown}"


def watched(words: str, total: int | None, unit: str = "decks", already: int = 0) -> Bar:
    """Return a bar that is drawn where standard error is a terminal."""
    return Bar(words, total, unit, already, sys.stderr if sys.stderr.isatty() else None)


def short(amount: float) -> str:
    """Return an amount in three digits or so: 950, 36.2 k, 10.0 M."""
    for scale, letter in _SCALES:
        if amount >= scale:
            return f"{amount / scale:.1f} {letter}"
    return f"{amount:.0f}"


def duration(seconds: float) -> str:
    """Return a time as a person says it: 8 s, 2:05, 1:02:05."""
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    minutes, rest = divmod(whole, _MINUTE)
    if whole < _HOUR:
        return f"{minutes}:{rest:02}"
    hours, minutes = divmod(minutes, _MINUTE)
    return f"{hours}:{minutes:02}:{rest:02}"
