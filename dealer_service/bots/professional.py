"""The professional: plays its position and its stack, counts odds, and bluffs where that pays.

Before the flop it wants the better cards the more players are still to act behind it, and less
where two alone are dealt in; it raises two and a half big blinds to come in, three times a raise to
raise again, and calls one raise with what can grow (pairs at a fifteenth of the stack, good cards
in the big blind at half a pot). With twelve big blinds or fewer at no limit it goes all-in or
folds, the wider the shorter it is and the fewer are behind it. With a board it bets two thirds of
the pot for value, raises its best hands, follows up a lone opponent's check with half a pot one
time in three, plays good draws as a bet one time in four, and calls when its hand is good as often
as the price asks, large bets with a little more. Who would have less than a third of the pot left
after a bet goes all-in at once.
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

# Points that it opens with, goes all-in with, by how many players are behind: 0, 1, 2, …
_OPENS: Final = (3.5, 4.0, 5.5, 6.5, 7.5, 8.0, 8.5, 9.0, 9.0)
_SHOVES: Final = (3.5, 4.5, 5.5, 6.0, 7.0, 7.5, 8.0, 8.5, 9.0)
_SHORT: Final = 12  # big blinds
_VERY_SHORT: Final = 6
_WIDER: Final = 1.5
_CALLS_ALL_IN: Final = 9.5
_RERAISES: Final = 12.0
_RAISES_AGAIN: Final = 14.0
_CALLS_RAISE: Final = 8.5
_DEFENDS: Final = 5.0
# Where two alone are dealt in, a player holds good cards less often than in a full table.
_TWO_WIDER: Final = 3.0
_BLUFF_RERAISES: Final = 0.03
_PAIR: Final = 5.0
_MINES: Final = 15
_CROWD: Final = 0.4
_VALUE: Final = 0.57
_RAISES: Final = 0.80
_STABS: Final = 0.33
_SEMI_BLUFFS: Final = 0.25
_DRAW: Final = (0.33, 0.50)
_MARGIN: Final = 0.02
_LARGE_MARGIN: Final = 0.06
_OFTEN: Final = 0.99


def choose(decision: Decision, view: TableView, chance: Chance) -> Choice:
    """Choose what to do on a turn; always something that the turn allows."""
    mood = chance()
    if len(view.board) < 3:
        return _choose_before_flop(decision, view, mood)
    return _choose_with_board(decision, view, mood)


def _choose_before_flop(decision: Decision, view: TableView, mood: float) -> Choice:
    big_blind: int = view.rules["big_blind"]
    points = score_hole_cards(view.cards) + _TWO_WIDER * (_count_dealt_in(view) == 2)
    behind = _count_behind(view)
    to_match = bet_to_match(view)
    mine = _stack(view) + _bet(view)
    is_short = mine <= _SHORT * big_blind and view.rules.get("structure", "no_limit") == "no_limit"
    if to_match <= big_blind:
        if is_short:
            wider = _WIDER if mine <= _VERY_SHORT * big_blind else 0.0
            if points >= _at(_SHOVES, behind) - wider:
                return bet_up_to(decision, mine)
            return go_on(decision, worth_it=False)
        if points >= _at(_OPENS, behind):
            limpers = sum(seat.bet == big_blind and seat.live for seat in view.seats) - 1
            return bet_up_to(decision, 5 * big_blind // 2 + max(0, limpers) * big_blind)
        return go_on(decision, worth_it=False)
    return _answer_raise(decision, view, points, mood, is_short=is_short)


def _answer_raise(
    decision: Decision, view: TableView, points: float, mood: float, *, is_short: bool
) -> Choice:
    big_blind: int = view.rules["big_blind"]
    to_match, stack = bet_to_match(view), _stack(view)
    raised_twice = to_match > 5 * big_blind
    needed = _RAISES_AGAIN if raised_twice else _RERAISES
    if points >= needed or (not raised_twice and mood < _BLUFF_RERAISES and not is_short):
        return bet_up_to(decision, _committing(decision, view, 3 * to_match))
    if is_short or decision.call >= stack:
        return go_on(decision, worth_it=points >= _CALLS_ALL_IN - pot_odds(decision, view))
    if _is_pair(view) and points >= _PAIR and decision.call * _MINES <= stack:
        return go_on(decision, worth_it=True)
    closes = _bet(view) >= big_blind and 2 * decision.call <= view.pot
    worth_it = points >= (_DEFENDS if closes else _CALLS_RAISE) + 3.0 * raised_twice
    return go_on(decision, worth_it=worth_it)


def _choose_with_board(decision: Decision, view: TableView, mood: float) -> Choice:
    others = count_opponents(view)
    alone = rate_hand(view.cards, view.board)
    rate = min(_OFTEN, alone ** (1 + _CROWD * max(0, others - 1)))
    to_match = bet_to_match(view)
    is_draw = len(view.board) < 5 and _DRAW[0] <= alone < _DRAW[1]
    if not decision.call:
        stabs = others == 1 and len(view.board) == 3 and mood < _STABS
        if rate >= _VALUE:
            return bet_up_to(decision, _committing(decision, view, 2 * view.pot // 3))
        if stabs or (is_draw and mood < _SEMI_BLUFFS):
            return bet_up_to(decision, view.pot // 2)
        return go_on(decision, worth_it=True)
    if rate >= _RAISES:
        total = to_match + decision.call + 2 * view.pot // 3
        return bet_up_to(decision, _committing(decision, view, total))
    large = 3 * decision.call > view.pot
    margin = _LARGE_MARGIN if large else _MARGIN
    return go_on(decision, worth_it=rate >= pot_odds(decision, view) + margin)


def _committing(decision: Decision, view: TableView, total: int) -> int:
    """Give a total, or all chips where little would be left behind it."""
    mine = _stack(view) + _bet(view)
    left = mine - total
    return mine if 3 * left < view.pot + decision.call else total


def _count_behind(view: TableView) -> int:
    """Count the players who act after this one before the flop, the blinds last."""
    seats = [seat.seat for seat in view.seats if seat.live or seat.seat == view.seat]
    order = sorted(seats, key=lambda number: (number <= view.button, number))
    # The two left of the button have the blinds; with two players the button has the small one.
    first = 2 if len(order) > 2 else 1
    order = order[first:] + order[:first]
    return len(order) - 1 - order.index(view.seat)


def _count_dealt_in(view: TableView) -> int:
    return sum(seat.live or seat.state == "folded" for seat in view.seats)


def _at(points: tuple[float, ...], behind: int) -> float:
    return points[min(behind, len(points) - 1)]


def _is_pair(view: TableView) -> bool:
    return len(view.cards) == 2 and view.cards[0][0] == view.cards[1][0]


def _stack(view: TableView) -> int:
    return view.me.stack if view.me is not None else 0


def _bet(view: TableView) -> int:
    return view.me.bet if view.me is not None else 0
