"""What each entry makes of a hand's state, and that it can follow at all.

An entry that the rules force must be the very one that `following` gives; an act must be legal;
a card must come from where it was dealt. Anything else raises ImpossibleEntry.
"""

from collections.abc import Callable
from typing import Any, Final

from dealer_service.rules.betting import Betting, Chair, answer, survey
from dealer_service.rules.dealing import (
    deal_hole_cards,
    deal_street,
    hole_positions,
    next_street,
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
    Posted,
    Resumed,
    Returned,
    SatOut,
    SeatLeft,
    SeatStack,
    SeatTaken,
    VoidReason,
)
from dealer_service.rules.following import (
    post_big_blind,
    post_small_blind,
    return_uncalled,
    wins_some_pot,
)
from dealer_service.rules.payout import award_pots
from dealer_service.rules.pots import Stake, find_uncalled, layer_pots
from dealer_service.rules.refusal import ImpossibleEntry, Refusal
from dealer_service.rules.showdown import order_showing
from dealer_service.rules.state import (
    BOARD_CARDS,
    LAST_STREET,
    Away,
    Closing,
    HandState,
    Layout,
    Shown,
    Stage,
    seat_everybody,
)
from dealer_service.rules.turn import clock_act

# States are built whole here: every act builds one, and replacing fields takes several times as
# long.


def _deck_committed(state: HandState, _at: int, entry: DeckCommitted) -> HandState:
    _require_stage(state, Stage.DECK)
    _require_hand(state, entry.hand)
    dead = state.frame.small_blind_seat is None
    return _at_stage(state, Stage.BIG_BLIND if dead else Stage.SMALL_BLIND)


def _posted(state: HandState, _at: int, entry: Posted) -> HandState:
    if state.stage is Stage.SMALL_BLIND:
        _require(entry == post_small_blind(state, ()), "this is not the small blind's post")
        after = Stage.BIG_BLIND
    else:
        _require_stage(state, Stage.BIG_BLIND)
        _require(entry == post_big_blind(state, ()), "this is not the big blind's post")
        after = Stage.HOLE_CARDS
    index = state.frame.place[entry.seat]
    seat, stack, bet, put, folded, acted = state.chairs[index]
    paid = entry.amount
    chair = Chair(seat, stack - paid, bet + paid, put + paid, folded, acted)
    return HandState(
        state.frame,
        after,
        _with_chair(state.chairs, index, chair),
        state.betting,
        None,
        state.layout,
        None,
        state.away,
    )


def _dealt(state: HandState, at: int, entry: Dealt) -> HandState:
    frame, layout = state.frame, state.layout
    if state.stage is Stage.HOLE_CARDS:
        due = deal_hole_cards(frame.seats)
    else:
        _require_stage(state, Stage.BOARD_DEALT)
        due = deal_street(layout.next_position, next_street(layout.board))
    _require_hand(state, entry.hand)
    if entry.positions is not due:
        _require(entry.positions == due, "positions go elsewhere than the rules deal them")
    dealt = Layout(layout.next_position + len(due), layout.board, layout.shown)
    if state.stage is Stage.HOLE_CARDS:
        start = frame.place[frame.big_blind_seat] + 1
        return _go_on(state, state.chairs, state.betting, dealt, at, start)
    return HandState(
        frame,
        Stage.BOARD_OPENED,
        state.chairs,
        state.betting,
        None,
        dealt,
        state.closing,
        state.away,
    )


def _acted(state: HandState, at: int, entry: Acted) -> HandState:
    pending, betting = state.pending, state.betting
    if pending is None:
        message = f"nobody is to act in a hand that waits for {state.stage}"
        raise ImpossibleEntry(message)
    index = pending.place
    chair = state.chairs[index]
    seat, stack, bet, put, _, _ = chair
    did, to = entry.act, entry.to
    _require(seat == entry.seat, "another seat is to act")
    _require(betting.turn == entry.turn, "another turn is open")
    total = answer(chair, betting, pending, did, to)
    if isinstance(total, Refusal):
        raise ImpossibleEntry(total.message)
    _require(total == to, "it leads to another bet")
    if entry.by is not By.PLAYER or state.away.absent:
        _check_author(state, at, entry)
    paid = to - bet
    chair = Chair(seat, stack - paid, to, put + paid, did is Act.FOLD, True)
    street, to_match, full_raise, aggressor, turn = betting
    if did is Act.BET or did is Act.RAISE:
        size = to - to_match
        full_raise = max(size, full_raise)
        to_match, aggressor = to, seat
    return _go_on(
        state,
        _with_chair(state.chairs, index, chair),
        Betting(street, to_match, full_raise, aggressor, turn + 1),
        state.layout,
        at,
        index + 1,
    )


def _check_author(state: HandState, at: int, entry: Acted) -> None:
    """Hold the dealer's own acts to section 9.5: no more than it may, and no earlier."""
    absent = entry.seat in state.away.absent
    _require(absent == (entry.by is By.ABSENT), "the dealer acts for players that are gone alone")
    if entry.by in (By.CLOCK, By.ABSENT):
        _require(entry.act is clock_act(state, entry.by).act, "this is not what the clock does")
        assert state.pending is not None
        due = state.pending.began + state.frame.rules.turn_ms
        _require(absent or at >= due, "the clock has not run out")
    else:
        _require(entry.by in (By.PLAYER, By.PRE_ACTION), "acts are made by player or clock")


def _opened(state: HandState, at: int, entry: Opened) -> HandState:
    _require_hand(state, entry.hand)
    if state.stage is Stage.BOARD_OPENED:
        return _opened_board(state, at, entry)
    frame, layout, seat = state.frame, state.layout, entry.seat
    _require(seat in frame.place and entry.board is None, "no cards of that seat can be opened")
    assert seat is not None
    positions = hole_positions(len(frame.seats), frame.place[seat])
    if state.stage is Stage.PAUSE:
        _require(entry.by is By.PLAYER, "after the last pot only players show")
        _require(all(one.seat != seat for one in layout.shown), "these cards are open already")
        cards = read_opened(entry.cards, positions, layout)
        shown = Layout(layout.next_position, layout.board, (*layout.shown, Shown(seat, cards)))
        return _with_layout(state, shown, state.closing)
    closing = _require_turn_to_show(state, seat)
    cards = read_opened(entry.cards, positions, layout)
    by = By.RULE if closing.face_up else By.POLICY
    _require(entry.by is by, f"this hand is opened by {by}")
    if not closing.face_up:
        _require(wins_some_pot(state, seat, cards), "the policy opens no hand that is beaten")
    shown = Layout(layout.next_position, layout.board, (*layout.shown, Shown(seat, cards)))
    return _settle_hand(state, closing, shown, closing.mucked)


def _opened_board(state: HandState, at: int, entry: Opened) -> HandState:
    layout = state.layout
    _require(entry.board == 1 and entry.seat is None, "the board is to be opened")
    _require(entry.by is By.RULE, "the board is opened by rule")
    end = layout.next_position
    positions = range(end - next_street(layout.board), end)
    board = (*layout.board, *read_opened(entry.cards, positions, layout))
    opened = Layout(end, board, layout.shown)
    if state.closing is not None:
        return _run_out(_with_layout(state, opened, state.closing))
    return _go_on(state, state.chairs, state.betting, opened, at, 0)


def _mucked(state: HandState, _at: int, entry: Mucked) -> HandState:
    _require_hand(state, entry.hand)
    closing = _require_turn_to_show(state, entry.seat)
    _require(not closing.face_up, "hands are open when somebody is all-in")
    _require(entry.by is By.POLICY, "hands are mucked by policy")
    _require(bool(state.layout.shown), "the first hand of a showdown is opened")
    return _settle_hand(state, closing, state.layout, (*closing.mucked, entry.seat))


def _returned(state: HandState, _at: int, entry: Returned) -> HandState:
    _require_stage(state, Stage.UNCALLED)
    _require(entry == return_uncalled(state, ()), "another bet is uncalled")
    index = state.frame.place[entry.seat]
    seat, stack, bet, put, folded, acted = state.chairs[index]
    back = entry.amount
    chair = Chair(seat, stack + back, bet - back, put - back, folded, acted)
    return _close(state, _with_chair(state.chairs, index, chair), state.betting, state.layout)


def _awarded(state: HandState, _at: int, entry: Awarded) -> HandState:
    _require_stage(state, Stage.AWARD)
    closing = state.closing
    assert closing is not None
    due = closing.awards[closing.paid]
    _require(entry is due or entry == due, f"pot {due.pot} is to be paid, to its winners")
    chairs = list(state.chairs)
    for winner in entry.winners:
        index = state.frame.place[winner.seat]
        seat, stack, bet, put, folded, acted = chairs[index]
        chairs[index] = Chair(seat, stack + winner.amount, bet, put, folded, acted)
    pots, face_up, unsettled, mucked, awards, paid = closing
    return HandState(
        state.frame,
        Stage.AWARD if paid + 1 < len(awards) else Stage.PAUSE,
        tuple(chairs),
        state.betting,
        None,
        state.layout,
        Closing(pots, face_up, unsettled, mucked, awards, paid + 1),
        state.away,
    )


def _hand_ended(state: HandState, _at: int, entry: HandEnded) -> HandState:
    _require(entry == end_hand(state), "the stacks are others, or the hand is")
    return _at_stage(state, Stage.ENDED)


def _hand_void(state: HandState, _at: int, entry: HandVoid) -> HandState:
    _require_hand(state, entry.hand)
    fault = entry.reason is VoidReason.DEALER_FAULT
    _require(fault or state.stage is Stage.DECK, "a hand with a deck is void by a fault alone")
    return HandState(
        state.frame,
        Stage.VOID,
        seat_everybody(state.frame),
        state.betting,
        None,
        state.layout,
        None,
        state.away,
    )


def _aside(state: HandState, _at: int, _entry: Entry) -> HandState:
    return state


def _player_gone(state: HandState, _at: int, entry: SeatLeft | PlayerRemoved) -> HandState:
    if entry.seat not in state.frame.place:
        return state
    _require(entry.stack is None, "chips of a seat in the hand leave when it has ended")
    absent, sitting_out = state.away
    return _with_away(state, Away(absent | {entry.seat}, sitting_out))


def _sat_out(state: HandState, _at: int, entry: SatOut) -> HandState:
    absent, sitting_out = state.away
    return _with_away(state, Away(absent, sitting_out | {entry.seat}))


def _came_back(state: HandState, _at: int, entry: CameBack) -> HandState:
    absent, sitting_out = state.away
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


# Where a hand goes from here.


def _go_on(  # noqa: PLR0913, PLR0917 - the parts of a state that have just changed
    state: HandState,
    chairs: tuple[Chair, ...],
    betting: Betting,
    layout: Layout,
    at: int,
    start: int,
) -> HandState:
    """Find the next decision, street or end, from the chair `start` on (9.4)."""
    live, with_chips, pending = survey(chairs, start, betting.to_match, at)
    if pending is not None:
        return HandState(state.frame, Stage.ACT, chairs, betting, pending, layout, None, state.away)
    if live > 1 and with_chips > 1 and betting.street < LAST_STREET:
        fresh = tuple(
            [Chair(seat, stack, 0, put, folded, False) for seat, stack, _, put, folded, _ in chairs]
        )
        new = Betting(betting.street + 1, 0, state.frame.rules.big_blind, None, betting.turn)
        return HandState(state.frame, Stage.BOARD_DEALT, fresh, new, None, layout, None, state.away)
    if find_uncalled([Stake(c.seat, c.put, not c.folded) for c in chairs]) is not None:
        return HandState(
            state.frame, Stage.UNCALLED, chairs, betting, None, layout, None, state.away
        )
    return _close(state, chairs, betting, layout)


def _close(
    state: HandState, chairs: tuple[Chair, ...], betting: Betting, layout: Layout
) -> HandState:
    """Close a hand whose betting is over and from which no bet is uncalled (9.6)."""
    stakes = [Stake(seat, put, not folded) for seat, _, _, put, folded, _ in chairs]
    pots = layer_pots(stakes)
    live = [chair for chair in chairs if not chair.folded]
    if len(live) == 1:
        awards = award_pots(pots, {}, state.frame.rules.chip_unit)
        stage = Stage.AWARD if awards else Stage.PAUSE
        closing = Closing(pots, False, (), (), awards, 0)
    else:
        stage = Stage.SHOWDOWN
        face_up = any(not chair.stack for chair in live)
        closing = Closing(pots, face_up, order_showing(pots, betting.aggressor), (), (), 0)
    return HandState(state.frame, stage, chairs, betting, None, layout, closing, state.away)


def _settle_hand(
    state: HandState, closing: Closing, layout: Layout, mucked: tuple[int, ...]
) -> HandState:
    """Go on when the next hand of a showdown is opened or mucked."""
    left = closing.unsettled[1:]
    closing = Closing(closing.pots, closing.face_up, left, mucked, (), 0)
    settled = _with_layout(state, layout, closing)
    return settled if left else _run_out(settled)


def _run_out(state: HandState) -> HandState:
    """Go on when all hands are settled: complete the board, then pay."""
    layout, closing = state.layout, state.closing
    assert closing is not None
    if len(layout.board) < BOARD_CARDS:
        return _at_stage(state, Stage.BOARD_DEALT)
    hands = {one.seat: (*one.cards, *layout.board) for one in layout.shown}
    awards = award_pots(closing.pots, hands, state.frame.rules.chip_unit)
    paying = Closing(closing.pots, closing.face_up, (), closing.mucked, awards, 0)
    return _at_stage(_with_layout(state, layout, paying), Stage.AWARD)


def end_hand(state: HandState) -> HandEnded:
    """Give the entry that ends a hand whose pots are all paid, else raise ImpossibleEntry."""
    if state.stage is not Stage.PAUSE:
        message = f"a hand that waits for {state.stage} does not end yet"
        raise ImpossibleEntry(message)
    stacks = [SeatStack(chair.seat, chair.stack) for chair in sorted(state.chairs)]
    return HandEnded(state.frame.hand, tuple(stacks))


def _with_chair(chairs: tuple[Chair, ...], index: int, chair: Chair) -> tuple[Chair, ...]:
    return (*chairs[:index], chair, *chairs[index + 1 :])


def _at_stage(state: HandState, stage: Stage) -> HandState:
    return HandState(
        state.frame,
        stage,
        state.chairs,
        state.betting,
        None,
        state.layout,
        state.closing,
        state.away,
    )


def _with_layout(state: HandState, layout: Layout, closing: Closing | None) -> HandState:
    return HandState(
        state.frame,
        state.stage,
        state.chairs,
        state.betting,
        None,
        layout,
        closing,
        state.away,
    )


def _with_away(state: HandState, away: Away) -> HandState:
    return HandState(
        state.frame,
        state.stage,
        state.chairs,
        state.betting,
        state.pending,
        state.layout,
        state.closing,
        away,
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
    _require_stage(state, Stage.SHOWDOWN)
    assert state.closing is not None
    if state.closing.unsettled[0] != seat:
        message = f"seat {state.closing.unsettled[0]} shows or mucks before seat {seat}"
        raise ImpossibleEntry(message)
    return state.closing
