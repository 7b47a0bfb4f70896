"""What the asides of a table make of a hand: who is gone, sits out or chooses anew (7, 9.8).

All count from the next hand but leaving, which leaves a seat to the dealer at once, and choices
where they count as they stand.
"""

from dataclasses import replace
from typing import Any, Final

from dealer_service.rules.advancing import chop_if_agreed
from dealer_service.rules.entry import CameBack, Entry, PlayerRemoved, Preferred, SatOut, SeatLeft
from dealer_service.rules.refusal import ImpossibleEntry
from dealer_service.rules.requiring import require
from dealer_service.rules.state import HandState, Stage, may_choose_now

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
    return _with_marks(state, absent=state.marks.absent | {entry.seat})


def fold_sat_out(state: HandState, at: int, entry: SatOut) -> HandState:
    """Remember that a seat sits out from the next hand."""
    marks = fold_aside(state, at, entry).marks
    return _with_marks(state, sitting_out=marks.sitting_out | {entry.seat})


def fold_came_back(state: HandState, at: int, entry: CameBack) -> HandState:
    """Remember that a seat is dealt in again from the next hand."""
    marks = fold_aside(state, at, entry).marks
    return _with_marks(state, sitting_out=marks.sitting_out - {entry.seat})


def fold_preferred(state: HandState, at: int, entry: Preferred) -> HandState:
    """Take the choices of a seat, where they count as they stand."""
    frame = fold_aside(state, at, entry).frame
    gone = entry.seat in state.marks.absent
    if entry.seat not in frame.place or gone or not may_choose_now(frame.rules):
        return state
    others = [one for one in state.marks.chosen if one[0] != entry.seat]
    now = sorted([*others, (entry.seat, entry.choices)] if entry.choices else others)
    preferred = _with_marks(state, chosen=tuple(now))
    return chop_if_agreed(preferred) if frame.chops else preferred


def _with_marks(state: HandState, **changes: Any) -> HandState:  # noqa: ANN401 - of the marks' own fields
    return replace(state, marks=replace(state.marks, **changes))
