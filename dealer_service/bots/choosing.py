"""What every house player's strategy is made of: a choice, and the few ways to come to one.

A strategy knows what any client knows: its hole cards, the board, what everybody has bet, and what
the turn allows. Whatever it wants, it gets the nearest thing that the turn allows.
"""

from collections.abc import Callable
from dataclasses import dataclass

from dealer_service.client import Act, Decision, Span, TableView

Chance = Callable[[], float]
"""An even draw from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An act, with the total for the street where it is a bet or a raise."""

    act: Act
    to: int = 0


Strategy = Callable[[Decision, TableView, Chance], Choice]
"""strategy(decision, view, chance): something that the turn allows."""


def bet_up_to(decision: Decision, total: int) -> Choice:
    """Bet or raise to the allowed total nearest to `total`; where neither is allowed, stay in."""
    bounds: Span | None = decision.bet or decision.raise_to
    if bounds is None:
        return go_on(decision, worth_it=True)
    return Choice(Act.BET if decision.bet else Act.RAISE, bounds.nearest(total))


def go_on(decision: Decision, *, worth_it: bool) -> Choice:
    """Check where that is free, else call what is worth it and fold what is not."""
    if decision.may_check:
        return Choice(Act.CHECK)
    return Choice(Act.CALL if worth_it else Act.FOLD)


def bet_to_match(view: TableView) -> int:
    """Give the highest bet on this street, in chips."""
    return max(seat.bet for seat in view.seats)


def pot_odds(decision: Decision, view: TableView) -> float:
    """Give how often a call has to win to be worth its price, from 0 to 1."""
    return decision.call / (view.pot + decision.call) if decision.call else 0.0


def count_opponents(view: TableView) -> int:
    """Count the seats besides one's own that are still in the hand."""
    return sum(seat.live for seat in view.seats if seat.seat != view.seat)
