"""What a seat may do: turn order, what it owes, and the bounds of a bet or raise (9.2, 9.3).

Every amount is a total for the street. The bet to match and the last full raise begin as the
full big blind, whatever was posted; a short all-in moves the first and never the second. One
predicate reopens the betting for a seat that has acted: it faces at least the last full raise
in total (TDA 2024 rule 47-A).
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from dealer_service.rules.entry import Act
from dealer_service.rules.refusal import HandReason, Refusal

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
    """The decision that is owed: whose, since when, and what the rest of the table allows."""

    place: int
    """Which of the chairs is to act."""
    call: int
    """Chips that a call adds; 0 when nothing is owed."""
    reach: int
    """The most that any other live seat has bet or could bet on this street."""
    began: int


class Standing(NamedTuple):
    """What a table looks like between two acts."""

    live: int
    with_chips: int
    pending: Pending | None


_NO_AMOUNT: Final = (None, 0)


def survey(  # noqa: C901 - one pass over the table, made after every act
    chairs: Sequence[Chair], start: int, to_match: int, at: int
) -> Standing:
    """Count live seats, and find the first chair from `start` on that owes a decision."""
    live = with_chips = 0
    best = second = best_index = -1
    for index, (_, stack, bet, _, folded, _) in enumerate(chairs):
        if folded:
            continue
        live += 1
        if stack:
            with_chips += 1
        reach = stack + bet
        if reach > best:
            best, second, best_index = reach, best, index
        elif reach > second:
            second = reach
    if live > 1:
        count = len(chairs)
        for step in range(start, start + count):
            index = step % count
            _, stack, bet, _, folded, acted = chairs[index]
            if folded or not stack:
                continue
            reach = second if index == best_index else best
            owed = min(to_match, reach) - bet
            if owed > 0:
                return Standing(live, with_chips, Pending(index, min(owed, stack), reach, at))
            if not acted and with_chips > 1:
                return Standing(live, with_chips, Pending(index, 0, reach, at))
    return Standing(live, with_chips, None)


def bound_raise(chair: Chair, betting: Betting, reach: int) -> tuple[int, int] | None:
    """Give the least and the greatest total of a bet or raise, or None where none is offered."""
    to_match, full_raise = betting.to_match, betting.full_raise
    all_in = chair.bet + chair.stack
    if (
        all_in <= to_match
        or reach <= to_match
        or (chair.acted and to_match - chair.bet < full_raise)
    ):
        return None
    least = to_match + full_raise
    return min(least, all_in), all_in


def explain_no_raise(chair: Chair, betting: Betting, reach: int) -> tuple[str, dict[str, int]]:
    """Say why no bet or raise is offered, with the numbers of the sentence."""
    if chair.bet + chair.stack <= betting.to_match:
        return f"all {chair.stack} chips left only call", {"stack": chair.stack}
    if reach <= betting.to_match:
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
    chair: Chair, betting: Betting, pending: Pending, act: Act, to: int | None
) -> int | Refusal:
    """Give what the seat has bet on the street after an act, or why the act is refused.

    `to` is the total of a bet or raise; for other acts it is None, 0 or the total they lead to.
    """
    if act is Act.BET or act is Act.RAISE:
        bounds = bound_raise(chair, betting, pending.reach)
        wrong = act is not (Act.RAISE if betting.to_match else Act.BET)
        if bounds is None or wrong or to is None or not bounds[0] <= to <= bounds[1]:
            return _refuse_raise(chair, betting, pending, act, to)
        return to
    total = chair.bet
    if act is Act.CALL:
        if not pending.call:
            return Refusal(HandReason.NOTHING_TO_CALL, "there is nothing to call: check instead")
        total += pending.call
    elif act is Act.CHECK and pending.call:
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
    chair: Chair, betting: Betting, pending: Pending, act: Act, to: int | None
) -> Refusal:
    bounds = bound_raise(chair, betting, pending.reach)
    if bounds is None:
        why, numbers = explain_no_raise(chair, betting, pending.reach)
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
