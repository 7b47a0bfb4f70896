"""The intermediate: tight, by its own cards, the board, and the price of going on.

Before the flop it compares Chen's points with what the bet asks for; afterwards it compares
a guess of how often its hand is good with the pot's odds. One time in twenty it plays as though its
hand were better, so that nobody can tell for sure what a bet means.
"""

from typing import Final

from dealer_service.bots.choosing import (
    Chance,
    Choice,
    bet_to_match,
    bet_up_to,
    count_opponents,
    go_on,
    pot_odds,
)
from dealer_service.bots.strength import rate_hand, score_hole_cards
from dealer_service.client import Decision, TableView

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


def choose(decision: Decision, view: TableView, chance: Chance) -> Choice:
    """Choose what to do on a turn; always something that the turn allows."""
    bluffs = chance() < _BLUFFS
    if len(view.board) < 3:
        return _choose_before_flop(decision, view, _BLUFF_POINTS if bluffs else 0.0)
    return _choose_with_board(decision, view, _BLUFF_RATE if bluffs else 0.0)


def _choose_before_flop(decision: Decision, view: TableView, bonus: float) -> Choice:
    big_blind: int = view.rules["big_blind"]
    points = score_hole_cards(view.cards) + bonus
    to_match = bet_to_match(view)
    raised = to_match > big_blind
    if points >= (_RERAISES if raised else _OPENS):
        return bet_up_to(decision, 3 * to_match)
    price = decision.call / big_blind
    asked = next((needed for most, needed in _CALLS if price <= most), _CALLS_ANYTHING)
    return go_on(decision, worth_it=points >= asked)


def _choose_with_board(decision: Decision, view: TableView, bonus: float) -> Choice:
    others = count_opponents(view)
    rate = rate_hand(view.cards, view.board) ** (1 + _CROWD * max(0, others - 1))
    rate = min(0.99, rate + bonus)
    to_match = bet_to_match(view)
    if rate >= (_RAISES if decision.call else _BETS):
        return bet_up_to(decision, to_match + decision.call + 2 * view.pot // 3)
    return go_on(decision, worth_it=rate >= pot_odds(decision, view) + _MARGIN)
