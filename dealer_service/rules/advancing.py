"""Where a hand goes when an entry is folded: the next decision, street, showdown or payment.

Betting ends a street when nobody owes a decision, and ends the hand's betting when fewer than two
live seats have chips (9.4); then come the uncalled bet, the hands, the rest of one board or of two,
and the pots (9.6). Where both blinds have chosen it they take back their blinds instead (9.8).
"""

from collections.abc import Sequence

from dealer_service.rules.betting import (
    ROUNDS,
    Betting,
    Chair,
    find_pending,
    make_betting,
    make_chair,
    order_with_late,
)
from dealer_service.rules.dealing import is_whole, serves_two_boards
from dealer_service.rules.entry import Choice, RunsAgreed
from dealer_service.rules.judging import UNRANKED, Ranks, Shown, rank_hands
from dealer_service.rules.payout import award_pots, award_to_one, take_rake
from dealer_service.rules.pots import Pot, find_uncalled, layer_pots
from dealer_service.rules.raising import open_betting
from dealer_service.rules.showdown import order_showing
from dealer_service.rules.state import (
    LAST_STREET,
    Closing,
    Frame,
    HandState,
    Layout,
    Stage,
    has_chosen,
    make_closing,
    make_state,
)

# Reading a member off its class takes longer than a comparison.
_ACT = Stage.ACT
_AWARD = Stage.AWARD
_BOARD_DEALT = Stage.BOARD_DEALT
_CHOP = Stage.CHOP
_PAUSE = Stage.PAUSE
_RUNS = Stage.RUNS
_SHOWDOWN = Stage.SHOWDOWN
_UNCALLED = Stage.UNCALLED
RUNS = 2
"""How often a hand is run where everybody live agrees."""


def go_on(state: HandState, layout: Layout, at: int, start: int) -> HandState:
    """Ask the first chair from `start` on that owes a decision, when cards have come (9.4)."""
    frame, chairs, betting = state.frame, state.chairs, state.betting
    if frame.late is None or betting.street:
        pending = find_pending(chairs, ROUNDS[len(chairs)][start], betting, at)
    else:
        pending = find_pending(chairs, order_with_late(chairs, start, frame.late), betting, at)
    if pending is None:
        return end_round(state, chairs, betting, layout)
    asked = make_state(frame, _ACT, chairs, betting, pending, layout, None, state.marks)
    return chop_if_agreed(asked) if frame.chops else asked


def chop_if_agreed(state: HandState) -> HandState:
    """Let the blinds be chopped in the place of the small blind's turn, if both chose it (9.8).

    Before the flop, when every other seat has folded, and nobody has bet, raised or straddled and
    nothing was posted but blinds and antes.
    """
    frame, chairs, betting, pending = state.frame, state.chairs, state.betting, state.pending
    small, big = frame.small_blind_seat, frame.big_blind_seat
    if (
        pending is None
        or betting.street
        or betting.aggressor is not None
        or chairs[pending.place].seat != small
        or any(not chair.folded and chair.seat not in {small, big} for chair in chairs)
        or not has_chosen(state, small, Choice.CHOP)
        or not has_chosen(state, big, Choice.CHOP)
    ):
        return state
    return at_stage(state, _CHOP)


def end_round(
    state: HandState, chairs: tuple[Chair, ...], betting: Betting, layout: Layout
) -> HandState:
    """Go on to the next street, or to the end, where nobody owes a decision (9.4)."""
    frame = state.frame
    if betting.street < LAST_STREET:
        with_chips = 0
        for chair in chairs:
            if chair.stack and not chair.folded:
                with_chips += 1
        if with_chips > 1:
            new, fresh = _begin_street(frame, chairs, betting)
            return make_state(frame, _BOARD_DEALT, fresh, new, None, layout, None, state.marks)
    if find_uncalled(chairs) is not None:
        return make_state(frame, _UNCALLED, chairs, betting, None, layout, None, state.marks)
    return close_hand(state, chairs, betting, layout)


def _begin_street(
    frame: Frame, chairs: tuple[Chair, ...], betting: Betting
) -> tuple[Betting, tuple[Chair, ...]]:
    """Begin the next street: nothing is bet on it, and nobody has acted."""
    fresh = []
    for one in chairs:
        if one.folded and not one.bet:
            fresh.append(one)
        else:
            fresh.append(make_chair(one.seat, one.stack, 0, one.put, one.folded, False))
    street, turn, limit = betting.street + 1, betting.turn, frame.limit
    if limit is None:
        new = make_betting(street, 0, frame.rules.big_blind, None, turn, None)
    else:
        live = sum([not chair.folded for chair in chairs])
        new = open_betting(street, 0, frame.rules.big_blind, turn, limit, live)
    return new, tuple(fresh)


def close_hand(
    state: HandState, chairs: tuple[Chair, ...], betting: Betting, layout: Layout
) -> HandState:
    """Close a hand whose betting is over and from which no bet is uncalled (9.6)."""
    frame, face_up = state.frame, False
    live = []
    for chair in chairs:
        if not chair.folded:
            live.append(chair.seat)
            face_up = face_up or not chair.stack
    if len(live) == 1:
        return close_for_one(state, chairs, betting, layout, live[0])
    pots = layer_pots(chairs, frame.dead)
    closing = make_closing(pots, face_up, order_showing(pots, betting.aggressor), (), (), 0)
    return make_state(frame, _SHOWDOWN, chairs, betting, None, layout, closing, state.marks)


def close_for_one(
    state: HandState,
    chairs: tuple[Chair, ...],
    betting: Betting,
    layout: Layout,
    seat: int,
) -> HandState:
    """Close a hand in which one seat gets all that is left, as one pot."""
    frame = state.frame
    total = frame.dead
    for chair in chairs:
        total += chair.put
    pots = (Pot(total, (seat,)),) if total else ()
    rake = sum(rake_of(frame, pots, layout)) if frame.rules.rake is not None else 0
    awards = (award_to_one(0, pots[0], rake),) if pots else ()
    closing = make_closing(pots, False, (), (), awards, 0)
    stage = _AWARD if awards else _PAUSE
    return make_state(frame, stage, chairs, betting, None, layout, closing, state.marks)


def rake_of(frame: Frame, pots: tuple[Pot, ...], layout: Layout) -> tuple[int, ...]:
    """Give the rake of each pot."""
    return take_rake(pots, frame.rules.rake, len(frame.seats), flop=bool(layout.board))


def settle_hand(
    state: HandState, closing: Closing, layout: Layout, mucked: tuple[int, ...]
) -> HandState:
    """Go on when the next hand of a showdown is opened or mucked."""
    left = closing.unsettled[1:]
    closing = make_closing(closing.pots, closing.face_up, left, mucked, (), 0)
    if left or state.frame.rules.runs:
        settled = with_layout(state, layout, closing)
        if left:
            return settled
        if find_agreement(settled) is not None:
            return at_stage(settled, _RUNS)
    return run_out(state, layout, closing)


def find_agreement(state: HandState) -> RunsAgreed | None:
    """Give the agreement to run a hand twice when its hands are open, or None (9.8)."""
    if is_whole(state.layout) or not serves_two_boards(state.layout):
        return None
    seats = sorted([chair.seat for chair in state.chairs if not chair.folded])
    if not all(has_chosen(state, seat, Choice.RUNS) for seat in seats):
        return None
    return RunsAgreed(state.frame.hand, RUNS, tuple(seats))


def run_out(state: HandState, layout: Layout, closing: Closing) -> HandState:
    """Go on when all hands are settled: complete what is dealt to, then pay."""
    frame, chairs, betting, marks = state.frame, state.chairs, state.betting, state.marks
    if not is_whole(layout):
        return make_state(frame, _BOARD_DEALT, chairs, betting, None, layout, closing, marks)
    pots = closing.pots
    hands = {one.seat: one.cards for one in layout.shown}
    boards = (layout.board,) if layout.second is None else (layout.board, layout.second)
    awards = award_pots(
        pots,
        hands,
        boards,
        _rank_shown(frame, layout.shown, boards),
        frame.rules.chip_unit,
        rake_of(frame, pots, layout),
        omaha=frame.omaha,
    )
    paying = make_closing(pots, closing.face_up, (), closing.mucked, awards, 0)
    return make_state(frame, _AWARD, chairs, betting, None, layout, paying, marks)


def _rank_shown(
    frame: Frame, shown: Sequence[Shown], boards: Sequence[Sequence[str]]
) -> list[Ranks]:
    """Give how the hands shown rank on each whole board, known already if it was when they were."""
    if shown[0].high != UNRANKED:
        highs = {one.seat: one.high for one in shown}
        return [Ranks(highs, {one.seat: one.low for one in shown if one.low is not None})]
    hands = {one.seat: one.cards for one in shown}
    return [rank_hands(hands, board, omaha=frame.omaha, hi_lo=frame.hi_lo) for board in boards]


def at_stage(state: HandState, stage: Stage) -> HandState:
    """Give the same hand waiting for something else, and for nobody's act."""
    return make_state(
        state.frame,
        stage,
        state.chairs,
        state.betting,
        None,
        state.layout,
        state.closing,
        state.marks,
    )


def with_layout(state: HandState, layout: Layout, closing: Closing | None) -> HandState:
    """Give the same hand with other cards open, and with that much of its end settled."""
    return make_state(
        state.frame,
        state.stage,
        state.chairs,
        state.betting,
        None,
        layout,
        closing,
        state.marks,
    )
