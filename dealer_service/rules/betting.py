"""Whose turn it is and what it costs to stay in (9.2).

Every amount is a total for the street. The bet to match begins as the full big blind or straddle,
whatever was posted. How far a seat may bet or raise is in `raising`.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

MOST_SEATS: Final = 10

# These three are built anew by every act, so they are tuples: those are built fastest.


class Chair(NamedTuple):
    """A seat dealt in: chips behind, bet on this street, put in all hand, and how it stands."""

    seat: int
    stack: int
    bet: int
    put: int
    folded: bool
    acted: bool
    """Whether the seat has acted on this street."""


class Betting(NamedTuple):
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


class Pending(NamedTuple):
    """The decision that is owed: whose, what it costs to stay in, and since when."""

    place: int
    """Which of the chairs is to act."""
    call: int
    """Chips that a call adds; 0 when nothing is owed."""
    began: int


# Making a named tuple from a plain one by these takes half as long as calling its class.
make_chair: Final[Callable[[tuple[int, int, int, int, bool, bool]], Chair]] = partial(
    tuple.__new__, Chair
)
make_betting: Final[Callable[[tuple[int, int, int, int | None, int, int | None]], Betting]] = (
    partial(tuple.__new__, Betting)
)
make_pending: Final[Callable[[tuple[int, int, int]], Pending]] = partial(tuple.__new__, Pending)

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
        seat, stack, bet, _, folded, acted = chairs[place]
        if folded or not stack:
            continue
        if bet < to_match:
            # Who bet or raised last is live and has bet all that there is to match.
            top = (
                to_match if betting.aggressor else min(to_match, find_reach(chairs, seat, to_match))
            )
            if bet < top:
                owed = top - bet
                call = owed if owed < stack else stack  # noqa: FURB136 - a function takes longer
                return make_pending((place, call, at))
        if not acted and _has_opponent(chairs, seat):
            return make_pending((place, 0, at))
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
    for other, stack, bet, _, folded, _ in chairs:
        if stack + bet > reach and not folded and other != seat:
            reach = stack + bet
            if reach >= enough:
                break
    return reach


def _has_opponent(chairs: tuple[Chair, ...], seat: int) -> bool:
    """Tell whether any live seat but this one has chips."""
    for other, stack, _, _, folded, _ in chairs:  # noqa: SIM110 - a generator takes longer
        if stack and not folded and other != seat:
            return True
    return False
