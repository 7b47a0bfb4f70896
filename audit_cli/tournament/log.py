"""One tournament's log while it is read: its grammar, its state, and what follows from both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.report.finding import Promise
from audit_cli.tournament.commands import Commands
from audit_cli.tournament.dealing import deal_out
from audit_cli.tournament.drawing import Drawing
from audit_cli.tournament.effects import Effect, effects_of
from audit_cli.tournament.folding import fold
from audit_cli.tournament.judging import Judge
from audit_cli.tournament.speaking import MAX_FAULTS
from audit_cli.tournament.state import State
from audit_cli.tournament.structure import read_structure

if TYPE_CHECKING:
    from audit_cli.gamefile import Header, Line
    from audit_cli.tournament.speaking import Speaker

_BEFORE_START = frozenset(
    {"registered", "withdrawn", "started", "stopped", "resumed", "tournament_closed"}
)
# Nothing is commanded any more once the tables close; what is due is judged as such.
_NOT_AT_END = frozenset(
    {
        *("registered", "reentered", "rebought", "added_on", "disqualified"),
        *("deal_agreed", "colored_up", "hand_started"),
    }
)
_OF_STATE = (Promise.SEATED, Promise.LEVELS, Promise.COUNTED, Promise.PLACED)


class TournamentLog:
    """Follows the entries of a tournament, each judged by the state before it."""

    def __init__(self, header: Header, speaker: Speaker) -> None:
        self.header = header
        self._speaker = speaker
        self._judge = Judge(speaker)
        self._drawing = Drawing(speaker)
        self.commands = Commands()
        self.state: State | None = None
        self.entries = 0
        self.last_at = 0
        self.hands = 0
        self.moves = 0
        self.effects: dict[int, list[Effect]] = {}
        self.closes: dict[int, Line] = {}

    @property
    def draws(self) -> int:
        """How many draws were judged."""
        return self._drawing.count

    def line(self, line: Line) -> None:
        """Take the next covered entry."""
        self.entries += 1
        if not line.kind:
            self._lose(line)
            return
        if line.at < self.last_at:
            self._speaker.broken(Promise.ORDERED, "time goes back", line, self.last_at, line.at)
        self.last_at = max(self.last_at, line.at)
        if line.kind == "tournament_opened":
            self._open(line)
        elif self.state is None:
            if self.entries == 1:
                text = "a tournament's log begins with tournament_opened"
                self._speaker.broken(Promise.ORDERED, text, line, "tournament_opened", line.kind)
        else:
            self._take(self.state, line)

    def _lose(self, line: Line) -> None:
        """Go on behind an entry that could not be read: what it changed is not known."""
        self._drawing.lose()
        self._judge.forget()
        if self.state is not None and not self.state.torn:
            self.state.torn = True
            for promise in _OF_STATE:
                text = "an entry could not be read; what follows it is not judged"
                self._speaker.unproved(promise, text, line)

    def _open(self, line: Line) -> None:
        if self.state is not None:
            self._speaker.broken(Promise.ORDERED, "tournament_opened comes twice", line)
            return
        if self.entries > 1:
            text = "tournament_opened is not the first entry"
            self._speaker.broken(Promise.ORDERED, text, line)
        body = line.body
        structure = read_structure(body["structure"])
        self.state = State(body["tournament"], body["origin"], structure, body["draw_commitment"])
        if self.entries > 1:
            self._lose(line)

    def _take(self, state: State, line: Line) -> None:
        body = line.body
        if state.closed:
            text = f"{line.kind} stands behind the end of the tournament"
            self._speaker.broken(Promise.ORDERED, text, line)
            return
        if state.ended and line.kind in _NOT_AT_END:
            text = f"{line.kind} stands behind the close of a table"
            self._speaker.broken(Promise.ORDERED, text, line)
        self._count(state, line)
        self.commands.line(state, line)
        for table, effect in effects_of(state, line):
            self.effects.setdefault(table, []).append(effect)
        if line.kind == "drawn":
            self._drawing.drawn(state, line)
        elif line.kind == "tournament_closed":
            self._drawing.closed(state, line)
        if not state.torn and self._speaker.said <= MAX_FAULTS:
            if not state.started and line.kind not in _BEFORE_START:
                text = f"{line.kind} stands before the start"
                self._speaker.broken(Promise.ORDERED, text, line)
            else:
                self._judge.judge(state, line)
        if line.kind == "drawn" and not state.torn:
            self._judge.plan(deal_out(state, body))
        fold(state, line)

    def _count(self, state: State, line: Line) -> None:
        kind, body = line.kind, line.body
        if kind == "hand_finished":
            self.hands += 1
        elif kind == "moved":
            self.moves += 1
        elif kind == "table_closed":
            self.closes.setdefault(body["table"], line)
            table = state.tables.get(body["table"])
            if table is None or table.game != body["game"]:
                text = f"table {body['table']} closes with another game"
                expected = "no such table" if table is None else table.game
                self._speaker.broken(Promise.LINKED, text, line, expected, body["game"])
        elif kind == "table_opened":
            self._check_game(state, line)

    def _check_game(self, state: State, line: Line) -> None:
        """See that a table and its game are new."""
        body = line.body
        table, game = body["table"], body["game"]
        if table in state.tables:
            self._speaker.broken(Promise.ORDERED, f"table {table} opens twice", line)
        if game in state.games or game == state.tournament:
            text = f"table {table} is a game that stands for another log"
            other = state.games.get(game, "the tournament's own log")
            self._speaker.broken(Promise.LINKED, text, line, "a new game", f"as of {other}")
