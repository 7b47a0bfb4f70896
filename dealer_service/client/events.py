"""What a client tells its user: typed events, in the order in which they happened."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from dealer_service.client.grammar import ASIDES
from dealer_service.client.lines import Body, Entry
from dealer_service.client.message import Decision
from dealer_service.client.refusing import Refused
from dealer_service.client.view import TableView


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """All lines that there were on joining have been told: what comes from now on is new.

    Told once a game, before any turn of the player's.
    """

    game: str
    view: TableView


@dataclass(frozen=True, slots=True)
class HandStarted:
    """A hand opened; no card is dealt yet."""

    hand: int
    view: TableView


@dataclass(frozen=True, slots=True)
class CardsDealt:
    """The player's own hole cards, proved under the deck's root."""

    hand: int
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BoardOpened:
    """Cards were turned up on a board, which is now `board`; `number` is 2 for the second one."""

    hand: int
    cards: tuple[str, ...]
    board: tuple[str, ...]
    number: int = 1


@dataclass(frozen=True, slots=True)
class MyTurn:
    """It is the player's turn, and this is what it may do."""

    decision: Decision
    view: TableView


@dataclass(frozen=True, slots=True)
class Posted:
    """A seat posted a blind, a straddle, an ante, or what it owed."""

    seat: int
    what: str
    amount: int


@dataclass(frozen=True, slots=True)
class Acted:
    """A seat acted; `to` is its total for the street, `by` who or what made it."""

    hand: int
    turn: int
    seat: int
    act: str
    to: int
    by: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A seat's hole cards were turned up, by rule, policy or the player."""

    seat: int
    cards: tuple[str, ...]
    by: str


@dataclass(frozen=True, slots=True)
class Mucked:
    """A seat's hand was thrown away unseen."""

    seat: int
    by: str


@dataclass(frozen=True, slots=True)
class RunsAgreed:
    """Everybody in agreed to deal the rest of the board so many times."""

    runs: int
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BlindsChopped:
    """Both blinds agreed to take their blinds back."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BetReturned:
    """The uncalled bet, or a chopped blind, went back."""

    seat: int
    amount: int


@dataclass(frozen=True, slots=True)
class PotWinner:
    """What a seat won of a pot; the hand's name is empty when the pot was not contested."""

    seat: int
    amount: int
    name: str
    best_five: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PotAwarded:
    """A pot, or its part for a board or for "high" or "low", was paid; 0 is the main pot.

    `rake` is what of the amount the house took.
    """

    pot: int
    amount: int
    winners: tuple[PotWinner, ...]
    rake: int = 0
    board: int = 1
    half: str = ""


@dataclass(frozen=True, slots=True)
class HandOver:
    """A hand ended, with the stacks of the seats that were dealt in."""

    hand: int
    stacks: dict[int, int]
    view: TableView


@dataclass(frozen=True, slots=True)
class HandVoided:
    """A hand was thrown away; `blamed` when it calls missing a link that the player had sent."""

    hand: int
    reason: str
    missing: tuple[str, ...]
    blamed: bool


@dataclass(frozen=True, slots=True)
class TableChanged:
    """Who sits, or how, changed, or the operator paused or resumed; `kind` is the entry's."""

    kind: str
    seat: int
    player: str
    view: TableView


@dataclass(frozen=True, slots=True)
class LinkNotGiven:
    """The player's link for a hand could not be given: the hand will be void, or play on."""

    hand: int
    why: str


@dataclass(frozen=True, slots=True)
class AnchorNotLogged:
    """The dealer took no new anchor: the player plays on without adding randomness."""

    why: str


@dataclass(frozen=True, slots=True)
class ChoicesNotSet:
    """The player's choices could not be set in the game that goes on: none stands there."""

    why: str


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The stream broke; the client is connecting anew by itself."""

    why: str


@dataclass(frozen=True, slots=True)
class GameClosed:
    """The game closed; `next` is the game that goes on from it, empty when none does."""

    game: str
    reason: str
    next: str
    stacks: dict[str, int]


Event: TypeAlias = (
    CaughtUp
    | HandStarted
    | CardsDealt
    | BoardOpened
    | MyTurn
    | Posted
    | Acted
    | Shown
    | Mucked
    | RunsAgreed
    | BlindsChopped
    | BetReturned
    | PotAwarded
    | HandOver
    | HandVoided
    | TableChanged
    | LinkNotGiven
    | AnchorNotLogged
    | ChoicesNotSet
    | Disconnected
    | GameClosed
    | Refused
)


def tell(entry: Entry, view: TableView, *, blamed: bool = False) -> Event | None:
    """Tell an entry as an event, with the view after it; None for what a user need not hear."""
    body = entry.body
    if entry.kind in _CHANGES:
        return TableChanged(entry.kind, body.get("seat", 0), body.get("player", ""), view)
    if entry.kind == "hand_void":
        missing = tuple(each["player"] for each in body["missing"])
        return HandVoided(body["hand"], body["reason"], missing, blamed)
    teller = _TELLERS.get(entry.kind)
    return None if teller is None else teller(body, view)


def _tell_ended(body: Body, view: TableView) -> HandOver:
    stacks = {each["seat"]: each["stack"] for each in body["stacks"]}
    return HandOver(body["hand"], stacks, view)


def _tell_closed(body: Body, view: TableView) -> GameClosed:
    stacks = {each["player"]: each["stack"] for each in body["stacks"]}
    return GameClosed(view.game, body["reason"], body.get("next", ""), stacks)


def _tell_acted(body: Body, view: TableView) -> Acted:
    return Acted(view.hand, body["turn"], body["seat"], body["act"], body["to"], body["by"])


def _tell_opened(body: Body, view: TableView) -> BoardOpened | Shown:
    cards = tuple(each["card"] for each in body["cards"])
    if "board" in body:
        board = view.second_board if body["board"] == 2 else view.board
        return BoardOpened(body["hand"], cards, board, body["board"])
    return Shown(body["seat"], cards, body["by"])


def _tell_awarded(body: Body, _: TableView) -> PotAwarded:
    winners = tuple(
        PotWinner(
            each["seat"], each["amount"], each.get("name", ""), tuple(each.get("best_five", ()))
        )
        for each in body["winners"]
    )
    return PotAwarded(
        body["pot"],
        body["amount"],
        winners,
        rake=body["rake"],
        board=body["board"],
        half=body.get("half", ""),
    )


_CHANGES: Final = ASIDES | {"chips_added"}
_TELLERS: Final[Mapping[str, Callable[[Body, TableView], Event]]] = {
    "hand_opened": lambda body, view: HandStarted(body["hand"], view),
    "posted": lambda body, _: Posted(body["seat"], body["what"], body["amount"]),
    "acted": _tell_acted,
    "opened": _tell_opened,
    "mucked": lambda body, _: Mucked(body["seat"], body["by"]),
    "runs_agreed": lambda body, _: RunsAgreed(body["runs"], tuple(body["seats"])),
    "blinds_chopped": lambda body, _: BlindsChopped(tuple(body["seats"])),
    "returned": lambda body, _: BetReturned(body["seat"], body["amount"]),
    "awarded": _tell_awarded,
    "hand_ended": _tell_ended,
    "game_closed": _tell_closed,
}
