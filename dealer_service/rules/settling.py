"""What the entries of a hand's end make of its state, and that they can follow at all (9.6, 9.8).

Blinds that are chopped, uncalled bets, hands and boards that are turned up, and pots. An entry that
the rules force must be the very one that `following` gives. Anything else raises ImpossibleEntry.
"""

from typing import Final

from dealer_service.quick import maker
from dealer_service.rules.advancing import (
    at_stage,
    close_for_one,
    close_hand,
    find_agreement,
    go_on,
    run_out,
    settle_hand,
    with_layout,
)
from dealer_service.rules.betting import Chair, make_chair
from dealer_service.rules.dealing import hole_positions, next_board, read_opened
from dealer_service.rules.entry import (
    Awarded,
    BlindsChopped,
    By,
    Choice,
    HandEnded,
    Mucked,
    Opened,
    Returned,
    RunsAgreed,
    SeatStack,
    Show,
)
from dealer_service.rules.following import chop_blinds, find_chopped, rank_next, show_by
from dealer_service.rules.judging import Shown
from dealer_service.rules.pots import find_uncalled
from dealer_service.rules.refusal import ImpossibleEntry
from dealer_service.rules.requiring import require, require_hand, require_stage
from dealer_service.rules.state import (
    Closing,
    HandState,
    Layout,
    Stage,
    has_chosen,
    make_closing,
    make_layout,
    make_state,
)

make_seat_stack: Final = maker(SeatStack)

# What every entry compares is named once: reading a member off its class takes longer.
_BY_PLAYER = By.PLAYER
_BY_POLICY = By.POLICY
_BY_RULE = By.RULE
_AWARD = Stage.AWARD
_BOARD_OPENED = Stage.BOARD_OPENED
_CHOP = Stage.CHOP
_CHOPPED = Stage.CHOPPED
_ENDED = Stage.ENDED
_PAUSE = Stage.PAUSE
_RUNS = Stage.RUNS
_SHOWDOWN = Stage.SHOWDOWN
_UNCALLED = Stage.UNCALLED


def fold_opened(state: HandState, at: int, entry: Opened) -> HandState:
    """Turn up cards of a board, or of a seat at the showdown or in the pause behind it."""
    if entry.hand != state.frame.hand:
        require_hand(state, entry.hand)
    if state.stage is _BOARD_OPENED:
        return _opened_board(state, at, entry)
    frame, layout, seat = state.frame, state.layout, entry.seat
    if seat is None or seat not in frame.place or entry.board is not None:
        message = "no cards of that seat can be opened"
        raise ImpossibleEntry(message)
    positions = hole_positions(len(frame.seats), frame.place[seat], frame.hole_cards)
    if state.stage is _PAUSE:
        require(entry.by is _BY_PLAYER, "after the last pot only players show")
        require(all(one.seat != seat for one in layout.shown), "these cards are open already")
        cards, seen = read_opened(entry.cards, positions, layout.seen)
        return with_layout(state, _show(layout, Shown(seat, cards), seen), state.closing)
    closing = _require_turn_to_show(state, seat)
    cards, seen = read_opened(entry.cards, positions, layout.seen)
    hand = rank_next(state, seat, cards)
    by = show_by(state, hand)
    if entry.by is not by:
        message = f"this hand is {'opened' if by else 'mucked'} by {by or _BY_POLICY}"
        raise ImpossibleEntry(message)
    return settle_hand(state, closing, _show(layout, hand, seen), closing.mucked)


def _show(layout: Layout, hand: Shown, seen: int) -> Layout:
    shown = (*layout.shown, hand)
    return make_layout(layout.next_position, layout.board, shown, seen, layout.second)


def _opened_board(state: HandState, at: int, entry: Opened) -> HandState:
    layout = state.layout
    end, first, second = layout.next_position, layout.board, layout.second
    board, count = next_board(layout)
    if entry.board != board or entry.seat is not None or entry.by is not _BY_RULE:
        message = f"board {board} is to be opened, by rule"
        raise ImpossibleEntry(message)
    cards, seen = read_opened(entry.cards, range(end - count, end), layout.seen)
    if board == 1:
        first += cards
    elif second is not None:
        second += cards
    opened = make_layout(end, first, layout.shown, seen, second)
    if state.closing is not None:
        return run_out(state, opened, state.closing)
    return go_on(state, opened, at, 0)


def fold_mucked(state: HandState, _at: int, entry: Mucked) -> HandState:
    """Throw a hand away that neither the policy nor its player shows."""
    require_hand(state, entry.hand)
    closing = _require_turn_to_show(state, entry.seat)
    require(not closing.face_up, "hands are open when somebody is all-in")
    require(entry.by is _BY_POLICY, "hands are mucked by policy")
    require(bool(state.layout.shown), "the first hand of a showdown is opened")
    require(state.frame.rules.show != Show.ALL, "the policy shows every hand")
    require(not has_chosen(state, entry.seat, Choice.SHOW), "its player has chosen to show it")
    return settle_hand(state, closing, state.layout, (*closing.mucked, entry.seat))


def fold_returned(state: HandState, _at: int, entry: Returned) -> HandState:
    """Give back the uncalled bet, or the next chopped blind."""
    chopped = state.stage is _CHOPPED
    if chopped:
        require(entry == find_chopped(state), "another blind goes back")
    else:
        require_stage(state, _UNCALLED)
        uncalled = find_uncalled(state.chairs)
        require((entry.seat, entry.amount) == uncalled, "another bet is uncalled")
    index = state.frame.place[entry.seat]
    one, back = state.chairs[index], entry.amount
    # Of an ante too the part that nobody else put in goes back.
    bet, put = max(one.bet - back, 0), one.put - back
    chair = make_chair(one.seat, one.stack + back, bet, put, one.folded, one.acted)
    chairs = with_chair(state.chairs, index, chair)
    if chopped:
        return _chopped(state, chairs)
    return close_hand(state, chairs, state.betting, state.layout)


def fold_blinds_chopped(state: HandState, _at: int, entry: BlindsChopped) -> HandState:
    """Chop the blinds, as both have chosen."""
    require_stage(state, _CHOP)
    require(entry == chop_blinds(state, ()), "both blinds have chosen to chop, and they alone")
    return _chopped(state, state.chairs)


def _chopped(state: HandState, chairs: tuple[Chair, ...]) -> HandState:
    """Give back what is left of the blinds, or close the hand with the antes."""
    if any(not chair.folded and chair.bet for chair in chairs):
        frame, betting, layout = state.frame, state.betting, state.layout
        return make_state(frame, _CHOPPED, chairs, betting, None, layout, None, state.marks)
    big_blind = state.frame.big_blind_seat
    return close_for_one(state, chairs, state.betting, state.layout, big_blind)


def fold_runs_agreed(state: HandState, _at: int, entry: RunsAgreed) -> HandState:
    """Deal the rest to two boards, as all have chosen who are live."""
    require_stage(state, _RUNS)
    require(entry == find_agreement(state), "all seats that are live agree to two boards")
    assert state.closing is not None
    one = state.layout
    shared = make_layout(one.next_position, one.board, one.shown, one.seen, one.board)
    return run_out(state, shared, state.closing)


def fold_awarded(state: HandState, _at: int, entry: Awarded) -> HandState:
    """Pay the pot, or part of a pot, that is due."""
    require_stage(state, _AWARD)
    closing = state.closing
    assert closing is not None
    due = closing.awards[closing.paid]
    if entry is not due and entry != due:
        message = f"pot {due.pot} is to be paid, to its winners"
        raise ImpossibleEntry(message)
    chairs = list(state.chairs)
    for winner in entry.winners:
        index = state.frame.place[winner.seat]
        one = chairs[index]
        stack = one.stack + winner.amount
        chairs[index] = make_chair(one.seat, stack, one.bet, one.put, one.folded, one.acted)
    paid = closing.paid + 1
    return make_state(
        state.frame,
        _AWARD if paid < len(closing.awards) else _PAUSE,
        tuple(chairs),
        state.betting,
        None,
        state.layout,
        make_closing(
            closing.pots,
            closing.face_up,
            closing.unsettled,
            closing.mucked,
            closing.awards,
            paid,
        ),
        state.marks,
    )


def fold_hand_ended(state: HandState, _at: int, entry: HandEnded) -> HandState:
    """End a hand whose pots are all paid, with the stacks that it leaves."""
    require_stage(state, _PAUSE)
    require_hand(state, entry.hand)
    chairs, rising = state.chairs, state.frame.rising
    right = len(entry.stacks) == len(rising)
    for one, place in zip(entry.stacks, rising, strict=False):
        chair = chairs[place]
        right = right and one.seat == chair.seat and one.stack == chair.stack
    require(right, "the stacks are others")
    return at_stage(state, _ENDED)


def end_hand(state: HandState) -> HandEnded:
    """Give the entry that ends a hand whose pots are all paid, else raise ImpossibleEntry."""
    if state.stage is not _PAUSE:
        message = f"a hand that waits for {state.stage} does not end yet"
        raise ImpossibleEntry(message)
    chairs, frame = state.chairs, state.frame
    stacks = []
    for place in frame.rising:
        chair = chairs[place]
        stacks.append(make_seat_stack(chair.seat, chair.stack))
    return HandEnded(frame.hand, tuple(stacks))


def _require_turn_to_show(state: HandState, seat: int) -> Closing:
    require_stage(state, _SHOWDOWN)
    assert state.closing is not None
    if state.closing.unsettled[0] != seat:
        message = f"seat {state.closing.unsettled[0]} shows or mucks before seat {seat}"
        raise ImpossibleEntry(message)
    return state.closing


def with_chair(chairs: tuple[Chair, ...], index: int, chair: Chair) -> tuple[Chair, ...]:
    """Give the chairs with one of them changed."""
    changed = list(chairs)
    changed[index] = chair
    return tuple(changed)
