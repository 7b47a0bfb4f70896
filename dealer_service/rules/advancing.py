"""Where a hand goes when an entry is folded: the next decision, street, showdown or payment.

Betting ends a street when nobody owes a decision, and ends the hand's betting when fewer than two
live seats have chips (9.4); then come the uncalled bet, the hands, the rest of the board and the
pots (9.6).
"""

from dealer_service.rules.betting import Betting, Chair, find_pending, make_betting, make_chair
from dealer_service.rules.payout import award_pots
from dealer_service.rules.pots import Pot, Stake, find_uncalled, layer_pots
from dealer_service.rules.showdown import order_showing
from dealer_service.rules.state import (
    BOARD_CARDS,
    LAST_STREET,
    Closing,
    HandState,
    Layout,
    Stage,
    list_stakes,
    make_closing,
    make_state,
)

# Reading a member off its class takes longer than a comparison.
_ACT = Stage.ACT
_AWARD = Stage.AWARD
_BOARD_DEALT = Stage.BOARD_DEALT
_PAUSE = Stage.PAUSE
_SHOWDOWN = Stage.SHOWDOWN
_UNCALLED = Stage.UNCALLED


def go_on(state: HandState, layout: Layout, at: int, start: int) -> HandState:
    """Ask the first chair from `start` on that owes a decision, when cards have come (9.4)."""
    frame, _, chairs, betting, _, _, _, away = state
    pending = find_pending(chairs, start, betting, at)
    if pending is not None:
        return make_state((frame, _ACT, chairs, betting, pending, layout, None, away))
    return end_round(state, chairs, betting, layout)


def end_round(
    state: HandState, chairs: tuple[Chair, ...], betting: Betting, layout: Layout
) -> HandState:
    """Go on to the next street, or to the end, where nobody owes a decision (9.4)."""
    frame, away = state.frame, state.away
    with_chips = [chair for chair in chairs if chair.stack and not chair.folded]
    if len(with_chips) > 1 and betting.street < LAST_STREET:
        fresh = tuple(
            [
                chair
                if chair.folded and not chair.bet
                else make_chair((chair.seat, chair.stack, 0, chair.put, chair.folded, False))
                for chair in chairs
            ]
        )
        new = make_betting((betting.street + 1, 0, frame.rules.big_blind, None, betting.turn))
        return make_state((frame, _BOARD_DEALT, fresh, new, None, layout, None, away))
    stakes = list_stakes(chairs)
    if find_uncalled(stakes) is not None:
        return make_state((frame, _UNCALLED, chairs, betting, None, layout, None, away))
    return close_hand(state, chairs, betting, layout, stakes)


def close_hand(
    state: HandState,
    chairs: tuple[Chair, ...],
    betting: Betting,
    layout: Layout,
    stakes: tuple[Stake, ...],
) -> HandState:
    """Close a hand whose betting is over and from which no bet is uncalled (9.6)."""
    live = [stake for stake in stakes if stake[2]]
    if len(live) == 1:
        # Whoever is left alone gets everything, as one pot.
        total = sum([amount for _, amount, _ in stakes])
        pots: tuple[Pot, ...] = (Pot(total, (live[0][0],)),) if total else ()
        awards = award_pots(pots, {}, state.frame.rules.chip_unit)
        stage = _AWARD if awards else _PAUSE
        closing = make_closing((pots, False, (), (), awards, 0))
    else:
        stage = _SHOWDOWN
        pots = layer_pots(stakes)
        face_up = any(not chair.stack and not chair.folded for chair in chairs)
        closing = make_closing((pots, face_up, order_showing(pots, betting.aggressor), (), (), 0))
    return make_state((state.frame, stage, chairs, betting, None, layout, closing, state.away))


def settle_hand(
    state: HandState, closing: Closing, layout: Layout, mucked: tuple[int, ...]
) -> HandState:
    """Go on when the next hand of a showdown is opened or mucked."""
    left = closing.unsettled[1:]
    closing = make_closing((closing.pots, closing.face_up, left, mucked, (), 0))
    settled = with_layout(state, layout, closing)
    return settled if left else run_out(settled)


def run_out(state: HandState) -> HandState:
    """Go on when all hands are settled: complete the board, then pay."""
    layout, closing = state.layout, state.closing
    assert closing is not None
    if len(layout.board) < BOARD_CARDS:
        return at_stage(state, _BOARD_DEALT)
    hands = {one.seat: (*one.cards, *layout.board) for one in layout.shown}
    awards = award_pots(closing.pots, hands, state.frame.rules.chip_unit)
    paying = make_closing((closing.pots, closing.face_up, (), closing.mucked, awards, 0))
    return at_stage(with_layout(state, layout, paying), _AWARD)


def at_stage(state: HandState, stage: Stage) -> HandState:
    """Give the same hand waiting for something else, and for nobody's act."""
    return make_state(
        (
            state.frame,
            stage,
            state.chairs,
            state.betting,
            None,
            state.layout,
            state.closing,
            state.away,
        )
    )


def with_layout(state: HandState, layout: Layout, closing: Closing | None) -> HandState:
    """Give the same hand with other cards open, and with that much of its end settled."""
    return make_state(
        (
            state.frame,
            state.stage,
            state.chairs,
            state.betting,
            None,
            layout,
            closing,
            state.away,
        )
    )
