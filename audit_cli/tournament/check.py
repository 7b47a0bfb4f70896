"""All checks of tournaments (protocol 14.11), over the logs of an input in any order.

Each tournament's log is judged as it is read; with the input over, it is joined with the logs of
its tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.checks.voice import count
from audit_cli.report.finding import TOURNAMENT_PROMISES, Finding, Promise, Verdict
from audit_cli.tournament.linking import Linking
from audit_cli.tournament.log import TournamentLog
from audit_cli.tournament.speaking import Speaker
from audit_cli.tournament.tables import TableLogs

if TYPE_CHECKING:
    from audit_cli.checks.check import Emit
    from audit_cli.coverage import Ended
    from audit_cli.gamefile import Header, Line
    from audit_cli.tournament.state import State

_OF_ENTRIES = (*TOURNAMENT_PROMISES, Promise.ORDERED, Promise.COMPLETE)
# What is promised of hands.
_OF_HANDS = (Promise.BOUND, Promise.REPLAYED, Promise.DEALT, Promise.PLAYED)
_MOST_NAMED = 5


class Tournaments:
    """Follows every tournament of the input, and the logs of tables."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._speaker = Speaker(emit)
        self._log: TournamentLog | None = None
        # Of two files of one tournament the one that tells more is kept.
        self._logs: dict[str, tuple[TournamentLog, Ended]] = {}
        self._judged = 0
        self.tables = TableLogs()

    def begin(self, header: Header) -> None:
        """Begin a tournament's log."""
        self._speaker.begin(header.game)
        self._log = TournamentLog(header, self._speaker)

    def line(self, line: Line) -> None:
        """Take its next covered entry."""
        assert self._log is not None
        self._log.line(line)

    def end(self, ended: Ended) -> None:
        """End a tournament's log."""
        log, self._log = self._log, None
        assert log is not None
        speaker = self._speaker
        if ended.checkpoints == 0:
            for promise in _OF_ENTRIES:
                speaker.unproved(promise, f"no checkpoint of {ended.key} covers a line")
            return
        self._judged += log.entries
        before = self._logs.get(log.header.game)
        if before is not None:
            speaker.notice("this tournament stands in the input more than once")
        if before is None or before[1].covered < ended.covered:
            self._logs[log.header.game] = (log, ended)
        speaker.end()

    def conclude(self) -> None:
        """Join each tournament with its tables, and say what holds."""
        named: set[str] = set()
        for log, ended in self._logs.values():
            self._say_how_it_ended(log, ended)
            self._join(log, ended.key.text)
            if log.state is not None:
                named |= log.state.games.keys()
        self._find_strays(named)
        if self._judged:
            self._conclude()

    def _say_how_it_ended(self, log: TournamentLog, ended: Ended) -> None:
        speaker, state = self._speaker, log.state
        speaker.begin(log.header.game)
        if ended.first_unsigned is not None:
            unsigned = sum(ended.unsigned.values())
            text = f"{unsigned:,} unsigned entries behind the last checkpoint prove nothing"
            speaker.unproved(Promise.COMPLETE, text)
        if state is None or not state.closed:
            text = "the signed entries end before the tournament closed"
            speaker.unproved(Promise.COMPLETE, text)
        elif state.reason == "restored":
            text = "this tournament closed after a restore: what it owes is not told"
            speaker.unproved(Promise.PLACED, text)
            speaker.notice(text)
        elif state.reason == "cancelled":
            speaker.notice("this tournament was cancelled")
        log.commands.tell(speaker)
        speaker.end()

    def _join(self, log: TournamentLog, key: str) -> None:
        state = log.state
        if state is None:
            return
        speaker = self._speaker
        speaker.begin(state.tournament)
        linking = Linking(speaker, state, log.last_at, key)
        missing = []
        for number, table in sorted(state.tables.items()):
            told = self.tables.logs.get(table.game)
            if told is None:
                missing.append(f"{number} ({table.game})" if table.game else str(number))
                continue
            linking.compare(number, told, log.effects.get(number, []), log.closes.get(number))
            self._find_open(state, number, told.closed_by, damaged=told.damaged)
        speaker.begin(state.tournament)
        if missing:
            some = ", ".join(missing[:_MOST_NAMED])
            more = ", …" if len(missing) > _MOST_NAMED else ""
            text = f"{count(len(missing), 'table')} not in the input: {some}{more}"
            speaker.unproved(Promise.COMPLETE, text)
            for promise in (Promise.LEVELS, Promise.COUNTED, Promise.LINKED):
                speaker.unproved(promise, text)
        if not state.closed:
            speaker.unproved(Promise.LINKED, "the tournament is not closed in its log")
        speaker.end()

    def _find_open(self, state: State, number: int, closed_by: str, *, damaged: bool) -> None:
        self._speaker.begin(state.tournament)
        if state.closed and not closed_by:
            text = f"the log of table {number} ends before its close"
            for promise in (Promise.COMPLETE, Promise.COUNTED, Promise.LINKED):
                self._speaker.unproved(promise, text)
        elif damaged:
            text = f"the log of table {number} could not be read whole"
            self._speaker.unproved(Promise.LINKED, text)

    def _find_strays(self, named: set[str]) -> None:
        """Find tables of these tournaments that they do not name, and tables of others."""
        here = {game for game, (log, _) in self._logs.items() if log.state is not None}
        for game, told in self.tables.logs.items():
            if game in named:
                continue
            self._speaker.begin(game)
            if told.tournament in here:
                text = "a game says that it is a table of a tournament that does not have it"
                expected, found = "a table that opened", f"table {told.number}"
                self._speaker.broken(Promise.LINKED, text, told.opened, expected, found)
            else:
                self._speaker.notice(
                    f"table {told.number} of tournament {told.tournament}, whose log is not in the "
                    "input: its levels, seats and first button are taken as they are logged"
                )

    def _conclude(self) -> None:
        holds = self._speaker.holds
        logs = [log for log, _ in self._logs.values()]
        draws, hands = sum(log.draws for log in logs), sum(log.hands for log in logs)
        moves = sum(log.moves for log in logs)
        states = [log.state for log in logs if log.state is not None]
        tables = sum(len(state.tables) for state in states)
        players = sum(len(state.entrants) for state in states)
        placed = sum(state.given for state in states)
        ended = all(log.state is not None and log.state.closed for log in logs)
        if ended and not tables and not self.tables.begun:
            for promise in _OF_HANDS:
                text = "no tournament here opened a table"
                self._emit.finding(Finding(promise, Verdict.NOT_APPLICABLE, text))
        holds(Promise.DRAWN, f"{count(draws, 'draw')}, each of a secret committed to before")
        holds(
            Promise.SEATED,
            f"{count(players, 'player')} at {count(tables, 'table')}, {count(moves, 'move')}",
        )
        holds(Promise.LEVELS, f"{count(hands, 'hand')}, each in its level")
        holds(Promise.COUNTED, f"the chips of {count(hands, 'hand')} follow from each other")
        holds(Promise.PLACED, f"{count(placed, 'place')} by the rule")
        holds(Promise.LINKED, f"{count(tables, 'table')} told alike by both logs")
        holds(Promise.ORDERED, f"{count(self._judged, 'entry')} of tournaments in order")
        holds(Promise.COMPLETE, f"{count(len(logs), 'tournament')} closed, with every table")
