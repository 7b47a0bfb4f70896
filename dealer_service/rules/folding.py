"""What each entry makes of a hand's state, and that it can follow at all.

An entry that the rules force must be the very one that `following` gives; an act must be legal;
a card must come from where it was dealt. Anything else raises ImpossibleEntry.
"""

from collections.abc import Callable
from typing import Any, Final

from dealer_service.rules.advancing import (
    at_stage,
    close_hand,
    end_round,
    go_on,
    run_out,
    settle_hand,
    with_layout,
)
from dealer_service.rules.betting import (
    Chair,
    answer,
    find_pending,
    make_betting,
    make_chair,
)
from dealer_service.rules.dealing import (
    NEXT_STREET,
    deal_hole_cards,
    deal_street,
    hole_positions,
    read_opened,
)
from dealer_service.rules.entry import (
    Act,
    Acted,
    Anchored,
    Awarded,
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
    Resumed,
    Returned,
    SatOut,
    SeatLeft,
    SeatStack,
    SeatTaken,
    VoidReason,
)
from dealer_service.rules.following import wins_some_pot
from dealer_service.rules.pots import find_uncalled
from dealer_service.rules.refusal import ImpossibleEntry, Refusal
from dealer_service.rules.state import (
    Away,
    Closing,
    HandState,
    Layout,
    Shown,
    Stage,
    list_stakes,
    make_closing,
    make_layout,
    make_state,
)
from dealer_service.rules.turn import clock_act

# States are built whole here: every act builds one, and replacing fields takes several times as
# long. For the same reason what every act compares is named once.
_FOLD, _CALL, _BET, _RAISE = Act.FOLD, Act.CALL, Act.BET, Act.RAISE
_BY_ABSENT = By.ABSENT
_BY_CLOCK = By.CLOCK
_BY_PLAYER = By.PLAYER
_BY_POLICY = By.POLICY
_BY_PRE_ACTION = By.PRE_ACTION
_BY_RULE = By.RULE
_POST_BIG = Post.BIG_BLIND
_POST_SMALL = Post.SMALL_BLIND
_BIG_BLIND = Stage.BIG_BLIND
_SMALL_BLIND = Stage.SMALL_BLIND
_ACT = Stage.ACT
_AWARD = Stage.AWARD
_BOARD_DEALT = Stage.BOARD_DEALT
_BOARD_OPENED = Stage.BOARD_OPENED
_DECK = Stage.DECK
_ENDED = Stage.ENDED
_HOLE_CARDS = Stage.HOLE_CARDS
_PAUSE = Stage.PAUSE
_SHOWDOWN = Stage.SHOWDOWN
_UNCALLED = Stage.UNCALLED
_VOID = Stage.VOID
_OVER: Final = (_ENDED, _VOID)


def _deck_committed(state: HandState, _at: int, entry: DeckCommitted) -> HandState:
    _require_stage(state, _DECK)
    _require_hand(state, entry.hand)
    dead = state.frame.small_blind_seat is None
    return at_stage(state, _BIG_BLIND if dead else _SMALL_BLIND)


def _posted(state: HandState, _at: int, entry: Posted) -> HandState:
    if state.stage is _SMALL_BLIND:
        due, what, after = state.frame.small_blind_seat, _POST_SMALL, _BIG_BLIND
        blind = state.frame.rules.small_blind
    else:
        _require_stage(state, _BIG_BLIND)
        due, what, after = state.frame.big_blind_seat, _POST_BIG, _HOLE_CARDS
        blind = state.frame.rules.big_blind
    paid = entry.amount
    _require(
        entry.seat == due and entry.what is what, "it is not the post of the blind that is due"
    )
    index = state.frame.place[entry.seat]
    seat, stack, bet, put, folded, acted = state.chairs[index]
    _require(paid == min(blind, stack), "it is not the whole blind, or all that the seat has")
    chair = make_chair((seat, stack - paid, bet + paid, put + paid, folded, acted))
    return make_state(
        (
            state.frame,
            after,
            _with_chair(state.chairs, index, chair),
            state.betting,
            None,
            state.layout,
            None,
            state.away,
        )
    )


def _dealt(state: HandState, at: int, entry: Dealt) -> HandState:
    frame, layout = state.frame, state.layout
    if state.stage is _HOLE_CARDS:
        due = deal_hole_cards(frame.seats)
    else:
        _require_stage(state, _BOARD_DEALT)
        due = deal_street(layout.next_position, NEXT_STREET[len(layout.board)])
    _require_hand(state, entry.hand)
    if entry.positions is not due:
        _require(entry.positions == due, "positions go elsewhere than the rules deal them")
    end = layout.next_position + len(due)
    dealt = make_layout((end, layout.board, layout.shown, layout.seen))
    if state.stage is _HOLE_CARDS:
        start = frame.place[frame.big_blind_seat] + 1
        return go_on(state, dealt, at, start)
    return make_state(
        (
            frame,
            _BOARD_OPENED,
            state.chairs,
            state.betting,
            None,
            dealt,
            state.closing,
            state.away,
        )
    )


def _acted(state: HandState, at: int, entry: Acted) -> HandState:
    frame, stage, chairs, betting, pending, layout, _, away = state
    if pending is None:
        message = f"nobody is to act in a hand that waits for {stage}"
        raise ImpossibleEntry(message)
    place = pending.place
    seat, stack, bet, put, _, _ = chairs[place]
    street, to_match, full_raise, aggressor, turn = betting
    did, to = entry.act, entry.to
    if seat != entry.seat or turn != entry.turn:
        message = f"turn {turn} is open, of seat {seat}"
        raise ImpossibleEntry(message)
    if did is _FOLD:
        total: int | Refusal = bet
    elif did is _CALL and pending.call:
        total = bet + pending.call
    else:
        total = answer(chairs, betting, pending, did, to)
    if total != to:
        why = total.message if isinstance(total, Refusal) else f"it leads to a bet of {total}"
        message = f"this act is not legal: {why}"
        raise ImpossibleEntry(message)
    if entry.by is not _BY_PLAYER or away.absent:
        _check_author(state, at, entry)
    paid = to - bet
    chair = make_chair((seat, stack - paid, to, put + paid, did is _FOLD, True))
    chairs = (*chairs[:place], chair, *chairs[place + 1 :])
    if did is _BET or did is _RAISE:
        full_raise = max(to - to_match, full_raise)
        to_match, aggressor = to, seat
    betting = make_betting((street, to_match, full_raise, aggressor, turn + 1))
    pending = find_pending(chairs, place + 1, betting, at)
    if pending is not None:
        return make_state((frame, _ACT, chairs, betting, pending, layout, None, away))
    return end_round(state, chairs, betting, layout)


def _check_author(state: HandState, at: int, entry: Acted) -> None:
    """Hold the dealer's own acts to section 9.5: no more than it may, and no earlier."""
    absent = entry.seat in state.away.absent
    _require(absent == (entry.by is _BY_ABSENT), "the dealer acts for players that are gone alone")
    if entry.by in (_BY_CLOCK, _BY_ABSENT):
        _require(entry.act is clock_act(state, entry.by).act, "this is not what the clock does")
        assert state.pending is not None
        due = state.pending.began + state.frame.rules.turn_ms
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
    positions = hole_positions(len(frame.seats), frame.place[seat])
    if state.stage is _PAUSE:
        _require(entry.by is _BY_PLAYER, "after the last pot only players show")
        _require(all(one.seat != seat for one in layout.shown), "these cards are open already")
        return with_layout(state, _show(layout, seat, entry, positions), state.closing)
    closing = _require_turn_to_show(state, seat)
    shown = _show(layout, seat, entry, positions)
    by = _BY_RULE if closing.face_up else _BY_POLICY
    _require(entry.by is by, "hands are opened by rule when somebody is all-in, else by policy")
    if not closing.face_up:
        _require(
            wins_some_pot(state, seat, shown.shown[-1].cards),
            "the policy opens no hand that is beaten",
        )
    return settle_hand(state, closing, shown, closing.mucked)


def _show(layout: Layout, seat: int, entry: Opened, positions: range) -> Layout:
    cards, seen = read_opened(entry.cards, positions, layout.seen)
    shown = (*layout.shown, Shown(seat, cards))
    return make_layout((layout.next_position, layout.board, shown, seen))


def _opened_board(state: HandState, at: int, entry: Opened) -> HandState:
    layout = state.layout
    if entry.board != 1 or entry.seat is not None or entry.by is not _BY_RULE:
        message = "the board is to be opened, by rule"
        raise ImpossibleEntry(message)
    end = layout.next_position
    positions = range(end - NEXT_STREET[len(layout.board)], end)
    cards, seen = read_opened(entry.cards, positions, layout.seen)
    opened = make_layout((end, layout.board + cards, layout.shown, seen))
    if state.closing is not None:
        return run_out(with_layout(state, opened, state.closing))
    return go_on(state, opened, at, 0)


def _mucked(state: HandState, _at: int, entry: Mucked) -> HandState:
    _require_hand(state, entry.hand)
    closing = _require_turn_to_show(state, entry.seat)
    _require(not closing.face_up, "hands are open when somebody is all-in")
    _require(entry.by is _BY_POLICY, "hands are mucked by policy")
    _require(bool(state.layout.shown), "the first hand of a showdown is opened")
    return settle_hand(state, closing, state.layout, (*closing.mucked, entry.seat))


def _returned(state: HandState, _at: int, entry: Returned) -> HandState:
    _require_stage(state, _UNCALLED)
    uncalled = find_uncalled(list_stakes(state.chairs))
    _require((entry.seat, entry.amount) == uncalled, "another bet is uncalled")
    index = state.frame.place[entry.seat]
    seat, stack, bet, put, folded, acted = state.chairs[index]
    back = entry.amount
    chair = make_chair((seat, stack + back, bet - back, put - back, folded, acted))
    chairs = _with_chair(state.chairs, index, chair)
    return close_hand(state, chairs, state.betting, state.layout, list_stakes(chairs))


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
            state.away,
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
            state.away,
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
    absent, sitting_out = state.away
    return _with_away(state, Away(absent | {entry.seat}, sitting_out))


def _sat_out(state: HandState, at: int, entry: SatOut) -> HandState:
    absent, sitting_out = _aside(state, at, entry).away
    return _with_away(state, Away(absent, sitting_out | {entry.seat}))


def _came_back(state: HandState, at: int, entry: CameBack) -> HandState:
    absent, sitting_out = _aside(state, at, entry).away
    return _with_away(state, Away(absent, sitting_out - {entry.seat}))


FOLDS: Final[dict[type[Entry], Callable[[HandState, int, Any], HandState]]] = {
    DeckCommitted: _deck_committed,
    Posted: _posted,
    Dealt: _dealt,
    Acted: _acted,
    Opened: _opened,
    Mucked: _mucked,
    Returned: _returned,
    Awarded: _awarded,
    HandEnded: _hand_ended,
    HandVoid: _hand_void,
    SeatTaken: _aside,
    SeatLeft: _player_gone,
    PlayerRemoved: _player_gone,
    SatOut: _sat_out,
    CameBack: _came_back,
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


def _with_away(state: HandState, away: Away) -> HandState:
    return make_state(
        (
            state.frame,
            state.stage,
            state.chairs,
            state.betting,
            state.pending,
            state.layout,
            state.closing,
            away,
        )
    )


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
