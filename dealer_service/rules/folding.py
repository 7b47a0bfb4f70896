"""What each entry makes of a hand's state, and that it can follow at all.

An entry that the rules force must be the very one that `following` gives; an act must be legal;
a card must come from where it was dealt. Anything else raises ImpossibleEntry.
"""

from collections.abc import Callable
from typing import Any, Final

from dealer_service.rules.advancing import (
    at_stage,
    chop_if_agreed,
    close_for_one,
    close_hand,
    end_round,
    find_agreement,
    go_on,
    run_out,
    settle_hand,
    with_layout,
)
from dealer_service.rules.betting import (
    ROUNDS,
    Chair,
    find_pending,
    make_betting,
    make_chair,
)
from dealer_service.rules.dealing import (
    deal_hole_cards,
    deal_street,
    hole_positions,
    next_board,
    read_opened,
)
from dealer_service.rules.entry import (
    Act,
    Acted,
    Anchored,
    Awarded,
    BlindsChopped,
    By,
    CameBack,
    Choice,
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
    SeatStack,
    SeatTaken,
    Show,
    VoidReason,
)
from dealer_service.rules.following import chop_blinds, find_chopped, show_by
from dealer_service.rules.posting import is_dead
from dealer_service.rules.pots import find_uncalled
from dealer_service.rules.raising import answer, follow_act
from dealer_service.rules.refusal import ImpossibleEntry, Refusal
from dealer_service.rules.state import (
    Closing,
    HandState,
    Layout,
    Marks,
    Shown,
    Stage,
    has_chosen,
    list_stakes,
    make_closing,
    make_layout,
    make_marks,
    make_state,
    may_choose_now,
)
from dealer_service.rules.turn import clock_act, find_due

# States are built whole here: every act builds one, and replacing fields takes several times as
# long. For the same reason what every act compares is named once.
_FOLD, _CALL, _BET, _RAISE = Act.FOLD, Act.CALL, Act.BET, Act.RAISE
_BY_ABSENT = By.ABSENT
_BY_CLOCK = By.CLOCK
_BY_PLAYER = By.PLAYER
_BY_POLICY = By.POLICY
_BY_PRE_ACTION = By.PRE_ACTION
_BY_RULE = By.RULE
_ANTE, _BIG, _SMALL = Post.ANTE, Post.BIG_BLIND, Post.SMALL_BLIND
_POSTS = Stage.POSTS
_ACT = Stage.ACT
_AWARD = Stage.AWARD
_BOARD_DEALT = Stage.BOARD_DEALT
_BOARD_OPENED = Stage.BOARD_OPENED
_CHOP = Stage.CHOP
_CHOPPED = Stage.CHOPPED
_DECK = Stage.DECK
_ENDED = Stage.ENDED
_HOLE_CARDS = Stage.HOLE_CARDS
_PAUSE = Stage.PAUSE
_RUNS = Stage.RUNS
_SHOWDOWN = Stage.SHOWDOWN
_UNCALLED = Stage.UNCALLED
_VOID = Stage.VOID
_OVER: Final = (_ENDED, _VOID)


def _deck_committed(state: HandState, _at: int, entry: DeckCommitted) -> HandState:
    _require_stage(state, _DECK)
    _require_hand(state, entry.hand)
    return at_stage(state, _POSTS)


def _posted(state: HandState, _at: int, entry: Posted) -> HandState:
    _require_stage(state, _POSTS)
    frame, _, chairs, betting, _, layout, _, marks = state
    done, absent, sitting_out, chosen, banks = marks
    due = frame.posts[done]
    if entry is not due and entry != due:
        message = f"seat {due.seat} is to post {due.amount}, its {due.what}"
        raise ImpossibleEntry(message)
    paid, what = entry.amount, entry.what
    index = frame.place[entry.seat]
    seat, stack, bet, put, folded, acted = chairs[index]
    if what is _BIG or what is _SMALL:
        bet += paid
        put += paid
    elif not is_dead(frame.rules, what):
        put += paid
        if what is not _ANTE:
            bet += paid
    done += 1
    return make_state(
        (
            frame,
            _HOLE_CARDS if done == len(frame.posts) else _POSTS,
            _with_chair(chairs, index, make_chair((seat, stack - paid, bet, put, folded, acted))),
            betting,
            None,
            layout,
            None,
            make_marks((done, absent, sitting_out, chosen, banks)),
        )
    )


def _dealt(state: HandState, at: int, entry: Dealt) -> HandState:
    frame, layout = state.frame, state.layout
    if state.stage is _HOLE_CARDS:
        due = deal_hole_cards(frame.seats, frame.hole_cards)
    else:
        _require_stage(state, _BOARD_DEALT)
        board, count = next_board(layout)
        due = deal_street(layout.next_position, count, board)
    _require_hand(state, entry.hand)
    if entry.positions is not due:
        _require(entry.positions == due, "positions go elsewhere than the rules deal them")
    end = layout.next_position + len(due)
    dealt = make_layout((end, layout.board, layout.shown, layout.seen, layout.second))
    if state.stage is _HOLE_CARDS:
        return go_on(state, dealt, at, frame.first)
    return make_state(
        (
            frame,
            _BOARD_OPENED,
            state.chairs,
            state.betting,
            None,
            dealt,
            state.closing,
            state.marks,
        )
    )


def _acted(state: HandState, at: int, entry: Acted) -> HandState:
    frame, stage, chairs, betting, pending, layout, _, marks = state
    if pending is None:
        message = f"nobody is to act in a hand that waits for {stage}"
        raise ImpossibleEntry(message)
    place = pending.place
    seat, stack, bet, put, _, _ = chairs[place]
    street, to_match, full_raise, aggressor, turn, bets = betting
    did, to = entry.act, entry.to
    if seat != entry.seat or turn != entry.turn:
        message = f"turn {turn} is open, of seat {seat}"
        raise ImpossibleEntry(message)
    if did is _FOLD:
        total: int | Refusal = bet
    elif did is _CALL and pending.call:
        total = bet + pending.call
    else:
        total = answer(chairs, betting, pending, did, to, frame.limit)
    if total != to:
        why = total.message if isinstance(total, Refusal) else f"it leads to a bet of {total}"
        message = f"this act is not legal: {why}"
        raise ImpossibleEntry(message)
    if entry.by is not _BY_PLAYER or marks.absent:
        _check_author(state, at, entry)
    paid = to - bet
    chair = make_chair((seat, stack - paid, to, put + paid, did is _FOLD, True))
    chairs = (*chairs[:place], chair, *chairs[place + 1 :])
    if not frame.plain:
        return _acted_with_options(state, at, entry, chairs)
    if did is _BET or did is _RAISE:
        full_raise = max(to - to_match, full_raise)
        to_match, aggressor = to, seat
    betting = make_betting((street, to_match, full_raise, aggressor, turn + 1, bets))
    pending = find_pending(chairs, ROUNDS[len(chairs)][place + 1], betting, at)
    if pending is not None:
        return make_state((frame, _ACT, chairs, betting, pending, layout, None, marks))
    return end_round(state, chairs, betting, layout)


def _acted_with_options(
    state: HandState, at: int, entry: Acted, chairs: tuple[Chair, ...]
) -> HandState:
    """Go on after a legal act where limits, time banks, late straddles or chopping count too."""
    frame, stage, _, betting, pending, layout, _, marks = state
    assert pending is not None
    if marks.banks:
        marks = _use_bank(state, at, entry.by)
    betting = follow_act(betting, entry, frame.limit, sum([not one.folded for one in chairs]))
    state = make_state((frame, stage, chairs, betting, None, layout, None, marks))
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
    posted, absent, sitting_out, chosen, banks = marks
    left = 0 if by is _BY_CLOCK else max(0, banks[pending.place] - over)
    place = pending.place
    return Marks(posted, absent, sitting_out, chosen, (*banks[:place], left, *banks[place + 1 :]))


def _check_author(state: HandState, at: int, entry: Acted) -> None:
    """Hold the dealer's own acts to section 9.5: no more than it may, and no earlier."""
    absent = entry.seat in state.marks.absent
    _require(absent == (entry.by is _BY_ABSENT), "the dealer acts for players that are gone alone")
    if entry.by in (_BY_CLOCK, _BY_ABSENT):
        _require(entry.act is clock_act(state, entry.by).act, "this is not what the clock does")
        due = find_due(state)
        assert due is not None
        _require(absent or at >= due, "the clock has not run out")
    else:
        _require(entry.by in (_BY_PLAYER, _BY_PRE_ACTION), "acts are made by player or clock")


def _opened(state: HandState, at: int, entry: Opened) -> HandState:
    if entry.hand != state.frame.hand:
        _require_hand(state, entry.hand)
    if state.stage is _BOARD_OPENED:
        return _opened_board(state, at, entry)
    frame, layout, seat = state.frame, state.layout, entry.seat
    _require(seat in frame.place and entry.board is None, "no cards of that seat can be opened")
    assert seat is not None
    positions = hole_positions(len(frame.seats), frame.place[seat], frame.hole_cards)
    if state.stage is _PAUSE:
        _require(entry.by is _BY_PLAYER, "after the last pot only players show")
        _require(all(one.seat != seat for one in layout.shown), "these cards are open already")
        return with_layout(state, _show(layout, seat, entry, positions), state.closing)
    closing = _require_turn_to_show(state, seat)
    shown = _show(layout, seat, entry, positions)
    by = show_by(state, seat, shown.shown[-1].cards)
    _require(by is not None, "the policy opens no hand that is beaten")
    _require(entry.by is by, f"this hand is opened by {by}")
    return settle_hand(state, closing, shown, closing.mucked)


def _show(layout: Layout, seat: int, entry: Opened, positions: range) -> Layout:
    cards, seen = read_opened(entry.cards, positions, layout.seen)
    shown = (*layout.shown, Shown(seat, cards))
    return make_layout((layout.next_position, layout.board, shown, seen, layout.second))


def _opened_board(state: HandState, at: int, entry: Opened) -> HandState:
    end, first, shown, seen, second = state.layout
    board, count = next_board(state.layout)
    if entry.board != board or entry.seat is not None or entry.by is not _BY_RULE:
        message = f"board {board} is to be opened, by rule"
        raise ImpossibleEntry(message)
    cards, seen = read_opened(entry.cards, range(end - count, end), seen)
    if board == 1:
        first += cards
    elif second is not None:
        second += cards
    opened = make_layout((end, first, shown, seen, second))
    if state.closing is not None:
        return run_out(with_layout(state, opened, state.closing))
    return go_on(state, opened, at, 0)


def _mucked(state: HandState, _at: int, entry: Mucked) -> HandState:
    _require_hand(state, entry.hand)
    closing = _require_turn_to_show(state, entry.seat)
    _require(not closing.face_up, "hands are open when somebody is all-in")
    _require(entry.by is _BY_POLICY, "hands are mucked by policy")
    _require(bool(state.layout.shown), "the first hand of a showdown is opened")
    _require(state.frame.rules.show != Show.ALL, "the policy shows every hand")
    _require(not has_chosen(state, entry.seat, Choice.SHOW), "its player has chosen to show it")
    return settle_hand(state, closing, state.layout, (*closing.mucked, entry.seat))


def _returned(state: HandState, _at: int, entry: Returned) -> HandState:
    chopped = state.stage is _CHOPPED
    if chopped:
        _require(entry == find_chopped(state), "another blind goes back")
    else:
        _require_stage(state, _UNCALLED)
        uncalled = find_uncalled(list_stakes(state.chairs))
        _require((entry.seat, entry.amount) == uncalled, "another bet is uncalled")
    index = state.frame.place[entry.seat]
    seat, stack, bet, put, folded, acted = state.chairs[index]
    back = entry.amount
    # Of an ante too the part that nobody else put in goes back.
    chair = make_chair((seat, stack + back, max(bet - back, 0), put - back, folded, acted))
    chairs = _with_chair(state.chairs, index, chair)
    if chopped:
        return _chopped(state, chairs)
    return close_hand(state, chairs, state.betting, state.layout, list_stakes(chairs))


def _blinds_chopped(state: HandState, _at: int, entry: BlindsChopped) -> HandState:
    _require_stage(state, _CHOP)
    _require(entry == chop_blinds(state, ()), "both blinds have chosen to chop, and they alone")
    return _chopped(state, state.chairs)


def _chopped(state: HandState, chairs: tuple[Chair, ...]) -> HandState:
    """Give back what is left of the blinds, or close the hand with the antes."""
    if any(not chair.folded and chair.bet for chair in chairs):
        return make_state(
            (
                state.frame,
                _CHOPPED,
                chairs,
                state.betting,
                None,
                state.layout,
                None,
                state.marks,
            )
        )
    big_blind = state.frame.big_blind_seat
    return close_for_one(state, chairs, state.betting, state.layout, big_blind)


def _runs_agreed(state: HandState, _at: int, entry: RunsAgreed) -> HandState:
    _require_stage(state, _RUNS)
    _require(entry == find_agreement(state), "all seats that are live agree to two boards")
    end, board, shown, seen, _ = state.layout
    return run_out(with_layout(state, make_layout((end, board, shown, seen, board)), state.closing))


def _awarded(state: HandState, _at: int, entry: Awarded) -> HandState:
    _require_stage(state, _AWARD)
    closing = state.closing
    assert closing is not None
    due = closing.awards[closing.paid]
    if entry is not due and entry != due:
        message = f"pot {due.pot} is to be paid, to its winners"
        raise ImpossibleEntry(message)
    chairs = list(state.chairs)
    for winner in entry.winners:
        index = state.frame.place[winner.seat]
        seat, stack, bet, put, folded, acted = chairs[index]
        chairs[index] = make_chair((seat, stack + winner.amount, bet, put, folded, acted))
    pots, face_up, unsettled, mucked, awards, paid = closing
    return make_state(
        (
            state.frame,
            _AWARD if paid + 1 < len(awards) else _PAUSE,
            tuple(chairs),
            state.betting,
            None,
            state.layout,
            make_closing((pots, face_up, unsettled, mucked, awards, paid + 1)),
            state.marks,
        )
    )


def _hand_ended(state: HandState, _at: int, entry: HandEnded) -> HandState:
    _require_stage(state, _PAUSE)
    _require_hand(state, entry.hand)
    stacks = [(one.seat, one.stack) for one in entry.stacks]
    _require(stacks == sorted([chair[:2] for chair in state.chairs]), "the stacks are others")
    return at_stage(state, _ENDED)


def _hand_void(state: HandState, at: int, entry: HandVoid) -> HandState:
    _require_hand(_aside(state, at, entry), entry.hand)
    fault = entry.reason is VoidReason.DEALER_FAULT
    _require(fault or state.stage is _DECK, "a hand with a deck is void by a fault alone")
    return make_state(
        (
            state.frame,
            _VOID,
            state.frame.chairs,
            state.betting,
            None,
            state.layout,
            None,
            state.marks,
        )
    )


def _aside(state: HandState, _at: int, entry: Entry) -> HandState:
    if state.stage in _OVER:
        message = f"{type(entry).__name__} can not follow in a hand that is over"
        raise ImpossibleEntry(message)
    return state


def _player_gone(state: HandState, at: int, entry: SeatLeft | PlayerRemoved) -> HandState:
    if entry.seat not in _aside(state, at, entry).frame.place:
        return state
    _require(entry.stack is None, "chips of a seat in the hand leave when it has ended")
    posted, absent, sitting_out, chosen, banks = state.marks
    return _with_marks(state, Marks(posted, absent | {entry.seat}, sitting_out, chosen, banks))


def _sat_out(state: HandState, at: int, entry: SatOut) -> HandState:
    posted, absent, sitting_out, chosen, banks = _aside(state, at, entry).marks
    return _with_marks(state, Marks(posted, absent, sitting_out | {entry.seat}, chosen, banks))


def _came_back(state: HandState, at: int, entry: CameBack) -> HandState:
    posted, absent, sitting_out, chosen, banks = _aside(state, at, entry).marks
    return _with_marks(state, Marks(posted, absent, sitting_out - {entry.seat}, chosen, banks))


def _preferred(state: HandState, at: int, entry: Preferred) -> HandState:
    frame = _aside(state, at, entry).frame
    posted, absent, sitting_out, chosen, banks = state.marks
    if entry.seat not in frame.place or entry.seat in absent or not may_choose_now(frame.rules):
        return state
    others = [one for one in chosen if one[0] != entry.seat]
    now = sorted([*others, (entry.seat, entry.choices)] if entry.choices else others)
    preferred = _with_marks(state, Marks(posted, absent, sitting_out, tuple(now), banks))
    return chop_if_agreed(preferred) if frame.chops else preferred


FOLDS: Final[dict[type[Entry], Callable[[HandState, int, Any], HandState]]] = {
    DeckCommitted: _deck_committed,
    Posted: _posted,
    Dealt: _dealt,
    Acted: _acted,
    Opened: _opened,
    Mucked: _mucked,
    Returned: _returned,
    BlindsChopped: _blinds_chopped,
    RunsAgreed: _runs_agreed,
    Awarded: _awarded,
    HandEnded: _hand_ended,
    HandVoid: _hand_void,
    SeatTaken: _aside,
    SeatLeft: _player_gone,
    PlayerRemoved: _player_gone,
    SatOut: _sat_out,
    CameBack: _came_back,
    Preferred: _preferred,
    Anchored: _aside,
    Paused: _aside,
    Resumed: _aside,
}


def end_hand(state: HandState) -> HandEnded:
    """Give the entry that ends a hand whose pots are all paid, else raise ImpossibleEntry."""
    if state.stage is not _PAUSE:
        message = f"a hand that waits for {state.stage} does not end yet"
        raise ImpossibleEntry(message)
    stacks = [SeatStack(chair.seat, chair.stack) for chair in sorted(state.chairs)]
    return HandEnded(state.frame.hand, tuple(stacks))


def _with_chair(chairs: tuple[Chair, ...], index: int, chair: Chair) -> tuple[Chair, ...]:
    return (*chairs[:index], chair, *chairs[index + 1 :])


def _with_marks(state: HandState, marks: Marks) -> HandState:
    return make_state((*state[:-1], marks))


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ImpossibleEntry(message)


def _require_stage(state: HandState, stage: Stage) -> None:
    if state.stage is not stage:
        message = f"the hand waits for {state.stage}, not for {stage}"
        raise ImpossibleEntry(message)


def _require_hand(state: HandState, number: int) -> None:
    if number != state.frame.hand:
        message = f"hand {number} is not the open hand {state.frame.hand}"
        raise ImpossibleEntry(message)


def _require_turn_to_show(state: HandState, seat: int) -> Closing:
    _require_stage(state, _SHOWDOWN)
    assert state.closing is not None
    if state.closing.unsettled[0] != seat:
        message = f"seat {state.closing.unsettled[0]} shows or mucks before seat {seat}"
        raise ImpossibleEntry(message)
    return state.closing
