"""DRAWN: each draw opens its commitment, derives, and is of the list that the protocol names.

Secrets and numbers are held to each other even where an entry before could not be read; the list
only where the state is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.derive import StreamExhaustedError
from audit_cli.report.finding import Promise
from audit_cli.tournament.dealing import list_items
from audit_cli.tournament.draws import commit_draw, draw_order
from audit_cli.tournament.due import find_due, find_hold
from audit_cli.tournament.speaking import MAX_FAULTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit_cli.gamefile import Line
    from audit_cli.tournament.speaking import Speaker
    from audit_cli.tournament.state import State

_SHOWN = 12


class Drawing:
    """Follows the chain of commitments of one tournament."""

    def __init__(self, speaker: Speaker) -> None:
        self._speaker = speaker
        self._secrets: set[str] = set()
        # Whether a draw may have been lost, so that the next commitment is not known.
        self._lost = False
        self.count = 0

    def lose(self) -> None:
        """Note that an entry could not be read."""
        self._lost = True

    def drawn(self, state: State, line: Line) -> None:
        """Judge a draw by the state before it."""
        body = line.body
        self.count += 1
        lost, self._lost = self._lost, False
        number = body["draw"]
        if number != state.draws + 1 and not (lost and number > state.draws):
            self._break("a draw has another number", line, state.draws + 1, number)
        if not lost:
            self._open(state, line, number)
        self._check_new(line)
        self._check_place(state, line)
        if not state.torn and self._speaker.said <= MAX_FAULTS:
            self._derive(state, line)

    def closed(self, state: State, line: Line) -> None:
        """Judge the secret that no draw used."""
        if not self._lost:
            self._open(state, line, state.draws + 1)
        self._check_new(line)

    def _open(self, state: State, line: Line, number: int) -> None:
        secret = bytes.fromhex(line.body["secret"])
        tournament = bytes.fromhex(state.tournament)
        commitment = commit_draw(state.origin, tournament, number, secret).hex()
        if commitment != state.commitment:
            text = f"the secret of draw {number} does not open its commitment"
            self._break(text, line, state.commitment, commitment)

    def _check_new(self, line: Line) -> None:
        secret = line.body["secret"]
        if secret in self._secrets:
            self._break("the secret of a draw comes twice", line)
        self._secrets.add(secret)

    def _check_place(self, state: State, line: Line) -> None:
        """See that a draw before a hand stands where there is one to be made."""
        body = line.body
        if state.torn or body["what"] not in ("button", "race"):
            return
        table = state.tables.get(body["table"])
        where = f"table {body['table']}"
        if table is None or not table.is_open or table.hand is not None:
            text = f"a {body['what']} is drawn at {where}, which is not between hands"
            self._break(text, line)
        elif body["what"] == "button" and (table.last_hand or state.button_seat(table)):
            self._break(f"a button is drawn at {where}, which has one", line)
        elif not state.ended:
            self._check_due(state, table.number, line)

    def _check_due(self, state: State, table: int, line: Line) -> None:
        """See that a hand could start there: who draws sooner or later chooses the draw."""
        text = f"a {line.body['what']} is drawn at table {table}, where no hand may start"
        due = find_due(state, line.at)
        if due:
            self._break(text, line, due[0].told())
        elif state.stopped or state.in_break:
            self._break(text, line, found="stopped" if state.stopped else "in a break")
        elif (hold := find_hold(state, table)) is not None:
            self._break(text, line, found=hold)

    def _derive(self, state: State, line: Line) -> None:
        body = line.body
        items, order = list_items(state, body), tuple(body["order"])
        name = f"draw {body['draw']} ({_told(body)})"
        # A table without players is broken with a draw of nobody.
        if not items and body["what"] != "break":
            self._break(f"{name} is of nobody", line, "no draw", _list(order))
            return
        if sorted(items) != sorted(order):
            self._break(f"{name} is of another list", line, _list(sorted(items)), _list(order))
        secret, tournament = bytes.fromhex(body["secret"]), bytes.fromhex(state.tournament)
        commitment = commit_draw(state.origin, tournament, body["draw"], secret)
        try:
            derived = draw_order(state.origin, tournament, body["draw"], secret, commitment, items)
        except StreamExhaustedError:
            self._break(f"{name} is of a list longer than a stream can draw from", line)
            return
        if derived != order and sorted(items) == sorted(order):
            self._break(f"the order of {name} does not derive", line, _list(derived), _list(order))

    def _break(self, text: str, line: Line, expected: object = None, found: object = None) -> None:
        self._speaker.broken(Promise.DRAWN, text, line, expected, found)


def _told(body: dict[str, object]) -> str:
    names = [f"{name} {body[name]}" for name in ("table", "player") if name in body]
    return ", ".join([str(body["what"]), *names])


def _list(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:_SHOWN]))
    return f"{shown}, …" if len(numbers) > _SHOWN else shown
