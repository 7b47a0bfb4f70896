"""Who has to move: redraws, breaking of tables, balancing and late seats (protocol 14.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.report.finding import Promise
from audit_cli.tournament.dealing import fewest_players, free_seats, new_tables
from audit_cli.tournament.planned import Planned

if TYPE_CHECKING:
    from collections.abc import Iterable

    from audit_cli.tournament.state import State, Table

_APART = 2
"""So many players more than at another table are too many (TDA 2024 rule 11-A)."""


def plan_late_seat(state: State, tables: list[Table]) -> list[Planned]:
    """Return the seating of the next player in that does not sit."""
    player = next(iter(state.unseated), None)
    if player is None:
        return []
    drawn = Planned("drawn", {"what": "place", "player": player}, Promise.SEATED)
    if any(len(table.seats) < state.structure.seats for table in tables):
        return [drawn]
    return [Planned("table_opened", {"table": next_table(state)}, Promise.SEATED), drawn]


def next_table(state: State) -> int:
    """Return the number of the table that opens next."""
    return max(state.tables, default=0) + 1


def is_redraw_due(state: State, tables: list[Table]) -> bool:
    """Whether seats are drawn anew at fewer tables."""
    seats = state.structure.seats
    return any(state.sitting <= seats * t and len(tables) > t for t in state.structure.redraw)


def plan_redraw(state: State) -> list[Planned]:
    """Return the redraw, as far as its draw."""
    first = next_table(state)
    opened = [
        Planned("table_opened", {"table": first + i}, Promise.SEATED, at_once=i > 0)
        for i in range(new_tables(state, state.sitting))
    ]
    return [*opened, Planned("drawn", {"what": "redraw"}, Promise.SEATED, at_once=True)]


def find_breaking(state: State, tables: list[Table]) -> Table | None:
    """Return the table that is to be broken, if one is."""
    if len(tables) > 1 and state.sitting <= state.structure.seats * (len(tables) - 1):
        return tables[-1]
    return None


def plan_break(table: Table) -> Planned:
    """Return the draw that breaks a table."""
    return Planned("drawn", {"what": "break", "table": table.number}, Promise.SEATED)


def plan_balance(state: State, tables: list[Table]) -> Planned | None:
    """Return the move that balances the tables, if one is due."""
    between = [table for table in tables if table.hand is None]
    if not between or len(tables) < 2:
        return None
    most = max(len(table.seats) for table in between)
    to = fewest_players(tables)[0]
    if most < len(to.seats) + _APART:
        return None
    full = next(table for table in between if len(table.seats) == most)
    player = _next_big_blind(state, full)
    if player is None:
        return None
    one = state.entrants[player]
    fields = {
        "player": player,
        "from_table": full.number,
        "from_seat": one.seat,
        "table": to.number,
        "seat": _worst_seat(state, to),
        "stack": one.stack,
        "why": "balance",
    }
    return Planned("moved", fields, Promise.SEATED)


def _left_of(seat: int, seats: Iterable[int]) -> list[int]:
    """Return seats clockwise from the left of one, which comes last."""
    listed = sorted(seats)
    return [*(one for one in listed if one > seat), *(one for one in listed if one <= seat)]


def _next_big_blind(state: State, table: Table) -> str | None:
    """Return who would have the big blind next; before a first hand who has the highest seat."""
    seats = list(state.chips(table)) or sorted(table.seats)
    if not seats:
        return None
    blind = table.big_blind
    return table.seats[_left_of(blind, seats)[0] if blind else seats[-1]]


def _worst_seat(state: State, table: Table) -> int:
    """Return the free seat that the big blind comes to first."""
    free = free_seats(state, table)
    return next(iter(_left_of(table.big_blind, free)), 0)
