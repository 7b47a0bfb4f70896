"""How a person comes to a full table: in the place of a player of the house's own (section 8).

At a cash table the house's players keep seats warm. Who comes when all are taken, or asks for one
of theirs, has the lowest, or that one, between hands: the house player is removed with its chips,
and the person sits down, in one unit.
"""

from dataclasses import replace

from dealer_service.rules.entropy import Past
from dealer_service.rules.entry import PlayerRemoved
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.seating import Answer, between_hands, take_seat
from dealer_service.rules.table import evolve
from dealer_service.rules.table_state import TableState, seat_of


def seat_to_take_over(state: TableState, wanted: int, player: str) -> int | None:
    """Give the seat that a person would have of a house player's; None where it would have none.

    `wanted` is the seat that it asks for, 0 for any. Who has a seat, or would find a free one, has
    no other's; nor does anybody at a tournament's table.
    """
    if state.closed is not None or state.rules.tournament is not None:
        return None
    if seat_of(state, player) is not None or (not wanted and len(state.seats) < state.rules.seats):
        return None
    seats = state.seats.items()
    return next(
        (
            number
            for number, seat in sorted(seats)
            if seat.house and not seat.leaving and wanted in {0, number}
        ),
        None,
    )


def take_seat_of_house(  # noqa: PLR0913 - as taking any seat
    state: TableState,
    at: int,
    *,
    seat: int,
    player: str,
    stack: int,
    anchor: str | None,
    accepts_reveal: str,
    past: Past,
) -> Answer:
    """Seat a person at the time `at`, in a house player's place where it needs one.

    Refused HAND_OPEN where it has to wait for the end of the open hand, and nothing else is wrong.
    """
    place = seat_to_take_over(state, seat, player)
    removed: tuple[PlayerRemoved, ...] = ()
    freed = state
    if place is not None:
        leaving = state.seats[place]
        removed = (PlayerRemoved(place, leaving.player, leaving.stack),)
        freed = _without(state, place) if state.open else evolve(state, at, removed[0])
    taken = take_seat(
        freed,
        at,
        seat=place or seat,
        player=player,
        stack=stack,
        anchor=anchor,
        accepts_reveal=accepts_reveal,
        past=past,
    )
    if isinstance(taken, Refusal):
        return taken
    if removed and state.open is not None:
        return between_hands(state, "a house player's seat is taken over")
    return (*removed, *taken)


def _without(state: TableState, place: int) -> TableState:
    """Give the state as if nobody held a seat, to see what else may be wrong."""
    return replace(state, seats={n: one for n, one in state.seats.items() if n != place})
