"""How a check speaks: findings on one promise, each with its place, and not without end.

Past `MAX_BROKEN` broken entries of one promise in one game the rest is counted, not listed: a log
that is wrong everywhere needs no line for each place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.report.finding import Finding, Notice, Promise, Verdict

if TYPE_CHECKING:
    from audit_cli.checks.check import Emit
    from audit_cli.gamefile import Line

MAX_BROKEN = 100


class Voice:
    """One promise's findings in the game that was begun last."""

    __slots__ = ("_broken", "_emit", "_game", "_last", "promise")

    def __init__(self, promise: Promise, emit: Emit) -> None:
        self.promise = promise
        self._emit = emit
        self._game = ""
        self._broken = 0
        self._last: Line | None = None

    def begin(self, game: str) -> None:
        """Speak of this game from now on, or by "" of all games together."""
        self._game = game
        self._broken = 0

    def broken(
        self,
        text: str,
        line: Line | None,
        hand: int | None = None,
        expected: object = None,
        found: object = None,
    ) -> None:
        """Say that the promise is broken at an entry."""
        self._broken += 1
        if self._broken <= MAX_BROKEN:
            self._say(Verdict.BROKEN, text, line, hand, expected=expected, found=found)

    def unproved(self, text: str, line: Line | None = None, hand: int | None = None) -> None:
        """Say that the promise is not established in this game."""
        self._say(Verdict.NOT_ESTABLISHED, text, line, hand)

    def broken_at(self, text: str, number: int, hand: int | None = None) -> None:
        """Say that the promise is broken at a line of the input that is no entry."""
        self._broken += 1
        if self._broken <= MAX_BROKEN:
            self._emit.finding(
                Finding(self.promise, Verdict.BROKEN, text, self._game, hand, line=number)
            )

    def end(self) -> None:
        """Say how many more places there were than were listed."""
        if self._broken > MAX_BROKEN:
            text = f"{self._broken - MAX_BROKEN:,} more places are broken and not listed"
            self._say(Verdict.BROKEN, text, None, None)

    def holds(self, text: str, *evidence: str) -> None:
        """Nothing speaks against the promise: it holds where no worse was said."""
        self._emit.finding(Finding(self.promise, Verdict.HOLDS, text, evidence=evidence))

    def not_applicable(self, text: str) -> None:
        """Say that the promise has no place in these games."""
        self._emit.finding(Finding(self.promise, Verdict.NOT_APPLICABLE, text))

    def notice(self, text: str, *details: str) -> None:
        """Print something of this game that is no verdict."""
        self._emit.notice(Notice(text, self._game or None, details))

    def _say(
        self, verdict: Verdict, text: str, line: Line | None, hand: int | None, **differ: object
    ) -> None:
        entry, number = (None, None) if line is None else (line.entry, line.number)
        expected, found = (
            None if differ.get(name) is None else str(differ[name])
            for name in ("expected", "found")
        )
        self._emit.finding(
            Finding(
                self.promise,
                verdict,
                text,
                self._game or None,
                hand,
                entry,
                number,
                expected,
                found,
            )
        )


def count(number: int, noun: str) -> str:
    """Return a number with its noun: "1 hand", "1,000 hands"."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"
