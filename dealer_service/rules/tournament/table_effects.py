"""What an entry of a tournament's log does at its tables, in the same unit (14.4)."""

from dataclasses import dataclass

from dealer_service.rules.entry import SeatStack
from dealer_service.rules.tournament.entry import TournamentEntry
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


def effects(before: TournamentState | None, entry: TournamentEntry) -> tuple[TableEffect, ...]:
    """List what `entry` does at which table, in order, with the state before it.

    Opening and closing a table's game, and its hands, are the shell's: they are not listed.
    """
    raise NotImplementedError
