"""SIGNED: entries, checkpoints and signatures fit together under the key that the auditor trusts.

What breaks it is found while entries are told signed from unsigned (`coverage`); this check says
what holds, and without a trusted key that nothing is established: a file's own key proves only
that the file fits itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.checks.check import TOURNAMENT
from audit_cli.report.finding import Finding, Promise, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from audit_cli.checks.check import Emit, Handler, Request
    from audit_cli.coverage import Ended
    from audit_cli.gamefile import Extra, Header, Line, Signed


class SignedBy:
    """Counts what the key's checkpoints cover."""

    def __init__(self, request: Request, emit: Emit) -> None:
        self._trusted = request.trusted
        self._emit = emit
        self._game = ""
        self._entries = 0
        self._checkpoints = 0
        self._games = 0
        self._whole = True

    def handlers(self) -> Mapping[str, Handler]:
        """Nothing of any entry: coverage has judged them."""
        return {TOURNAMENT: self._pass_over}

    def _pass_over(self, line: Line) -> None:
        """Nothing: the counts are all that is needed."""

    def begin(self, header: Header, /) -> None:
        """Remember the game for what is said at its end."""
        self._game = header.game
        self._games += 1

    def signed(self, signed: Signed, /) -> None:
        """Nothing: `end` has the counts."""

    def behind(self, extra: Extra, /) -> None:
        """Nothing: lines behind the transcript are not part of the log."""

    def end(self, ended: Ended, /) -> None:
        """Say where a game's entries are not covered."""
        self._entries += ended.covered
        self._checkpoints += ended.checkpoints
        if self._trusted is None:
            return
        if ended.checkpoints == 0:
            self._say(f"no checkpoint of {ended.key} covers a line", ended.first_unsigned)
        elif ended.first_unsigned is not None:
            count = sum(ended.unsigned.values())
            self._say(f"{count:,} entries behind the last checkpoint", ended.first_unsigned)

    def _say(self, text: str, line: int | None) -> None:
        self._whole = False
        self._emit.finding(
            Finding(Promise.SIGNED, Verdict.NOT_ESTABLISHED, text, game=self._game, line=line)
        )

    def conclude(self) -> None:
        """Report that it holds where a trusted key covers every entry of every game."""
        if self._trusted is None:
            text = "the file's own key is not trusted by itself; give the dealer's by --key"
            self._emit.finding(Finding(Promise.SIGNED, Verdict.NOT_ESTABLISHED, text))
        elif self._whole and self._games:
            text = (
                f"{self._checkpoints:,} checkpoints of {self._trusted} cover all "
                f"{self._entries:,} entries"
            )
            self._emit.finding(Finding(Promise.SIGNED, Verdict.HOLDS, text))
