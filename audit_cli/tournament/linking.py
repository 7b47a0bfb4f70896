"""LINKED: what a tournament's log says of its tables, their own logs say too, at the same time.

Both sides are lists of effects; each of the one is looked for in the other. Where a side ends
early or could not be read whole, what is missing there is not established.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING, Any

from audit_cli.report.finding import Promise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from audit_cli.gamefile import Line
    from audit_cli.tournament.effects import Effect, Key
    from audit_cli.tournament.speaking import Speaker
    from audit_cli.tournament.state import State
    from audit_cli.tournament.tables import TableLog

_CLOSED = ("tournament",)
_RESTORED = ("restored", "tournament")


class Linking:
    """Compares one tournament with one of its tables after another."""

    def __init__(self, speaker: Speaker, state: State, last_at: int, key: str) -> None:
        self._speaker = speaker
        self._state = state
        # What the tournament's log can not tell any more is told by its last time.
        self._last_at = last_at
        self._key = key

    def compare(
        self, number: int, log: TableLog, effects: Sequence[Effect], closed: Line | None
    ) -> None:
        """Compare a table's log with the effects at it, and with the entry of its close."""
        where = f"table {number}"
        if (log.tournament, log.number) != (self._state.tournament, number):
            self._broken(
                f"the game of {where} is by its rules a table of another tournament or number",
                log.opened,
                f"table {number} of {self._state.tournament}",
                f"table {log.number} of {log.tournament}",
                log,
            )
        if log.origin != self._state.origin:
            text = f"the game of {where} is of another origin"
            self._broken(text, log.opened, self._state.origin, log.origin, log)
        if log.key != self._key:
            text = f"the log of {where} is signed by another key than the tournament's"
            self._broken(text, log.opened, self._key, log.key, log)
        self._compare_rules(where, log)
        self._compare_effects(where, log, effects)
        if closed is not None:
            self._compare_close(where, log, closed)
        self._speaker.begin(log.game)
        self._judge_levels(number, log)
        self._judge_waiting(number, log)
        self._speaker.begin(self._state.tournament)

    def _broken(
        self, text: str, line: Line, expected: object, found: object, log: TableLog | None = None
    ) -> None:
        """Say what does not fit, at an entry of the tournament's log or of a table's."""
        self._speaker.begin(self._state.tournament if log is None else log.game)
        self._speaker.broken(Promise.LINKED, text, line, expected, found)

    def _compare_rules(self, where: str, log: TableLog) -> None:
        rules = {name: value for name, value in log.rules.items() if name != "tournament"}
        wanted = self._state.structure.rules
        names = sorted(
            name for name in rules.keys() | wanted.keys() if rules.get(name) != wanted.get(name)
        )
        if names:
            self._broken(
                f"the rules of {where} are not those of the structure",
                log.opened,
                _some(wanted, names),
                _some(rules, names),
                log,
            )

    def _compare_effects(self, where: str, log: TableLog, effects: Sequence[Effect]) -> None:
        missing, extra = self._match(where, log, effects)
        by_kind: dict[str, deque[Effect]] = defaultdict(deque)
        for one in extra:
            by_kind[one.kind].append(one)
        for one in missing:
            others = by_kind[one.kind]
            if others:
                other = others.popleft()
                text = f"{where}'s log tells {one.kind} otherwise than the tournament"
                self._broken(text, other.line, one.told(), other.told(), log)
                if other.is_of_chips(one):
                    expected, found = one.told(), other.told()
                    self._speaker.broken(Promise.COUNTED, text, other.line, expected, found)
            elif self._may_lack(log, one):
                continue
            else:
                text = f"{where}'s log has no {one.kind} where the tournament has it"
                self._broken(text, one.line, one.told(), f"not in the log of {where}")
        for one in (one for others in by_kind.values() for one in others):
            if self._may_not_tell(one):
                continue
            text = f"{where}'s log has a {one.kind} that the tournament has not"
            self._broken(text, one.line, "not in the tournament's log", one.told(), log)

    def _match(
        self, where: str, log: TableLog, effects: Sequence[Effect]
    ) -> tuple[list[Effect], list[Effect]]:
        """Find each effect in the table's log; return those without a match on either side."""
        places: dict[Key, deque[int]] = defaultdict(deque)
        for index, one in enumerate(log.effects):
            places[one.key].append(index)
        missing = []
        matched = set()
        last = -1
        for one in effects:
            found = places.get(one.key)
            if not found:
                missing.append(one)
                continue
            index = found.popleft()
            matched.add(index)
            other = log.effects[index]
            if other.at != one.at:
                text = f"{where}'s log tells {one.kind} at another time than the tournament"
                self._broken(text, other.line, one.at, other.at, log)
            if index < last:
                text = f"{where}'s log tells {one.kind} in another order than the tournament"
                self._broken(text, other.line, one.told(), other.told(), log)
            last = max(last, index)
        extra = [one for index, one in enumerate(log.effects) if index not in matched]
        return missing, extra

    def _may_lack(self, log: TableLog, one: Effect) -> bool:
        """Whether a table's log may just not be here as far as that."""
        return log.damaged or (not log.closed_by and one.at >= log.last_at)

    def _may_not_tell(self, one: Effect) -> bool:
        """Whether the tournament's log may just not be here as far as that."""
        return self._state.torn or (not self._state.closed and one.at >= self._last_at)

    def _compare_close(self, where: str, log: TableLog, closed: Line) -> None:
        if not log.closed_by:
            return
        told = (closed.body["size"], closed.body["root"])
        if told != (log.size, log.root):
            text = f"{where} is closed with another size or root than that of its log"
            expected, found = (
                f"size {size}, root {root}" for size, root in ((log.size, log.root), told)
            )
            self._broken(text, closed, expected, found)
        # One that was closed before a restore was closed by the tournament.
        reasons = _RESTORED if self._state.reason == "restored" else _CLOSED
        if self._state.closed and log.closed_by not in reasons:
            text = f"{where} closes by another reason than the tournament"
            self._broken(text, closed, " or ".join(reasons), log.closed_by)

    def _judge_levels(self, number: int, log: TableLog) -> None:
        """LEVELS: hands are played by the blinds of the structure."""
        for terms, line in log.levels.values():
            told = {name: value for name, value in terms.items() if name != "level"}
            level = terms.get("level", 0)
            levels = self._state.structure.levels
            wanted = levels[level - 1].terms if 0 < level <= len(levels) else {}
            if told != wanted:
                text = f"a hand of table {number} is not played by level {level} of the structure"
                self._speaker.broken(Promise.LEVELS, text, line, _some(wanted), _some(told))

    def _judge_waiting(self, number: int, log: TableLog) -> None:
        """LEVELS: no hand before its players' anchors, or their time."""
        for early in log.early:
            entrant = self._state.entrants.get(early.player)
            if entrant is not None and entrant.anchors:
                text = f"a hand of table {number} does not wait for the anchor of {early.player}"
                expected = f"not before {early.not_before}"
                self._speaker.broken(Promise.LEVELS, text, early.line, expected, early.line.at)


def _some(values: dict[str, Any], names: Sequence[str] = ()) -> str:
    def words() -> Iterator[str]:
        for name in names or sorted(values):
            yield f"{name} {values.get(name, 'absent')}"

    return ", ".join(words())
