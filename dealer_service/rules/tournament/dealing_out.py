"""The lists that draws shuffle, and how what comes out is dealt out (14.2)."""

from collections.abc import Iterable, Mapping, Sequence

from dealer_service.rules.tournament.balancing import Way, free_seats
from dealer_service.rules.tournament.state import Table, TournamentState

SEATS_A_TABLE = 16
"""A place is told as 16 x table + seat."""


def list_players(state: TournamentState, names: Iterable[str]) -> tuple[int, ...]:
    """Give the entrant numbers of players in ascending order of name."""
    return tuple(state.entrants[name].entrant for name in sorted(names))


def list_places(tables: Sequence[Table], seats: int) -> tuple[int, ...]:
    """Give every free seat at the tables with the fewest players, rising."""
    fewest = min(len(table.seats) for table in tables)
    return tuple(
        SEATS_A_TABLE * table.table + seat
        for table in tables
        if len(table.seats) == fewest
        for seat in free_seats(table, seats)
    )


def deal_seats(order: Sequence[int], tables: Sequence[int]) -> list[tuple[int, int, int]]:
    """Give entrant, table and seat in the order of a draw: the tables in turn, seat by seat."""
    count = len(tables)
    return [(one, tables[i % count], 1 + i // count) for i, one in enumerate(order)]


def deal_place(order: Sequence[int]) -> tuple[int, int]:
    """Give the table and the seat that came first."""
    return divmod(order[0], SEATS_A_TABLE)


def deal_broken(
    order: Sequence[int],
    names: Mapping[int, str],
    broken: Table,
    staying: Iterable[Table],
    seats: int,
) -> list[Way]:
    """Give the ways of a broken table's players, each to the table that then has the fewest.

    `names` gives a player's name by its entrant number.
    """
    free = {table.table: list(free_seats(table, seats)) for table in staying}
    at = {seat.player: number for number, seat in broken.seats.items()}
    ways = []
    for one in order:
        to = max(free, key=lambda table: (len(free[table]), -table))
        player = names[one]
        ways.append(Way(player, broken.table, at[player], to, free[to].pop(0)))
    return ways


def deal_race(order: Sequence[int], chips: int) -> tuple[int, ...]:
    """Give who wins a chip each, from the front, nobody twice."""
    return tuple(dict.fromkeys(order))[:chips]
