"""PLAYED, by whom and when: acts of players, of the clock, and for the absent (protocol 9.5).

Absent are those who left in the hand, and at a tournament's table those whom the hand dealt in
while they sat out, until it has ended. The clock never acts before the turn's time and the time
bank are over, always checks or folds, and its seat sits out at once. A player's act behind that is
told and breaks nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.checks.words import summarise

if TYPE_CHECKING:
    from audit_cli.checks.between import Between
    from audit_cli.checks.ruleset import Rules
    from audit_cli.checks.table import Table
    from audit_cli.checks.voice import Voice
    from audit_cli.gamefile import Line
    from audit_cli.poker.betting import Betting

MAX_LATE = 20
# Who acts of its own will.
OWN = frozenset({"player", "pre_action"})


class Clock:
    """Judges who acted; each is called before the table takes the entry."""

    def __init__(self, voice: Voice, between: Between) -> None:
        self._voice = voice
        self._between = between

    def begin(self, table: Table) -> None:
        """Begin a game."""
        self._table = table
        # The seat for which the clock has just acted, and which has to sit out at once.
        self.acted: int | None = None
        self._taken = -1
        self._late = 0

    def _broken(self, text: str, line: Line, expected: object = None, found: object = None) -> None:
        hand = self._table.hand
        self._voice.broken(text, line, None if hand is None else hand.number, expected, found)

    def is_plain(self, rules: Rules) -> bool:
        """Whether acts in time by players themselves leave nothing to judge or to remember."""
        return self.acted is None and rules.bank is None

    def check(self, line: Line, betting: Betting, began: int) -> None:
        """Judge by whom an act in turn is; the turn `began` at that time in milliseconds."""
        body, rules = line.body, self._table.rules
        seat: int = body["seat"]
        by = body["by"]
        held = self._table.seats.get(seat)
        left = held is not None and held.leaving
        absent = left or self._table.is_absent(seat)
        if absent or by not in OWN:
            self._check_by(line, betting, absent=absent, left=left)
        if rules is None:
            return
        due = began + rules.turn_ms
        if rules.bank is not None:
            due = self._draw(line, due)
        if by == "clock":
            if line.at < due:
                self._broken("the clock acts before its time", line, f"not before {due}", line.at)
            if held is not None and not held.sitting_out and not absent:
                self.acted = seat
        elif by == "player" and line.at > due:
            self._late += 1
            if self._late <= MAX_LATE:
                self._tell_late(line, seat, line.at - due)

    def _check_by(self, line: Line, betting: Betting, *, absent: bool, left: bool) -> None:
        """Judge an act for a player who is absent or left, or that no player chose."""
        body = line.body
        by = body["by"]
        if absent != (by == "absent"):
            wanted = "player, pre_action or clock"
            if absent:
                wanted = f"absent, as its {'player left' if left else 'opening says'}"
            self._broken("an act by another than its player's state gives", line, wanted, by)
        if by not in OWN:
            wanted = "fold" if betting.owes(body["seat"]) else "check"
            if body["act"] != wanted:
                text = f"an act by {by} is another than the rule's"
                self._broken(text, line, wanted, body["act"])

    def _draw(self, line: Line, due: int) -> int:
        """Take from the time bank what an act took above its turn; until when the clock waits."""
        seat, by = line.body["seat"], line.body["by"]
        held = self._table.seats.get(seat)
        bank = 0 if held is None else held.bank
        if by == "clock":
            self._table.spend(seat, None)
        elif by != "absent" and line.at > due:
            self._table.spend(seat, line.at - due)
        return due + bank

    def _tell_late(self, line: Line, seat: int, late: int) -> None:
        number = None if self._table.hand is None else self._table.hand.number
        self._voice.notice(
            f"hand {number}, entry {line.entry}: seat {seat} acted {late:,} ms after its clock"
        )

    def follow(self, line: Line) -> None:
        """Judge the entry behind an act of the clock: its seat sits out."""
        seat, self.acted = self.acted, None
        body = line.body
        if line.kind == "sat_out" and (body["seat"], body["by"]) == (seat, "clock"):
            self._between.named(line)
            # `sat_out` does not look at it again.
            self._taken = line.entry
        elif line.kind:
            text = "the clock acted, and its seat does not sit out at once"
            self._broken(text, line, f"sat_out, seat {seat}, by clock", summarise(line))

    def sat_out(self, line: Line) -> None:
        """Judge a seat that sits out otherwise than behind an act of the clock."""
        if line.entry == self._taken:
            return
        self._between.named(line)
        if line.body["by"] == "clock" and not self._table.torn:
            self._broken("a seat sits out by a clock that did not act", line, found=summarise(line))

    def end(self) -> None:
        """Say how many more late acts there were than were told."""
        if self._late > MAX_LATE:
            self._voice.notice(f"and {self._late - MAX_LATE:,} more acts after their clock")
