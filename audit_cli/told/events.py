"""What happens in a hand, one value for each thing, in the order of the log.

Amounts are chips in the smallest unit, times milliseconds, cards two characters. `stack` is
always what the seat has behind after the event.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Street(Enum):
    """A betting round, by the cards of its board."""

    PREFLOP = 0
    FLOP = 3
    TURN = 4
    RIVER = 5


class What(Enum):
    """What a chip is posted as (protocol 6, `posted`)."""

    ANTE = "ante"
    SMALL_BLIND = "small_blind"
    BIG_BLIND = "big_blind"
    STRADDLE = "straddle"
    LIVE = "live"
    DEAD = "dead"


class Act(Enum):
    """What a seat does in its turn."""

    FOLD = "fold"
    CHECK = "check"
    CALL = "call"
    BET = "bet"
    RAISE = "raise"


class By(Enum):
    """Who acted for a seat, or why cards were opened or mucked."""

    PLAYER = "player"
    CLOCK = "clock"
    PRE_ACTION = "pre_action"
    ABSENT = "absent"
    RULE = "rule"
    POLICY = "policy"


@dataclass(frozen=True, slots=True)
class Posted:
    """A seat posts; `bet` tells whether it counts as a bet of the first street."""

    at: int
    seat: int
    what: What
    amount: int
    stack: int
    bet: bool


@dataclass(frozen=True, slots=True)
class HolesDealt:
    """All hole cards go out. Who has which stands with the seats of the hand."""

    at: int


@dataclass(frozen=True, slots=True)
class Acted:
    """A seat acts. `amount` is what it puts in by it, `to` its bet on the street after it.

    `facing` is the bet to match before the act (the big blind or straddle in full, whatever was
    posted), `turn` the decision's number in the hand.
    """

    at: int
    seat: int
    street: Street
    act: Act
    by: By
    amount: int
    to: int
    facing: int
    stack: int
    turn: int

    @property
    def all_in(self) -> bool:
        """Whether the act put in the seat's last chip."""
        return self.stack == 0 and self.amount > 0


@dataclass(frozen=True, slots=True)
class BoardDealt:
    """Cards of one street come to a board; `whole` is that board with them.

    `street` is the street that they are of, `board` 1, or 2 where the hand is run twice.
    """

    at: int
    street: Street
    board: int
    cards: tuple[str, ...]
    whole: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Returned:
    """An uncalled bet goes back, or a blind that was chopped."""

    at: int
    seat: int
    amount: int
    stack: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A seat's hole cards are opened to all: by rule, by policy or by the player."""

    at: int
    seat: int
    by: By
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mucked:
    """A seat's hole cards are put away unseen at the showdown."""

    at: int
    seat: int
    by: By


@dataclass(frozen=True, slots=True)
class RunsAgreed:
    """The rest of the board is to be dealt twice."""

    at: int
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BlindsChopped:
    """Both blinds take their chips back."""

    at: int
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Winner:
    """A seat's part of an award; `name` and `best_five` are empty where nobody could see them."""

    seat: int
    amount: int
    name: str
    best_five: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Awarded:
    """One award: a pot, or its half, or its part for one of two boards.

    `half` is `high`, `low` or empty; `amount` is the rake and what the winners get.
    """

    at: int
    pot: int
    board: int
    half: str
    amount: int
    rake: int
    winners: tuple[Winner, ...]


class Move(Enum):
    """What happens beside the hand."""

    SEAT_TAKEN = "seat_taken"
    SEAT_LEFT = "seat_left"
    PLAYER_REMOVED = "player_removed"
    CHIPS_ADDED = "chips_added"
    COLORED_UP = "colored_up"
    SAT_OUT = "sat_out"
    CAME_BACK = "came_back"
    PAUSED = "paused"
    RESUMED = "resumed"


@dataclass(frozen=True, slots=True)
class Aside:
    """A player comes, goes, or adds chips; the operator pauses (seat 0 then, no player).

    `amount` are the chips that it brings, takes or adds, or has behind a chip race: 0 where there
    are none, and where a player leaves in mid-hand. `by` is there for `SAT_OUT`.
    """

    at: int
    move: Move
    seat: int = 0
    player: str = ""
    amount: int = 0
    by: By | None = None


Event = (
    Posted
    | HolesDealt
    | Acted
    | BoardDealt
    | Returned
    | Shown
    | Mucked
    | RunsAgreed
    | BlindsChopped
    | Awarded
    | Aside
)
