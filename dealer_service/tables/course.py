"""What a game does by itself: hands open, get their decks and end, and the game is over.

Everything that is due at one time goes into one unit. What begins with fresh randomness waits
where the source fails, and is tried again a little later; nothing has changed until then.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from dealer_service.beacon.rounds import Round
from dealer_service.fairness.refusal import FairnessError
from dealer_service.rules import opening
from dealer_service.rules.entry import CloseReason
from dealer_service.rules.table_reason import TableReason
from dealer_service.rules.table_state import MAX_FREE_VOIDS, Phase
from dealer_service.tables.dealing import Dealing
from dealer_service.tables.due import (
    NO_ABSENCE,
    NO_GRACE,
    Absence,
    Grace,
    awaits_anchors,
    due,
    end_time,
    extend,
    round_deadline,
)
from dealer_service.tables.log import Unit
from dealer_service.tables.rounds import Rounds

ENTROPY_RETRY_MS: Final = 1_000

_CLOSES: Final[Mapping[TableReason, CloseReason]] = {
    TableReason.MAX_HANDS: CloseReason.MAX_HANDS,
    TableReason.MAX_TIME: CloseReason.MAX_TIME,
}


class Course:
    """The course of one game, by its rules and the clock."""

    __slots__ = ("_absence", "_dealing", "_draw_again_at", "_grace", "_house")

    def __init__(self, dealing: Dealing) -> None:
        self._dealing = dealing
        self._house = dealing.house
        self._grace: Grace = NO_GRACE
        self._absence: Absence = NO_ABSENCE
        self._draw_again_at = 0

    def begin_anew(self) -> None:
        """Let the clock that stands begin anew, after a restart."""
        self._grace = extend(self._dealing.state, self._house.clock.now())

    @property
    def grace(self) -> Grace:
        """What the clock that stands gives beyond the rules."""
        return self._grace

    def due(self) -> int | None:
        """Give the time at which something is due that nobody has to ask for."""
        state, now = self._dealing.state, self._house.clock.now
        if state.phase is Phase.WAITING:
            if state.rules.tournament is not None:
                return None
            if now() < self._draw_again_at:
                return self._draw_again_at
        elif state.phase is Phase.LINKS and not opening.links_missing(state, self._dealing.links):
            return self._round_overdue()
        return due(state, now, self._grace, self._absence)

    def wanted_round(self) -> int | None:
        """Give the beacon's round that the open hand lacks; None where it lacks none."""
        rounds = self._rounds()
        if rounds is None or self._dealing.state.phase is not Phase.LINKS:
            return None
        number = rounds.network.round_of(self._opened_at())
        return None if rounds.find(number) else number

    def awaits_absent(self, is_connected: Callable[[str], bool]) -> bool:
        """Say whether the turn waits longer, once, because its player is not connected."""
        state = self._dealing.state
        more = state.rules.disconnect_ms
        if not more or state.play is None or state.play.pending is None:
            return False
        turn = state.play.betting.turn
        seat = state.play.chairs[state.play.pending.place].seat
        if self._absence.adds(state.hand, turn) or is_connected(state.seats[seat].player):
            return False
        self._absence = Absence(state.hand, turn, more)
        return True

    def take_due(self, unit: Unit, *, hold: bool) -> None:
        """Add to a unit all that is due at its time: a hand's end, the next one, its deck.

        With `hold` no hand opens: something waits that comes between hands.
        """
        while self._take_next(unit, hold=hold):
            pass

    def closes(self, at: int) -> CloseReason | None:
        """Say why the game is over at a time between hands; None when it is not."""
        if self._waits(at):
            return None
        why_not = opening.may_open_hand(self._dealing.state, at)
        return None if why_not is None else _CLOSES.get(TableReason(why_not.reason))

    def draw(self, at: int, act: Callable[[], None]) -> bool:
        """Do what begins with fresh randomness, and say whether there was any."""
        try:
            act()
        except FairnessError:
            self._draw_again_at = at + ENTROPY_RETRY_MS
            return False
        self._draw_again_at = 0
        return True

    def draw_now(self) -> None:
        """Wait no longer for the source of randomness."""
        self._draw_again_at = 0

    def _take_next(self, unit: Unit, *, hold: bool) -> bool:
        dealing = self._dealing
        state = dealing.state
        if state.phase is Phase.WAITING:
            return not hold and self._open_hand(unit)
        if state.phase is Phase.LINKS:
            if opening.links_missing(state, dealing.links):
                return False
            if self.wanted_round() is not None:
                return False
            dealing.commit_deck(unit, self._round())
            return True
        ends = end_time(state, self._grace)
        if ends is None or unit.at < ends:
            return False
        dealing.end_hand(unit)
        return True

    def _rounds(self) -> Rounds | None:
        """Give the beacon of the game's rules; None where they name none."""
        return self._house.rounds if self._dealing.state.rules.beacon is not None else None

    def _round(self) -> Round | None:
        """Give the beacon's round of the open hand, which is there; None without a beacon."""
        rounds = self._rounds()
        return None if rounds is None else rounds.find(rounds.network.round_of(self._opened_at()))

    def _round_overdue(self) -> int | None:
        """Give the time from which the hand, which has all its links, is void without its round."""
        rounds, state = self._rounds(), self._dealing.state
        if rounds is None or state.voids >= MAX_FREE_VOIDS:
            return None
        network = rounds.network
        due_at = network.due_at(network.round_of(self._opened_at()))
        return round_deadline(due_at, state.hand, self._grace)

    def _opened_at(self) -> int:
        opened = self._dealing.state.open
        assert opened is not None
        return opened.at

    def _open_hand(self, unit: Unit) -> bool:
        if self._waits(unit.at):
            return False
        if opening.may_open_hand(self._dealing.state, unit.at) is not None:
            return False
        return self.draw(unit.at, partial(self._dealing.open_hand, unit))

    def _waits(self, at: int) -> bool:
        return at < self._draw_again_at or awaits_anchors(self._dealing.state, at, self._grace)
