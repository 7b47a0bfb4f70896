"""What the logs of tables tell of their tournaments, kept until both can be compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from audit_cli.merkle import HASH_BYTES
from audit_cli.spool import root_of_spool
from audit_cli.tournament.effects import Effect, effect_of_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from audit_cli.checks.check import Handler
    from audit_cli.coverage import Ended
    from audit_cli.gamefile import Line
    from audit_cli.spool import Spool


@dataclass(slots=True)
class Early:
    """A hand that opened before a player that had just sat down had an anchor or its time."""

    player: str
    line: Line
    not_before: int


@dataclass(slots=True)
class TableLog:
    """One table's log, as far as its tournament is told in it.

    `levels` are the terms that its hands are played by, each with the first hand that has them;
    `size` and `root` are those of the log with its close, 0 and empty without one.
    """

    game: str
    origin: str
    tournament: str
    number: int
    opened: Line
    rules: dict[str, Any]
    effects: list[Effect] = field(default_factory=list)
    levels: dict[tuple[object, ...], tuple[dict[str, Any], Line]] = field(default_factory=dict)
    early: list[Early] = field(default_factory=list)
    key: str = ""
    closed_by: str = ""
    size: int = 0
    root: str = ""
    damaged: bool = False
    last_at: int = 0
    covered: int = 0


class TableLogs:
    """Gathers the logs of all tables of the input, by game."""

    def __init__(self) -> None:
        self.logs: dict[str, TableLog] = {}
        # How many games the input has, tables or not.
        self.begun = 0
        self._log: TableLog | None = None
        # Who sat down since the last hand opened and sits there yet, and when; who has an anchor.
        self._fresh: dict[str, int] = {}
        self._anchored: set[str] = set()
        self._opening: dict[str, Any] | None = None
        self.handlers: Mapping[str, Handler] = {
            "": self._unreadable,
            "game_opened": self._game_opened,
            "seat_taken": self._take,
            "seat_left": self._take,
            "player_removed": self._take,
            "chips_added": self._take,
            "anchored": self._note_anchor,
            "hand_opened": self._hand_opened,
            "hand_ended": self._take,
            "hand_void": self._take,
            "colored_up": self._take,
        }

    def begin(self) -> None:
        """Begin a game, of which it is not known yet whose table it is."""
        self.begun += 1
        self._log = self._opening = None
        self._fresh = {}
        self._anchored = set()

    def _game_opened(self, line: Line) -> None:
        whose = line.body["rules"].get("tournament")
        if whose is None or self._log is not None:
            return
        place = line._replace(body={}, leaf=b"")
        self._log = TableLog(
            line.body["game"],
            line.body["origin"],
            whose["tournament"],
            whose["table"],
            place,
            line.body["rules"],
        )
        self._take(line)

    def _unreadable(self, _: Line) -> None:
        if self._log is not None:
            self._log.damaged = True

    def _take(self, line: Line) -> None:
        log = self._log
        if log is None:
            return
        log.effects.append(effect_of_table(line, self._opening))
        log.last_at = line.at
        player = line.body.get("player", "")
        if line.kind in {"seat_left", "player_removed"}:
            self._fresh.pop(player, None)
        elif line.kind == "seat_taken":
            self._fresh[player] = line.at
            self._anchored.discard(player)
            if "anchor" in line.body:
                self._anchored.add(player)

    def _note_anchor(self, line: Line) -> None:
        if self._log is not None:
            self._anchored.add(line.body["player"])

    def _hand_opened(self, line: Line) -> None:
        log = self._log
        if log is None:
            return
        self._opening = line.body
        self._take(line)
        place = log.effects[-1].line
        terms = line.body.get("level", {})
        log.levels.setdefault(tuple(map(repr, sorted(terms.items()))), (terms, place))
        for player, sat in self._fresh.items():
            not_before = sat + log.rules["link_ms"]
            if player not in self._anchored and line.at < not_before:
                log.early.append(Early(player, place, not_before))
        self._fresh = {}

    def game_closed(self, line: Line, leaves: Spool) -> None:
        """Take the close, and the leaf hashes of the log with it."""
        log = self._log
        if log is None or log.closed_by:
            return
        self._take(line)
        log.closed_by = line.body["reason"]
        log.size = len(leaves) // HASH_BYTES
        log.root = root_of_spool(leaves).hex()

    def end(self, ended: Ended) -> None:
        """End a game; of two files of one game the one that tells more is kept."""
        log, self._log = self._log, None
        if log is None:
            return
        log.covered = ended.covered
        log.key = ended.key.text
        before = self.logs.get(log.game)
        if before is None or before.covered < log.covered:
            self.logs[log.game] = log
