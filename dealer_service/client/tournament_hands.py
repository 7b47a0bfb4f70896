"""Hands that both a tournament's log and a table's tell of, held against each other (14.4).

A table's hand opens and ends in one unit with the tournament's `hand_started` and `hand_finished`:
at the same time, with the same level, button and players, and to the same stacks. The two logs come
over two streams, in any order; what the other one does not tell yet waits until it does, or tells
of a later time: then it tells nothing of it, which is a breach LINE as any difference is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from dealer_service.client.grammar import DEALT_IN
from dealer_service.client.refusing import ProtocolBreach, Reason
from dealer_service.client.shapes import Entry

REMEMBERED: Final = 64
"""So many hands of each table are remembered; a whole event is the audit's to judge."""

_ENDS: Final = frozenset({"hand_ended", "hand_void"})


@dataclass(frozen=True, slots=True)
class HandTold:
    """A hand as a tournament's log tells it; `finished_at` is 0 while it is open, in ms as `at`."""

    at: int
    level: int
    button: int
    players: int
    finished_at: int = 0
    void: bool = False
    stacks: Mapping[int, int] = field(default_factory=dict)


class HandsTold:
    """The last hands of every table, as a tournament's log tells them; `at` is its last time."""

    __slots__ = ("_tables", "at")

    def __init__(self) -> None:
        self.at = 0
        self._tables: dict[int, dict[int, HandTold]] = {}

    def apply(self, entry: Entry) -> None:
        """Take an entry of the tournament's that fits those before."""
        self.at = entry.at
        body = entry.body
        if entry.kind == "hand_started":
            hands = self._tables.setdefault(body["table"], {})
            hands[body["hand"]] = HandTold(entry.at, body["level"], body["button"], body["players"])
            if len(hands) > REMEMBERED:
                del hands[next(iter(hands))]
        elif entry.kind == "hand_finished":
            hands = self._tables[body["table"]]
            hands[body["hand"]] = replace(
                hands[body["hand"]],
                finished_at=entry.at,
                void=body["void"],
                stacks={each["seat"]: each["stack"] for each in body["stacks"]},
            )

    def last(self, table: int) -> int:
        """Give the number of a table's last hand; 0 before the first."""
        return next(reversed(self._tables.get(table, {})), 0)

    def find(self, table: int, hand: int) -> HandTold | None:
        """Give a hand; None for one that has not started, or that is forgotten."""
        return self._tables.get(table, {}).get(hand)


class Told(Protocol):
    """A tournament as its log tells it so far."""

    @property
    def hands(self) -> HandsTold:
        """The last hands of its tables."""
        ...


class TableHands:
    """The hands of one table of a tournament, held to what the tournament's log tells of them."""

    __slots__ = ("_table", "_told", "_waiting")

    def __init__(self, table: int, told: Told) -> None:
        self._table = table
        self._told = told
        self._waiting: list[Entry] = []

    def take(self, entry: Entry) -> None:
        """Take an entry of the table's; ProtocolBreach LINE where the logs do not tell the same."""
        if entry.kind == "hand_opened" or entry.kind in _ENDS:
            self._waiting.append(entry)
        if self._waiting:
            self._waiting = [one for one in self._waiting if not self._is_settled(one)]

    def _is_settled(self, entry: Entry) -> bool:
        """Say whether an entry has been held to the other log; False while that may tell of it."""
        number, told = entry.body["hand"], self._told.hands
        hand = told.find(self._table, number)
        if hand is None and number <= told.last(self._table):
            return True
        is_end = entry.kind in _ENDS
        if hand is None or (is_end and not hand.finished_at):
            if told.at > entry.at:
                raise _breach(entry, "the tournament's log tells nothing of it")
            return False
        if is_end:
            _check_end(entry, hand)
        else:
            _check_start(entry, hand)
        return True


def _check_start(entry: Entry, hand: HandTold) -> None:
    body = entry.body
    level = body.get("level", {"level": 0})["level"]
    dealt_in = sum(each["state"] in DEALT_IN for each in body["seats"])
    here = {"level": level, "button": body["button"], "players": dealt_in, "time": entry.at}
    there = {
        "level": hand.level,
        "button": hand.button,
        "players": hand.players,
        "time": hand.at,
    }
    for name, value in here.items():
        if value != there[name]:
            why = f"its {name} is {value}, and {there[name]} in the tournament's log"
            raise _breach(entry, why)


def _check_end(entry: Entry, hand: HandTold) -> None:
    void = entry.kind == "hand_void"
    if (void, entry.at) != (hand.void, hand.finished_at):
        raise _breach(entry, "it ended otherwise, or at another time, in the tournament's log")
    if void:
        return
    stacks = {each["seat"]: each["stack"] for each in entry.body["stacks"]}
    if stacks != hand.stacks:
        raise _breach(entry, "its stacks are others in the tournament's log")


def _breach(entry: Entry, why: str) -> ProtocolBreach:
    hand = entry.body["hand"]
    return ProtocolBreach(Reason.LINE, f"line {entry.index} ({entry.kind}) of hand {hand}: {why}")
