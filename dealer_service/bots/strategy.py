"""How a house player decides: tight, by its own cards, the board, and the price of going on.

It knows what any client knows: its hole cards, the board, what everybody has bet, and what the turn
allows. Before the flop it compares Chen's points with what the bet asks for; afterwards it compares
a guess of how often its hand is good with the pot's odds. One time in twenty it plays as though its
hand were better, so that nobody can tell for sure what a bet means.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from dealer_service.bots.strength import rate_hand, score_hole_cards
from dealer_service.client import Act, Decision, Span, TableView

Chance = Callable[[], float]
"""An even draw from 0 to 1."""

_BLUFFS: Final = 0.05
_BLUFF_POINTS: Final = 4.0
_BLUFF_RATE: Final = 0.30
_OPENS: Final = 8.0
_RERAISES: Final = 12.0
# Up to so many big blinds to call, so many points.
_CALLS: Final = ((0.5, 3.0), (1.0, 5.0), (4.0, 7.5), (12.0, 10.0))
_CALLS_ANYTHING: Final = 13.0
_BETS: Final = 0.60
_RAISES: Final = 0.80
# Each further opponent makes it less likely that a hand is the best one.
_CROWD: Final = 0.4
_MARGIN: Final = 0.04


@dataclass(frozen=True, slots=True)
class Choice:
    """An act, with the total for the street where it is a bet or a raise."""

    act: Act
    to: int = 0


def choose(decision: Decision, view: TableView, chance: Chance) -> Choice:
    """Choose what to do on a turn; always something that the turn allows."""
    bluffs = chance() < _BLUFFS
    if len(view.board) < 3:
        return _choose_before_flop(decision, view, _BLUFF_POINTS if bluffs else 0.0)
    return _choose_with_board(decision, view, _BLUFF_RATE if bluffs else 0.0)


def _choose_before_flop(decision: Decision, view: TableView, bonus: float) -> Choice:
    big_blind: int = view.rules["big_blind"]
    points = score_hole_cards(view.cards) + bonus
    to_match = max(seat.bet for seat in view.seats)
    raised = to_match > big_blind
    if points >= (_RERAISES if raised else _OPENS):
        return _raise(decision, 3 * to_match)
    price = decision.call / big_blind
    asked = next((needed for most, needed in _CALLS if price <= most), _CALLS_ANYTHING)
    return _go_on(decision, worth_it=points >= asked)


def _choose_with_board(decision: Decision, view: TableView, bonus: float) -> Choice:
    others = sum(seat.live for seat in view.seats if seat.seat != view.seat)
    rate = rate_hand(view.cards, view.board) ** (1 + _CROWD * max(0, others - 1))
    rate = min(0.99, rate + bonus)
    to_match = max(seat.bet for seat in view.seats)
    if rate >= (_RAISES if decision.call else _BETS):
        return _raise(decision, to_match + decision.call + 2 * view.pot // 3)
    odds = decision.call / (view.pot + decision.call) if decision.call else 0.0
    return _go_on(decision, worth_it=rate >= odds + _MARGIN)


def _raise(decision: Decision, total: int) -> Choice:
    """Bet or raise to the allowed total nearest to `total`; where neither is allowed, stay in."""
    bounds: Span | None = decision.bet or decision.raise_to
    if bounds is None:
        return _go_on(decision, worth_it=True)
    return Choice(Act.BET if decision.bet else Act.RAISE, bounds.nearest(total))


def _go_on(decision: Decision, *, worth_it: bool) -> Choice:
    if decision.may_check:
        return Choice(Act.CHECK)
    return Choice(Act.CALL if worth_it else Act.FOLD)
