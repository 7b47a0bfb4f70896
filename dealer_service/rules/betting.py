"""What a seat may do: turn order, what it owes, and the bounds of a bet or raise (9.2, 9.3).

Every amount is a total for the street. The bet to match and the last full raise begin as the
full big blind, whatever was posted; a short all-in moves the first and never the second. One
predicate reopens the betting for a seat that has acted: it faces at least the last full raise
in total (TDA 2024 rule 47-A).
"""

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from dealer_service.rules.entry import Act
from dealer_service.rules.refusal import HandReason, Refusal

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
    aggressor: int | None
    """The last seat that bet or raised on this street."""
    turn: int


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
make_betting: Final[Callable[[tuple[int, int, int, int | None, int]], Betting]] = partial(
    tuple.__new__, Betting
)
make_pending: Final[Callable[[tuple[int, int, int]], Pending]] = partial(tuple.__new__, Pending)

_NO_AMOUNT: Final = (None, 0)
_ROUNDS: Final = tuple(
    tuple(tuple((start + step) % count for step in range(count)) for start in range(count + 1))
    for count in range(MOST_SEATS + 1)
)
"""For so many chairs, from which one on: all chairs in turn."""

# Reading a member off its class costs more than a whole comparison, and every act does it often.
_CHECK, _CALL, _BET, _RAISE = Act.CHECK, Act.CALL, Act.BET, Act.RAISE


def find_pending(
    chairs: tuple[Chair, ...], start: int, betting: Betting, at: int
) -> Pending | None:
    """Find the first chair from `start` on that owes a decision; `at` is when it begins."""
    to_match = betting.to_match
    for place in _ROUNDS[len(chairs)][start]:
        seat, stack, bet, _, folded, acted = chairs[place]
        if folded or not stack:
            continue
        if bet < to_match:
            # Who bet or raised last is live and has bet all that there is to match.
            top = (
                to_match if betting.aggressor else min(to_match, find_reach(chairs, seat, to_match))
            )
            if bet < top:
                return make_pending((place, min(top - bet, stack), at))
        if not acted and _has_opponent(chairs, seat):
            return make_pending((place, 0, at))
    return None


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


def bound_raise(
    chairs: tuple[Chair, ...], chair: Chair, betting: Betting
) -> tuple[int, int] | None:
    """Give the least and the greatest total of a bet or raise, or None where none is offered."""
    to_match, full_raise = betting.to_match, betting.full_raise
    all_in = chair.bet + chair.stack
    if (
        all_in <= to_match
        or (chair.acted and to_match - chair.bet < full_raise)
        or find_reach(chairs, chair.seat, to_match + 1) <= to_match
    ):
        return None
    return min(to_match + full_raise, all_in), all_in


def explain_no_raise(
    chairs: tuple[Chair, ...], chair: Chair, betting: Betting
) -> tuple[str, dict[str, int]]:
    """Say why no bet or raise is offered, with the numbers of the sentence."""
    if chair.bet + chair.stack <= betting.to_match:
        return f"all {chair.stack} chips left only call", {"stack": chair.stack}
    if find_reach(chairs, chair.seat, betting.to_match + 1) <= betting.to_match:
        if not betting.to_match:
            return "no other player has chips", {}
        return (
            f"no other player could put in more than {betting.to_match}",
            {"to_match": betting.to_match},
        )
    facing = betting.to_match - chair.bet
    return (
        f"the seat has acted and faces {facing}, less than a full raise of {betting.full_raise}",
        {"facing": facing, "full_raise": betting.full_raise},
    )


def answer(
    chairs: tuple[Chair, ...], betting: Betting, pending: Pending, act: Act, to: int | None
) -> int | Refusal:
    """Give what the seat has bet on the street after an act, or why the act is refused.

    `to` is the total of a bet or raise; for other acts it is None, 0 or the total they lead to.
    """
    chair = chairs[pending.place]
    if act is _BET or act is _RAISE:
        bounds = bound_raise(chairs, chair, betting)
        wrong = act is not (_RAISE if betting.to_match else _BET)
        if bounds is None or wrong or to is None or not bounds[0] <= to <= bounds[1]:
            return _refuse_raise(chairs, betting, pending, act, to)
        return to
    total = chair.bet
    if act is _CALL:
        if not pending.call:
            return Refusal(HandReason.NOTHING_TO_CALL, "there is nothing to call: check instead")
        total += pending.call
    elif act is _CHECK and pending.call:
        return Refusal(
            HandReason.CANNOT_CHECK,
            f"there are {pending.call} to call: call or fold instead of checking",
            {"call": pending.call},
        )
    if to != total and to not in _NO_AMOUNT:
        return Refusal(
            HandReason.AMOUNT_MISMATCH,
            f"a {act.value} makes the seat's bet {total}, not {to}: send no amount with it",
            {"total": total, "to": to or 0},
        )
    return total


def _refuse_raise(
    chairs: tuple[Chair, ...], betting: Betting, pending: Pending, act: Act, to: int | None
) -> Refusal:
    chair = chairs[pending.place]
    bounds = bound_raise(chairs, chair, betting)
    if bounds is None:
        why, numbers = explain_no_raise(chairs, chair, betting)
        if pending.call:
            allowed = f"call {pending.call} or fold"
            numbers = {**numbers, "call": pending.call}
        else:
            allowed = "check or fold"
        return Refusal(HandReason.NO_RAISE, f"{why}: {allowed}", numbers)
    least, greatest = bounds
    numbers = {"min": least, "max": greatest}
    if act is Act.BET and betting.to_match:
        return Refusal(
            HandReason.RAISE_INSTEAD,
            f"there is a bet of {betting.to_match}: raise to at least {least} and at most"
            f" {greatest}",
            {**numbers, "to_match": betting.to_match},
        )
    if act is Act.RAISE and not betting.to_match:
        return Refusal(
            HandReason.BET_INSTEAD,
            f"there is no bet yet: bet at least {least} and at most {greatest}",
            numbers,
        )
    words = "bet" if act is Act.BET else "raise to"
    if to is None:
        return Refusal(
            HandReason.AMOUNT_MISSING,
            f"name the total: {words} at least {least} and at most {greatest}",
            numbers,
        )
    if to < least:
        allowed = f"{words} at least {least}" + (", which is all-in" if least == greatest else "")
        return Refusal(HandReason.TOO_SMALL, allowed, {"min": least})
    return Refusal(
        HandReason.TOO_LARGE, f"{words} at most {greatest}, which is all-in", {"max": greatest}
    )
