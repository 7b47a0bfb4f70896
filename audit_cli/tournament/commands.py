"""What players, operators and the dealer's own pace did to a tournament that no rule asks for.

A rule can not judge whom an operator disqualifies, when it stops, whether players did agree to a
deal, or how long the dealer left a table waiting. So it is told, by name, for the reader to judge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.checks.voice import count
from audit_cli.tournament.clocks import is_closing_due
from audit_cli.tournament.due import is_start_due

if TYPE_CHECKING:
    from audit_cli.gamefile import Line
    from audit_cli.tournament.speaking import Speaker
    from audit_cli.tournament.state import State, Table

LONG_MS = 60_000
"""A table that could play, and did not for so long, is told of."""

_MOST = 20
# Behind these a table may play again that something had held back.
_FREEING = frozenset(
    {
        *("resumed", "table_broken", "moved", "seated"),
        *("hand_for_hand_begun", "hand_for_hand_ended"),
    }
)
_ENTERING = frozenset({"registered", "withdrawn", "reentered", "rebought", "added_on"})
# These belong to the hand that they stand before.
_BEFORE_HAND = frozenset({"drawn", "colored_up"})


class Commands:
    """Gathers what was commanded in one tournament, and the longest wait of a table."""

    def __init__(self) -> None:
        self._disqualified: list[str] = []
        self._late: list[str] = []
        self._deals: list[str] = []
        self._stops = 0
        self._stopped_at: int | None = None
        self._stopped_ms = 0
        self._last_in = 0
        self._touched: dict[int, int] = {}
        self._freed = 0
        self._waits = 0
        self._longest = (0, "")

    def line(self, state: State, line: Line) -> None:
        """Take an entry, by the state before it."""
        kind, body = line.kind, line.body
        if kind in _ENTERING and not state.registration_closed and _is_late(state, line.at):
            self._late.append(f"{body['player']}, {kind}")
        if kind == "registered":
            self._last_in = line.at
        elif kind == "started":
            self._start(state, line)
        elif kind == "disqualified":
            self._disqualified.append(f"{body['player']} of table {body['table']}")
        elif kind == "stopped":
            self._stops += 1
            self._stopped_at = line.at
        elif kind == "resumed" and self._stopped_at is not None:
            self._stopped_ms += line.at - self._stopped_at
            self._stopped_at = None
        elif kind == "deal_agreed":
            self._deals.append(_tell_deal(body["shares"], body["left"]))
        elif kind == "hand_started":
            self._wait(state, line)
        self._touch(state, line)

    def _start(self, state: State, line: Line) -> None:
        due = state.structure.start_at
        waited = line.at - (self._last_in if due is None else due)
        if waited >= LONG_MS:
            self._note(waited, "the start")

    def _touch(self, state: State, line: Line) -> None:
        kind = line.kind
        frees = kind in _FREEING or (kind == "level_begun" and state.in_break)
        if frees or (kind == "hand_finished" and state.hand_for_hand):
            self._freed = line.at
        number = line.body.get("table")
        if type(number) is int and kind not in _BEFORE_HAND:
            self._touched[number] = line.at

    def _wait(self, state: State, line: Line) -> None:
        table: Table | None = state.tables.get(line.body["table"])
        if table is None:
            return
        since = max(self._touched.get(table.number, line.at), self._freed)
        waited = line.at - since - state.structure.link_ms * bool(table.fresh)
        if waited >= LONG_MS:
            self._note(waited, f"hand {line.body['hand']} of table {table.number}")

    def _note(self, waited: int, what: str) -> None:
        self._waits += 1
        self._longest = max(self._longest, (waited, what))

    def tell(self, speaker: Speaker) -> None:
        """Tell what there was of it."""
        if self._disqualified:
            text = f"disqualified by the operator: {count(len(self._disqualified), 'player')}"
            speaker.notice(text, *_first(self._disqualified))
        if self._stops:
            text = f"the operator stopped this tournament {count(self._stops, 'time')}"
            speaker.notice(f"{text}, {self._stopped_ms:,} ms in all")
        if self._deals:
            text = "a deal was agreed on: that every player did is the dealer's word"
            speaker.notice(text, *_first(self._deals))
        if self._late:
            text = "entered, left or bought when the start or the close of registration was due"
            speaker.notice(text, *_first(self._late))
        if self._waits:
            waited, what = self._longest
            text = f"what could begin waited for {LONG_MS:,} ms or more"
            times = count(self._waits, "time")
            speaker.notice(f"{text}, {times}; longest {what}, {waited:,} ms")


def _is_late(state: State, at: int) -> bool:
    """Whether it is due that nobody enters: the dealer can see what each entry makes of a draw."""
    return is_closing_due(state, at) if state.started else is_start_due(state, at)


def _first(names: list[str]) -> list[str]:
    more = len(names) - _MOST
    return names if more <= 0 else [*names[:_MOST], f"and {more:,} more"]


def _tell_deal(shares: list[dict[str, object]], left: int) -> str:
    told = [f"{share['player']} {share['amount']}" for share in shares]
    return ", ".join([*_first(told), f"left {left}"])
