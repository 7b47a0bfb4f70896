"""The state between hands and of the open hand, as the log tells it (protocol 6.3 and 8).

`Table` believes each entry; whether an entry may say what it says is asked by the checks before
the table takes it. Each `hand_opened` repeats the whole state, and the table then goes on from
what it says, so that one wrong entry is found once and not in every hand behind it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from audit_cli.checks.ruleset import Rules, read_rules
from audit_cli.poker.positions import Last, Places
from audit_cli.poker.rules import DEALT_IN

if TYPE_CHECKING:
    from collections.abc import Callable

    from audit_cli.gamefile import Line

# Reasons of the operator's own, of which a game may have two (protocol 7).
OWN_REASONS = frozenset({"operator", "no_beacon", "health"})


@dataclass(slots=True)
class Seat:
    """A taken seat. `leaving`: its player left in the open hand, which it plays as absent.

    `choices` are the standing ones; `owes` is what it has to post, as (live, dead); `waits` tells
    that it waits for the big blind; `bank` is what its time bank holds, in milliseconds; `house`
    tells that its player is the house's own.
    """

    player: str
    stack: int
    sitting_out: bool = False
    anchor: str | None = None
    leaving: bool = False
    choices: tuple[str, ...] = ()
    owes: tuple[int, int] = (0, 0)
    waits: bool = False
    bank: int = 0
    house: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to tell of it but its player, stack and anchor."""
        return not (
            self.sitting_out
            or self.leaving
            or self.choices
            or self.waits
            or self.bank
            or self.house
            or self.owes != (0, 0)
        )


class Departed(NamedTuple):
    """With what a player left, and when."""

    stack: int
    at: int


class Player(NamedTuple):
    """Who is dealt into a hand, as its opening says; `absent` where the dealer acts for it."""

    player: str
    stack: int
    anchor: str | None
    absent: bool = False


@dataclass(slots=True)
class OpenHand:
    """A hand from its opening on. `players` are those dealt in, by rising seat.

    `choices` are the standing ones as the opening repeats them. `links` are the links that the
    log gave for it so far, as seat to hex; `committed` tells whether they were committed with a
    deck. `entry` and `leaf` are the opening's place in the log and its leaf hash.
    """

    number: int
    opened_at: int
    commitment: str
    places: Places
    players: dict[int, Player]
    choices: dict[int, tuple[str, ...]]
    links: dict[int, str] = field(default_factory=dict)
    mix: str = ""
    deck_root: str = ""
    beacon: dict[str, Any] | None = None
    committed: bool = False
    entry: int = -1
    leaf: bytes = b""

    @property
    def button(self) -> int:
        """Where the button stands."""
        return self.places.button

    @property
    def frozen(self) -> dict[int, str]:
        """The anchors that the opening freezes, by rising seat."""
        return {
            seat: dealt.anchor
            for seat, dealt in self.players.items()
            if dealt.anchor is not None and not dealt.absent
        }


class Table:
    """A game's seats, button, misses and open hand.

    `torn` tells that an unreadable entry came since the last opening: what the state should be
    is then not known before the next one. `damaged` tells that one came at all.
    """

    __slots__ = (
        "_repeated",
        "closed_at",
        "damaged",
        "departed",
        "game",
        "game_bytes",
        "hand",
        "handlers",
        "last",
        "last_hand",
        "leaf",
        "misses",
        "opened_at",
        "origin",
        "own_voids",
        "paused",
        "played",
        "previous",
        "rules",
        "seats",
        "torn",
    )

    def __init__(self, game: str, origin: str) -> None:
        self.game = game
        self.game_bytes = bytes.fromhex(game)
        self.origin = origin
        # The leaf hash of the game's opening.
        self.leaf = b""
        self.rules: Rules | None = None
        self.previous: dict[str, Any] | None = None
        self.opened_at = 0
        self.closed_at: int | None = None
        self.seats: dict[int, Seat] = {}
        # The hands whose link each player missed, rising.
        self.misses: dict[str, list[int]] = {}
        self.paused = False
        # The hand before, void or not; and the places of the last one that was not.
        self.last = Last()
        self.played: Places | None = None
        # Who left with what and when, and has not come back.
        self.departed: dict[str, Departed] = {}
        self.last_hand = 0
        self.own_voids = 0
        self.hand: OpenHand | None = None
        self.torn = False
        self.damaged = False
        # The opening that was asked about last, and whether it repeats the seats.
        self._repeated: tuple[dict[str, Any] | None, bool] = (None, False)
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
            "preferred": self._preferred,
            "anchored": self._anchored,
            "paused": self._paused,
            "resumed": self._resumed,
            "hand_opened": self._hand_opened,
            "hand_void": self._hand_void,
            "deck_committed": self._deck_committed,
            "hand_ended": self._hand_ended,
            "colored_up": self._colored_up,
            "game_closed": self._game_closed,
        }

    def find(self, body: dict[str, Any]) -> Seat | None:
        """Return the seat that an entry names, if the player that it names holds it."""
        seat = self.seats.get(body["seat"])
        return seat if seat is not None and seat.player == body["player"] else None

    def is_repeated_by(self, body: dict[str, Any]) -> bool:
        """Whether the opening that comes next has all seats in, in order, just as they are here.

        False where there is more to tell of any: who has a doubt looks at each.
        """
        if self._repeated[0] is not body:
            self._repeated = body, self._is_repeated(body["seats"])
        return self._repeated[1]

    def _is_repeated(self, told: list[dict[str, Any]]) -> bool:
        rules, seats = self.rules, self.seats
        if rules is None or not rules.plain or [one["seat"] for one in told] != sorted(seats):
            return False
        anchored = rules.links_required
        for one, (number, seat) in zip(told, seats.items(), strict=True):
            anchor = seat.anchor
            if (
                one["seat"] != number
                or one["player"] != seat.player
                or one["stack"] != seat.stack
                or not seat.stack
                or one["state"] != "in"
                or one.get("anchor") != anchor
                or (anchored and anchor is None)
                or len(one) != _PLAIN_FIELDS + (anchor is not None)
                or not seat.is_plain
            ):
                return False
        return True

    def is_dealt_in(self, seat: int, player: str) -> bool:
        """Whether the player was dealt into the open hand at that seat."""
        if self.hand is None:
            return False
        dealt = self.hand.players.get(seat)
        return dealt is not None and dealt.player == player

    def is_absent(self, seat: int) -> bool:
        """Whether a seat was dealt into the open hand while its player sat out."""
        dealt = None if self.hand is None else self.hand.players.get(seat)
        return dealt is not None and dealt.absent

    @property
    def away(self) -> list[int]:
        """The seats for which the dealer acts: their player left, or sat out at the opening."""
        hand = self.hand
        left = [number for number, seat in self.seats.items() if seat.leaving]
        if hand is None:
            return left
        return left + [number for number, dealt in hand.players.items() if dealt.absent]

    def chosen(self, seat: int, word: str) -> bool:
        """Whether a choice of a seat dealt in counts at the moment (protocol 9.8)."""
        if self.rules is not None and self.rules.choices_before_links:
            return self.hand is not None and word in self.hand.choices.get(seat, ())
        held = self.seats.get(seat)
        return held is not None and word in held.choices

    def spend(self, seat: int, late: int | None) -> None:
        """Take the time above the turn clock from a seat's bank; None takes all of it."""
        held = self.seats.get(seat)
        if held is not None:
            held.bank = 0 if late is None else max(held.bank - late, 0)

    def _unreadable(self, _: Line) -> None:
        self.damaged = self.torn = True
        self.hand = None

    def _game_opened(self, line: Line) -> None:
        self.leaf = line.leaf
        self.rules = read_rules(line.body["rules"])
        self.opened_at = line.at
        self.previous = line.body.get("previous")
        if self.previous is not None:
            self.last = Last(self.previous["button"], self.previous["button_stays"])
            for seat in self.previous["seats"]:
                self.seats[seat["seat"]] = Seat(
                    seat["player"],
                    seat["stack"],
                    seat["sitting_out"],
                    bank=0 if self.rules.bank is None else self.rules.bank.start_ms,
                    house=seat.get("house", False),
                )

    def _seat_taken(self, line: Line) -> None:
        body, rules = line.body, self.rules
        seat = Seat(
            body["player"], body["stack"], anchor=body.get("anchor"), house=body.get("house", False)
        )
        self.departed.pop(seat.player, None)
        if rules is not None:
            seat.bank = 0 if rules.bank is None else rules.bank.start_ms
            # Who sits before the first hand opens is no newcomer.
            if self.last_hand and rules.newcomers == "post":
                seat.owes = (rules.big_blind, 0)
            seat.waits = self.last_hand > 0 and rules.newcomers == "wait"
        self.seats[body["seat"]] = seat

    def _left(self, line: Line) -> None:
        body = line.body
        seat = self.find(body)
        if seat is None:
            return
        if self.is_dealt_in(body["seat"], body["player"]):
            seat.leaving = True
        else:
            self._free(body["seat"], line.at)

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

    def _preferred(self, line: Line) -> None:
        seat = self.find(line.body)
        if seat is not None:
            seat.choices = tuple(line.body["choices"])

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
        repeated = self.is_repeated_by(body)
        if not repeated:
            self.seats = {seat["seat"]: _read_seat(seat) for seat in body["seats"]}
        self.misses = {miss["player"]: list(miss["hands"]) for miss in body["misses"]}
        self.own_voids = body["voids"]
        self.last_hand = body["hand"]
        self.departed = {
            gone["player"]: Departed(gone["stack"], gone["at"]) for gone in body.get("departed", ())
        }
        if "last_big_blind_seat" in body and "last_small_blind_seat" in body:
            self.played = Places(0, body["last_small_blind_seat"], body["last_big_blind_seat"])
        places = read_places(body)
        self.torn = False
        self.hand = OpenHand(
            number=body["hand"],
            opened_at=line.at,
            commitment=body["commitment"],
            places=places,
            # Where the seats are as they were, all are in, in order, and none has a choice.
            choices={} if repeated else _read_choices(body["seats"]),
            players={
                number: _new(Player, (seat.player, seat.stack, seat.anchor, False))
                for number, seat in self.seats.items()
            }
            if repeated
            else _read_players(body["seats"]),
            entry=line.entry,
            leaf=line.leaf,
        )
        self.last = Last(body["button"], places=places, dealt_in=frozenset(self.hand.players))

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
        self.last = self.last._replace(void=True)
        self._free_seats(line.at)

    def _hand_ended(self, line: Line) -> None:
        for ended in line.body["stacks"]:
            seat = self.seats.get(ended["seat"])
            if seat is not None:
                seat.stack = ended["stack"]
        if self.hand is not None:
            self.played = self.hand.places
            for number in self.hand.players:
                if number in self.seats:
                    # What it owed it has posted.
                    self.seats[number].owes = (0, 0)
        self._free_seats(line.at)

    def _colored_up(self, line: Line) -> None:
        for raced in line.body["stacks"]:
            seat = self.seats.get(raced["seat"])
            if seat is not None:
                seat.stack = raced["stack"]

    def _free_seats(self, at: int) -> None:
        self.hand = None
        for number in [number for number, seat in self.seats.items() if seat.leaving]:
            self._free(number, at)

    def _free(self, number: int, at: int) -> None:
        seat = self.seats.pop(number)
        self.departed[seat.player] = Departed(seat.stack, at)

    def _game_closed(self, line: Line) -> None:
        self.closed_at = line.at
        self.hand = None


def _read_choices(seats: list[dict[str, Any]]) -> dict[int, tuple[str, ...]]:
    """Return the standing choices that an opening repeats."""
    return {seat["seat"]: tuple(seat["choices"]) for seat in seats if "choices" in seat}


def _read_players(seats: list[dict[str, Any]]) -> dict[int, Player]:
    """Return who is dealt in, by rising seat."""
    return {
        seat["seat"]: Player(
            seat["player"], seat["stack"], seat.get("anchor"), seat["state"] == "absent"
        )
        for seat in sorted(seats, key=_seat_number)
        if seat["state"] in DEALT_IN
    }


def read_places(body: dict[str, Any]) -> Places:
    """Return the places that an opening gives."""
    small = body.get("small_blind_seat")
    if small is None:
        dead = body.get("dead_small_blind_seat", 0)
        return Places(body["button"], dead, body["big_blind_seat"], dead=True)
    return Places(body["button"], small, body["big_blind_seat"])


# Seat, player, stack and state; behind them an anchor, or what few houses have.
_PLAIN_FIELDS = 4
_SITS_OUT = frozenset({"sitting_out", "absent"})


def _read_seat(told: dict[str, Any]) -> Seat:
    """Return the seat that an opening tells of."""
    seat = Seat(told["player"], told["stack"], told["state"] in _SITS_OUT, told.get("anchor"))
    if len(told) > _PLAIN_FIELDS + (seat.anchor is not None):
        seat.choices = tuple(told.get("choices", ()))
        seat.owes = _owed(told)
        seat.waits = told.get("waits", False)
        seat.bank = told.get("bank_ms", 0)
        seat.house = told.get("house", False)
    return seat


def _owed(seat: dict[str, Any]) -> tuple[int, int]:
    owes = seat.get("owes")
    return (0, 0) if owes is None else (owes["live"], owes["dead"])


_seat_number = itemgetter("seat")
_new = tuple.__new__
