"""A tournament as its log tells it: who is in, where, with how many chips, and what has been won.

Folded from lines that were verified. What can not follow from the lines before (a player who is not
in, a seat that is taken, chips that come from nowhere) is a breach LINE; whether all that was done
was due by the rules, in this order, is the audit's to judge.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum, unique
from types import MappingProxyType
from typing import Any, ClassVar, Final, NoReturn

from dealer_service.client.refusing import ProtocolBreach, Reason
from dealer_service.client.shapes import Entry
from dealer_service.client.tournament_hands import HandsTold


@unique
class Standing(StrEnum):
    """How a player stands in a tournament."""

    REGISTERED = "registered"
    WAITING = "waiting"
    PLAYING = "playing"
    DECIDING = "deciding"
    OUT = "out"


@unique
class Phase(StrEnum):
    """Where a tournament is."""

    REGISTERING = "registering"
    RUNNING = "running"
    BREAK = "break"
    STOPPED = "stopped"
    CLOSED = "closed"


_SITS: Final = frozenset({Standing.PLAYING, Standing.DECIDING})


@dataclass(frozen=True, slots=True)
class Contestant:
    """A player of a tournament; `table` and `seat` are 0 where it does not sit, `place` unplaced.

    `stack` is what it had when its table's last hand ended. `gone` is who is out without a place:
    it has withdrawn, or its seat was taken over.
    """

    player: str
    entrant: int
    standing: Standing
    anchors: bool = False
    house: bool = False
    table: int = 0
    seat: int = 0
    stack: int = 0
    place: int = 0
    tied: int = 1
    prize: int = 0
    reentries: int = 0
    rebuys: int = 0
    added_on: bool = False
    gone: bool = False

    @property
    def sits(self) -> bool:
        """Whether it has a seat."""
        return self.standing in _SITS

    @property
    def is_in(self) -> bool:
        """Whether it may still win something."""
        return self.standing is not Standing.OUT


@dataclass(frozen=True, slots=True)
class TableInPlay:
    """A table of a tournament: the game that it is, who sits there by seat, and its last hand."""

    table: int
    game: str
    seats: Mapping[int, str] = field(default_factory=dict)
    hand: int = 0
    in_hand: bool = False
    broken: bool = False


class TournamentView:
    """One tournament, folded so far; what it gives is for reading."""

    def __init__(self, tournament: str) -> None:
        self.tournament = tournament
        self.structure: Mapping[str, Any] = {}
        self.phase = Phase.REGISTERING
        self.level = 0
        self.level_at = 0
        """When the level, or the break, began, in ms since 1970."""
        self.size = 0
        self.at = 0
        self.registration_closed = False
        self.hand_for_hand = False
        self.prizes: tuple[int, ...] = ()
        self.pool = 0
        self.deal: Mapping[str, int] | None = None
        self.closed_because = ""
        self.hands = HandsTold()
        """The last hands of its tables, to hold the tables' logs to."""
        self._players: dict[str, Contestant] = {}
        self._tables: dict[int, TableInPlay] = {}
        self._in_break = False
        self._stopped = False

    @property
    def name(self) -> str:
        """The tournament's name."""
        return str(self.structure.get("name", ""))

    @property
    def players(self) -> Mapping[str, Contestant]:
        """Every player that ever registered, by name."""
        return MappingProxyType(self._players)

    @property
    def tables(self) -> Mapping[int, TableInPlay]:
        """Every table that ever opened, by number."""
        return MappingProxyType(self._tables)

    @property
    def open_tables(self) -> tuple[TableInPlay, ...]:
        """The tables at which somebody sits or will, rising."""
        return tuple(one for _, one in sorted(self._tables.items()) if not one.broken)

    @property
    def players_in(self) -> int:
        """How many are in."""
        return sum(one.is_in for one in self._players.values())

    @property
    def started(self) -> bool:
        """Whether hands are played, or were."""
        return self.level > 0

    @property
    def blinds(self) -> Mapping[str, Any]:
        """The level that stands, as the structure has it; that of the first before the start."""
        levels = self.structure["levels"]
        level: Mapping[str, Any] = levels[min(max(self.level, 1), len(levels)) - 1]
        return level

    def game_of(self, player: str) -> str:
        """Give the game of the table at which a player sits; empty where it does not."""
        one = self._players.get(player)
        return self._tables[one.table].game if one is not None and one.sits else ""

    def apply(self, entry: Entry) -> None:
        """Take one entry; ProtocolBreach LINE where it can not follow from those before."""
        is_first = entry.kind == "tournament_opened"
        if is_first != (entry.index == 0):
            _refuse(entry, "the first line opens the tournament, and no other does")
        if self.phase is Phase.CLOSED:
            _refuse(entry, "the tournament is closed")
        try:
            self._HANDLERS[entry.kind](self, entry)
        except KeyError as error:
            _refuse(entry, f"there is no {error.args[0]} in the lines before")
        self.hands.apply(entry)
        self.size, self.at = entry.index + 1, entry.at
        self.phase = self._where()

    def _where(self) -> Phase:
        if self.closed_because:
            return Phase.CLOSED
        if self._stopped:
            return Phase.STOPPED
        if self._in_break:
            return Phase.BREAK
        return Phase.RUNNING if self.started else Phase.REGISTERING

    # Before the start.

    def _opened(self, entry: Entry) -> None:
        if entry.body["tournament"] != self.tournament:
            _refuse(entry, "it opens another tournament")
        self.structure = entry.body["structure"]

    def _registered(self, entry: Entry) -> None:
        body, name = entry.body, entry.body["player"]
        known = self._players.get(name)
        if known is not None and known.is_in:
            _refuse(entry, f"{name} is in already")
        wanted = len(self._players) + 1 if known is None else known.entrant
        if body["entrant"] != wanted:
            _refuse(entry, f"entrant {body['entrant']} comes where {wanted} is next")
        # In a house player's place a person may still come, until its first orbit is over.
        may_take_over = self.structure["take_over"] and self.structure["start"]["kind"] == "full"
        if self.registration_closed and not may_take_over:
            _refuse(entry, "registration is closed")
        standing = Standing.WAITING if self.started else Standing.REGISTERED
        self._players[name] = Contestant(
            name, wanted, standing, body["anchors"], body.get("house", False)
        )

    def _withdrawn(self, entry: Entry) -> None:
        one = self._need_in(entry, entry.body["player"])
        if self.started:
            _refuse(entry, "the tournament has started")
        self._set(one, standing=Standing.OUT, gone=True)

    def _started(self, entry: Entry) -> None:
        if self.started or self._tables:
            _refuse(entry, "it has started already")
        if entry.body["players"] != self.players_in:
            _refuse(entry, f"{self.players_in} players are in")
        for one in tuple(self._players.values()):
            if one.is_in:
                self._set(one, standing=Standing.WAITING)

    # Tables and seats.

    def _table_opened(self, entry: Entry) -> None:
        number, game = entry.body["table"], entry.body["game"]
        if number != len(self._tables) + 1:
            _refuse(entry, f"table {number} opens where {len(self._tables) + 1} is next")
        if any(one.game == game for one in self._tables.values()):
            _refuse(entry, "the game is another table's")
        self._tables[number] = TableInPlay(number, game)

    def _seated(self, entry: Entry) -> None:
        body = entry.body
        one = self._need_in(entry, body["player"])
        if one.sits:
            _refuse(entry, f"{one.player} has a seat")
        if body["stack"] != self.structure["stack"]:
            _refuse(entry, f"who sits down has {self.structure['stack']} chips")
        self._sit(entry, one, body["table"], body["seat"], body["stack"])

    def _moved(self, entry: Entry) -> None:
        body = entry.body
        one = self._need_at(entry, body["player"], body["from_table"], body["from_seat"])
        if body["stack"] != one.stack:
            _refuse(entry, f"{one.player} has {one.stack} chips")
        self._leave(entry, one)
        self._sit(entry, one, body["table"], body["seat"], body["stack"])

    def _table_broken(self, entry: Entry) -> None:
        table = self._tables[entry.body["table"]]
        if table.broken or table.seats or table.in_hand:
            _refuse(entry, "somebody sits there, or it is broken already")
        self._tables[table.table] = replace(table, broken=True)

    def _sit(self, entry: Entry, one: Contestant, number: int, seat: int, stack: int) -> None:
        table = self._tables[number]
        if table.broken or seat in table.seats or seat > self.structure["rules"]["seats"]:
            _refuse(entry, f"seat {seat} of table {number} is not free")
        self._tables[number] = replace(table, seats={**table.seats, seat: one.player})
        self._set(one, standing=Standing.PLAYING, table=number, seat=seat, stack=stack)

    def _leave(self, entry: Entry, one: Contestant, *, in_hand: bool = False) -> None:
        table = self._tables[one.table]
        if table.in_hand and not in_hand:
            _refuse(entry, f"a hand is open at table {one.table}")
        seats = {number: name for number, name in table.seats.items() if number != one.seat}
        self._tables[one.table] = replace(table, seats=seats)

    # Levels and hands.

    def _level_begun(self, entry: Entry) -> None:
        level = entry.body["level"]
        if level != self.level + 1 or level > len(self.structure["levels"]):
            _refuse(entry, f"level {level} begins where {self.level + 1} is next")
        self.level, self.level_at = level, entry.at
        self._in_break = False

    def _break_begun(self, entry: Entry) -> None:
        if entry.body["level"] != self.level or self._in_break:
            _refuse(entry, "no such level has ended")
        self._in_break, self.level_at = True, entry.at

    def _hand_started(self, entry: Entry) -> None:
        body = entry.body
        table = self._tables[body["table"]]
        if self._in_break or self._stopped or body["level"] != self.level:
            _refuse(entry, "no hand of that level can start")
        if table.broken or table.in_hand or body["hand"] != table.hand + 1:
            _refuse(entry, f"hand {table.hand + 1} of table {table.table} can not be this one")
        stacks = [self._players[name].stack for name in table.seats.values()]
        if body["players"] > sum(stack > 0 for stack in stacks):
            _refuse(entry, "more are dealt in than have chips")
        self._tables[table.table] = replace(table, hand=body["hand"], in_hand=True)

    def _hand_finished(self, entry: Entry) -> None:
        body = entry.body
        table = self._tables[body["table"]]
        if not table.in_hand or body["hand"] != table.hand:
            _refuse(entry, "no such hand is open")
        self._tables[table.table] = replace(table, in_hand=False)
        before = self._stacks_of(table, body["stacks"])
        after = {each["seat"]: each["stack"] for each in body["stacks"]}
        if sum(after.values()) != sum(before.values()) or (body["void"] and after != before):
            _refuse(entry, "its stacks are not made of the chips that were there")
        self._take_stacks(table, after)

    def _colored_up(self, entry: Entry) -> None:
        body = entry.body
        table = self._tables[body["table"]]
        if table.in_hand:
            _refuse(entry, "a hand is open there")
        self._stacks_of(table, body["stacks"])
        self._take_stacks(table, {each["seat"]: each["stack"] for each in body["stacks"]})

    def _stacks_of(self, table: TableInPlay, told: Iterable[Mapping[str, int]]) -> dict[int, int]:
        held = {}
        for each in told:
            name = table.seats.get(each["seat"])
            # Who was disqualified in the middle of a hand has left it by its end.
            held[each["seat"]] = 0 if name is None else self._players[name].stack
        return held

    def _take_stacks(self, table: TableInPlay, stacks: Mapping[int, int]) -> None:
        for seat, stack in stacks.items():
            name = table.seats.get(seat)
            if name is not None:
                one = self._players[name]
                self._set(one, stack=stack, standing=self._standing_with(one, stack))

    def _standing_with(self, one: Contestant, stack: int) -> Standing:
        rule = self.structure.get("rebuy")
        if stack or rule is None or self.registration_closed:
            return Standing.PLAYING
        may = not rule["most"] or one.rebuys < rule["most"]
        return Standing.DECIDING if may else Standing.PLAYING

    # Who goes and who comes back.

    def _busted(self, entry: Entry) -> None:
        body = entry.body
        one = self._need_at(entry, body["player"], body["table"], body["seat"])
        if one.stack:
            _refuse(entry, f"{one.player} has {one.stack} chips")
        self._leave(entry, one)
        self._set(one, standing=Standing.OUT, table=0, seat=0)

    def _reentered(self, entry: Entry) -> None:
        one = self._players[entry.body["player"]]
        if one.is_in or one.place or self.registration_closed:
            _refuse(entry, f"{one.player} can not enter again")
        self._set(one, standing=Standing.WAITING, reentries=one.reentries + 1)

    def _rebought(self, entry: Entry) -> None:
        one = self._buy(entry)
        self._set(one, rebuys=one.rebuys + 1)

    def _added_on(self, entry: Entry) -> None:
        one = self._buy(entry)
        if one.added_on:
            _refuse(entry, f"{one.player} has bought it")
        self._set(one, added_on=True)

    def _buy(self, entry: Entry) -> Contestant:
        body = entry.body
        one = self._need_at(entry, body["player"], body["table"], body["seat"])
        if self._tables[one.table].in_hand:
            _refuse(entry, f"a hand is open at table {one.table}")
        return self._set(one, stack=one.stack + body["chips"], standing=Standing.PLAYING)

    def _taken_over(self, entry: Entry) -> None:
        body = entry.body
        house = self._need_at(entry, body["house_player"], body["table"], body["seat"])
        person = self._need_in(entry, body["player"])
        if not house.house or person.house or person.sits or body["removed"] != house.stack:
            _refuse(entry, "it is not a person who comes for a player of the house's own")
        self._leave(entry, house)
        self._set(house, standing=Standing.OUT, table=0, seat=0, stack=0, gone=True)
        self._sit(entry, person, body["table"], body["seat"], body["stack"])

    def _disqualified(self, entry: Entry) -> None:
        one = self._need_in(entry, entry.body["player"])
        if one.sits:
            self._leave(entry, one, in_hand=True)
        self._set(one, standing=Standing.OUT, table=0, seat=0, stack=0)

    # The end.

    def _registration_closed(self, entry: Entry) -> None:
        if self.registration_closed:
            _refuse(entry, "registration is closed already")
        self.registration_closed = True
        self.prizes, self.pool = tuple(entry.body["prizes"]), entry.body["pool"]
        for one in tuple(self._players.values()):
            if one.standing is Standing.DECIDING:
                self._set(one, standing=Standing.PLAYING)

    def _hand_for_hand_begun(self, _: Entry) -> None:
        self.hand_for_hand = True

    def _hand_for_hand_ended(self, _: Entry) -> None:
        self.hand_for_hand = False

    def _deal_agreed(self, entry: Entry) -> None:
        shares = {each["player"]: each["amount"] for each in entry.body["shares"]}
        if shares.keys() != {one.player for one in self._players.values() if one.is_in}:
            _refuse(entry, "a deal is of all players that are in")
        self.deal = shares

    def _placed(self, entry: Entry) -> None:
        body = entry.body
        one = self._players[body["player"]]
        if one.place:
            _refuse(entry, f"{one.player} is placed already")
        self._set(one, place=body["place"], tied=body["tied"], prize=body["prize"])

    def _stop(self, _: Entry) -> None:
        self._stopped = True

    def _resume(self, _: Entry) -> None:
        self._stopped = False

    def _table_closed(self, entry: Entry) -> None:
        if self._tables[entry.body["table"]].game != entry.body["game"]:
            _refuse(entry, "that table is another game")

    def _closed(self, entry: Entry) -> None:
        self.closed_because = entry.body["reason"]

    # The rest.

    def _need_in(self, entry: Entry, player: str) -> Contestant:
        one = self._players[player]
        if not one.is_in:
            _refuse(entry, f"{player} is not in")
        return one

    def _need_at(self, entry: Entry, player: str, table: int, seat: int) -> Contestant:
        one = self._need_in(entry, player)
        if (one.table, one.seat) != (table, seat) or not one.sits:
            _refuse(entry, f"{player} has not seat {seat} of table {table}")
        return one

    def _set(self, one: Contestant, **changed: Any) -> Contestant:  # noqa: ANN401 - its fields
        now = replace(self._players[one.player], **changed)
        self._players[one.player] = now
        return now

    _HANDLERS: ClassVar[Mapping[str, Callable[["TournamentView", Entry], None]]] = {
        "tournament_opened": _opened,
        "registered": _registered,
        "withdrawn": _withdrawn,
        "started": _started,
        "table_opened": _table_opened,
        "drawn": lambda _view, _entry: None,
        "seated": _seated,
        "moved": _moved,
        "table_broken": _table_broken,
        "level_begun": _level_begun,
        "break_begun": _break_begun,
        "hand_started": _hand_started,
        "hand_finished": _hand_finished,
        "busted": _busted,
        "colored_up": _colored_up,
        "reentered": _reentered,
        "rebought": _rebought,
        "added_on": _added_on,
        "taken_over": _taken_over,
        "disqualified": _disqualified,
        "registration_closed": _registration_closed,
        "hand_for_hand_begun": _hand_for_hand_begun,
        "hand_for_hand_ended": _hand_for_hand_ended,
        "deal_agreed": _deal_agreed,
        "placed": _placed,
        "stopped": _stop,
        "resumed": _resume,
        "table_closed": _table_closed,
        "tournament_closed": _closed,
    }


def _refuse(entry: Entry, why: str) -> NoReturn:
    raise ProtocolBreach(Reason.LINE, f"line {entry.index} ({entry.kind}): {why}")
