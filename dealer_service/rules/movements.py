"""The chips that an entry moves between a table and its players' wallets, or to another game.

For every game, what came in less what went out is what lies on the table, at any line: a wallet
that settles each movement once is right.
"""

from dataclasses import dataclass
from enum import StrEnum, unique

from dealer_service.rules.entry import (
    ChipsAdded,
    Entry,
    GameClosed,
    GameOpened,
    HandEnded,
    HandVoid,
    PlayerRemoved,
    SeatLeft,
    SeatTaken,
)
from dealer_service.rules.table_state import TableState


@unique
class What(StrEnum):
    """What moved: in from a wallet, out to it, or to and from the game that goes on."""

    SEAT_TAKEN = "seat_taken"
    CHIPS_ADDED = "chips_added"
    CASHED_OUT = "cashed_out"
    CARRIED_OUT = "carried_out"
    CARRIED_IN = "carried_in"
    GAME_CLOSED = "game_closed"


INWARD = frozenset({What.SEAT_TAKEN, What.CHIPS_ADDED, What.CARRIED_IN})
OUTWARD = frozenset({What.CASHED_OUT, What.CARRIED_OUT})


@dataclass(frozen=True, slots=True)
class Movement:
    """Chips of one seat on their way; `game_closed` has no player and moves none."""

    what: What
    player: str = ""
    seat: int = 0
    amount: int = 0


def movements(  # noqa: PLR0911 - a return for each kind
    before: TableState | None, entry: Entry
) -> tuple[Movement, ...]:
    """List what `entry` moved, with the state before it (None for the first).

    Nothing at a tournament's table, whose chips are no wallet's.
    The chips of a player who left in the middle of a hand move when that hand ends or is void.
    """
    rules = before.rules if before else entry.rules if isinstance(entry, GameOpened) else None
    if rules is not None and rules.tournament is not None:
        return ()
    match entry:
        case GameOpened(previous=previous):
            seats = previous.seats if previous else ()
            return tuple(Movement(What.CARRIED_IN, s.player, s.seat, s.stack) for s in seats)
        case SeatTaken():
            return (Movement(What.SEAT_TAKEN, entry.player, entry.seat, entry.stack),)
        case ChipsAdded():
            return (Movement(What.CHIPS_ADDED, entry.player, entry.seat, entry.amount),)
        case SeatLeft() | PlayerRemoved() if entry.stack is not None:
            return (Movement(What.CASHED_OUT, entry.player, entry.seat, entry.stack),)
        case HandEnded():
            return _left(before, {one.seat: one.stack for one in entry.stacks})
        case HandVoid():
            return _left(before, {})
        case GameClosed():
            out = What.CARRIED_OUT if entry.next else What.CASHED_OUT
            moved = (Movement(out, one.player, one.seat, one.stack) for one in entry.stacks)
            return (*moved, Movement(What.GAME_CLOSED))
        case _:
            return ()


def _left(before: TableState | None, stacks: dict[int, int]) -> tuple[Movement, ...]:
    seats = before.seats if before else {}
    return tuple(
        Movement(What.CASHED_OUT, seat.player, number, stacks.get(number, seat.stack))
        for number, seat in seats.items()
        if seat.leaving
    )
