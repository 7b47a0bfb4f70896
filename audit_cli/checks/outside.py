"""BEACON-MIXED: what the entries of a game alone can not establish.

A beacon's signature and the time of its rounds need the network's key, genesis and period. Where
a game asks for one, it is said plainly that this audit does not establish it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.checks.voice import Voice
from audit_cli.report.finding import Promise

if TYPE_CHECKING:
    from audit_cli.checks.check import Emit
    from audit_cli.checks.table import Table
    from audit_cli.gamefile import Line


class Outside:
    """Looks for a beacon in the rules and in the decks."""

    def __init__(self, emit: Emit) -> None:
        self._beacon = Voice(Promise.BEACON_MIXED, emit)
        self._named = False

    def begin(self, table: Table) -> None:
        """Begin a game."""
        self._table = table
        self._beacon.begin(table.game)

    def game_opened(self, line: Line) -> None:
        """See whether the rules name a beacon."""
        chain = line.body["rules"].get("beacon")
        if chain is not None:
            self._named = True
            text = f"the rounds of beacon {chain['chain']} are not verified by this audit"
            self._beacon.unproved(text)

    def deck_committed(self, line: Line) -> None:
        """Judge that a deck has a round exactly where the rules name a beacon."""
        rules = self._table.rules
        named = rules is not None and rules.beacon is not None
        if named != ("beacon" in line.body):
            self._named = True
            text = "a deck and its rules disagree about a beacon"
            wanted = "a round" if named else "no round"
            found = "a round" if "beacon" in line.body else "no round"
            self._beacon.broken(text, line, line.body["hand"], wanted, found)

    def end(self) -> None:
        """End the game: count what was not listed."""
        self._beacon.end()

    def conclude(self) -> None:
        """Not applicable where nothing names a beacon."""
        if not self._named:
            self._beacon.not_applicable("the rules name no beacon")
