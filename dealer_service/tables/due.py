"""When a table acts by itself: the link clock, the turn clock, the pause, the longest game.

After a restart the clock that ran begins anew, so that nobody pays for the dealer's absence: it
is extended for the hand and turn that stood, and for nothing after them. A turn of a player who is
not connected when its clock runs out waits once for as long as the rules give (9.5).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from dealer_service.rules import hand, opening, play
from dealer_service.rules.table_state import Phase, TableState
from dealer_service.tables.round_wait import LATE_MS


@dataclass(frozen=True, slots=True)
class Grace:
    """The clock of one turn of one hand runs until `at`.

    Turn 0 is the hand's links, turn -1 the pause before its end. Hand 0 is the wait for the
    anchors of carried players.
    """

    hand: int
    turn: int
    at: int

    def until(self, hand: int, turn: int, due: int) -> int:
        """Give the time when a clock runs out that is due at `due` by the rules."""
        return max(due, self.at) if (hand, turn) == (self.hand, self.turn) else due


@dataclass(frozen=True, slots=True)
class Absence:
    """The player of one turn was not connected when its clock ran out, and has `ms` more."""

    hand: int
    turn: int
    ms: int

    def adds(self, hand: int, turn: int) -> int:
        """Give how much longer the clock of a turn waits."""
        return self.ms if (hand, turn) == (self.hand, self.turn) else 0


_LINKS: Final = 0
_PAUSE: Final = -1

NO_GRACE: Final = Grace(0, 0, 0)
NO_ABSENCE: Final = Absence(0, 0, 0)


def extend(state: TableState, now: int) -> Grace:
    """Let the clock that stands begin anew."""
    rules = state.rules
    pending = hand.decision(state.play) if state.play is not None else None
    if pending is not None:
        return Grace(pending.hand, pending.turn, now + play.turn_time(state))
    if state.phase is Phase.LINKS:
        return Grace(state.hand, _LINKS, now + rules.link_ms)
    if state.phase is Phase.PLAYING:
        return Grace(state.hand, _PAUSE, now + rules.pause_ms)
    if state.hand == 0 and state.awaited:
        return Grace(0, 0, now + rules.link_ms)
    return NO_GRACE


def round_deadline(due_at: int, hand: int, grace: Grace) -> int:
    """Give the time from which a hand has no round of the beacon that was due at `due_at`."""
    return grace.until(hand, _LINKS, due_at) + LATE_MS


def awaits_anchors(state: TableState, now: int, grace: Grace) -> bool:
    """Say whether the first hand still waits for the anchors of carried players."""
    return state.hand == 0 and bool(state.awaited) and now < _anchors_until(state, grace)


def end_time(state: TableState, grace: Grace) -> int | None:
    """Give the time from which the hand ends whose pots are paid; None where none is."""
    ends = play.end_time(state)
    return None if ends is None else grace.until(state.hand, _PAUSE, ends)


def due(
    state: TableState, now: Callable[[], int], grace: Grace, absence: Absence = NO_ABSENCE
) -> int | None:
    """Give the time at which something is due that nobody has to ask for."""
    if state.phase is Phase.LINKS:
        return grace.until(state.hand, _LINKS, opening.links_deadline(state) or 0)
    if state.play is not None:
        deadline = play.turn_deadline(state)
        if deadline is None:
            return end_time(state, grace)
        turn = state.play.betting.turn
        until = grace.until(state.hand, turn, deadline)
        return until + absence.adds(state.hand, turn)
    if state.phase is Phase.WAITING:
        if awaits_anchors(state, now(), grace):
            return _anchors_until(state, grace)
        return state.opened_at + state.rules.max_ms + 1
    return None


def _anchors_until(state: TableState, grace: Grace) -> int:
    return grace.until(0, 0, state.opened_at + state.rules.link_ms)
