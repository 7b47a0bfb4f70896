"""A hand as a value: all that its entries so far have made of it, and nothing else.

State is frozen and only ever made by `hand.begin` and `hand.evolve`. What does not change while a
hand is played stands apart in its `Frame`; the stage says which entry comes next.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from functools import partial
from typing import Final, NamedTuple

from dealer_service.rules.betting import Betting, Chair, Pending
from dealer_service.rules.entry import Awarded, RuleSet
from dealer_service.rules.pots import Pot, Stake, layer_pots

BOARD: Final = (3, 1, 1)
"""Cards of the flop, the turn and the river; a burn goes before each."""
BOARD_CARDS: Final = sum(BOARD)
HOLE_CARDS: Final = 2
LAST_STREET: Final = len(BOARD)


@unique
class Stage(StrEnum):
    """What a hand waits for."""

    DECK = "deck"
    SMALL_BLIND = "small_blind"
    BIG_BLIND = "big_blind"
    HOLE_CARDS = "hole_cards"
    ACT = "act"
    BOARD_DEALT = "board_dealt"
    BOARD_OPENED = "board_opened"
    UNCALLED = "uncalled"
    SHOWDOWN = "showdown"
    AWARD = "award"
    PAUSE = "pause"
    ENDED = "ended"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Frame:
    """What stays the same through a hand. Seats stand clockwise from the left of the button."""

    rules: RuleSet
    hand: int
    button: int
    small_blind_seat: int | None
    big_blind_seat: int
    seats: tuple[int, ...]
    place: Mapping[int, int] = field(hash=False)
    """Where in `seats` a seat stands."""
    players: tuple[str, ...]
    chairs: tuple[Chair, ...]
    """The chairs as they stood at the opening, before any chip moved."""


class Shown(NamedTuple):
    """Hole cards that are public."""

    seat: int
    cards: tuple[str, ...]


class Layout(NamedTuple):
    """Where the deck has gone: the next position, the cards of the board, and the hands shown."""

    next_position: int
    board: tuple[str, ...]
    shown: tuple[Shown, ...]
    seen: int
    """The cards that are public: bit n for card number n."""


class Away(NamedTuple):
    """Seats of the hand that left or were removed, and seats that sit out from the next hand."""

    absent: frozenset[int]
    sitting_out: frozenset[int]


class Closing(NamedTuple):
    """The end of a hand, from when its betting is over: who can win what, who shows, who is paid.

    `unsettled` are the seats that have still to show or muck, in showing order; `awards` are
    known when all have, of which the first `paid` are paid.
    """

    pots: tuple[Pot, ...]
    face_up: bool
    unsettled: tuple[int, ...]
    mucked: tuple[int, ...]
    awards: tuple[Awarded, ...]
    paid: int


class HandState(NamedTuple):
    """A hand after any of its entries."""

    frame: Frame
    stage: Stage
    chairs: tuple[Chair, ...]
    betting: Betting
    pending: Pending | None
    layout: Layout
    closing: Closing | None
    away: Away


make_layout: Final[Callable[[tuple[int, tuple[str, ...], tuple[Shown, ...], int]], Layout]] = (
    partial(tuple.__new__, Layout)
)
make_closing: Final[
    Callable[
        [
            tuple[
                tuple[Pot, ...],
                bool,
                tuple[int, ...],
                tuple[int, ...],
                tuple[Awarded, ...],
                int,
            ]
        ],
        Closing,
    ]
] = partial(tuple.__new__, Closing)

make_state: Final[
    Callable[
        [
            tuple[
                Frame,
                Stage,
                tuple[Chair, ...],
                Betting,
                Pending | None,
                Layout,
                Closing | None,
                Away,
            ]
        ],
        HandState,
    ]
] = partial(tuple.__new__, HandState)
"""These make a value from a plain tuple, in half the time that calling its class takes."""


def list_stakes(chairs: tuple[Chair, ...]) -> tuple[Stake, ...]:
    """Give what each chair has in the hand, less what went back."""
    return tuple([(seat, put, not folded) for seat, _, _, put, folded, _ in chairs])


def list_pots(state: HandState) -> tuple[Pot, ...]:
    """Give the pots as they stand, bets of this street too; paid ones until the hand has ended."""
    return state.closing.pots if state.closing else layer_pots(list_stakes(state.chairs))


def list_stacks(state: HandState) -> dict[int, int]:
    """Give the chips of every seat dealt in, by rising seats."""
    return {chair.seat: chair.stack for chair in sorted(state.chairs)}


def is_live(state: HandState, seat: int) -> bool:
    """Tell whether a seat is dealt in and has not folded."""
    place = state.frame.place.get(seat)
    return place is not None and not state.chairs[place].folded
