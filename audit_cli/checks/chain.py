"""Games that go on from each other: what each says of the other agrees (protocol 6.2).

Judged where both games are in the input, in any order: `previous` against the end of the game
that it names, and `next` against the game that it names. A break in the chain is one of COMPLETE
(a game between two is missing or another), other seats, stacks or buttons are one of PLAYED.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from audit_cli.checks.voice import Voice
from audit_cli.merkle import HASH_BYTES
from audit_cli.report.finding import Promise
from audit_cli.spool import Spool, root_of_spool

if TYPE_CHECKING:
    from audit_cli.checks.check import Emit
    from audit_cli.checks.table import Table
    from audit_cli.gamefile import Line, Play


class _End(NamedTuple):
    """How a game closed: its log up to `game_closed`, its last button and its seats."""

    line: Line
    size: int
    root: str
    next_game: str | None
    button: int
    button_stays: bool
    seats: list[dict[str, Any]]


class Chain:
    """Remembers how games begin and end, and compares them when the input is over."""

    def __init__(self, emit: Emit) -> None:
        self._played = Voice(Promise.PLAYED, emit)
        self._complete = Voice(Promise.COMPLETE, emit)
        self._openings: dict[str, Line] = {}
        self._ends: dict[str, _End] = {}
        self._origins: dict[str, str] = {}

    def begin(self, table: Table) -> None:
        """Begin a game."""
        self._table = table
        self.leaves = Spool()
        self._fresh = self.leaves.buffer
        self._closed = False
        for voice in (self._played, self._complete):
            voice.begin(table.game)
        if table.game in self._origins:
            self._complete.notice("this game stands in the input more than once")
        self._origins[table.game] = table.origin

    def line(self, line: Line) -> None:
        """Each entry's leaf."""
        self._fresh += line.leaf

    def play(self, play: Play) -> None:
        """Take the leaves of many entries."""
        self._fresh += b"".join(play.leaves)

    def hand_opened(self, _: Line) -> None:
        """Keep what has come so far beside memory."""
        self.leaves.settle()

    def game_opened(self, line: Line) -> None:
        """How the game begins."""
        self._openings.setdefault(self._table.game, line)

    def game_closed(self, line: Line) -> None:
        """How the game ends; called behind `line` and before the table takes the entry."""
        again, self._closed = self._closed, True
        if again or self._table.torn:
            return
        leaves = self.leaves
        size = len(leaves) // HASH_BYTES
        root = b""
        if "next" in line.body:
            # Worked out only where another game may repeat it.
            root = root_of_spool(leaves)
        table = self._table
        seats = [
            ({"house": True} if seat.house else {})
            | {
                "anchored": seat.anchor is not None,
                "player": seat.player,
                "seat": number,
                "sitting_out": seat.sitting_out,
                "stack": seat.stack,
            }
            for number, seat in sorted(table.seats.items())
        ]
        self._ends[table.game] = _End(
            line,
            size,
            root.hex(),
            line.body.get("next"),
            table.last.button,
            table.last.void,
            seats,
        )

    def conclude(self) -> None:
        """Compare each game with the one that it goes on from."""
        for game, opening in self._openings.items():
            previous = opening.body.get("previous")
            if previous is not None and previous["game"] in self._ends:
                self._compare(game, opening, previous, self._ends[previous["game"]])
            elif previous is not None and previous["game"] not in self._openings:
                self._tell(game, f"goes on from game {previous['game']}")
        for game, end in self._ends.items():
            follower = self._openings.get(end.next_game or "")
            if follower is None:
                if end.next_game is not None:
                    self._tell(game, f"goes on in game {end.next_game}")
                continue
            named = follower.body.get("previous", {}).get("game")
            if named != game:
                self._complete.begin(game)
                text = "the next game does not go on from this one"
                found = named or "no previous game"
                self._complete.broken(text, end.line, None, f"previous game {game}", found)

    def _tell(self, game: str, words: str) -> None:
        self._complete.begin(game)
        self._complete.notice(f"this game {words}, which is not in the input")

    def _compare(self, game: str, opening: Line, previous: dict[str, Any], end: _End) -> None:
        self._complete.begin(game)
        self._played.begin(game)
        before = previous["game"]
        if end.next_game != game:
            found = end.next_game or "none"
            text = f"game {before} does not name this game as its next"
            self._complete.broken(text, opening, None, game, found)
        told = (previous["size"], previous["root"])
        if end.root and told != (end.size, end.root):
            self._complete.broken(
                f"the log of game {before} ends otherwise than this game says",
                opening,
                None,
                f"size {end.size}, root {end.root}",
                f"size {told[0]}, root {told[1]}",
            )
        button = (previous["button"], previous["button_stays"])
        if button != (end.button, end.button_stays):
            self._played.broken(
                f"the button comes otherwise from game {before}",
                opening,
                None,
                _button(end.button, stays=end.button_stays),
                _button(button[0], stays=button[1]),
            )
        if previous["seats"] != end.seats:
            self._played.broken(
                f"the seats come otherwise from game {before}",
                opening,
                None,
                _seats(end.seats),
                _seats(previous["seats"]),
            )


def _button(seat: int, *, stays: bool) -> str:
    return f"button {seat}, last hand {'void' if stays else 'not void'}"


def _seats(seats: list[dict[str, Any]]) -> str:
    return "; ".join(
        f"seat {s['seat']} {s['player']} {s['stack']}"
        f"{', sitting out' if s['sitting_out'] else ''}{', anchored' if s['anchored'] else ''}"
        f"{', of the house' if 'house' in s else ''}"
        for s in seats
    )
