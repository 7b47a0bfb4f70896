"""Chip races: whose chips are of a unit no longer played, and what they become (14.8, 24-A)."""

from collections.abc import Sequence
from dataclasses import dataclass

from dealer_service.rules.entry import SeatStack
from dealer_service.rules.tournament.dealing_out import deal_race
from dealer_service.rules.tournament.state import Seat, Table, TournamentState


@dataclass(frozen=True, slots=True)
class Race:
    """A race at a table to `unit`: the list of its draw, and how many new chips that deals out.

    `items` has each player's entrant number, by ascending name, as often as it has odd chips; it
    is empty where no chip is to be raced, and then nothing is drawn.
    """

    table: int
    unit: int
    items: tuple[int, ...]
    chips: int


def find_race(state: TournamentState, table: Table) -> Race | None:
    """Give the race that is due before this table's next hand; None where none is."""
    unit = state.level_rules.chip_unit
    raced = _raced(table, unit)
    if not raced:
        return None
    old = min(seat.unit for seat in raced)
    items = tuple(
        state.entrants[seat.player].entrant
        for seat in sorted(raced, key=lambda seat: seat.player)
        for _ in range(-(-(seat.stack % unit) // old))
    )
    whole, rest = divmod(sum(seat.stack % unit for seat in raced), unit)
    return Race(table.table, unit, items, whole + (2 * rest >= unit))


def run_race(
    state: TournamentState, table: Table, race: Race, order: Sequence[int]
) -> tuple[SeatStack, ...]:
    """Give the stacks that the race changes, by rising seat, from what its draw gave.

    Who would have nothing gets one chip.
    """
    won = frozenset(deal_race(order, race.chips))
    raced = frozenset(seat.player for seat in _raced(table, race.unit))
    found = []
    for number, seat in table.seats.items():
        if seat.player in raced:
            whole = seat.stack - seat.stack % race.unit
            gains = state.entrants[seat.player].entrant in won or not whole
            stack = whole + race.unit * gains
            if stack != seat.stack:
                found.append(SeatStack(number, stack))
    return tuple(found)


def _raced(table: Table, unit: int) -> list[Seat]:
    return [seat for seat in table.seats.values() if seat.stack and seat.unit < unit]
