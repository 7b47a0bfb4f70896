"""What an entry of a tournament's log does at its tables, in the same unit (14.4)."""

from dataclasses import dataclass

from dealer_service.rules.entry import SeatStack
from dealer_service.rules.tournament.entry import (
    AddedOn,
    Busted,
    Disqualified,
    Moved,
    Rebought,
    Seated,
    TableColoredUp,
    TakenOver,
    TournamentEntry,
)
from dealer_service.rules.tournament.state import TournamentState


@dataclass(frozen=True, slots=True)
class Seat:
    """A player sits down: `seat_taken`."""

    table: int
    player: str
    seat: int
    stack: int
    house: bool


@dataclass(frozen=True, slots=True)
class Unseat:
    """A player leaves with its chips: `seat_left`."""

    table: int
    player: str


@dataclass(frozen=True, slots=True)
class Remove:
    """The operator takes a player out: `player_removed`."""

    table: int
    player: str


@dataclass(frozen=True, slots=True)
class Add:
    """A player gets chips: `chips_added`."""

    table: int
    player: str
    amount: int


@dataclass(frozen=True, slots=True)
class ColorUp:
    """Chips were raced: `colored_up`, with the stacks that changed."""

    table: int
    unit: int
    stacks: tuple[SeatStack, ...]


TableEffect = Seat | Unseat | Remove | Add | ColorUp


def effects(  # noqa: PLR0911 - a return for each kind
    before: TournamentState | None, entry: TournamentEntry
) -> tuple[TableEffect, ...]:
    """List what `entry` does at which table, in order, with the state before it.

    Opening and closing a table's game, and its hands, are the shell's: they are not listed.
    """
    if before is None:
        return ()
    match entry:
        case Seated():
            house = before.entrants[entry.player].house
            return (Seat(entry.table, entry.player, entry.seat, entry.stack, house),)
        case Moved():
            house = before.entrants[entry.player].house
            seat = Seat(entry.table, entry.player, entry.seat, entry.stack, house)
            return Unseat(entry.from_table, entry.player), seat
        case Busted():
            return (Unseat(entry.table, entry.player),)
        case TakenOver():
            house = before.entrants[entry.player].house
            seat = Seat(entry.table, entry.player, entry.seat, entry.stack, house)
            return Unseat(entry.table, entry.house_player), seat
        case Disqualified():
            return (Remove(entry.table, entry.player),)
        case Rebought() | AddedOn():
            return (Add(entry.table, entry.player, entry.chips),)
        case TableColoredUp() if entry.stacks:
            return (ColorUp(entry.table, entry.unit, entry.stacks),)
        case _:
            return ()
