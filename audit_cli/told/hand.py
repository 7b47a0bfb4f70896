"""A hand and a game as they are told: frozen values, the same for every format.

Every told hand adds up: stacks follow from posts, acts and awards, and end as the log says.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from audit_cli.poker.rules import DEALT_IN

if TYPE_CHECKING:
    from audit_cli.checks.ruleset import Rules
    from audit_cli.poker.rules import HandRules
    from audit_cli.told.events import Aside, Awarded, Event

NOT_CLOSED = -1


@dataclass(frozen=True, slots=True)
class Finish:
    """A player who is out of the tournament with this hand, or has won it: place 1.

    `prize` is in hundredths of the tournament's currency, or in units of play money; 0 for none.
    """

    player: str
    place: int
    prize: int


@dataclass(frozen=True, slots=True)
class Tournament:
    """The tournament that a hand is of. Amounts are in hundredths of `currency`.

    `number` is its number, of decimal digits; `name` is empty where it is not known; `level` counts
    from 1; `table` is the table's number in it; `currency` is an ISO code, empty for play money, of
    which amounts are in whole units. `finished` are those whom the hand put out, in the order of
    their places, the last first. It had `tables` tables to begin with; `started_at` and `level_ms`
    are in milliseconds, `initial_stack` is in chips; these are 0 where they are not known.
    """

    number: str
    name: str
    buy_in: int
    fee: int
    currency: str
    level: int
    table: int
    finished: tuple[Finish, ...] = ()
    tables: int = 1
    started_at: int = 0
    initial_stack: int = 0
    level_ms: int = 0


@dataclass(frozen=True, slots=True)
class Seat:
    """A taken seat at a hand's opening.

    `state` is the opening's word (6.3): `in` or `absent` for the dealt in. `holes` are the hole
    cards in the order dealt, None where the view does not have them. `put_in` is all that the seat
    put into the pots (what was returned is not in it, an ante and dead money are), `won` what it
    was awarded, `end` its stack when the hand had ended.
    """

    seat: int
    player: str
    stack: int
    state: str
    holes: tuple[str, ...] | None
    put_in: int
    won: int
    end: int

    @property
    def dealt_in(self) -> bool:
        """Whether the seat plays the hand."""
        return self.state in DEALT_IN

    @property
    def absent(self) -> bool:
        """Whether the seat is dealt in though its player sits out: the dealer acts for it."""
        return self.state == "absent"

    @property
    def net(self) -> int:
        """What the seat won or lost."""
        return self.end - self.stack


@dataclass(frozen=True, slots=True)
class Pot:
    """A pot: 0 is the main pot. `seats` could win it, rising; `amount` has the rake in it."""

    number: int
    amount: int
    rake: int
    seats: tuple[int, ...]
    awards: tuple[Awarded, ...]


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand that was played to its end.

    `seats` are all taken seats, rising; `order` those dealt in, clockwise from the left of the
    button. `boards` are one or two, of 0 to 5 cards; `shared` of them were dealt before a second
    board came, and are the same on both (all, where there is one board). `pots` are by rising
    number. `shown` are the seats whose cards were opened to all. `hero` is whose view it is, empty
    for everybody's.
    """

    game: str
    number: int
    opened_at: int
    ended_at: int
    rules: HandRules
    max_seats: int
    button: int
    small_blind: int | None
    big_blind: int
    straddle: int | None
    seats: tuple[Seat, ...]
    order: tuple[int, ...]
    events: tuple[Event, ...]
    boards: tuple[tuple[str, ...], ...]
    shared: int
    pots: tuple[Pot, ...]
    shown: tuple[int, ...]
    folded: tuple[int, ...]
    hero: str = ""
    tournament: Tournament | None = None

    def seat(self, number: int) -> Seat:
        """Return a taken seat; KeyError where it is not."""
        for seat in self.seats:
            if seat.seat == number:
                return seat
        raise KeyError(number)

    @property
    def dealt_in(self) -> tuple[Seat, ...]:
        """The seats dealt in, clockwise from the left of the button."""
        return tuple(self.seat(number) for number in self.order)

    @property
    def total(self) -> int:
        """All chips of the pots, rake included."""
        return sum(pot.amount for pot in self.pots)

    @property
    def rake(self) -> int:
        """What the house took."""
        return sum(pot.rake for pot in self.pots)


@dataclass(frozen=True, slots=True)
class Void:
    """A hand that is void: no chip moved. `missing` are the players whose link did not come."""

    number: int
    opened_at: int
    reason: str
    missing: tuple[str, ...]


class Cause(Enum):
    """Why a hand can not be told."""

    NOT_ENDED = "the game file ends before the hand"
    WRONG = "the hand does not fit together"


@dataclass(frozen=True, slots=True)
class Untold:
    """A hand that can not be told: `reason` says it in words."""

    number: int
    opened_at: int
    cause: Cause
    reason: str


@dataclass(frozen=True, slots=True)
class Told:
    """One hand of a game with what happened before it, since the hand before."""

    before: tuple[Aside, ...]
    hand: Hand | Void | Untold


@dataclass(frozen=True, slots=True)
class Game:
    """A game, told. `after` is what happened behind its last hand.

    `closed_at` is NOT_CLOSED where the file has no close. `revealed` tells whether the secret of
    every told hand is there, so that all cards are known.
    """

    source: str
    game: str
    origin: str
    opened_at: int
    closed_at: int
    rules: Rules
    hands: tuple[Told, ...]
    after: tuple[Aside, ...]
    revealed: bool

    @property
    def players(self) -> tuple[str, ...]:
        """The names of all that were dealt into a told hand, in alphabetical order."""
        names = {
            seat.player
            for told in self.hands
            if isinstance(told.hand, Hand)
            for seat in told.hand.seats
            if seat.dealt_in
        }
        return tuple(sorted(names))
