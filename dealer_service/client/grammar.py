"""Follows a game's entries through the grammar of PROTOCOL.md section 7.

What does not fit is a breach LINE, a hand whose number is missing or comes twice HAND_NUMBER, and
a second deck for a hand SECOND_DECK. A void must be one that section 7 allows: of a hand whose
deck is not committed (or by a fault of the dealer), and for missing links neither early nor
silent about whose. Poker itself is the audit's to judge.
"""

from collections.abc import Iterable
from enum import Enum, auto
from typing import Final, NoReturn

from dealer_service.client.lines import Entry
from dealer_service.client.refusing import ProtocolBreach, Reason

ASIDES: Final = frozenset(
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
_BETWEEN: Final = ASIDES | {"chips_added", "colored_up", "hand_opened", "game_closed"}
DEALT_IN: Final = frozenset({"in", "absent"})
"""The states of an opening's seats that are dealt in."""
_AGREED: Final = frozenset({"runs_agreed", "blinds_chopped"})
_PLAYED: Final = _AGREED | {"dealt", "acted", "opened", "mucked", "returned", "awarded"}
_OF_A_HAND: Final = _AGREED | {
    "hand_void",
    "deck_committed",
    "dealt",
    "opened",
    "mucked",
    "hand_ended",
}


class Phase(Enum):
    """Where in the grammar a game is."""

    START = auto()
    BETWEEN = auto()
    OPENED = auto()
    POSTING = auto()
    PLAYING = auto()
    CLOSED = auto()


_ALLOWED: Final = {
    Phase.START: frozenset({"game_opened"}),
    Phase.BETWEEN: _BETWEEN,
    Phase.OPENED: ASIDES | {"hand_void", "deck_committed"},
    Phase.POSTING: ASIDES | _PLAYED | {"posted", "hand_ended", "hand_void"},
    Phase.PLAYING: ASIDES | _PLAYED | {"hand_ended", "hand_void"},
    Phase.CLOSED: frozenset({"secret_revealed"}),
}


class Grammar:
    """The phase of one game, the number of its last hand, and what is still to be revealed."""

    __slots__ = (
        "_frozen",
        "_in",
        "_is_tournament",
        "_link_ms",
        "_opened_at",
        "_to_reveal",
        "hand",
        "phase",
    )

    def __init__(self) -> None:
        self.phase = Phase.START
        self.hand = 0
        self._in: dict[str, int] = {}
        self._frozen: dict[int, str] = {}
        self._opened_at = 0
        self._link_ms = 0
        self._is_tournament = False
        self._to_reveal: list[int] = []

    @property
    def finished(self) -> bool:
        """Whether the game is closed and every hand that was not void is revealed."""
        return self.phase is Phase.CLOSED and not self._to_reveal

    def accept(self, entry: Entry) -> None:
        """Go on by one entry; ProtocolBreach where it does not fit."""
        kind = entry.kind
        if kind == "deck_committed" and self.phase in {Phase.POSTING, Phase.PLAYING}:
            detail = f"line {entry.index} commits a second deck for hand {self.hand}"
            raise ProtocolBreach(Reason.SECOND_DECK, detail)
        if kind not in _ALLOWED[self.phase]:
            _refuse(entry, f"{kind} has no place in the phase {self.phase.name.lower()}")
        if kind in _OF_A_HAND and entry.body["hand"] != self.hand:
            _refuse(entry, f"it names hand {entry.body['hand']}, and the open one is {self.hand}")
        if kind == "colored_up":
            self._require_tournament(entry, there=True)
        self._advance(entry)

    def _advance(self, entry: Entry) -> None:
        match entry.kind:
            case "game_opened":
                self._link_ms = entry.body["rules"]["link_ms"]
                self._is_tournament = "tournament" in entry.body["rules"]
                self.phase = Phase.BETWEEN
            case "hand_opened":
                self._open(entry)
            case "anchored":
                self._require_not_dealt_in(entry)
            case "hand_void":
                self._require_allowed_void(entry)
                self.phase = Phase.BETWEEN
            case "deck_committed":
                self.phase = Phase.POSTING
            case "hand_ended":
                self._to_reveal.append(self.hand)
                self.phase = Phase.BETWEEN
            case "game_closed":
                self.phase = Phase.CLOSED
            case "secret_revealed":
                self._reveal(entry)
            case kind if kind in _PLAYED:
                self.phase = Phase.PLAYING

    def _open(self, entry: Entry) -> None:
        number = entry.body["hand"]
        if number != self.hand + 1:
            detail = f"line {entry.index} opens hand {number} where hand {self.hand + 1} is next"
            raise ProtocolBreach(Reason.HAND_NUMBER, detail)
        self._require_tournament(entry, there="level" in entry.body)
        dealt_in = [seat for seat in entry.body["seats"] if seat["state"] in DEALT_IN]
        if len(dealt_in) < 2:
            _refuse(entry, "a hand opens with two seats or more dealt in")
        self.hand = number
        self.phase = Phase.OPENED
        self._opened_at = entry.at
        self._in = {seat["player"]: seat["seat"] for seat in dealt_in}
        self._frozen = {
            s["seat"]: s["player"] for s in dealt_in if s["state"] == "in" and "anchor" in s
        }

    def _require_tournament(self, entry: Entry, *, there: bool) -> None:
        if there != self._is_tournament:
            _refuse(entry, "a level and colored_up are a tournament's table's, and no other's")

    def _require_not_dealt_in(self, entry: Entry) -> None:
        if self.phase is not Phase.BETWEEN and entry.body["player"] in self._in:
            _refuse(entry, "a player dealt in does not anchor in the middle of a hand")

    def _require_allowed_void(self, entry: Entry) -> None:
        reason = entry.body["reason"]
        if self.phase is not Phase.OPENED:
            if reason != "dealer_fault" or entry.body["links"]:
                _refuse(entry, "a hand whose deck is committed is void by dealer_fault alone")
            return
        came = {link["seat"] for link in entry.body["links"]}
        if not came <= self._frozen.keys():
            _refuse(entry, "a link came from a seat without a frozen anchor")
        if reason != "link_missing":
            return
        missing = {each["seat"]: each["player"] for each in entry.body["missing"]}
        if missing != _without(self._frozen, came):
            _refuse(entry, "`missing` is not every frozen anchor whose link did not come")
        if entry.at < self._opened_at + self._link_ms:
            _refuse(entry, f"links had {self._link_ms} ms, and less has passed")

    def _reveal(self, entry: Entry) -> None:
        if not self._to_reveal or entry.body["hand"] != self._to_reveal[0]:
            due = f"hand {self._to_reveal[0]} is next" if self._to_reveal else "none is left"
            _refuse(entry, f"it reveals hand {entry.body['hand']} where {due}")
        del self._to_reveal[0]


def _without(frozen: dict[int, str], seats: Iterable[int]) -> dict[int, str]:
    gone = set(seats)
    return {seat: player for seat, player in frozen.items() if seat not in gone}


def _refuse(entry: Entry, why: str) -> NoReturn:
    raise ProtocolBreach(Reason.LINE, f"line {entry.index} ({entry.kind}): {why}")
