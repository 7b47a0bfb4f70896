"""ORDERED: the entries follow the grammar, time does not fall, and decks are signed before cards.

Protocol 7 is a small automaton here. After an entry that does not fit, the automaton goes on from
what that entry would begin or end, and says no more about the same hand.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from audit_cli.checks.voice import Voice, count
from audit_cli.report.finding import Promise
from audit_cli.spool import Numbers

if TYPE_CHECKING:
    from audit_cli.checks.check import Emit
    from audit_cli.checks.table import Table
    from audit_cli.gamefile import Line, Play

_ASIDES = frozenset(
    {
        "seat_taken",
        "seat_left",
        "player_removed",
        "sat_out",
        "came_back",
        "preferred",
        "paused",
        "resumed",
        "anchored",
    }
)
_PLAYING = frozenset(
    {
        *("dealt", "acted", "opened", "mucked", "returned", "awarded"),
        *("runs_agreed", "blinds_chopped"),
    }
)
# Kinds of play of which only place and time are to be judged.
_PLAIN = frozenset({"acted", "returned", "awarded"})
_OF_A_HAND = frozenset(
    {
        *("hand_void", "deck_committed", "dealt", "opened", "mucked", "hand_ended"),
        *("runs_agreed", "blinds_chopped"),
    }
)


_BEGUN = _ASIDES | _PLAYING | {"hand_ended", "hand_void"}


class _Place(Enum):
    """Where in the grammar a log is, with what may stand there; None where all may."""

    START = "a game begins with game_opened", frozenset({"game_opened"})
    BETWEEN = (
        "between hands",
        _ASIDES | {"chips_added", "colored_up", "hand_opened", "game_closed"},
    )
    OPENED = (
        "between the opening of a hand and its deck",
        _ASIDES | {"hand_void", "deck_committed"},
    )
    POSTING = "between the deck and the cards", _BEGUN | {"posted"}
    PLAYING = "in the play of a hand", _BEGUN
    CLOSED = "behind the close of the game", frozenset({"secret_revealed"})
    UNKNOWN = "behind an unreadable entry", None

    def __init__(self, words: str, allowed: frozenset[str] | None) -> None:
        self.words = words
        self.allowed = allowed


_LEADS_TO = {
    "game_opened": _Place.BETWEEN,
    "hand_opened": _Place.OPENED,
    "deck_committed": _Place.POSTING,
    "hand_void": _Place.BETWEEN,
    "hand_ended": _Place.BETWEEN,
    "game_closed": _Place.CLOSED,
    "secret_revealed": _Place.CLOSED,
    **dict.fromkeys(_PLAYING, _Place.PLAYING),
}


class Ordered:
    """Follows one game's entries through the grammar."""

    def __init__(self, emit: Emit) -> None:
        self._voice = Voice(Promise.ORDERED, emit)
        self._entries = 0
        self._decks = 0

    def begin(self, table: Table) -> None:
        """Begin a game."""
        self._table = table
        self._voice.begin(table.game)
        self._place = _Place.START
        self._at = 0
        self._plain: frozenset[str] = frozenset()
        self._complained = False
        self._uncovered: Line | None = None
        self._voided = Numbers()
        self._known = Numbers()
        self._last_revealed = 0

    def line(self, line: Line) -> None:
        """Judge one entry before the table takes it."""
        kind = line.kind
        self._entries += 1
        at = line.at
        if kind in self._plain and at >= self._at:
            # Most entries of most games.
            self._at = at
            return
        if kind == "":
            self._place = _Place.UNKNOWN
            self._plain = frozenset()
            return
        if line.at < self._at:
            self._voice.broken("time goes back", line, self._number(line), self._at, line.at)
        self._at = line.at
        if kind == "hand_opened":
            self._complained = False
        place = self._place
        if place.allowed is not None and kind not in place.allowed:
            self._complain(f"{kind} does not stand here: {place.words}", line)
        elif kind in _OF_A_HAND:
            self._check_number(line)
        self._check_kind(line)
        leads_to = _LEADS_TO.get(kind)
        if leads_to is not None and not (kind in _PLAYING and place is _Place.OPENED):
            self._place = leads_to
            self._plain = _PLAIN if leads_to is _Place.PLAYING else frozenset()

    def play(self, play: Play) -> bool:
        """Judge the lines of a hand's play; False, all being as before, where there is a doubt."""
        place, hand = self._place, self._table.hand
        posting = place is _Place.POSTING
        if hand is None or self._uncovered is not None:
            return False
        if not posting and place is not _Place.PLAYING:
            return False
        told = play.told
        times = [at for at, _, _ in told]
        if times[0] < self._at or times != sorted(times):
            return False
        # The posts come first, all else is of this hand.
        posts = next((at for at, plain in enumerate(told) if plain[1] != "posted"), len(told))
        if posts and not posting:
            return False
        for _, kind, body in told[posts:]:
            if kind not in _PLAIN and (kind == "posted" or body["hand"] != hand.number):
                return False
        self._entries += len(told)
        self._at = times[-1]
        if posts < len(told):
            self._place, self._plain = _Place.PLAYING, _PLAIN
        return True

    def foreseen(self, entries: int, first: int, last: int) -> bool:
        """Take so many entries of a hand's play, which are in order among themselves.

        False, all being as before, where they are not in order behind the last one.
        """
        if self._place is not _Place.POSTING or self._uncovered is not None or first < self._at:
            return False
        self._entries += entries
        self._at = last
        self._place, self._plain = _Place.PLAYING, _PLAIN
        return True

    def _check_number(self, line: Line) -> None:
        hand = self._table.hand
        if hand is not None and line.body["hand"] != hand.number:
            text = f"{line.kind} is of another hand than the open one"
            self._complain(text, line, hand.number, line.body["hand"])

    def _check_kind(self, line: Line) -> None:
        kind = line.kind
        if kind == "deck_committed":
            self._decks += 1
            self._uncovered = line
        elif kind == "dealt":
            if self._uncovered is not None:
                text = "no signed checkpoint covers deck_committed and not the first dealt"
                self._voice.broken(text, line, self._number(line))
                self._uncovered = None
        elif kind == "anchored":
            if self._table.is_dealt_in(line.body["seat"], line.body["player"]):
                self._complain("anchored of a player dealt into the open hand", line)
        elif kind == "hand_void":
            self._check_void(line)
        elif kind in ("hand_opened", "hand_ended"):
            self._known.add(line.body["hand"])
            self._uncovered = None
        elif kind == "secret_revealed":
            self._check_reveal(line)

    def _check_void(self, line: Line) -> None:
        self._uncovered = None
        hand, reason = self._table.hand, line.body["reason"]
        if hand is not None and hand.committed and reason != "dealer_fault":
            text = "a hand is void after its deck was committed"
            self._complain(text, line, "hand_ended, or reason dealer_fault", reason)
        # Its secret stands in the void, so that none is revealed for it later.
        self._voided.add(line.body["hand"])

    def _check_reveal(self, line: Line) -> None:
        hand = line.body["hand"]
        if hand <= self._last_revealed:
            text = "secrets are not revealed in rising order, once each"
            self._voice.broken(text, line, hand, f"a hand above {self._last_revealed}", hand)
        elif hand in self._voided or not (hand in self._known or self._table.damaged):
            what = "is void" if hand in self._voided else "was never opened"
            self._voice.broken(f"a secret is revealed for a hand that {what}", line, hand)
        self._last_revealed = max(hand, self._last_revealed)

    def _number(self, line: Line) -> int | None:
        number: int | None = line.body.get("hand")
        if number is None and self._table.hand is not None:
            number = self._table.hand.number
        return number

    def _complain(
        self, text: str, line: Line, expected: object = None, found: object = None
    ) -> None:
        if self._complained and self._table.hand is not None:
            return
        self._complained = True
        self._voice.broken(text, line, self._number(line), expected, found)

    def signed(self) -> None:
        """Note that a good checkpoint covers all entries so far."""
        self._uncovered = None

    def end(self) -> None:
        """End the game: count what was not listed."""
        self._voice.end()

    def conclude(self) -> None:
        """Say what was looked at."""
        self._voice.holds(
            f"{count(self._entries, 'entry')} in order, "
            f"{count(self._decks, 'deck')} signed before the first card"
        )
