"""BOUND: every revealed secret opens its hand's commitment, and none serves two hands.

A secret is missing when a later hand's is there; secrets that are not there yet at the end are
not established (protocol 12).
"""

from __future__ import annotations

import hmac
from struct import Struct
from typing import TYPE_CHECKING

from audit_cli.checks.voice import Voice, count
from audit_cli.gamefile import place_of
from audit_cli.hashing import commit_hand
from audit_cli.report.finding import Promise
from audit_cli.spool import Shelf, Values

if TYPE_CHECKING:
    from audit_cli.checks.check import Emit
    from audit_cli.checks.table import Table
    from audit_cli.gamefile import Line

# The entry and line of an opening, with its commitment; the game and hand that a secret served.
_OPENING = Struct("<QQ32s")
_SERVED = Struct("<QQ")


class Bound:
    """Holds the commitments until their secrets come."""

    def __init__(self, emit: Emit) -> None:
        self._voice = Voice(Promise.BOUND, emit)
        # Over all games of the input: no secret serves two hands of a chain either.
        self._seen = Values()
        self._games: list[str] = []
        self._hands = 0
        self._secrets = 0

    def begin(self, table: Table) -> None:
        """Begin a game."""
        self._table = table
        self._voice.begin(table.game)
        self._games.append(table.game)
        # Hands that are to have a secret, with their openings: the entry and the commitment.
        self._waiting = Shelf()
        self._latest = 0

    def hand_opened(self, line: Line) -> None:
        """Take a commitment."""
        self._hands += 1
        hand = line.body["hand"]
        commitment = bytes.fromhex(line.body["commitment"])
        self._waiting.put(hand, _OPENING.pack(line.entry, line.number, commitment))

    def hand_void(self, line: Line) -> None:
        """Open the secret that a void shows; COMPLETE asks for it."""
        hand = line.body["hand"]
        secret = line.body.get("secret")
        if not secret:
            self._waiting.pop(hand)
        else:
            self._open(line, hand, secret)

    def secret_revealed(self, line: Line) -> None:
        """Open a secret that comes behind the close."""
        hand = line.body["hand"]
        self._latest = max(self._latest, hand)
        self._open(line, hand, line.body["secret"])

    def _open(self, line: Line, hand: int, secret_hex: str) -> None:
        opening = self._waiting.pop(hand)
        secret = bytes.fromhex(secret_hex)
        before = self._seen.put(secret, _SERVED.pack(len(self._games) - 1, hand))
        number, served = _SERVED.unpack(before) if before else (len(self._games) - 1, hand)
        game = self._games[number]
        if (game, served) != (self._table.game, hand):
            text = "one secret serves two hands"
            found = f"the secret of hand {served} of game {game}"
            self._voice.broken(text, line, hand, "a fresh secret", found)
        if opening is None:
            return
        self._secrets += 1
        opened = commit_hand(self._table.origin, self._table.game_bytes, hand, secret)
        entry, _, commitment = _OPENING.unpack(opening)
        if not hmac.compare_digest(opened, commitment):
            self._voice.broken(
                "a secret does not open the commitment of its hand",
                line,
                hand,
                f"the commitment {commitment.hex()}, logged at entry {entry}",
                f"a secret of commitment {opened.hex()}",
            )

    def end(self) -> None:
        """Tell secrets that are missing from secrets that are not there yet."""
        absent = 0
        for hand in self._waiting.hands():
            if hand < self._latest and not self._table.damaged:
                text = "the hand's secret is missing, and a later hand's is there"
                entry, number, _ = _OPENING.unpack(self._waiting.get(hand) or b"")
                self._voice.broken(text, place_of(entry, number), hand)
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
