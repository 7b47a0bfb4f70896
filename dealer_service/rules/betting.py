"""Whose turn it is and what it costs to stay in (9.2).

Every amount is a total for the street. The bet to match begins as the full big blind or straddle,
whatever was posted. How far a seat may bet or raise is in `raising`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dealer_service.quick import maker

MOST_SEATS: Final = 10


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat dealt in: chips behind, bet on this street, put in all hand, and how it stands."""

    seat: int
    stack: int
    bet: int
    put: int
    folded: bool
    acted: bool
    """Whether the seat has acted on this street."""


@dataclass(frozen=True, slots=True)
class Betting:
    """The betting of a street (0 is before the flop); `turn` is the next decision's number."""

    street: int
    to_match: int
    full_raise: int
    """What a full raise adds to the bet to match."""
    aggressor: int | None
    """The last seat that bet or raised on this street."""
    turn: int
    bets: int | None
    """The bets of this street as a cap counts them; None where no cap holds."""


@dataclass(frozen=True, slots=True)
class Pending:
    """The decision that is owed: whose, what it costs to stay in, and since when."""

    place: int
    """Which of the chairs is to act."""
    call: int
    """Chips that a call adds; 0 when nothing is owed."""
    began: int


make_chair: Final = maker(Chair)
make_betting: Final = maker(Betting)
make_pending: Final = maker(Pending)

ROUNDS: Final = tuple(
    tuple(tuple((start + step) % count for step in range(count)) for start in range(count + 1))
    for count in range(MOST_SEATS + 1)
)
"""For so many chairs, from which one on: all chairs in turn."""


def find_pending(
    chairs: tuple[Chair, ...], order: Sequence[int], betting: Betting, at: int
) -> Pending | None:
    """Find the first of the chairs in that order that owes a decision, which begins at `at`."""
    to_match = betting.to_match
    for place in order:
        chair = chairs[place]
        if chair.folded or not chair.stack:
            continue
        if chair.bet < to_match:
            # Who bet or raised last is live and has bet all that there is to match.
            top = to_match
            if not betting.aggressor:
                top = min(to_match, find_reach(chairs, chair.seat, to_match))
            if chair.bet < top:
                owed, stack = top - chair.bet, chair.stack
                call = owed if owed < stack else stack  # noqa: FURB136 - a function takes longer
                return make_pending(place, call, at)
        if not chair.acted and _has_opponent(chairs, chair.seat):
            return make_pending(place, 0, at)
    return None


def order_with_late(chairs: tuple[Chair, ...], start: int, late: int) -> Sequence[int]:
    """Order the chairs from `start` on where a straddle's turn is late.

    It comes as soon as all others have acted once, and after it the order goes round as ever.
    """
    order = ROUNDS[len(chairs)][start]
    if chairs[late].acted:
        return order
    first = [place for place in order if place != late and not chairs[place].acted]
    return (*first, late, *order)


def find_reach(chairs: tuple[Chair, ...], seat: int, enough: int) -> int:
    """Give the most that any live seat but this one has bet or could bet on this street.

    It looks no further than to a seat that reaches `enough`.
    """
    reach = 0
    for other in chairs:
        if other.stack + other.bet > reach and not other.folded and other.seat != seat:
            reach = other.stack + other.bet
            if reach >= enough:
                break
    return reach


def _has_opponent(chairs: tuple[Chair, ...], seat: int) -> bool:
    """Tell whether any live seat but this one has chips."""
    for other in chairs:  # noqa: SIM110 - a generator takes longer
        if other.stack and not other.folded and other.seat != seat:
            return True
    return False
