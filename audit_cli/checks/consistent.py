"""CONSISTENT: checkpoints from outside the file are of the same log as its lines.

A note from outside counts when the key's signature on it holds and it is of one of the games.
Then the root of the file's signed lines at its size has to be its root; otherwise one key has
signed two histories, and the evidence is written out. A note that does not verify is ignored
with a warning; one whose size the signed lines do not reach has nothing to be compared with.
Notes of the dealer's own log, and that log, are for `published` to compare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.checks.check import TOURNAMENT
from audit_cli.merkle import EMPTY_ROOT, HASH_BYTES, Frontier
from audit_cli.note import NoteVerdict, verify_note
from audit_cli.report.finding import Finding, Fork, Promise, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from audit_cli.checks.check import Emit, Handler, OutsideNote, Request
    from audit_cli.coverage import Ended
    from audit_cli.gamefile import Extra, Header, Line, Signed


class Consistent:
    """Compares each outside note with the root of the covered lines at its size."""

    def __init__(self, request: Request, emit: Emit) -> None:
        self._request = request
        self._emit = emit
        self._seen: set[OutsideNote] = set()
        self._agreeing = 0
        self._origins: set[str] = set()

    def handlers(self) -> Mapping[str, Handler]:
        """Every entry's leaf, where there is something to compare with."""
        wanted = ("*", TOURNAMENT) if self._request.outside else ()
        return dict.fromkeys(wanted, self._add)

    def begin(self, header: Header, /) -> None:
        """Take the outside notes that are of this game."""
        self._header = header
        self._origins.add(header.origin)
        self._frontier = Frontier()
        self._leaves = bytearray()
        self._roots: dict[int, bytes] = {0: EMPTY_ROOT}
        self._pending: list[OutsideNote] = []
        self._own: Signed | None = None
        key = self._request.trusted or header.key
        for outside in self._request.outside:
            if outside.checkpoint.origin != header.log_origin:
                continue
            self._seen.add(outside)
            opened = verify_note(outside.note, (key,))
            if opened.verdict is NoteVerdict.OK:
                self._pending.append(outside)
            else:
                self._emit.warning(
                    f"the note {outside.source} is ignored: it has no good signature of {key}"
                )
        self._sizes = {outside.checkpoint.size for outside in self._pending}

    def _add(self, line: Line) -> None:
        if not self._pending:
            return
        self._leaves += line.leaf
        self._frontier.append(line.leaf)
        if self._frontier.size in self._sizes:
            self._roots[self._frontier.size] = self._frontier.root()

    def signed(self, signed: Signed, /) -> None:
        """Compare the notes whose size is now reached."""
        self._own = signed
        waiting = []
        for outside in self._pending:
            if outside.checkpoint.size > signed.size:
                waiting.append(outside)
            elif self._roots[outside.checkpoint.size] == outside.checkpoint.root:
                self._agreeing += 1
            else:
                self._break(outside, signed)
        self._pending = waiting

    def _break(self, outside: OutsideNote, own: Signed) -> None:
        size = outside.checkpoint.size
        count = 0 if size == own.size else own.size
        leaves = tuple(
            bytes(self._leaves[at : at + HASH_BYTES])
            for at in range(0, count * HASH_BYTES, HASH_BYTES)
        )
        key = self._request.trusted or self._header.key
        notes = (own.text, outside.text)
        self._emit.fork(Fork(self._header.log_origin, key.text, notes, leaves))
        self._emit.finding(
            Finding(
                Promise.CONSISTENT,
                Verdict.BROKEN,
                f"{key} signed another history at size {size:,} ({outside.source})",
                game=self._header.game,
                entry=size - 1 if size else None,
                line=own.number,
                expected=f"root {self._roots[size].hex()}, as of the entries of this file",
                found=f"root {outside.checkpoint.root.hex()}, in the note from outside",
            )
        )

    def behind(self, extra: Extra, /) -> None:
        """Nothing: not part of the log."""

    def end(self, ended: Ended, /) -> None:
        """Name the notes that the signed lines do not reach."""
        for outside in self._pending:
            self._emit.finding(
                Finding(
                    Promise.CONSISTENT,
                    Verdict.NOT_ESTABLISHED,
                    f"{outside.source} is of size {outside.checkpoint.size:,}; "
                    f"the signed entries end at {ended.covered:,}",
                    game=self._header.game,
                )
            )
        self._pending = []

    def conclude(self) -> None:
        """Report that it holds where a note could be compared, warn of those of other logs."""
        request = self._request
        own = [one for one in request.outside if one.checkpoint.origin not in self._origins]
        for outside in own:
            if outside not in self._seen:
                self._emit.warning(
                    f"the note {outside.source} is ignored: it is of another log, "
                    f"{outside.checkpoint.origin}"
                )
        if self._agreeing:
            text = f"{self._agreeing} checkpoints from outside are of these lines"
            self._emit.finding(Finding(Promise.CONSISTENT, Verdict.HOLDS, text))
        elif own or not (request.outside or request.dealer_log or request.proofs):
            text = "no checkpoint from outside to compare with"
            self._emit.finding(Finding(Promise.CONSISTENT, Verdict.NOT_ESTABLISHED, text))
