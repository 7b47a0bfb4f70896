"""What the asides of a table make of a hand: who is gone, sits out or chooses anew (7, 9.8).

All count from the next hand but leaving, which leaves a seat to the dealer at once, and choices
where they count as they stand.
"""

from typing import Final

from dealer_service.rules.advancing import chop_if_agreed
from dealer_service.rules.entry import CameBack, Entry, PlayerRemoved, Preferred, SatOut, SeatLeft
from dealer_service.rules.refusal import ImpossibleEntry
from dealer_service.rules.requiring import require
from dealer_service.rules.state import HandState, Marks, Stage, make_state, may_choose_now

_OVER: Final = (Stage.ENDED, Stage.VOID)


def fold_aside(state: HandState, _at: int, entry: Entry) -> HandState:
    """Let an entry of the table pass while a hand is played; it leaves no mark."""
    if state.stage in _OVER:
        message = f"{type(entry).__name__} can not follow in a hand that is over"
        raise ImpossibleEntry(message)
    return state


def fold_player_gone(state: HandState, at: int, entry: SeatLeft | PlayerRemoved) -> HandState:
    """Remember that the player of a seat in the hand left or was removed."""
    if entry.seat not in fold_aside(state, at, entry).frame.place:
        return state
    require(entry.stack is None, "chips of a seat in the hand leave when it has ended")
    posted, absent, sitting_out, chosen, banks = state.marks
    return _with_marks(state, Marks(posted, absent | {entry.seat}, sitting_out, chosen, banks))


def fold_sat_out(state: HandState, at: int, entry: SatOut) -> HandState:
    """Remember that a seat sits out from the next hand."""
    posted, absent, sitting_out, chosen, banks = fold_aside(state, at, entry).marks
    return _with_marks(state, Marks(posted, absent, sitting_out | {entry.seat}, chosen, banks))


def fold_came_back(state: HandState, at: int, entry: CameBack) -> HandState:
    """Remember that a seat is dealt in again from the next hand."""
    posted, absent, sitting_out, chosen, banks = fold_aside(state, at, entry).marks
    return _with_marks(state, Marks(posted, absent, sitting_out - {entry.seat}, chosen, banks))


def fold_preferred(state: HandState, at: int, entry: Preferred) -> HandState:
    """Take the choices of a seat, where they count as they stand."""
    frame = fold_aside(state, at, entry).frame
    posted, absent, sitting_out, chosen, banks = state.marks
    if entry.seat not in frame.place or entry.seat in absent or not may_choose_now(frame.rules):
        return state
    others = [one for one in chosen if one[0] != entry.seat]
    now = sorted([*others, (entry.seat, entry.choices)] if entry.choices else others)
    preferred = _with_marks(state, Marks(posted, absent, sitting_out, tuple(now), banks))
    return chop_if_agreed(preferred) if frame.chops else preferred


def _with_marks(state: HandState, marks: Marks) -> HandState:
    return make_state((*state[:-1], marks))
