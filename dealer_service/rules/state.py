"""A hand as a value: all that its entries so far have made of it, and nothing else.

State is frozen and only ever made by `hand.begin` and `hand.evolve`. What does not change while a
hand is played stands apart in its `Frame`; the stage says which entry comes next.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final, TypeAlias

from dealer_service.quick import maker
from dealer_service.rules.betting import Betting, Chair, Pending
from dealer_service.rules.entry import Awarded, Choice, ChoicesCount, Posted, RuleSet
from dealer_service.rules.judging import Shown
from dealer_service.rules.posting import sum_dead
from dealer_service.rules.pots import Pot, layer_pots
from dealer_service.rules.raising import Limit

BOARD: Final = (3, 1, 1)
"""Cards of the flop, the turn and the river; a burn goes before each."""
BOARD_CARDS: Final = sum(BOARD)
LAST_STREET: Final = len(BOARD)


@unique
class Stage(StrEnum):
    """What a hand waits for."""

    DECK = "deck"
    POSTS = "posts"
    HOLE_CARDS = "hole_cards"
    ACT = "act"
    BOARD_DEALT = "board_dealt"
    BOARD_OPENED = "board_opened"
    UNCALLED = "uncalled"
    CHOP = "chop"
    CHOPPED = "chopped"
    SHOWDOWN = "showdown"
    RUNS = "runs"
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
    place: Mapping[int, int]
    """Where in `seats` a seat stands."""
    rising: tuple[int, ...]
    """The places in `seats` by rising seats."""
    players: tuple[str, ...]
    chairs: tuple[Chair, ...]
    """The chairs as they stood at the opening, before any chip moved."""
    posts: tuple[Posted, ...]
    """All that is posted, in its order."""
    dead: int
    """How much of it is dead money."""
    limit: Limit | None
    """What bounds bets besides the stack; None for no limit."""
    first: int
    """Which of the chairs is the first to act before the flop."""
    late: int | None
    """Which of the chairs has a straddle whose turn is late."""
    chops: bool
    """Whether the blinds may be chopped, if it comes to that."""
    hole_cards: int
    omaha: bool
    """Whether exactly two hole cards make a hand, and three of the board."""
    hi_lo: bool
    plain: bool
    """Whether acts need no more than the bets: no limits, time banks, late straddle or chopping."""


Chosen: TypeAlias = tuple[tuple[int, tuple[Choice, ...]], ...]
"""The standing choices of the seats that have some, by rising seats."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the deck has gone: the next position, the cards of the board, and the hands shown."""

    next_position: int
    board: tuple[str, ...]
    shown: tuple[Shown, ...]
    seen: int
    """The cards that are public: bit n for card number n."""
    second: tuple[str, ...] | None
    """The cards of board 2, those that it shares too, where the hand is run twice."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What has happened beside bets and cards: posts, leavers, choices, time above the clock."""

    posted: int
    """How many posts of the frame are made."""
    absent: frozenset[int]
    """Seats of the hand that left or were removed, or were absent when it opened."""
    sitting_out: frozenset[int]
    """Seats that sit out from the next hand."""
    chosen: Chosen
    """The choices that count."""
    banks: tuple[int, ...]
    """What each chair's time bank holds, in milliseconds; empty where the rules have none."""


@dataclass(frozen=True, slots=True)
class Closing:
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


@dataclass(frozen=True, slots=True)
class HandState:
    """A hand after any of its entries."""

    frame: Frame
    stage: Stage
    chairs: tuple[Chair, ...]
    betting: Betting
    pending: Pending | None
    layout: Layout
    closing: Closing | None
    marks: Marks


make_frame: Final = maker(Frame)
make_layout: Final = maker(Layout)
make_marks: Final = maker(Marks)
make_closing: Final = maker(Closing)
make_state: Final = maker(HandState)


def list_pots(state: HandState) -> tuple[Pot, ...]:
    """Give the pots as they stand, bets of this street too; paid ones until the hand has ended."""
    if state.closing:
        return state.closing.pots
    return layer_pots(state.chairs, dead_so_far(state))


def dead_so_far(state: HandState) -> int:
    """Give the dead money that lies in the pot."""
    frame = state.frame
    if state.stage is Stage.POSTS:
        return sum_dead(frame.rules, frame.posts[: state.marks.posted])
    return 0 if state.stage in {Stage.DECK, Stage.VOID} else frame.dead


def list_stacks(state: HandState) -> dict[int, int]:
    """Give the chips of every seat dealt in, by rising seats."""
    chairs = state.chairs
    return {chairs[place].seat: chairs[place].stack for place in state.frame.rising}


def list_banks(state: HandState) -> dict[int, int]:
    """Give what the time banks hold, by seat, in milliseconds; empty where the rules have none."""
    return dict(zip(state.frame.seats, state.marks.banks, strict=False))


def has_chosen(state: HandState, seat: int | None, choice: Choice) -> bool:
    """Tell whether a choice of a seat counts now: as at the opening, or as it stands (9.8)."""
    return any(one == seat and choice in chosen for one, chosen in state.marks.chosen)


def may_choose_now(rules: RuleSet) -> bool:
    """Tell whether choices count as they stand, and not as the opening repeats them."""
    return rules.choices != ChoicesCount.BEFORE_LINKS


def is_live(state: HandState, seat: int) -> bool:
    """Tell whether a seat is dealt in and has not folded."""
    place = state.frame.place.get(seat)
    return place is not None and not state.chairs[place].folded
