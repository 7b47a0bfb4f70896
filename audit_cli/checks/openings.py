"""What an opening has to repeat and to place, by the log before it (protocol 6.3 and 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from audit_cli.poker.positions import (
    Last,
    called,
    has_passed,
    left_out,
    place_dead,
    place_moving,
    straddler,
)
from audit_cli.poker.rules import DEALT_IN

if TYPE_CHECKING:
    from collections.abc import Collection

    from audit_cli.checks.ruleset import Rules
    from audit_cli.checks.table import Seat, Table
    from audit_cli.poker.positions import Places

# Seat, player, stack and state; behind them an anchor, or what few houses have.
_PLAIN_FIELDS = 4
_SITS_OUT = frozenset({"sitting_out", "no_chips"})


class Told(NamedTuple):
    """What an opening tells of one seat."""

    player: str
    stack: int
    state: str
    choices: tuple[str, ...] = ()
    owes: tuple[int, int] | None = None
    waits: bool = False
    bank: int | None = None
    house: bool = False

    def __str__(self) -> str:
        """Say it in words, in the order of the fields."""
        words = [self.player, f"stack {self.stack}", self.state]
        if self.choices:
            words.append(f"choices {' '.join(self.choices)}")
        if self.owes is not None:
            words.append(f"owes {self.owes[0]} live and {self.owes[1]} dead")
        if self.waits:
            words.append("waits for the big blind")
        if self.bank is not None:
            words.append(f"time bank {self.bank}")
        if self.house:
            words.append("of the house")
        return ", ".join(words)


def place(dealt_in: Collection[int], table: Table, rules: Rules, told: int) -> Places:
    """Return where button and blinds stand with these seats dealt in.

    `told` is where the opening has the button: in the first hand of a tournament's table it is
    at any seat dealt in.
    """
    last = table.last
    if rules.tournament is not None and last.places is None:
        last = Last(told, void=True)
    return (place_dead if rules.dead_button else place_moving)(dealt_in, last)


def find_straddler(
    dealt_in: Collection[int], places: Places, table: Table, rules: Rules
) -> int | None:
    """Return the seat that straddles, by its standing choice and its stack."""
    if rules.hand.straddle is None:
        return None

    def may(seat: int) -> bool:
        held = table.seats[seat]
        return "straddle" in held.choices and held.stack >= 2 * rules.big_blind

    return straddler(rules.hand.straddle[0], dealt_in, places, may)


def tell_seats(table: Table, rules: Rules, told_button: int) -> dict[int, Told]:
    """Return what the opening that comes next has to tell of each seat.

    `told_button` is where it has the button.
    """
    if rules.newcomers == "by_position":
        return _tell_by_position(table, rules)
    states = {number: _state(seat, rules) for number, seat in sorted(table.seats.items())}
    waiting = [n for n, state in states.items() if state == "in" and table.seats[n].waits]
    others = [n for n, state in states.items() if state == "in" and n not in waiting]
    dealt_in = {*others, *called(waiting, others, table.last, dead=rules.dead_button)}
    for number in waiting:
        if number not in dealt_in:
            states[number] = "waiting"
    if len(dealt_in) < 2:
        # No hand can open; what one tells all the same has no places to go by.
        return {n: _tell(table.seats[n], state, rules) for n, state in states.items()}
    places = place(dealt_in, table, rules, told_button)
    straddle = find_straddler(dealt_in, places, table, rules)
    told = {}
    for number, state in states.items():
        seat = table.seats[number]
        one = _tell(seat, state, rules)
        if state == "in":
            owes = _posts(number, seat, places, straddle, rules)
            one = one._replace(owes=_or_none(owes), waits=False)
        elif state in _SITS_OUT:
            one = _miss(one, number, table, places, rules)
        told[number] = one
    return told


def _tell_by_position(table: Table, rules: Rules) -> dict[int, Told]:
    """Return the same where newcomers come in by position, and who sits out is dealt in."""
    out = left_out([number for number, seat in table.seats.items() if seat.stack], table.last)
    told = {}
    for number, seat in sorted(table.seats.items()):
        state = _state(seat, rules)
        if state == "in" and number in out:
            state = "waiting"
        elif state == "sitting_out" and seat.stack and number not in out:
            state = "absent"
        told[number] = _tell(seat, state, rules)
    return told


def is_plain(told: dict[str, Any], seat: Seat, rules: Rules) -> bool:
    """Whether an opening tells of a seat what it has to, and there is not more to tell."""
    return (
        told["stack"] == seat.stack
        and told["player"] == seat.player
        and told["state"] == _state(seat, rules)
        and ("anchor" in told) + _PLAIN_FIELDS == len(told)
        and not seat.choices
        and not seat.house
    )


def _state(seat: Seat, rules: Rules) -> str:
    """Return the first state that is true, waiting for the big blind aside."""
    if seat.sitting_out:
        return "sitting_out"
    if seat.stack == 0:
        return "no_chips"
    if seat.anchor is None and rules.links_required:
        return "no_anchor"
    return "in"


def _tell(seat: Seat, state: str, rules: Rules) -> Told:
    bank = None
    if rules.bank is not None:
        bank = seat.bank
        if state in DEALT_IN:
            bank = max(bank, min(bank + rules.bank.per_hand_ms, rules.bank.max_ms))
    owes = _or_none(seat.owes)
    return Told(seat.player, seat.stack, state, seat.choices, owes, seat.waits, bank, seat.house)


def _or_none(owes: tuple[int, int]) -> tuple[int, int] | None:
    return owes if any(owes) else None


def _posts(
    number: int, seat: Seat, places: Places, straddle: int | None, rules: Rules
) -> tuple[int, int]:
    """Return what a seat dealt in posts of what it owes."""
    live, dead = seat.owes
    if number == places.big:
        return 0, 0
    if number == straddle:
        return 0, dead
    if number == places.small and not places.dead:
        live = min(live, rules.big_blind - rules.hand.small_blind)
    return live, dead


def _miss(one: Told, number: int, table: Table, places: Places, rules: Rules) -> Told:
    """Add what a seat that sits out misses in this hand."""
    before = table.played
    if before is None or not rules.missed_blinds:
        return one
    missed_big = has_passed(number, before.big, places.big)
    if rules.missed_blinds == "wait":
        return one._replace(waits=one.waits or missed_big)
    live, dead = one.owes or (0, 0)
    if missed_big:
        live = rules.big_blind
    if rules.missed_blinds == "dead" and has_passed(number, before.small, places.small):
        dead = rules.hand.small_blind
    return one._replace(owes=_or_none((live, dead)))
