"""What follows in a hand without anybody's choice: the one entry that each stage leads to.

These give entries and change nothing; what an entry makes of the state is in `folding`.
"""

from collections.abc import Callable, Sequence
from typing import Final

from dealer_service.rules.dealing import NEXT_STREET, deal_hole_cards, deal_street, hole_positions
from dealer_service.rules.entry import (
    By,
    Dealt,
    Entry,
    Mucked,
    Opened,
    OpenedCard,
    Post,
    Posted,
    Returned,
)
from dealer_service.rules.pots import find_uncalled
from dealer_service.rules.ranking import strength_of
from dealer_service.rules.showdown import must_show
from dealer_service.rules.state import HandState, Stage, list_stakes

# Reading a member off its class takes longer than a comparison.
_BY_POLICY = By.POLICY
_BY_RULE = By.RULE
_POST_BIG = Post.BIG_BLIND
_POST_SMALL = Post.SMALL_BLIND


def wins_some_pot(state: HandState, seat: int, hole: Sequence[str]) -> bool:
    """Tell whether a hand wins or ties a pot that it can win, against the hands opened so far."""
    closing, board = state.closing, state.layout.board
    assert closing is not None
    if not state.layout.shown:
        return True
    opened = {one.seat: strength_of((*one.cards, *board)) for one in state.layout.shown}
    return must_show(seat, strength_of((*hole, *board)), closing.pots, opened)


def post_small_blind(state: HandState, _cards: Sequence[OpenedCard]) -> Entry:
    """Post the small blind, or all that a short stack has."""
    frame = state.frame
    seat = frame.small_blind_seat
    assert seat is not None
    stack = state.chairs[frame.place[seat]].stack
    return Posted(seat, _POST_SMALL, min(stack, frame.rules.small_blind))


def post_big_blind(state: HandState, _cards: Sequence[OpenedCard]) -> Entry:
    """Post the big blind, or all that a short stack has."""
    frame = state.frame
    stack = state.chairs[frame.place[frame.big_blind_seat]].stack
    return Posted(frame.big_blind_seat, _POST_BIG, min(stack, frame.rules.big_blind))


def deal_hands(state: HandState, _cards: Sequence[OpenedCard]) -> Entry:
    """Deal the hole cards of every seat."""
    return Dealt(state.frame.hand, deal_hole_cards(state.frame.seats))


def deal_board(state: HandState, _cards: Sequence[OpenedCard]) -> Entry:
    """Burn one, and deal the next street."""
    layout = state.layout
    positions = deal_street(layout.next_position, NEXT_STREET[len(layout.board)])
    return Dealt(state.frame.hand, positions)


def open_board(state: HandState, cards: Sequence[OpenedCard]) -> Entry:
    """Open the cards that came to the board last."""
    layout = state.layout
    end = layout.next_position
    street = tuple(cards[end - NEXT_STREET[len(layout.board)] : end])
    return Opened(state.frame.hand, _BY_RULE, street, None, 1)


def return_uncalled(state: HandState, _cards: Sequence[OpenedCard]) -> Entry:
    """Give the uncalled bet back."""
    uncalled = find_uncalled(list_stakes(state.chairs))
    assert uncalled is not None
    return Returned(*uncalled)


def show_or_muck(state: HandState, cards: Sequence[OpenedCard]) -> Entry:
    """Open the next hand in showing order, or muck it by policy."""
    frame, closing = state.frame, state.closing
    assert closing is not None
    seat = closing.unsettled[0]
    hole = [cards[p] for p in hole_positions(len(frame.seats), frame.place[seat])]
    if not closing.face_up and not wins_some_pot(state, seat, [card.card for card in hole]):
        return Mucked(frame.hand, seat, _BY_POLICY)
    by = _BY_RULE if closing.face_up else _BY_POLICY
    return Opened(frame.hand, by, tuple(hole), seat)


def award_pot(state: HandState, _cards: Sequence[OpenedCard]) -> Entry:
    """Pay the next pot."""
    assert state.closing is not None
    return state.closing.awards[state.closing.paid]


FOLLOWS: Final[dict[Stage, Callable[[HandState, Sequence[OpenedCard]], Entry]]] = {
    Stage.SMALL_BLIND: post_small_blind,
    Stage.BIG_BLIND: post_big_blind,
    Stage.HOLE_CARDS: deal_hands,
    Stage.BOARD_DEALT: deal_board,
    Stage.BOARD_OPENED: open_board,
    Stage.UNCALLED: return_uncalled,
    Stage.SHOWDOWN: show_or_muck,
    Stage.AWARD: award_pot,
}
