"""What a tournament's log tells of its hands: the name, what it cost to enter, who went out where.

A table's own lines have the tournament's id, the table's number and each hand's level; the rest is
in the tournament's file (protocol 14), joined with those of its tables or given beside them. Its
lines are believed, as all that is told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from audit_cli.told.hand import Finish, Game, Hand, Told, Tournament

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from audit_cli.checks.ruleset import OfTournament
    from audit_cli.gamefile import Line

# 52 bits of the id, so that the number stays whole wherever it is read.
_DIGITS = 13
# A hand of the whole event: its table and its number there.
Where = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Event:
    """A tournament, as its log tells it.

    Amounts are in units of money, times in milliseconds; `level_ms` are the lengths of its levels,
    0 where they are measured otherwise. `finished` are those whom a hand put out, or who were
    placed behind their last hand, in the order of their places, the last first.
    """

    name: str
    buy_in: int
    fee: int
    stack: int
    tables: int
    started_at: int
    level_ms: tuple[int, ...]
    finished: Mapping[Where, tuple[Finish, ...]]


class EventReader:
    """A tournament's log while it is read."""

    def __init__(self) -> None:
        self._structure: dict[str, Any] = {}
        self._started_at = 0
        self._tables = 0
        self._drawn = False
        # Who sits where, and the last hand that each player was in, or went out in.
        self._seats: dict[tuple[int, int], str] = {}
        self._last: dict[str, Where] = {}
        self._finished: dict[Where, list[Finish]] = {}
        self._takers: dict[str, Callable[[dict[str, Any]], None]] = {
            "tournament_opened": self._opened,
            "table_opened": self._table_opened,
            "drawn": self._draw,
            "seated": self._seated,
            "moved": self._seated,
            "taken_over": self._seated,
            "hand_finished": self._hand_finished,
            "busted": self._busted,
            "placed": self._placed,
        }

    def take(self, line: Line) -> None:
        """Take an entry of the log."""
        if line.kind == "started":
            self._started_at = line.at
        elif line.kind in self._takers:
            self._takers[line.kind](line.body)

    def event(self) -> Event | None:
        """Return what was told, or None where the log does not begin with its structure."""
        structure = self._structure
        if not structure:
            return None
        timed = structure["level_by"] == "time"
        return Event(
            name=structure["name"],
            buy_in=structure["buy_in"],
            fee=structure["fee"],
            stack=structure["stack"],
            tables=self._tables,
            started_at=self._started_at,
            level_ms=tuple(level["length"] if timed else 0 for level in structure["levels"]),
            finished={where: tuple(finished) for where, finished in self._finished.items()},
        )

    def _opened(self, body: dict[str, Any]) -> None:
        self._structure = body["structure"]

    def _table_opened(self, _: dict[str, Any]) -> None:
        # The tables that it began with stand before its first draw.
        self._tables += not self._drawn

    def _draw(self, _: dict[str, Any]) -> None:
        self._drawn = True

    def _seated(self, body: dict[str, Any]) -> None:
        self._seats[body["table"], body["seat"]] = body["player"]

    def _hand_finished(self, body: dict[str, Any]) -> None:
        if body["void"]:
            return
        table = body["table"]
        for one in body["stacks"]:
            player = self._seats.get((table, one["seat"]))
            if player is not None:
                self._last[player] = (table, body["hand"])

    def _busted(self, body: dict[str, Any]) -> None:
        self._last[body["player"]] = (body["table"], body["hand"])

    def _placed(self, body: dict[str, Any]) -> None:
        where = self._last.get(body["player"])
        if where is not None:
            # Points are no money.
            points = self._structure.get("payout", {}).get("kind") == "points"
            finish = Finish(body["player"], body["place"], 0 if points else body["prize"])
            self._finished.setdefault(where, []).append(finish)


def find_tournament(place: OfTournament, level: int, opened_at: int) -> Tournament:
    """Return what a table's lines alone tell of the tournament that a hand is of."""
    return Tournament(
        number=str(int(place.tournament[:_DIGITS], 16)),
        name="",
        buy_in=0,
        fee=0,
        currency="",
        level=level,
        table=place.table,
        tables=place.table,
        started_at=opened_at,
    )


def name_hands(game: Game, events: Mapping[str, Event]) -> Game:
    """Return a game with what is known of its tournament in each of its hands."""
    place = game.rules.tournament
    event = None if place is None else events.get(place.tournament)
    if event is None:
        return game
    return replace(game, hands=tuple(_name(told, event) for told in game.hands))


def _name(told: Told, event: Event) -> Told:
    hand = told.hand
    if not isinstance(hand, Hand) or hand.tournament is None:
        return told
    of = hand.tournament
    lengths = event.level_ms
    tournament = replace(
        of,
        name=event.name,
        buy_in=event.buy_in,
        fee=event.fee,
        finished=event.finished.get((of.table, hand.number), ()),
        tables=max(event.tables, 1),
        started_at=event.started_at or of.started_at,
        initial_stack=event.stack,
        level_ms=lengths[of.level - 1] if of.level <= len(lengths) else 0,
    )
    return replace(told, hand=replace(hand, tournament=tournament))
