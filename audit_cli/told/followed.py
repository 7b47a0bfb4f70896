"""A hand while it is read: the chips of its seats, and where its cards went."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from audit_cli.poker.rules import read_opening
from audit_cli.told.events import Street

if TYPE_CHECKING:
    from audit_cli.gamefile import Line
    from audit_cli.poker.rules import HandRules
    from audit_cli.told.events import Awarded, Event, What


class UnfitError(Exception):
    """The hand does not fit together; the text says where, in lower case."""


@dataclass(slots=True)
class Chips:
    """A seat dealt in, as far as its chips go. `put_in` has all of it, `total` what is its own.

    Dead money is in `put_in` and not in `total`, as nobody wins by it (protocol 9.1).
    """

    stack: int
    bet: int = 0
    total: int = 0
    put_in: int = 0
    won: int = 0
    posted: set[What] = field(default_factory=set)

    def pay(self, seat: int, amount: int) -> None:
        """Put chips of the stack in, as those of a seat; UnfitError where it has fewer."""
        if amount > self.stack:
            message = f"seat {seat} puts in {amount} and has {self.stack}"
            raise UnfitError(message)
        self.stack -= amount
        self.put_in += amount


@dataclass(slots=True)
class Followed:
    """A hand from its opening on: what was read of it so far."""

    opened: dict[str, Any]
    opened_at: int
    rules: HandRules
    chips: dict[int, Chips]
    live: list[int]
    facing: int
    events: list[Event] = field(default_factory=list)
    street: Street = Street.PREFLOP
    boards: list[list[str]] = field(default_factory=lambda: [[]])
    shared: int | None = None
    dead: int = 0
    chopped: bool = False
    ended_at: int | None = None
    mix: bytes = b""
    root: bytes = b""
    # Where each position went: to a seat, or to a board as less than nothing; 0 is a burn.
    places: dict[int, int] = field(default_factory=dict)
    cards: dict[int, str] = field(default_factory=dict)
    shown: dict[int, tuple[str, ...]] = field(default_factory=dict)
    folded: list[int] = field(default_factory=list)
    awards: list[Awarded] = field(default_factory=list)
    wrong: str = ""

    @property
    def number(self) -> int:
        """The hand's number."""
        number: int = self.opened["hand"]
        return number

    @property
    def holes_dealt(self) -> bool:
        """Whether the hole cards are out."""
        return any(to > 0 for to in self.places.values())

    def seated(self, seat: int) -> Chips:
        """Return the chips of a seat; UnfitError where it was not dealt in."""
        chips = self.chips.get(seat)
        if chips is None:
            message = f"seat {seat} is not dealt in"
            raise UnfitError(message)
        return chips

    def see(self, position: int, card: str) -> None:
        """Take a card as that of a position; UnfitError where it has another, or is elsewhere."""
        if self.cards.setdefault(position, card) != card:
            message = f"position {position} is opened twice, differently"
            raise UnfitError(message)
        if any(at != position and seen == card for at, seen in self.cards.items()):
            message = f"{card} is opened at two positions"
            raise UnfitError(message)

    def holes(self, seat: int) -> tuple[int, ...]:
        """Return the positions of a seat's hole cards, as dealt."""
        return tuple(position for position, to in self.places.items() if to == seat)


def open_hand(line: Line, rules: HandRules) -> Followed:
    """Return a hand as its `hand_opened` gives it."""
    body = line.body
    stacks, _ = read_opening(body)
    chips = {seat: Chips(stack) for seat, stack in sorted(stacks.items())}
    hand = Followed(body, line.at, rules, chips, list(chips), rules.big_blind)
    taken = body["seats"]
    once = all(len({seat[name] for seat in taken}) == len(taken) for name in ("seat", "player"))
    if len(chips) < 2 or not once:
        hand.wrong = f"entry {line.entry}: it opens with seats that can not play"
    return hand
