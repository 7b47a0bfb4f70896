"""Holds each entry of a tournament's log against what is due and against who may do what.

Entries that follow from others are compared with a plan: what is due, worked out from the state
before them, or what a draw deals out. What players and operators do is judged by its own rule.
"""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING

from audit_cli.report.finding import Promise
from audit_cli.tournament.due import find_due, plan_cancelling, plan_closing
from audit_cli.tournament.entering import JUDGES as ENTERING
from audit_cli.tournament.hands import JUDGES as HANDS
from audit_cli.tournament.planned import Planned, tell

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from audit_cli.gamefile import Line
    from audit_cli.tournament.speaking import Speaker
    from audit_cli.tournament.state import State

_JUDGES = ENTERING | HANDS
# The promises of entries that follow from the state: each is due, or should not be there.
_DUE: Mapping[str, Promise] = {
    "started": Promise.SEATED,
    "table_opened": Promise.SEATED,
    "seated": Promise.SEATED,
    "moved": Promise.SEATED,
    "table_broken": Promise.SEATED,
    "drawn": Promise.SEATED,
    "taken_over": Promise.SEATED,
    "level_begun": Promise.LEVELS,
    "break_begun": Promise.LEVELS,
    "hand_for_hand_begun": Promise.LEVELS,
    "hand_for_hand_ended": Promise.LEVELS,
    "registration_closed": Promise.PLACED,
    "placed": Promise.PLACED,
    "table_closed": Promise.LINKED,
    "tournament_closed": Promise.COMPLETE,
}
_ENDING = frozenset({"placed", "table_closed", "tournament_closed"})
_BEFORE_HAND = frozenset({"button", "race"})
_DEALT = frozenset({"seated", "moved"})
_LOOK_AHEAD = 64


class Judge:
    """Follows what is due in one tournament."""

    def __init__(self, speaker: Speaker) -> None:
        self._speaker = speaker
        self._plan: deque[Planned] = deque()
        self._at = 0

    def plan(self, entries: Iterable[Planned]) -> None:
        """Take what has to follow directly, before what was to follow anyway."""
        self._plan.extendleft(reversed(list(entries)))

    def forget(self) -> None:
        """Expect nothing: an entry could not be read."""
        self._plan.clear()

    def judge(self, state: State, line: Line) -> None:
        """Judge an entry by the state before it."""
        if line.body.get("reason") == "restored":
            # What a restore has cut off, nobody can say.
            self._plan.clear()
        elif not self._follow(line):
            self._judge(state, line)
        self._at = line.at

    def _follow(self, line: Line) -> bool:
        """Compare an entry with what has to follow; False where it is judged by itself."""
        plan = self._plan
        if not plan:
            return False
        for skipped, planned in enumerate(islice(plan, _LOOK_AHEAD)):
            if planned.differences(line.kind, line.body) == []:
                for _ in range(skipped):
                    self._missing(plan.popleft(), line)
                plan.popleft()
                self._check_at_once(planned, line)
                return True
        head = plan[0]
        if head.kind == line.kind:
            plan.popleft()
            self._differs(head, line)
            return True
        self._missing(head, line)
        plan.clear()
        return False

    def _check_at_once(self, planned: Planned, line: Line) -> None:
        if planned.at_once and line.at != self._at:
            text = f"{line.kind} is not written at once with the entry before it"
            self._speaker.broken(Promise.ORDERED, text, line, self._at, line.at)

    def _missing(self, planned: Planned, line: Line) -> None:
        text = f"{planned.kind} is missing{_of(planned)}"
        found = tell(line.kind, line.body)
        # Who is not seated at all is not seated otherwise than drawn.
        promise = _DUE[planned.kind] if planned.kind in _DEALT else planned.promise
        self._speaker.broken(promise, text, line, planned.told(), found)

    def _differs(self, planned: Planned, line: Line) -> None:
        names = planned.differences(line.kind, line.body) or []
        text = f"{line.kind} tells another {' and '.join(names)}{_of(planned)}"
        promise = planned.promise_of(names)
        found = tell(line.kind, line.body, names)
        self._speaker.broken(promise, text, line, planned.told(names), found)
        self._check_at_once(planned, line)

    def _judge(self, state: State, line: Line) -> None:
        judge = _JUDGES.get(line.kind)
        if judge is not None:
            self.plan(judge(state, line, self._speaker))
        elif line.kind in _DUE and line.body.get("what") not in _BEFORE_HAND:
            self._judge_due(state, line)

    def _judge_due(self, state: State, line: Line) -> None:
        """Compare an entry with the first thing that is due."""
        due = find_due(state, line.at)
        if not (due and due[0].kind == line.kind) and line.kind in _ENDING:
            due = self._find_ending(state, line) or due
        if due and due[0].kind == line.kind:
            self._plan.extend(due)
            self._follow(line)
            return
        found = tell(line.kind, line.body)
        text = f"{line.kind} is not due{_of_body(line)}"
        if not due:
            self._speaker.broken(_DUE[line.kind], text, line, "nothing is due", found)
            return
        # Either of them may be the one that is wrong.
        for promise in dict.fromkeys((_DUE[line.kind], due[0].promise)):
            words = f"{text}, but {due[0].kind}"
            self._speaker.broken(promise, words, line, due[0].told(), found)

    def _find_ending(self, state: State, line: Line) -> list[Planned]:
        """Return how a tournament ends that is cancelled, or the closing of a table before that.

        After a restore the tables that are not lost are closed, rising.
        """
        cancelled = [] if state.ended else plan_cancelling(state)
        if cancelled and cancelled[0].kind == line.kind:
            return cancelled
        if line.kind == "tournament_closed" and not state.started:
            return plan_closing(state, "cancelled")
        number = line.body.get("table", 0)
        if line.kind == "table_closed" and number > state.last_closed and number in state.tables:
            fields = {"table": number, "game": state.tables[number].game}
            return [Planned("table_closed", fields, Promise.LINKED)]
        return []


def _of(planned: Planned) -> str:
    return _place(planned.fields)


def _of_body(line: Line) -> str:
    return _place(line.body)


def _place(body: Mapping[str, object]) -> str:
    words = [f"{name} {body[name]}" for name in ("player", "table", "level") if name in body]
    return f" ({', '.join(words)})" if words else ""
