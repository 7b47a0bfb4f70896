"""How far a seat may bet or raise under each structure, and the answer to an act (9.3).

Every amount is a total for the street. A short all-in moves the bet to match and never the last
full raise. One predicate reopens the betting for a seat that has acted: it faces at least the last
full raise in total (TDA 2024 rule 47-A), or by fixed limit at least half a bet (47-B).
"""

from typing import Final, NamedTuple

from dealer_service.rules.betting import Betting, Chair, Pending, find_reach, make_betting
from dealer_service.rules.entry import Act, Acted
from dealer_service.rules.refusal import HandReason, Refusal

_NO_AMOUNT: Final = (None, 0)

# Reading a member off its class costs more than a whole comparison, and every act does it often.
_FOLD, _CHECK, _CALL = Act.FOLD, Act.CHECK, Act.CALL
_BET, _RAISE = Act.BET, Act.RAISE


class Limit(NamedTuple):
    """What bounds a bet besides the stack; no limit has none of these."""

    bets: tuple[int, ...]
    """Fixed limit: the bet of each street. Pot limit: empty."""
    cap: int
    """Most bets of a street, the first included; 0 for no cap."""
    uncapped_heads_up: bool
    beside: int
    """Dead money, which lies in the pot beside what the seats put in."""
    unposted: int
    """By how much the full blinds and straddle are above what was posted (54-B)."""


def open_betting(  # noqa: PLR0913, PLR0917 - all that a street begins with
    street: int, to_match: int, full_raise: int, turn: int, limit: Limit | None, live: int
) -> Betting:
    """Begin the betting of a street; `live` seats are left in it."""
    bets = None
    if limit is not None and limit.bets:
        full_raise = limit.bets[street]
        bets = _still_capped(1 if to_match else 0, limit, live)
    return make_betting(street, to_match, full_raise, None, turn, bets)


def follow_act(betting: Betting, acted: Acted, limit: Limit | None, live: int) -> Betting:
    """Give the betting behind an act that was legal; `live` seats are left after it."""
    full_raise, bets = betting.full_raise, betting.bets
    to_match, aggressor, to = betting.to_match, betting.aggressor, acted.to
    if acted.act is _BET or acted.act is _RAISE:
        if limit is not None and limit.bets:
            full_raise, bets = _count_bet(betting, to, limit)
        else:
            full_raise = max(to - to_match, full_raise)
        to_match, aggressor = to, acted.seat
    elif bets is not None and limit is not None and acted.act is _FOLD:
        bets = _still_capped(bets, limit, live)
    turn = betting.turn + 1
    return make_betting(betting.street, to_match, full_raise, aggressor, turn, bets)


def _count_bet(betting: Betting, to: int, limit: Limit) -> tuple[int, int | None]:
    """Give what a full raise adds, and the bets of the street, after a bet to that total.

    Fixed limit: measured from the last total that counted, less than half a bet does not count and
    is completed by the next one; from half a bet on it counts (Robert's Rules, limit poker).
    """
    size = limit.bets[betting.street]
    counted = betting.to_match + betting.full_raise - size
    if 2 * (to - counted) < size:
        return counted + size - to, betting.bets
    return size, None if betting.bets is None else betting.bets + 1


def _still_capped(bets: int, limit: Limit, live: int) -> int | None:
    open_heads_up = limit.uncapped_heads_up and live == 2 and bets < limit.cap
    return None if not limit.cap or open_heads_up else bets


def bound_raise(
    chairs: tuple[Chair, ...], chair: Chair, betting: Betting, limit: Limit | None
) -> tuple[int, int] | None:
    """Give the least and the greatest total of a bet or raise, or None where none is offered."""
    to_match, full_raise = betting.to_match, betting.full_raise
    all_in = chair.bet + chair.stack
    if limit is None:
        if (
            all_in <= to_match
            or (chair.acted and to_match - chair.bet < full_raise)
            or find_reach(chairs, chair.seat, to_match + 1) <= to_match
        ):
            return None
        return min(to_match + full_raise, all_in), all_in
    if (
        all_in <= to_match
        or _is_capped(betting, limit)
        or (chair.acted and to_match - chair.bet < _reopens_from(betting, limit))
        or find_reach(chairs, chair.seat, to_match + 1) <= to_match
    ):
        return None
    least = min(to_match + full_raise, all_in)
    if limit.bets:
        return least, least
    pot = pot_if_called(chairs, chair, betting, limit, limit.beside)
    most = min(to_match + pot, all_in)
    return min(least, most), most


def pot_if_called(
    chairs: tuple[Chair, ...], chair: Chair, betting: Betting, limit: Limit | None, dead: int
) -> int:
    """Give the pot as it would be if the seat called: what a pot-limit raise adds at most.

    `dead` is the dead money, which lies in it beside what the seats put in.
    """
    pot = dead
    for one in chairs:
        pot += one.put
    if limit is not None and not betting.street:
        pot += limit.unposted
    return pot + max(betting.to_match - chair.bet, 0)


def _is_capped(betting: Betting, limit: Limit) -> bool:
    return betting.bets is not None and betting.bets >= limit.cap


def _reopens_from(betting: Betting, limit: Limit) -> int:
    """Give how much a seat that has acted must face to raise again."""
    return -(-limit.bets[betting.street] // 2) if limit.bets else betting.full_raise


def explain_no_raise(
    chairs: tuple[Chair, ...], chair: Chair, betting: Betting, limit: Limit | None
) -> tuple[str, dict[str, int]]:
    """Say why no bet or raise is offered, with the numbers of the sentence."""
    to_match = betting.to_match
    if chair.bet + chair.stack <= to_match:
        return f"all {chair.stack} chips left only call", {"stack": chair.stack}
    if find_reach(chairs, chair.seat, to_match + 1) <= to_match:
        if not to_match:
            return "no other player has chips", {}
        return f"no other player could put in more than {to_match}", {"to_match": to_match}
    if limit is not None and _is_capped(betting, limit):
        return f"the betting is capped at {limit.cap} bets", {"cap": limit.cap}
    facing = to_match - chair.bet
    if limit is not None and limit.bets:
        size = limit.bets[betting.street]
        return (
            f"the seat has acted and faces {facing}, less than half a bet of {size}",
            {"facing": facing, "bet": size},
        )
    return (
        f"the seat has acted and faces {facing}, less than a full raise of {betting.full_raise}",
        {"facing": facing, "full_raise": betting.full_raise},
    )


def answer(  # noqa: PLR0913, PLR0917 - the whole question
    chairs: tuple[Chair, ...],
    betting: Betting,
    pending: Pending,
    act: Act,
    to: int | None,
    limit: Limit | None,
) -> int | Refusal:
    """Give what the seat has bet on the street after an act, or why the act is refused.

    `to` is the total of a bet or raise; for other acts it is None, 0 or the total they lead to.
    """
    chair = chairs[pending.place]
    if act is _BET or act is _RAISE:
        bounds = bound_raise(chairs, chair, betting, limit)
        wrong = act is not (_RAISE if betting.to_match else _BET)
        if bounds is None or wrong or to is None or not bounds[0] <= to <= bounds[1]:
            return _refuse_raise(chairs, betting, pending, act, to, limit)
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


def _refuse_raise(  # noqa: PLR0913, PLR0917 - as of `answer`
    chairs: tuple[Chair, ...],
    betting: Betting,
    pending: Pending,
    act: Act,
    to: int | None,
    limit: Limit | None,
) -> Refusal:
    chair = chairs[pending.place]
    bounds = bound_raise(chairs, chair, betting, limit)
    if bounds is None:
        why, numbers = explain_no_raise(chairs, chair, betting, limit)
        if pending.call:
            allowed = f"call {pending.call} or fold"
            numbers = {**numbers, "call": pending.call}
        else:
            allowed = "check or fold"
        return Refusal(HandReason.NO_RAISE, f"{why}: {allowed}", numbers)
    least, greatest = bounds
    numbers = {"min": least, "max": greatest}
    amounts = f"at least {least} and at most {greatest}" if least < greatest else f"exactly {least}"
    if act is Act.BET and betting.to_match:
        words = f"raise to {amounts}"
        return Refusal(
            HandReason.RAISE_INSTEAD,
            f"there is a bet of {betting.to_match}: {words}",
            {**numbers, "to_match": betting.to_match},
        )
    if act is Act.RAISE and not betting.to_match:
        return Refusal(HandReason.BET_INSTEAD, f"there is no bet yet: bet {amounts}", numbers)
    words = "bet" if act is Act.BET else "raise to"
    if to is None:
        return Refusal(HandReason.AMOUNT_MISSING, f"name the total: {words} {amounts}", numbers)
    all_in = chair.bet + chair.stack
    if to < least:
        allowed = f"{words} at least {least}" + (", which is all-in" if least == all_in else "")
        return Refusal(HandReason.TOO_SMALL, allowed, {"min": least})
    why = "all-in" if greatest == all_in else "one bet" if limit and limit.bets else "the pot"
    return Refusal(
        HandReason.TOO_LARGE, f"{words} at most {greatest}, which is {why}", {"max": greatest}
    )
