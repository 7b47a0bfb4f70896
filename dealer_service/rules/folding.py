"""What each entry makes of a hand's state, and that it can follow at all.

An entry that the rules force must be the very one that `following` gives; an act must be legal;
a card must come from where it was dealt. Anything else raises ImpossibleEntry. The end of a hand is
in `settling`, and what a table does besides in `asides`.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from dealer_service.rules.advancing import at_stage, end_round, go_on
from dealer_service.rules.asides import (
    fold_aside,
    fold_came_back,
    fold_player_gone,
    fold_preferred,
    fold_sat_out,
)
from dealer_service.rules.betting import ROUNDS, Chair, find_pending, make_chair
from dealer_service.rules.dealing import deal_hole_cards, deal_street, next_board
from dealer_service.rules.entry import (
    Act,
    Acted,
    Anchored,
    Awarded,
    BlindsChopped,
    By,
    CameBack,
    Dealt,
    DeckCommitted,
    Entry,
    HandEnded,
    HandVoid,
    Mucked,
    Opened,
    Paused,
    PlayerRemoved,
    Post,
    Posted,
    Preferred,
    Resumed,
    Returned,
    RunsAgreed,
    SatOut,
    SeatLeft,
    SeatTaken,
    VoidReason,
)
from dealer_service.rules.posting import is_dead
from dealer_service.rules.raising import answer, follow_act
from dealer_service.rules.refusal import ImpossibleEntry, Refusal
from dealer_service.rules.requiring import require, require_hand, require_stage
from dealer_service.rules.settling import (
    fold_awarded,
    fold_blinds_chopped,
    fold_hand_ended,
    fold_mucked,
    fold_opened,
    fold_returned,
    fold_runs_agreed,
    with_chair,
)
from dealer_service.rules.state import HandState, Marks, Stage, make_layout, make_marks, make_state
from dealer_service.rules.turn import clock_act, find_due

# States are built whole here: every act builds one, and replacing fields takes several times as
# long. For the same reason what every act compares is named once.
_FOLD, _CHECK, _CALL = Act.FOLD, Act.CHECK, Act.CALL
_BY_ABSENT = By.ABSENT
_BY_CLOCK = By.CLOCK
_BY_PLAYER = By.PLAYER
_BY_PRE_ACTION = By.PRE_ACTION
_ANTE, _BIG, _SMALL = Post.ANTE, Post.BIG_BLIND, Post.SMALL_BLIND
_POSTS = Stage.POSTS
_ACT = Stage.ACT
_BOARD_DEALT = Stage.BOARD_DEALT
_BOARD_OPENED = Stage.BOARD_OPENED
_DECK = Stage.DECK
_HOLE_CARDS = Stage.HOLE_CARDS
_VOID = Stage.VOID


def _deck_committed(state: HandState, _at: int, entry: DeckCommitted) -> HandState:
    require_stage(state, _DECK)
    require_hand(state, entry.hand)
    return at_stage(state, _POSTS)


def _posted(state: HandState, _at: int, entry: Posted) -> HandState:
    require_stage(state, _POSTS)
    frame, chairs, marks = state.frame, state.chairs, state.marks
    due = frame.posts[marks.posted]
    if entry is not due and entry != due:
        message = f"seat {due.seat} is to post {due.amount}, its {due.what}"
        raise ImpossibleEntry(message)
    paid, what = entry.amount, entry.what
    index = frame.place[entry.seat]
    one = chairs[index]
    bet, put = one.bet, one.put
    if what is _BIG or what is _SMALL:
        bet += paid
        put += paid
    elif not is_dead(frame.rules, what):
        put += paid
        if what is not _ANTE:
            bet += paid
    done = marks.posted + 1
    chair = make_chair(one.seat, one.stack - paid, bet, put, one.folded, one.acted)
    return make_state(
        frame,
        _HOLE_CARDS if done == len(frame.posts) else _POSTS,
        with_chair(chairs, index, chair),
        state.betting,
        None,
        state.layout,
        None,
        make_marks(done, marks.absent, marks.sitting_out, marks.chosen, marks.banks),
    )


def _dealt(state: HandState, at: int, entry: Dealt) -> HandState:
    frame, layout = state.frame, state.layout
    if state.stage is _HOLE_CARDS:
        due = deal_hole_cards(frame.seats, frame.hole_cards)
    else:
        require_stage(state, _BOARD_DEALT)
        board, count = next_board(layout)
        due = deal_street(layout.next_position, count, board)
    require_hand(state, entry.hand)
    if entry.positions is not due:
        require(entry.positions == due, "positions go elsewhere than the rules deal them")
    end = layout.next_position + len(due)
    dealt = make_layout(end, layout.board, layout.shown, layout.seen, layout.second)
    if state.stage is _HOLE_CARDS:
        return go_on(state, dealt, at, frame.first)
    chairs, betting, closing = state.chairs, state.betting, state.closing
    return make_state(frame, _BOARD_OPENED, chairs, betting, None, dealt, closing, state.marks)


def _acted(state: HandState, at: int, entry: Acted) -> HandState:
    frame, chairs, betting, pending = state.frame, state.chairs, state.betting, state.pending
    if pending is None:
        message = f"nobody is to act in a hand that waits for {state.stage}"
        raise ImpossibleEntry(message)
    place, owed = pending.place, pending.call
    chair = chairs[place]
    did, to = entry.act, entry.to
    if chair.seat != entry.seat or betting.turn != entry.turn:
        message = f"turn {betting.turn} is open, of seat {chair.seat}"
        raise ImpossibleEntry(message)
    if did is _FOLD or (did is _CHECK and not owed):
        total: int | Refusal = chair.bet
    elif did is _CALL and owed:
        total = chair.bet + owed
    else:
        total = answer(chairs, betting, pending, did, to, frame.limit)
    if total != to:
        why = total.message if isinstance(total, Refusal) else f"it leads to a bet of {total}"
        message = f"this act is not legal: {why}"
        raise ImpossibleEntry(message)
    if entry.by is not _BY_PLAYER or state.marks.absent:
        _check_author(state, at, entry)
    paid = to - chair.bet
    stack, put = chair.stack - paid, chair.put + paid
    acted = make_chair(chair.seat, stack, to, put, did is _FOLD, True)
    chairs = with_chair(chairs, place, acted)
    if not frame.plain:
        return _acted_with_options(state, at, entry, chairs)
    betting = follow_act(betting, entry, None, 0)
    following = find_pending(chairs, ROUNDS[len(chairs)][place + 1], betting, at)
    if following is not None:
        return make_state(frame, _ACT, chairs, betting, following, state.layout, None, state.marks)
    return end_round(state, chairs, betting, state.layout)


def _acted_with_options(
    state: HandState, at: int, entry: Acted, chairs: tuple[Chair, ...]
) -> HandState:
    """Go on after a legal act where limits, time banks, late straddles or chopping count too."""
    frame, pending, layout, marks = state.frame, state.pending, state.layout, state.marks
    assert pending is not None
    if marks.banks:
        marks = _use_bank(state, at, entry.by)
    live = sum([not one.folded for one in chairs])
    betting = follow_act(state.betting, entry, frame.limit, live)
    state = make_state(frame, state.stage, chairs, betting, None, layout, None, marks)
    return go_on(state, layout, at, pending.place + 1)


def _use_bank(state: HandState, at: int, by: By) -> Marks:
    """Take the time above the turn clock from the bank of the seat that acts (9.5)."""
    marks, pending = state.marks, state.pending
    assert pending is not None
    if by is _BY_ABSENT:
        return marks
    over = at - pending.began - state.frame.rules.turn_ms
    if over <= 0:
        return marks
    place = pending.place
    left = 0 if by is _BY_CLOCK else max(0, marks.banks[place] - over)
    return replace(marks, banks=(*marks.banks[:place], left, *marks.banks[place + 1 :]))


def _check_author(state: HandState, at: int, entry: Acted) -> None:
    """Hold the dealer's own acts to section 9.5: no more than it may, and no earlier."""
    absent = entry.seat in state.marks.absent
    require(absent == (entry.by is _BY_ABSENT), "the dealer acts for players that are gone alone")
    if entry.by in (_BY_CLOCK, _BY_ABSENT):
        require(entry.act is clock_act(state, entry.by).act, "this is not what the clock does")
        due = find_due(state)
        assert due is not None
        require(absent or at >= due, "the clock has not run out")
    else:
        require(entry.by in (_BY_PLAYER, _BY_PRE_ACTION), "acts are made by player or clock")


def _hand_void(state: HandState, at: int, entry: HandVoid) -> HandState:
    require_hand(fold_aside(state, at, entry), entry.hand)
    fault = entry.reason is VoidReason.DEALER_FAULT
    require(fault or state.stage is _DECK, "a hand with a deck is void by a fault alone")
    frame, betting, layout = state.frame, state.betting, state.layout
    return make_state(frame, _VOID, frame.chairs, betting, None, layout, None, state.marks)


FOLDS: Final[dict[type[Entry], Callable[[HandState, int, Any], HandState]]] = {
    DeckCommitted: _deck_committed,
    Posted: _posted,
    Dealt: _dealt,
    Acted: _acted,
    Opened: fold_opened,
    Mucked: fold_mucked,
    Returned: fold_returned,
    BlindsChopped: fold_blinds_chopped,
    RunsAgreed: fold_runs_agreed,
    Awarded: fold_awarded,
    HandEnded: fold_hand_ended,
    HandVoid: _hand_void,
    SeatTaken: fold_aside,
    SeatLeft: fold_player_gone,
    PlayerRemoved: fold_player_gone,
    SatOut: fold_sat_out,
    CameBack: fold_came_back,
    Preferred: fold_preferred,
    Anchored: fold_aside,
    Paused: fold_aside,
    Resumed: fold_aside,
}
