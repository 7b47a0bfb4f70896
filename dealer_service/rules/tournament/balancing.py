"""Redraw, breaking and balancing: which tables, which player, and to which seat (14.8)."""

from dataclasses import dataclass

from dealer_service.rules.button import next_left
from dealer_service.rules.tournament.state import Table, TournamentState

LEAST_GAP = 2
"""Tables whose numbers of players differ by that many are balanced (TDA 2024 rule 11-A)."""


@dataclass(frozen=True, slots=True)
class Way:
    """A player's way from a seat of one table to a seat of another."""

    player: str
    from_table: int
    from_seat: int
    table: int
    seat: int


def is_redraw_due(state: TournamentState) -> bool:
    """Say whether all seats are to be drawn anew, as soon as all tables are between hands."""
    seats, sitting = state.structure.rules.seats, state.sitting
    return any(sitting <= seats * t and state.tables_open > t for t in state.structure.redraw)


def breaking_table(state: TournamentState) -> Table | None:
    """Give the table that is to be broken, the one with the highest number; None where none is."""
    room = state.structure.rules.seats * (state.tables_open - 1)
    if state.tables_open < 2 or state.sitting > room or is_redraw_due(state):
        return None
    return state.open_tables[-1]


def balance(state: TournamentState) -> Way | None:
    """Give the player that is to move now, and whereto; None where the tables are balanced.

    A table that is to be broken takes no part, and before a redraw nobody is moved.
    """
    breaking = breaking_table(state)
    tables = [one for one in state.open_tables if one is not breaking]
    ready = [one for one in tables if one.is_between_hands]
    if not ready or is_redraw_due(state):
        return None
    most = max(ready, key=lambda one: len(one.seats))
    fewest = min(tables, key=lambda one: len(one.seats))
    if len(most.seats) < len(fewest.seats) + LEAST_GAP:
        return None
    seat = next_big_blind(most)
    to = seat_for_mover(fewest, state.structure.rules.seats)
    return Way(most.seats[seat].player, most.table, seat, fewest.table, to)


def next_big_blind(table: Table) -> int:
    """Give the seat that would have the big blind next; before the first hand the highest."""
    seats = table.with_chips or tuple(table.seats)
    return next_left(seats, table.last_big_blind) if table.last_big_blind else seats[-1]


def seat_for_mover(table: Table, seats: int) -> int:
    """Give the worst free seat: the first left of the last big blind, or else the lowest."""
    free = free_seats(table, seats)
    return next_left(free, table.last_big_blind) if table.last_big_blind else free[0]


def free_seats(table: Table, seats: int) -> tuple[int, ...]:
    """List the free seats of a table with so many seats, rising."""
    return tuple(number for number in range(1, seats + 1) if number not in table.seats)
