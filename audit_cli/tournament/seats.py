"""How players come in and go out, sit down and stand up, in the state alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audit_cli.tournament.state import Entrant, State


def sit(state: State, entrant: Entrant, place: tuple[int, int], stack: int, at: int) -> None:
    """Seat a player, wherever it sat; who held the seat sits nowhere then."""
    stand(state, entrant)
    table = state.table(place[0])
    before = table.seats.get(place[1])
    if before is not None:
        stand(state, state.entrants[before])
    table.seats[place[1]] = entrant.name
    table.fresh[entrant.name] = at
    entrant.table, entrant.seat = place
    entrant.stack = stack
    state.sitting += 1
    state.unseated.pop(entrant.name, None)


def stand(state: State, entrant: Entrant) -> None:
    """Free a player's seat, if it has one."""
    if not entrant.table:
        return
    table = state.tables[entrant.table]
    table.seats.pop(entrant.seat, None)
    table.fresh.pop(entrant.name, None)
    entrant.table = entrant.seat = 0
    state.sitting -= 1


def enter(state: State, entrant: Entrant) -> None:
    """Let a player in, with the chips of the start and without a seat."""
    if not entrant.is_in:
        entrant.is_in = True
        state.players_in += 1
    entrant.busted = entrant.disqualified = entrant.placed = False
    entrant.out = None
    entrant.stack = state.structure.stack
    state.stacks_given += 1
    entrant.unit = state.structure.level(1).unit
    state.unplaced.pop(entrant.name, None)
    state.unseated[entrant.name] = None


def leave(state: State, entrant: Entrant) -> None:
    """Let a player out, wherever it is."""
    stand(state, entrant)
    if entrant.is_in:
        entrant.is_in = False
        state.players_in -= 1
    state.unseated.pop(entrant.name, None)
    state.deciding.pop(entrant.name, None)


def annul(state: State, entrant: Entrant) -> None:
    """Take back an entry: the name has no place."""
    if entrant.stands:
        entrant.stands = False
        state.players -= 1
        state.entries -= 1
    leave(state, entrant)
