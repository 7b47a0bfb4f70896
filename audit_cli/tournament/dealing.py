"""Which list a draw is of, and how its order is dealt out (protocol 14.2)."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from audit_cli.report.finding import Promise
from audit_cli.tournament.planned import Planned
from audit_cli.tournament.races import MAX_ITEMS, race_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from audit_cli.tournament.state import Entrant, State, Table

SEATS_OF_TABLE = 16
"""A place is 16 times the table and the seat."""


def fewest_players(tables: Iterable[Table]) -> list[Table]:
    """Return the tables with the fewest players, by rising number."""
    listed = list(tables)
    least = min((len(table.seats) for table in listed), default=0)
    return [table for table in listed if len(table.seats) == least]


def free_seats(state: State, table: Table) -> list[int]:
    """Return the free seats of a table, rising."""
    return [seat for seat in range(1, state.structure.seats + 1) if seat not in table.seats]


def list_items(state: State, body: dict[str, Any]) -> list[int]:
    """Return the list that a draw is of, before the shuffle."""
    return list(islice(_items(state, body), MAX_ITEMS + 1))


def _items(state: State, body: dict[str, Any]) -> Iterable[int]:
    what = body["what"]
    if what in ("seats", "redraw"):
        return state.numbers([name for name, one in state.entrants.items() if one.is_in])
    if what == "place":
        return (
            SEATS_OF_TABLE * table.number + seat
            for table in fewest_players(state.open_tables())
            for seat in free_seats(state, table)
        )
    table = state.tables.get(body["table"])
    if table is None:
        return []
    if what == "race":
        return race_at(state, table).items
    names = list(table.seats.values())
    if what == "button":
        names = [name for name in names if state.entrants[name].stack]
    return state.numbers(names)


def deal_out(state: State, body: dict[str, Any]) -> list[Planned]:
    """Return the entries that a draw's order asks for, to follow it at once; none for a button.

    Numbers that stand for nobody are passed over: that the list is another is found elsewhere.
    """
    what = body["what"]
    players = [
        state.entrants[name] for number in body["order"] if (name := state.by_number.get(number))
    ]
    if what == "seats":
        return _deal_seats(state, players)
    if what == "redraw":
        return _deal_redraw(state, players)
    if what == "place":
        return _deal_place(state, body)
    if what == "break":
        return _deal_break(state, body["table"], players)
    if what == "race" and body["table"] in state.tables:
        table = state.tables[body["table"]]
        race = race_at(state, table)
        return [race.colored_up(state, table, race.winners(body["order"]), body["draw"])]
    return []


def new_tables(state: State, players: int) -> int:
    """Return how many tables so many players need."""
    return -(-players // state.structure.seats)


def _deal_seats(state: State, players: Sequence[Entrant]) -> list[Planned]:
    tables = state.open_tables()
    if not tables:
        return []
    return [
        Planned(
            "seated",
            {
                "player": one.name,
                "table": tables[i % len(tables)].number,
                "seat": 1 + i // len(tables),
                "stack": one.stack,
            },
            Promise.DRAWN,
            at_once=True,
        )
        for i, one in enumerate(players)
    ]


def _deal_place(state: State, body: dict[str, Any]) -> list[Planned]:
    entrant = state.entrants.get(body["player"])
    if entrant is None or not body["order"]:
        return []
    table, seat = divmod(body["order"][0], SEATS_OF_TABLE)
    fields = {"player": entrant.name, "table": table, "seat": seat, "stack": entrant.stack}
    return [Planned("seated", fields, Promise.DRAWN, at_once=True)]


def _move(one: Entrant, table: int, seat: int, why: str) -> Planned:
    fields = {
        "player": one.name,
        "from_table": one.table,
        "from_seat": one.seat,
        "table": table,
        "seat": seat,
        "stack": one.stack,
        "why": why,
    }
    return Planned("moved", fields, Promise.DRAWN, at_once=True)


def _broken(table: int) -> Planned:
    return Planned("table_broken", {"table": table}, Promise.SEATED, at_once=True)


def _deal_redraw(state: State, players: Sequence[Entrant]) -> list[Planned]:
    """Deal seats at the tables that were opened for it: the last ones, where nobody sits yet.

    An old one may stand empty, too, when its last players went out together.
    """
    tables = state.open_tables()
    empty = [table.number for table in tables if not table.seats]
    new = empty[-max(1, new_tables(state, len(players))) :]
    if not new:
        return []
    moves = [
        _move(one, new[i % len(new)], 1 + i // len(new), "redraw") for i, one in enumerate(players)
    ]
    return [*moves, *(_broken(table.number) for table in tables if table.number not in new)]


def _deal_break(state: State, number: int, players: Sequence[Entrant]) -> list[Planned]:
    staying = {table.number: set(table.seats) for table in state.open_tables()}
    staying.pop(number, None)
    moves = []
    for one in players:
        if not staying:
            break
        to = min(staying, key=lambda table: (len(staying[table]), table))
        free = (seat for seat in range(1, state.structure.seats + 1) if seat not in staying[to])
        seat = next(free, 0)
        staying[to].add(seat)
        moves.append(_move(one, to, seat, "break"))
    return [*moves, _broken(number)]
