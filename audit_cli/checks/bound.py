"""BOUND: every revealed secret opens its hand's commitment, and none serves two hands.

A secret is missing when a later hand's is there; secrets that are not there yet at the end are
not established (protocol 12).
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from audit_cli.checks.voice import Voice, count
from audit_cli.hashing import commit_hand
from audit_cli.report.finding import Promise

if TYPE_CHECKING:
    from audit_cli.checks.check import Emit
    from audit_cli.checks.table import Table
    from audit_cli.gamefile import Line


class Bound:
    """Holds the commitments until their secrets come."""

    def __init__(self, emit: Emit) -> None:
        self._voice = Voice(Promise.BOUND, emit)
        # Over all games of the input: no secret serves two hands of a chain either.
        self._seen: dict[bytes, tuple[str, int]] = {}
        self._hands = 0
        self._secrets = 0

    def begin(self, table: Table) -> None:
        """Begin a game."""
        self._table = table
        self._voice.begin(table.game)
        # Hands that are to have a secret, with their openings: the entry and the commitment.
        self._waiting: dict[int, tuple[Line | None, str]] = {}
        self._latest = 0

    def hand_opened(self, line: Line) -> None:
        """Take a commitment."""
        self._hands += 1
        hand = line.body["hand"]
        # The place is kept without the entry's content: a game has many hands.
        self._waiting[hand] = (line._replace(body={}), line.body["commitment"])

    def hand_void(self, line: Line) -> None:
        """Open the secret that a void shows; COMPLETE asks for it."""
        hand = line.body["hand"]
        secret = line.body.get("secret")
        if not secret:
            self._waiting.pop(hand, None)
        else:
            self._open(line, hand, secret)

    def secret_revealed(self, line: Line) -> None:
        """Open a secret that comes behind the close."""
        hand = line.body["hand"]
        self._latest = max(self._latest, hand)
        self._open(line, hand, line.body["secret"])

    def _open(self, line: Line, hand: int, secret_hex: str) -> None:
        opening, commitment = self._waiting.pop(hand, (None, ""))
        secret = bytes.fromhex(secret_hex)
        game, served = self._seen.setdefault(secret, (self._table.game, hand))
        if (game, served) != (self._table.game, hand):
            text = "one secret serves two hands"
            found = f"the secret of hand {served} of game {game}"
            self._voice.broken(text, line, hand, "a fresh secret", found)
        if opening is None:
            return
        self._secrets += 1
        opened = commit_hand(self._table.origin, self._table.game_bytes, hand, secret)
        if not hmac.compare_digest(opened.hex(), commitment):
            self._voice.broken(
                "a secret does not open the commitment of its hand",
                line,
                hand,
                f"the commitment {commitment}, logged at entry {opening.entry}",
                f"a secret of commitment {opened.hex()}",
            )

    def end(self) -> None:
        """Tell secrets that are missing from secrets that are not there yet."""
        absent = 0
        for hand, (opening, _) in self._waiting.items():
            if hand < self._latest and not self._table.damaged:
                text = "the hand's secret is missing, and a later hand's is there"
                self._voice.broken(text, opening, hand)
            else:
                absent += 1
        if absent:
            self._voice.unproved(f"{count(absent, 'secret')} not yet revealed")
        self._voice.end()

    def conclude(self) -> None:
        """Say what was opened."""
        self._voice.holds(
            f"{count(self._hands, 'hand')}, {count(self._secrets, 'secret')} that open "
            "their commitments"
        )
