"""What follows in a hand without anybody's choice: the one entry that each stage leads to.

These give entries and change nothing; what an entry makes of the state is in `folding`.
"""

from collections.abc import Callable, Sequence
from typing import Final

from dealer_service.quick import maker
from dealer_service.rules.advancing import find_agreement
from dealer_service.rules.dealing import deal_hole_cards, deal_street, hole_positions, next_board
from dealer_service.rules.entry import (
    BlindsChopped,
    By,
    Choice,
    Dealt,
    Entry,
    Mucked,
    Opened,
    OpenedCard,
    Returned,
    Show,
)
from dealer_service.rules.judging import Shown, rank_hand
from dealer_service.rules.pots import find_uncalled
from dealer_service.rules.showdown import must_show
from dealer_service.rules.state import BOARD_CARDS, HandState, Stage, has_chosen

# Reading a member off its class takes longer than a comparison.
_BY_PLAYER = By.PLAYER
_BY_POLICY = By.POLICY
_BY_RULE = By.RULE
_SHOW_ALL = Show.ALL
make_dealt: Final = maker(Dealt)
make_opened: Final = maker(Opened)


def opens_by(state: HandState) -> By | None:
    """Tell by what the next hand of a showdown is opened whatever it is, or None (9.6).

    Face up by rule; by policy where every hand is shown, and the first one.
    """
    assert state.closing is not None
    if state.closing.face_up:
        return _BY_RULE
    shows_all = state.frame.rules.show == _SHOW_ALL
    return _BY_POLICY if shows_all or not state.layout.shown else None


def show_by(state: HandState, hand: Shown) -> By | None:
    """Tell by what the next hand of a showdown is opened, or None where it is mucked (9.6).

    As `opens_by`, by policy what wins or ties something of a pot that it can win, against the
    hands opened so far; else by the player's own choice.
    """
    by = opens_by(state)
    if by is not None:
        return by
    assert state.closing is not None
    if must_show(hand, state.closing.pots, state.layout.shown):
        return _BY_POLICY
    return _BY_PLAYER if has_chosen(state, hand.seat, Choice.SHOW) else None


def rank_next(state: HandState, seat: int, cards: tuple[str, ...]) -> Shown:
    """Give the next hand of a showdown as it is shown, ranked if the board is whole."""
    frame, board = state.frame, state.layout.board
    if len(board) < BOARD_CARDS:
        return Shown(seat, cards)
    return Shown(seat, cards, *rank_hand(cards, board, omaha=frame.omaha, hi_lo=frame.hi_lo))


def post(state: HandState, _cards: Sequence[OpenedCard]) -> Entry:
    """Make the next post."""
    return state.frame.posts[state.marks.posted]


def deal_hands(state: HandState, _cards: Sequence[OpenedCard]) -> Entry:
    """Deal the hole cards of every seat."""
    return make_dealt(state.frame.hand, deal_hole_cards(state.frame.seats, state.frame.hole_cards))


def deal_board(state: HandState, _cards: Sequence[OpenedCard]) -> Entry:
    """Burn one, and deal the next street."""
    layout = state.layout
    board, count = next_board(layout)
    return make_dealt(state.frame.hand, deal_street(layout.next_position, count, board))


def open_board(state: HandState, cards: Sequence[OpenedCard]) -> Entry:
    """Open the cards that came to a board last."""
    end = state.layout.next_position
    board, count = next_board(state.layout)
    return make_opened(state.frame.hand, _BY_RULE, tuple(cards[end - count : end]), None, board)


def chop_blinds(state: HandState, _cards: Sequence[OpenedCard]) -> Entry:
    """Chop the blinds, as both seats have chosen."""
    frame = state.frame
    assert frame.small_blind_seat is not None
    seats = sorted([frame.small_blind_seat, frame.big_blind_seat])
    return BlindsChopped(frame.hand, tuple(seats))


def return_blind(state: HandState, _cards: Sequence[OpenedCard]) -> Entry:
    """Give the next chopped blind back in full, the small blind first."""
    return find_chopped(state)


def find_chopped(state: HandState) -> Returned:
    """Give what goes back next of two chopped blinds: all that their seats have bet."""
    frame = state.frame
    places = [frame.place[seat] for seat in (frame.small_blind_seat, frame.big_blind_seat) if seat]
    chair = next(state.chairs[place] for place in places if state.chairs[place].bet)
    return Returned(chair.seat, chair.bet)


def agree_runs(state: HandState, _cards: Sequence[OpenedCard]) -> Entry:
    """Say that the rest goes to two boards."""
    agreed = find_agreement(state)
    assert agreed is not None
    return agreed


def return_uncalled(state: HandState, _cards: Sequence[OpenedCard]) -> Entry:
    """Give the uncalled bet back."""
    uncalled = find_uncalled(state.chairs)
    assert uncalled is not None
    return Returned(*uncalled)


def show_or_muck(state: HandState, cards: Sequence[OpenedCard]) -> Entry:
    """Open the next hand in showing order, or muck it by policy."""
    frame, closing = state.frame, state.closing
    assert closing is not None
    seat = closing.unsettled[0]
    positions = hole_positions(len(frame.seats), frame.place[seat], frame.hole_cards)
    hole = tuple([cards[position] for position in positions])
    by = opens_by(state)
    if by is None:
        by = show_by(state, rank_next(state, seat, tuple([card.card for card in hole])))
    if by is None:
        return Mucked(frame.hand, seat, _BY_POLICY)
    return make_opened(frame.hand, by, hole, seat)


def award_pot(state: HandState, _cards: Sequence[OpenedCard]) -> Entry:
    """Pay the next pot."""
    assert state.closing is not None
    return state.closing.awards[state.closing.paid]


FOLLOWS: Final[dict[Stage, Callable[[HandState, Sequence[OpenedCard]], Entry]]] = {
    Stage.POSTS: post,
    Stage.HOLE_CARDS: deal_hands,
    Stage.BOARD_DEALT: deal_board,
    Stage.BOARD_OPENED: open_board,
    Stage.UNCALLED: return_uncalled,
    Stage.CHOP: chop_blinds,
    Stage.CHOPPED: return_blind,
    Stage.SHOWDOWN: show_or_muck,
    Stage.RUNS: agree_runs,
    Stage.AWARD: award_pot,
}
