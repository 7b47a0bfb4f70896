"""What a client tells its user of a tournament, besides what happens at the user's table."""

from dataclasses import dataclass
from typing import TypeAlias

from dealer_service.client.events import Event
from dealer_service.client.shapes import Entry


@dataclass(frozen=True, slots=True)
class SeatGiven:
    """The player has a seat: its first, or another one; `why` is empty, or a move's reason."""

    table: int
    seat: int
    stack: int
    game: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class LevelBegan:
    """A level began."""

    level: int
    small_blind: int
    big_blind: int
    ante: int


@dataclass(frozen=True, slots=True)
class BreakBegan:
    """A break began, behind a level, for so many ms."""

    level: int
    length_ms: int


@dataclass(frozen=True, slots=True)
class MayRebuy:
    """The player has no chips, and so many ms to buy some, or to say that it does not."""

    decide_ms: int


@dataclass(frozen=True, slots=True)
class Bought:
    """The player bought chips: a rebuy, or the add-on."""

    chips: int
    stack: int


@dataclass(frozen=True, slots=True)
class WentOut:
    """The player is out: "busted", "withdrawn", "disqualified" or "taken_over"."""

    how: str


@dataclass(frozen=True, slots=True)
class WasPlaced:
    """The player's place, how many share it, and its prize."""

    place: int
    tied: int
    prize: int


@dataclass(frozen=True, slots=True)
class RegistrationClosed:
    """Nobody enters any more: the pool, and the prizes from place 1 on."""

    players: int
    pool: int
    prizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TournamentChanged:
    """Something of the whole, or the player's own: `kind` is the entry's, such as "started"."""

    kind: str


@dataclass(frozen=True, slots=True)
class TournamentClosed:
    """It is over: "finished", "cancelled" or "restored"."""

    reason: str


TournamentEvent: TypeAlias = (
    Event
    | SeatGiven
    | LevelBegan
    | BreakBegan
    | MayRebuy
    | Bought
    | WentOut
    | WasPlaced
    | RegistrationClosed
    | TournamentChanged
    | TournamentClosed
)

OF_ALL = frozenset(
    {
        "started",
        "level_begun",
        "break_begun",
        "registration_closed",
        "hand_for_hand_begun",
        "hand_for_hand_ended",
        "deal_agreed",
        "stopped",
        "resumed",
        "tournament_closed",
    }
)
"""The kinds of entries that concern every player."""


def concerned(entry: Entry) -> tuple[str, ...]:
    """Give the players of whom an entry tells."""
    names = (entry.body.get("player"), entry.body.get("house_player"))
    return tuple(name for name in names if name)
