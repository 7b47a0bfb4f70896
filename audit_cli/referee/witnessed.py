"""A hand as its entries tell it, for another engine to play again. Nothing is judged here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from audit_cli.poker.positions import clockwise
from audit_cli.poker.rules import Positions, read_opening

if TYPE_CHECKING:
    from audit_cli.poker.rules import HandRules


@dataclass(frozen=True, slots=True)
class Acted:
    """A seat acts; `to` is its total for the street."""

    seat: int
    act: str
    to: int


@dataclass(frozen=True, slots=True)
class Boarded:
    """Cards of a board were opened."""

    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Showed:
    """A hand is opened at the showdown, or mucked (no cards)."""

    seat: int
    cards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Awarded:
    """A part of a pot was paid."""

    rake: int
    shares: tuple[tuple[int, int], ...]


Event = Acted | Boarded | Showed


@dataclass(slots=True)
class WitnessedHand:
    """One hand from its opening to its end.

    `order` holds the seats dealt in, left of the button first; `posts` are (what, seat, amount);
    `ended` are the stacks that it ended with.
    """

    game: str
    number: int
    rules: HandRules
    at: Positions
    order: tuple[int, ...]
    stacks: dict[int, int]
    posts: list[tuple[str, int, int]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    awards: list[Awarded] = field(default_factory=list)
    runs: int = 1
    chopped: bool = False
    ended: dict[int, int] = field(default_factory=dict)

    @property
    def rake(self) -> int:
        """All the rake of the hand."""
        return sum(award.rake for award in self.awards)

    @property
    def hole(self) -> dict[int, tuple[str, ...]]:
        """The hole cards that were opened at the showdown."""
        return {one.seat: one.cards for one in self.events if isinstance(one, Showed) and one.cards}

    @property
    def is_contested(self) -> bool:
        """Whether two seats or more have not folded: else nobody shows but in the pause."""
        folds = sum(1 for one in self.events if isinstance(one, Acted) and one.act == "fold")
        return len(self.order) - folds > 1


def open_hand(game: str, body: dict[str, Any], rules: HandRules) -> WitnessedHand:
    """Begin a hand with its opening."""
    stacks, at = read_opening(body)
    return WitnessedHand(game, body["hand"], rules, at, clockwise(stacks, at.button), stacks)


def follow(hand: WitnessedHand, kind: str, body: dict[str, Any]) -> None:
    """Take an entry of the open hand."""
    if kind == "posted":
        hand.posts.append((body["what"], body["seat"], body["amount"]))
    elif kind == "acted":
        hand.events.append(Acted(body["seat"], body["act"], body["to"]))
    elif kind == "opened" and "board" in body:
        hand.events.append(Boarded(tuple(card["card"] for card in body["cards"])))
    elif kind == "opened" and hand.is_contested and not hand.awards:
        cards = tuple(card["card"] for card in body["cards"])
        hand.events.append(Showed(body["seat"], cards))
    elif kind == "mucked":
        hand.events.append(Showed(body["seat"]))
    elif kind == "runs_agreed":
        hand.runs = body["runs"]
    elif kind == "blinds_chopped":
        hand.chopped = True
    elif kind == "awarded":
        shares = tuple((winner["seat"], winner["amount"]) for winner in body["winners"])
        hand.awards.append(Awarded(body["rake"], shares))
    elif kind == "hand_ended":
        hand.ended = {ended["seat"]: ended["stack"] for ended in body["stacks"]}


FOLLOWED = (
    *("posted", "acted", "opened", "mucked", "runs_agreed", "blinds_chopped"),
    *("awarded", "hand_ended"),
)
