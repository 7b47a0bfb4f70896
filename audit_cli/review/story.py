"""A told hand in plain poker words: who sat where, what everybody did, who won what, and with what.

A hand is a list of lines without newlines, indented by two below its heading. What happened beside
hands (`tell_aside`) and hands that were not played (`tell_other`) are a line each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.problem import printable
from audit_cli.review.heading import tell_level
from audit_cli.review.results import join_names, tell_award, tell_end
from audit_cli.told.events import (
    Act,
    Acted,
    Aside,
    Awarded,
    BlindsChopped,
    BoardDealt,
    By,
    Move,
    Mucked,
    Posted,
    Returned,
    RunsAgreed,
    Shown,
    Street,
    What,
)
from audit_cli.told.hand import Hand, Untold, Void
from audit_cli.told.made import made_hand
from audit_cli.told.moments import moment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from audit_cli.review.painting import Paint
    from audit_cli.told.events import Event
    from audit_cli.told.hand import Seat

_WHOLE = 5
_STATES = {
    "sitting_out": "sitting out",
    "no_chips": "no chips",
    "no_anchor": "no link to give",
    "waiting": "waiting for the big blind",
}
# There nobody waits for a blind, but for the button to pass (protocol 8).
_AT_TOURNAMENT = {"waiting": "waiting for the button to pass"}
_POSTS = {
    What.ANTE: "posts an ante of",
    What.SMALL_BLIND: "posts the small blind of",
    What.BIG_BLIND: "posts the big blind of",
    What.STRADDLE: "straddles to",
    What.LIVE: "posts a live blind of",
    What.DEAD: "posts dead money,",
}
_BY = {
    By.CLOCK: ", as time ran out",
    By.ABSENT: ", having left",
    By.PRE_ACTION: ", as chosen before",
}
_AWAY = ", being away"
_STREETS = {Street.FLOP: "Flop", Street.TURN: "Turn", Street.RIVER: "River"}
_MOVES = {
    Move.SEAT_TAKEN: "{player} takes seat {seat} with {amount}",
    Move.SEAT_LEFT: "{player} leaves seat {seat} with {amount}",
    Move.PLAYER_REMOVED: "the operator takes {player} away from seat {seat} with {amount}",
    Move.CHIPS_ADDED: "{player} adds {amount}",
    Move.COLORED_UP: "{player} has {amount}, odd chips being colored up",
    Move.SAT_OUT: "{player} sits out",
    Move.CAME_BACK: "{player} comes back",
    Move.PAUSED: "the operator pauses the game",
    Move.RESUMED: "the game goes on",
}
_REASONS = {
    "link_missing": "a link did not come",
    "no_beacon": "the beacon's round was not there",
    "operator": "the operator ended it",
    "health": "the dealer was not well",
    "dealer_fault": "the dealer made a fault",
}


def tell_hand(hand: Hand, paint: Paint) -> list[str]:
    """Return the lines of a hand that was played."""
    table, level = _Table(hand, paint), tell_level(hand)
    when = f"  {moment(hand.opened_at):%H:%M:%S}{f'  {level}' if level else ''}"
    return [
        paint.strong(f"Hand {hand.number:,}") + paint.faint(when),
        *table.seats(),
        "",
        *table.acts(),
        *tell_end(hand, paint),
    ]


def tell_other(hand: Void | Untold, paint: Paint) -> str:
    """Return what there is to say of a hand that was not played, or can not be told."""
    heading = paint.strong(f"Hand {hand.number:,}")
    if isinstance(hand, Untold):
        return f"{heading} can not be told: {hand.reason}"
    why = _REASONS.get(hand.reason, printable(hand.reason))
    whose = f", that of {join_names(hand.missing)}" if hand.missing else ""
    return f"{heading} is void: {why}{whose}; stacks are as before it"


def tell_aside(aside: Aside) -> str:
    """Return what happened beside a hand."""
    text = _MOVES[aside.move].format(
        player=aside.player, seat=aside.seat, amount=f"{aside.amount:,}"
    )
    if aside.move is Move.SAT_OUT and aside.by is By.CLOCK:
        text += ", as time ran out"
    if aside.move in (Move.SEAT_LEFT, Move.PLAYER_REMOVED) and not aside.amount:
        text = text.removesuffix(" with 0")
    return text


class _Table:
    """One hand while it is told: what lies in the middle, and how far the boards are."""

    def __init__(self, hand: Hand, paint: Paint) -> None:
        self._hand = hand
        self._paint = paint
        self._names = {seat.seat: seat.player for seat in hand.seats}
        self._pot = 0
        self._whole = False

    def seats(self) -> list[str]:
        """Return a line for each seat dealt in, and one for the others."""
        hand = self._hand
        name = max(len(seat.player) for seat in hand.dealt_in)
        stack = max(len(f"{seat.stack:,}") for seat in hand.dealt_in)
        role = max(len(self._role(seat)) for seat in hand.dealt_in)
        lines = []
        for seat in sorted(hand.dealt_in, key=lambda one: one.seat):
            row = f"  seat {seat.seat:>2}  {seat.player:<{name}}  {seat.stack:>{stack},}"
            cards = self._paint.cards(seat.holes or ())
            lines.append(f"{row}  {self._role(seat):<{role}}  {cards}".rstrip())
        states = _STATES if hand.tournament is None else _STATES | _AT_TOURNAMENT
        out = _not_dealt_in([seat for seat in hand.seats if not seat.dealt_in], states)
        return [*lines, self._paint.faint(f"  not dealt in: {out}")] if out else lines

    def _role(self, seat: Seat) -> str:
        hand = self._hand
        roles = {
            "button": hand.button,
            "small blind": hand.small_blind,
            "big blind": hand.big_blind,
            "straddle": hand.straddle,
            "away": seat.seat if seat.absent else None,
        }
        return ", ".join(role for role, at in roles.items() if at == seat.seat)

    def acts(self) -> list[str]:
        """Return all that happens, in its order."""
        lines: list[str] = []
        events = list(self._hand.events)
        antes = self._equal_antes(events)
        if antes:
            amount = antes[0].amount
            self._pot += amount * len(antes)
            lines.append(f"  all post an ante of {amount:,}")
        after_street = False
        for event in events[len(antes) :]:
            street = isinstance(event, BoardDealt)
            if street and not after_street:
                lines.append("")
            after_street = street
            lines += self._tell(event)
        return lines

    def _equal_antes(self, events: Sequence[Event]) -> list[Posted]:
        """Return the antes at the beginning where everybody posts the same one."""
        antes = []
        for event in events:
            if not (isinstance(event, Posted) and event.what is What.ANTE):
                break
            antes.append(event)
        same = len({ante.amount for ante in antes}) == 1
        nobody_is_all_in = all(ante.stack for ante in antes)
        return antes if same and nobody_is_all_in and len(antes) == len(self._hand.order) else []

    def _tell(self, event: Event) -> list[str]:  # noqa: PLR0911 - a return a kind
        names = self._names
        if isinstance(event, Posted):
            self._pot += event.amount
            end = ", all-in" if event.stack == 0 else ""
            return [f"  {names[event.seat]} {_POSTS[event.what]} {event.amount:,}{end}"]
        if isinstance(event, Acted):
            self._pot += event.amount
            return [f"  {names[event.seat]} {_act(event)}{self._by(event)}"]
        if isinstance(event, BoardDealt):
            self._whole = len(event.whole) == _WHOLE
            return [self._street(event)]
        if isinstance(event, Returned):
            self._pot -= event.amount
            return [f"  {names[event.seat]} takes back {event.amount:,}"]
        if isinstance(event, Shown):
            return [
                f"  {names[event.seat]} shows {self._paint.cards(event.cards)}{self._made(event)}"
            ]
        if isinstance(event, Mucked):
            return [f"  {names[event.seat]} mucks"]
        if isinstance(event, (RunsAgreed, BlindsChopped)):
            what = "run it twice" if isinstance(event, RunsAgreed) else "chop the blinds"
            return [f"  {join_names([names[seat] for seat in event.seats])} {what}"]
        if isinstance(event, Awarded):
            return [f"  {tell_award(self._hand, event)}"]
        return [self._paint.faint(f"  ({tell_aside(event)})")] if isinstance(event, Aside) else []

    def _by(self, event: Acted) -> str:
        if event.by is By.ABSENT and self._hand.seat(event.seat).absent:
            return _AWAY
        return _BY.get(event.by, "")

    def _street(self, event: BoardDealt) -> str:
        before = event.whole[: -len(event.cards)]
        cards = (
            f"{self._paint.cards(before)}{'  ' if before else ''}{self._paint.cards(event.cards)}"
        )
        which = ""
        if len(self._hand.boards) > 1 and len(event.whole) > self._hand.shared:
            which = f", {'first' if event.board == 1 else 'second'} board"
        heading = self._paint.strong(f"{_STREETS[event.street]}{which}")
        return f"  {heading}  {cards}  {self._paint.faint(f'pot {self._pot:,}')}"

    def _made(self, event: Shown) -> str:
        """Return what the cards make, where the one board is whole."""
        hand = self._hand
        if not self._whole or len(hand.boards) > 1:
            return ""
        made = made_hand(hand, event.cards, hand.boards[0])
        return f": {'; '.join(filter(None, (made.name, made.low_name)))}"


def _not_dealt_in(seats: Sequence[Seat], states: Mapping[str, str]) -> str:
    """Return who is not dealt in, by the reason: "ann, ben (sitting out); cleo (no chips)"."""
    by_state: dict[str, list[str]] = {}
    for seat in seats:
        by_state.setdefault(seat.state, []).append(seat.player)
    return "; ".join(
        f"{', '.join(players)} ({states.get(state, state)})" for state, players in by_state.items()
    )


def _act(event: Acted) -> str:
    end = ", all-in" if event.all_in else ""
    words = {
        Act.FOLD: "folds",
        Act.CHECK: "checks",
        Act.CALL: f"calls {event.amount:,}",
        Act.BET: f"bets {event.to:,}",
        Act.RAISE: f"raises to {event.to:,}",
    }
    return f"{words[event.act]}{end}"
