"""How the checks of a tournament's log speak: one voice for each promise that they judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.checks.voice import Voice
from audit_cli.report.finding import TOURNAMENT_PROMISES, Promise

if TYPE_CHECKING:
    from audit_cli.checks.check import Emit
    from audit_cli.gamefile import Line

MAX_FAULTS = 300
"""Behind so many broken places of a log, what would be due is not worked out any more."""

_SPOKEN = (*TOURNAMENT_PROMISES, Promise.ORDERED, Promise.COMPLETE)


class Speaker:
    """Findings on the log that was begun last, each on its promise."""

    def __init__(self, emit: Emit) -> None:
        self._voices = {promise: Voice(promise, emit) for promise in _SPOKEN}
        self.said = 0

    def begin(self, log: str) -> None:
        """Speak of this log from now on; `said` counts what is broken in it."""
        self.said = 0
        for voice in self._voices.values():
            voice.begin(log)

    def broken(
        self,
        promise: Promise,
        text: str,
        line: Line | None,
        expected: object = None,
        found: object = None,
    ) -> None:
        """Say that a promise is broken at an entry."""
        self.said += 1
        hand = None if line is None else line.body.get("hand")
        self._voices[promise].broken(text, line, hand, expected, found)

    def unproved(self, promise: Promise, text: str, line: Line | None = None) -> None:
        """Say that a promise is not established."""
        self._voices[promise].unproved(text, line)

    def notice(self, text: str, *details: str) -> None:
        """Print something that is no verdict."""
        self._voices[Promise.COMPLETE].notice(text, *details)

    def end(self) -> None:
        """Say how many more places there were than were listed."""
        for voice in self._voices.values():
            voice.end()

    def holds(self, promise: Promise, text: str) -> None:
        """Say what holds, where nothing worse was said."""
        self._voices[promise].holds(text)
