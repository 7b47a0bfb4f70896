"""The state between hands and of the open hand, as the log tells it (protocol 6.3 and 8).

`Table` believes each entry; whether an entry may say what it says is asked by the checks before
the table takes it. Each `hand_opened` repeats the whole state, and the table then goes on from
what it says, so that one wrong entry is found once and not in every hand behind it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from audit_cli.gamefile import Header, Line

# Reasons of the operator's own, of which a game may have two (protocol 7).
OWN_REASONS = frozenset({"operator", "no_beacon", "health"})


@dataclass(slots=True)
class Seat:
    """A taken seat. `leaving`: its player left in the open hand, which it plays as absent."""

    player: str
    stack: int
    sitting_out: bool = False
    anchor: str | None = None
    leaving: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """What the checks need of a rule set (protocol 6.1)."""

    seats: int
    small_blind: int
    big_blind: int
    chip_unit: int
    buy_in_min: int
    buy_in_max: int
    turn_ms: int
    link_ms: int
    links_required: bool
    within_ms: int
    max_hands: int
    max_ms: int
    beacon: str | None


@dataclass(frozen=True, slots=True)
class Player:
    """Who is dealt into a hand, as its opening says."""

    player: str
    stack: int
    anchor: str | None


@dataclass(slots=True)
class OpenHand:
    """A hand from its opening on. `players` are those dealt in, by rising seat.

    `links` are the links that the log gave for it so far, as seat to hex; `committed` tells
    whether they were committed with a deck.
    """

    number: int
    opened_at: int
    commitment: str
    button: int
    small_blind_seat: int | None
    big_blind_seat: int
    players: dict[int, Player]
    links: dict[int, str] = field(default_factory=dict)
    mix: str = ""
    deck_root: str = ""
    beacon: dict[str, Any] | None = None
    committed: bool = False

    @property
    def frozen(self) -> dict[int, str]:
        """The anchors that the opening freezes, by rising seat."""
        return {seat: p.anchor for seat, p in self.players.items() if p.anchor is not None}


def read_rules(body: dict[str, Any]) -> Rules:
    """Return the rule set of a `game_opened`."""
    beacon = body.get("beacon")
    return Rules(
        seats=body["seats"],
        small_blind=body["small_blind"],
        big_blind=body["big_blind"],
        chip_unit=body["chip_unit"],
        buy_in_min=body["buy_in_min"],
        buy_in_max=body["buy_in_max"],
        turn_ms=body["turn_ms"],
        link_ms=body["link_ms"],
        links_required=body["links"] == "required",
        within_ms=body["reveal"]["within_ms"],
        max_hands=body["max_hands"],
        max_ms=body["max_ms"],
        beacon=None if beacon is None else beacon["chain"],
    )


class Table:
    """A game's seats, button, misses and open hand.

    `torn` tells that an unreadable entry came since the last opening: what the state should be
    is then not known before the next one. `damaged` tells that one came at all.
    """

    __slots__ = (
        "button",
        "button_stays",
        "closed_at",
        "damaged",
        "game",
        "game_bytes",
        "hand",
        "handlers",
        "last_hand",
        "misses",
        "opened_at",
        "origin",
        "own_voids",
        "paused",
        "previous",
        "rules",
        "seats",
        "torn",
    )

    def __init__(self, header: Header) -> None:
        self.game = header.game
        self.game_bytes = bytes.fromhex(header.game)
        self.origin = header.origin
        self.rules: Rules | None = None
        self.previous: dict[str, Any] | None = None
        self.opened_at = 0
        self.closed_at: int | None = None
        self.seats: dict[int, Seat] = {}
        # The hands whose link each player missed, rising.
        self.misses: dict[str, list[int]] = {}
        self.paused = False
        self.button = 0
        self.button_stays = False
        self.last_hand = 0
        self.own_voids = 0
        self.hand: OpenHand | None = None
        self.torn = False
        self.damaged = False
        # How the table takes each kind of entry that changes it.
        self.handlers: dict[str, Callable[[Line], None]] = {
            "": self._unreadable,
            "game_opened": self._game_opened,
            "seat_taken": self._seat_taken,
            "seat_left": self._left,
            "player_removed": self._left,
            "chips_added": self._chips_added,
            "sat_out": self._sat_out,
            "came_back": self._came_back,
            "anchored": self._anchored,
            "paused": self._paused,
            "resumed": self._resumed,
            "hand_opened": self._hand_opened,
            "hand_void": self._hand_void,
            "deck_committed": self._deck_committed,
            "hand_ended": self._hand_ended,
            "game_closed": self._game_closed,
        }

    def find(self, body: dict[str, Any]) -> Seat | None:
        """Return the seat that an entry names, if the player that it names holds it."""
        seat = self.seats.get(body["seat"])
        return seat if seat is not None and seat.player == body["player"] else None

    def is_dealt_in(self, seat: int, player: str) -> bool:
        """Whether the player was dealt into the open hand at that seat."""
        if self.hand is None:
            return False
        dealt = self.hand.players.get(seat)
        return dealt is not None and dealt.player == player

    def state_of(self, seat: Seat) -> str:
        """Return the state that an opening has to give (protocol 6.3): the first that is true."""
        if seat.sitting_out:
            return "sitting_out"
        if seat.stack == 0:
            return "no_chips"
        if seat.anchor is None and self.rules is not None and self.rules.links_required:
            return "no_anchor"
        return "in"

    def _unreadable(self, _: Line) -> None:
        self.damaged = self.torn = True
        self.hand = None

    def _game_opened(self, line: Line) -> None:
        self.rules = read_rules(line.body["rules"])
        self.opened_at = line.at
        self.previous = line.body.get("previous")
        if self.previous is not None:
            self.button = self.previous["button"]
            self.button_stays = self.previous["button_stays"]
            for seat in self.previous["seats"]:
                self.seats[seat["seat"]] = Seat(seat["player"], seat["stack"], seat["sitting_out"])

    def _seat_taken(self, line: Line) -> None:
        body = line.body
        self.seats[body["seat"]] = Seat(body["player"], body["stack"], anchor=body.get("anchor"))

    def _left(self, line: Line) -> None:
        body = line.body
        seat = self.find(body)
        if seat is None:
            return
        if self.is_dealt_in(body["seat"], body["player"]):
            seat.leaving = True
        else:
            del self.seats[body["seat"]]

    def _chips_added(self, line: Line) -> None:
        seat = self.find(line.body)
        if seat is not None:
            seat.stack += line.body["amount"]

    def _sat_out(self, line: Line) -> None:
        seat = self.find(line.body)
        if seat is not None:
            seat.sitting_out = True

    def _came_back(self, line: Line) -> None:
        seat = self.find(line.body)
        if seat is not None:
            seat.sitting_out = False

    def _anchored(self, line: Line) -> None:
        seat = self.find(line.body)
        if seat is not None:
            seat.anchor = line.body["anchor"]

    def _paused(self, _: Line) -> None:
        self.paused = True

    def _resumed(self, _: Line) -> None:
        self.paused = False

    def _hand_opened(self, line: Line) -> None:
        body = line.body
        self.seats = {
            seat["seat"]: Seat(
                seat["player"],
                seat["stack"],
                seat["state"] == "sitting_out",
                seat.get("anchor"),
            )
            for seat in body["seats"]
        }
        self.misses = {miss["player"]: list(miss["hands"]) for miss in body["misses"]}
        self.own_voids = body["voids"]
        self.last_hand = body["hand"]
        self.button = body["button"]
        self.button_stays = False
        self.torn = False
        self.hand = OpenHand(
            number=body["hand"],
            opened_at=line.at,
            commitment=body["commitment"],
            button=body["button"],
            small_blind_seat=body.get("small_blind_seat"),
            big_blind_seat=body["big_blind_seat"],
            players={
                seat["seat"]: Player(seat["player"], seat["stack"], seat.get("anchor"))
                for seat in sorted(body["seats"], key=_seat_number)
                if seat["state"] == "in"
            },
        )

    def _take_links(self, links: list[dict[str, Any]]) -> None:
        assert self.hand is not None
        for link in links:
            self.hand.links[link["seat"]] = link["link"]
            seat = self.seats.get(link["seat"])
            if seat is not None:
                seat.anchor = link["link"]

    def _deck_committed(self, line: Line) -> None:
        hand = self.hand
        if hand is None:
            return
        self._take_links(line.body["links"])
        hand.committed = True
        hand.mix = line.body["mix"]
        hand.deck_root = line.body["deck_root"]
        hand.beacon = line.body.get("beacon")

    def _hand_void(self, line: Line) -> None:
        body = line.body
        if self.hand is not None:
            self._take_links(body["links"])
            for missing in body["missing"]:
                self.misses.setdefault(missing["player"], []).append(self.hand.number)
                seat = self.find(missing)
                if seat is not None:
                    seat.anchor = None
        if body["reason"] in OWN_REASONS:
            self.own_voids += 1
        self.button_stays = True
        self._free_seats()

    def _hand_ended(self, line: Line) -> None:
        for ended in line.body["stacks"]:
            seat = self.seats.get(ended["seat"])
            if seat is not None:
                seat.stack = ended["stack"]
        self._free_seats()

    def _free_seats(self) -> None:
        self.hand = None
        for number in [number for number, seat in self.seats.items() if seat.leaving]:
            del self.seats[number]

    def _game_closed(self, line: Line) -> None:
        self.closed_at = line.at
        self.hand = None


def _seat_number(seat: dict[str, Any]) -> int:
    number: int = seat["seat"]
    return number
