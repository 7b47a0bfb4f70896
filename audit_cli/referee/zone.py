"""Where PokerKit plays by other rules than the protocol: hands outside its zone, and why.

Some it can not be told of at all. In others it differs only now and then: there its word counts
where it agrees, and is put down to the known difference where it does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.poker.rules import Structure
from audit_cli.referee.witnessed import Acted, Boarded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from audit_cli.referee.witnessed import WitnessedHand

FLOP = 3
_LATE_STRADDLES = frozenset({"button", "mississippi"})


def untold(hand: WitnessedHand) -> str | None:
    """Return why PokerKit can not be told of a hand, or None."""
    if hand.chopped:
        return "it does not chop blinds"
    if any(what in ("live", "dead") for what, _, _ in hand.posts):
        return "it has no posts besides blinds and antes"
    straddle = hand.rules.straddle
    if hand.at.straddle is not None and straddle is not None and straddle[0] in _LATE_STRADDLES:
        return "it has another order of turns with a straddle on the button or before it"
    if hand.rake and len({seat for award in hand.awards for seat, _ in award.shares}) > 1:
        return "it shares rake otherwise among several winners"
    return None


def known_difference(hand: WitnessedHand) -> str | None:
    """Return the known difference that explains why PokerKit sees a hand otherwise, or None."""
    return next(_differences(hand), None)


def _differences(hand: WitnessedHand) -> Iterator[str]:
    rules = hand.rules
    short = _has_short_blind(hand)
    if rules.ante is not None and rules.ante[0] == "big_blind":
        stack = hand.stacks.get(hand.at.big_blind, 0)
        if stack < rules.big_blind + rules.ante[1]:
            yield "it takes the big blind's ante before the blind"
    if len(hand.order) == 2 and rules.small_blind == rules.big_blind:
        yield "it lets the big blind act first before the flop, both blinds being of one size"
    if short:
        yield "it takes what a short blind posted as the bet to call"
    if rules.structure is Structure.POT_LIMIT:
        if rules.rounded_up:
            yield "it counts the small blind in the pot as it is, not as a big blind"
        if short or hand.at.small_blind is None:
            yield "it counts in the pot only what was posted of the blinds"
    if _has_short_all_in(hand):
        yield "it measures raises otherwise behind short all-ins"
    yield from _odd_chips(hand)


def _odd_chips(hand: WitnessedHand) -> Iterator[str]:
    uneven = [award for award in hand.awards if len({amount for _, amount in award.shares}) > 1]
    parted = hand.runs > 1 or hand.rules.game.hi_lo
    if hand.rules.chip_unit > 1 and (uneven or parted):
        yield "it knows no chip units"
    if any(len(award.shares) > 2 for award in uneven):
        yield "it gives every odd chip to the first winner"
    if len(uneven) > 1:
        yield "it gives the odd chips of several pots otherwise than each pot's on its own"
    if parted:
        yield "it gives the odd chips of boards and halves otherwise"


def _has_short_blind(hand: WitnessedHand) -> bool:
    """Whether a blind or the straddle posted less than all of it, or nothing."""
    rules, at = hand.rules, hand.at
    full = {(at.big_blind, "big_blind"): rules.big_blind}
    if at.small_blind is not None:
        full[at.small_blind, "small_blind"] = rules.small_blind
    if at.straddle is not None:
        full[at.straddle, "straddle"] = 2 * rules.big_blind
    posted = {(seat, what): amount for what, seat, amount in hand.posts}
    return any(posted.get(post, 0) < amount for post, amount in full.items())


def _has_short_all_in(hand: WitnessedHand) -> bool:
    """Whether some all-in was less than a full bet or raise."""
    limits, big_blind = hand.rules.limits, hand.rules.big_blind
    full = street = 0
    for board, size, all_in in _raises(hand):
        if limits is not None:
            full = limits.small_bet if board <= FLOP else limits.big_bet
        elif board != street or not full:
            full, street = big_blind, board
        if size < full and all_in:
            return True
        full = size
    return False


def _raises(hand: WitnessedHand) -> Iterator[tuple[int, int, bool]]:
    """Give the board's cards at each bet or raise, its size, and whether it is all-in."""
    board = 0
    to_match = hand.rules.big_blind * (1 if hand.at.straddle is None else 2)
    # What each seat has bet on this street, and had for it.
    bets: dict[int, int] = {}
    had = dict(hand.stacks)
    for what, seat, amount in hand.posts:
        if what == "ante":
            had[seat] = had.get(seat, 0) - amount
    for event in hand.events:
        if isinstance(event, Boarded):
            board, to_match = board + len(event.cards), 0
            had = {seat: chips - bets.get(seat, 0) for seat, chips in had.items()}
            bets = {}
        elif isinstance(event, Acted):
            bets[event.seat] = event.to
            if event.act in ("bet", "raise"):
                yield board, event.to - to_match, event.to == had.get(event.seat)
                to_match = event.to
