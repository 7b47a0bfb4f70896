"""What a tournament does by itself: whatever is due, in the order of PROTOCOL.md 14.8.

Everything that is due at one time goes into one unit, up to its length. What needs fresh randomness
waits where the source fails, and is tried again a little later; nothing has changed until then.
"""

from collections.abc import Collection, Mapping
from typing import Final

import structlog

from dealer_service.fairness.refusal import FairnessError
from dealer_service.rules import opening
from dealer_service.rules.entry import CloseReason
from dealer_service.rules.table_state import TableState, seat_of
from dealer_service.rules.tournament.due import awaited_anchors, due, next_time, take
from dealer_service.rules.tournament.step import DrawnOrder, Step, StepKind
from dealer_service.tables.course import ENTROPY_RETRY_MS
from dealer_service.tables.table import Table
from dealer_service.tables.tournament.conduct import Conduct
from dealer_service.tables.tournament.joint import Joint

FOREVER: Final = 2**53 - 1
"""Until when a table waits whose next hand waits for something else than time."""

UNATTENDED_MS: Final = 2_000
"""Where all players are absent a hand takes no time: one starts so long after the last at least."""

ALL: Final = 0
"""In place of a table's number: no table starts a hand."""

_log = structlog.get_logger("tables")


class TournamentCourse:
    """The course of one tournament over its tables, by number, that are not closed.

    `held_back` are the numbers of tables at which something comes before the next hand.
    """

    __slots__ = ("_anew_at", "_conduct", "_draw_again_at", "_started", "_stuck", "_tables")

    def __init__(self, conduct: Conduct, tables: Mapping[int, Table]) -> None:
        self._conduct = conduct
        self._tables = tables
        self._started: dict[int, int] = {}
        self._stuck: dict[int, TableState] = {}
        self._draw_again_at = 0
        self._anew_at = 0

    def begin_anew(self) -> None:
        """Give players their whole time for anchors again, after a restart."""
        self._anew_at = self._conduct.house.clock.now()

    def draw_now(self) -> None:
        """Wait no longer for the source of randomness."""
        self._draw_again_at = 0

    def due_at(self, held_back: Collection[int]) -> int | None:
        """Give the time at which time alone makes something due; None where it does not."""
        if self._waits_for_chance():
            return self._draw_again_at
        at = next_time(self._conduct.state, self._held(held_back))
        return None if at is None or at >= FOREVER else at

    def take_due(self, joint: Joint, held_back: Collection[int], *, starts: bool) -> None:
        """Add to a unit what is due at its time; with `starts`, hands too."""
        while not joint.is_full and not self._waits_for_chance():
            step = due(self._conduct.state, joint.at, self._held(held_back))
            if step is None or (step.kind is StepKind.START_HAND and not starts):
                return
            try:
                self._take(joint, step)
            except FairnessError:
                # Whatever needs chance draws it first, so nothing of the step has been done.
                self._draw_again_at = joint.at + ENTROPY_RETRY_MS
                return
            if step.kind is StepKind.CLOSE_TABLE:
                # A table's secrets may be many lines: one table a unit.
                return

    def _waits_for_chance(self) -> bool:
        return self._conduct.house.clock.now() < self._draw_again_at

    def _take(self, joint: Joint, step: Step) -> None:
        conduct = self._conduct
        if step.kind is StepKind.START_HAND:
            self._start_hand(joint, step.table)
            return
        if step.kind is StepKind.CLOSE_TABLE:
            joint.close_table(step.table, CloseReason.TOURNAMENT)
            return
        drawn: DrawnOrder | None = None
        games = tuple(conduct.house.draw_game() for _ in range(step.games))
        if step.draw is not None:
            drawn, behind = conduct.draws.draw(step.draw)
            joint.drawn(behind)
        elif step.kind is StepKind.END:
            drawn = DrawnOrder(conduct.draws.show())
        joint.log(take(conduct.state, joint.at, step, drawn, games))

    def _start_hand(self, joint: Joint, number: int) -> None:
        table = self._tables[number].dealing.state
        why_not = opening.may_open_hand(table, joint.at)
        if why_not is None:
            joint.open_hand(number)
            self._started[number] = joint.at
            return
        if number not in self._stuck:
            game, why = table.opened.game, str(why_not.reason)
            _log.error("table_can_not_go_on", game=game, why=why)
        self._stuck[number] = table

    def _held(self, held_back: Collection[int]) -> dict[int, int]:
        """Say by table until when its next hand waits."""
        held: dict[int, int] = {}
        for number, table in self._tables.items():
            state = table.dealing.state
            if state.open is not None:
                continue
            waits = ALL in held_back or number in held_back or not table.may_open
            if waits or self._stuck.get(number) is state:
                held[number] = FOREVER
            elif until := max(self._anchors_until(number, state), self._unattended(number, state)):
                held[number] = until
        return held

    def _unattended(self, number: int, table: TableState) -> int:
        """Give until when a table waits at which nobody is there to play; 0 where somebody is."""
        if any(seat.stack and not seat.sitting_out for seat in table.seats.values()):
            return 0
        return self._started.get(number, -UNATTENDED_MS) + UNATTENDED_MS

    def _anchors_until(self, number: int, table: TableState) -> int:
        """Give until when a table's next hand waits for anchors; 0 where it waits for none."""
        until = 0
        for player, at in awaited_anchors(self._conduct.state, number).items():
            seat = seat_of(table, player)
            if seat is not None and table.seats[seat].anchor is None:
                until = max(until, at)
        if until and self._anew_at:
            # Nobody could anchor while the dealer was away.
            until = max(until, self._anew_at + table.rules.link_ms)
        return until
