"""The beginner: looks at its own two cards, likes to see the next card, and seldom raises.

Before the flop it plays any pair, any ace, two cards of ten or higher, and neighbours of one suit;
it calls with them up to a fifth of its stack, more only with a pair of tens or better or ace-king.
It raises with a pair of queens or better alone, and then by the least that is allowed. With a board
it calls every bet up to the pot as soon as it has a pair or a draw, folds else, and bets half the
pot with two pair or better. It never bluffs, knows no position and counts no odds.
"""

from typing import Final

from dealer_service.bots.choosing import Chance, Choice, bet_to_match, bet_up_to, go_on
from dealer_service.bots.strength import RANKS, rate_hand, score_hole_cards
from dealer_service.client import Decision, TableView

_LIKES: Final = 6.0
_LOVES: Final = 10.0
_RAISES: Final = 14.0
_ACE: Final = RANKS.index("A")
_TEN: Final = RANKS.index("T")
_BETS: Final = 0.78
_CALLS: Final = 0.33


def choose(decision: Decision, view: TableView, chance: Chance) -> Choice:  # noqa: ARG001 - it plays as it likes, always
    """Choose what to do on a turn; always something that the turn allows."""
    if len(view.board) < 3:
        return _choose_before_flop(decision, view)
    rate = rate_hand(view.cards, view.board)
    if rate >= _BETS:
        return bet_up_to(decision, bet_to_match(view) + decision.call + view.pot // 2)
    return go_on(decision, worth_it=rate >= _CALLS and decision.call <= view.pot)


def _choose_before_flop(decision: Decision, view: TableView) -> Choice:
    points = score_hole_cards(view.cards)
    if points >= _RAISES:
        return bet_up_to(decision, 0)
    behind = view.me.stack if view.me is not None else 0
    cheap = 5 * decision.call <= behind
    return go_on(decision, worth_it=points >= _LOVES or (cheap and _is_liked(view, points)))


def _is_liked(view: TableView, points: float) -> bool:
    ranks = sorted(RANKS.index(card[0]) for card in view.cards)
    return points >= _LIKES or ranks[-1] == _ACE or ranks[-2] >= _TEN
