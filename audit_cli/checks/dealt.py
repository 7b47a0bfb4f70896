"""DEALT: positions went out 0, 1, 2, ... by the rule, and none is opened but where it was dealt.

One card at a time from the left of the button, as many rounds as there are hole cards; then a burn
and three to the flop, a burn and one to the turn, a burn and one to the river. A second board goes
on behind the first with burns of its own (protocol 4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audit_cli.checks.voice import Voice, count
from audit_cli.poker.positions import clockwise
from audit_cli.report.finding import Promise
from audit_cli.spool import Shelf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit_cli.checks.check import Emit
    from audit_cli.checks.table import Table
    from audit_cli.gamefile import Extra, Foreseen, Line

# Where a position goes: a seat's number, the board as -1, a burn as 0.
_BURN, _BOARD = 0, -1
_STREETS = ((_BURN, _BOARD, _BOARD, _BOARD), (_BURN, _BOARD), (_BURN, _BOARD))
_SECOND_BOARD = -2
# Positions as they are logged, their numbers, where they go, and the first of them if they rise
# by one (else -1).
_Logged = tuple[list[dict[str, Any]], list[int], tuple[int, ...], int]
_MOST_KNOWN = 32


def _words(target: int) -> str:
    if target == _BURN:
        return "burn"
    if target < _BOARD:
        return f"board {-target}"
    return "board" if target == _BOARD else f"seat {target}"


def _list(first: int, targets: Sequence[int]) -> str:
    return ", ".join(f"{at} {_words(target)}" for at, target in enumerate(targets, first))


class Dealt:
    """Follows the positions of each hand."""

    def __init__(self, emit: Emit) -> None:
        self._voice = Voice(Promise.DEALT, emit)
        self.positions = 0
        self._openings = 0
        # Logged positions by their identity, with which they are kept.
        self._known: dict[int, _Logged] = {}

    def begin(self, table: Table) -> None:
        """Begin a game."""
        self._table = table
        self._voice.begin(table.game)
        self._plan: list[tuple[int, ...]] = []
        self._next = 0
        # Where positions went: those from 0 on that went out by the rule, and all others.
        self._row: list[int] = []
        self._others: dict[int, int] = {}
        # How many hole cards each hand dealt: what a player's own opening may be of.
        self._holes = Shelf()
        self._unsigned = 0
        self._hand = 0

    def hand_opened(self, line: Line) -> None:
        """Plan the positions of a fresh deck, when the table has taken the opening."""
        hand = self._table.hand
        assert hand is not None
        order = clockwise(hand.players, hand.button)
        rules = self._table.rules
        rounds = 2 if rules is None else rules.hand.game.hole_cards
        self._plan = [order * rounds, *_STREETS]
        self._next = 0
        self._row = []
        self._others = {}
        self._hand = line.body["hand"]

    def dealt(self, line: Line) -> None:
        """Positions go out."""
        if self._table.torn:
            return
        _, positions, targets, first = self._read(line.body["positions"])
        self.positions += len(positions)
        wanted = self._plan.pop(0) if self._plan else ()
        if not self._next:
            self._holes.put(self._hand, len(positions).to_bytes(4, "big"))
        if targets == wanted and first == self._next:
            if first == len(self._row) and not self._others:
                self._row += targets
                self._next += len(targets)
                return
        else:
            pairs = zip(positions, targets, strict=True)
            self._voice.broken(
                "positions did not go out by the rule",
                line,
                self._hand,
                _list(self._next, wanted) or "no more positions",
                ", ".join(f"{at} {_words(target)}" for at, target in pairs),
            )
        for position, target in zip(positions, targets, strict=True):
            # A position stays where it went first.
            if position >= len(self._row):
                self._others.setdefault(position, target)
        self._next = 1 + max(positions)

    def _went_to(self, position: int) -> int | None:
        """Return where a position went; None where it was not dealt."""
        row = self._row
        return row[position] if position < len(row) else self._others.get(position)

    def _read(self, logged: list[dict[str, Any]]) -> _Logged:
        """Return positions that go out; the very same ones come in many hands."""
        known = self._known.get(id(logged))
        if known is None or known[0] is not logged:
            positions = [item["position"] for item in logged]
            # Neither seat nor board is where a burn goes. A second board that was not agreed on
            # matches no plan.
            targets = tuple([item.get("seat") or -item.get("board", _BURN) for item in logged])
            first = positions[0]
            if positions != [*range(first, first + len(positions))]:
                first = -1
            known = logged, positions, targets, first
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[id(logged)] = known
        return known

    def holes(self, hand: int) -> int:
        """Return how many positions the hole cards of a hand have."""
        return int.from_bytes(self._holes.get(hand) or b"", "big")

    def foreseen(self, found: Foreseen) -> None:
        """Take what came of the play of the open hand."""
        self.positions += found.positions
        # They went out as they were planned.
        while self._next < found.positions:
            self._row += self._plan.pop(0)
            self._next = len(self._row)
        self._openings += len(found.cards)
        if found.holes:
            self._holes.put(self._hand, found.holes.to_bytes(4, "big"))

    def runs_agreed(self, _: Line) -> None:
        """Plan the second board: what is left of the first, once more."""
        again = [
            tuple(_SECOND_BOARD if target == _BOARD else target for target in street)
            for street in self._plan
            if street in _STREETS
        ]
        self._plan += again

    def opened(self, line: Line) -> None:
        """Positions are opened, each where it was dealt."""
        if self._table.torn:
            return
        body = line.body
        target = body["seat"] if "seat" in body else -body["board"]
        cards = body["cards"]
        self._openings += len(cards)
        last = -1
        for card in cards:
            position = card["position"]
            dealt = self._went_to(position)
            if dealt != target:
                self._voice.broken(
                    f"position {position} is opened where it was not dealt",
                    line,
                    body["hand"],
                    "not dealt" if dealt is None else _words(dealt),
                    _words(target),
                )
            if position <= last:
                text = "the cards of an opening do not stand by rising position"
                self._voice.broken(text, line, body["hand"])
            last = position

    def behind(self, extra: Extra) -> None:
        """Judge that a player's own opening is of a hole card."""
        body = extra.body
        if extra.kind != "opening" or self._table.damaged:
            return
        holes = self._holes.get(body["hand"])
        if holes is None and not extra.whole:
            self._unsigned += 1
        elif body["position"] >= int.from_bytes(holes or b"", "big"):
            text = f"position {body['position']} is opened to a player, and went to none"
            self._voice.broken_at(text, extra.number, body["hand"])

    def end(self) -> None:
        """End the game: count what was not listed."""
        if self._unsigned:
            text = f"{count(self._unsigned, 'own opening')} of hands whose dealing is not signed"
            self._voice.unproved(text)
        self._voice.end()

    def conclude(self) -> None:
        """Say what was followed."""
        self._voice.holds(
            f"{count(self.positions, 'position')} in order, {count(self._openings, 'opening')} "
            "where they were dealt"
        )
