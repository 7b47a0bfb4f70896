"""One cash game's state as a value, between and around its hands, and what it tells by itself.

State is frozen and only ever made by `table.evolve`. What the next `hand_opened` says of seats and
blinds is in `lineup`; the other lists that entries repeat are read here.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import Final

from dealer_service.quick import quick
from dealer_service.rules import hand as engine
from dealer_service.rules.button import LastHand
from dealer_service.rules.entry import (
    Choice,
    CloseReason,
    Departed,
    GameClosed,
    GameOpened,
    HandLevel,
    HandOpened,
    Links,
    Miss,
    Owed,
    PlayerStack,
    RuleSet,
    SeatState,
    SeatWord,
    VoidReason,
)

MOST_CHIPS: Final = 2**53 - 1
"""The greatest integer that a line of the log can hold: a table never has more chips together."""

DEALT_IN: Final = "dealt_in"
"""The word of the rules by which who sits out is dealt in all the same, at a tournament's table."""

MAX_FREE_VOIDS: Final = 2
MAX_MISSES: Final = 2
FREE_VOIDS: Final = frozenset({VoidReason.OPERATOR, VoidReason.NO_BEACON, VoidReason.HEALTH})


@unique
class Phase(StrEnum):
    """Where a game stands: between hands, waiting for links, in a hand, or at its end."""

    WAITING = "waiting"
    LINKS = "links"
    PLAYING = "playing"
    CLOSED = "closed"
    REVEALED = "revealed"


@quick
@dataclass(frozen=True, slots=True)
class Seat:
    """A taken seat. In a hand, `stack` is what the seat had when the hand opened.

    `owes` is posted when it is dealt in again; `waits` says that it waits for the big blind;
    `bank_ms` is its time bank, where the rules have one (in a hand, as it was at the opening).
    `house` says that the player is the house's own.
    """

    player: str
    stack: int
    sitting_out: bool = False
    anchor: str | None = None
    leaving: bool = False
    choices: tuple[Choice, ...] = ()
    owes: Owed | None = None
    waits: bool = False
    bank_ms: int | None = None
    house: bool = False


@quick
@dataclass(frozen=True, slots=True)
class OpenHand:
    """The hand that is open: its opening, that line's time, and its play so far.

    `paid_at` is the time of the last `awarded`.
    """

    opened: HandOpened
    at: int
    play: engine.HandState
    paid_at: int = 0

    @property
    def dealt_in(self) -> tuple[int, ...]:
        """The seats dealt in, rising."""
        return tuple(sorted(self.play.frame.seats))

    @property
    def frozen(self) -> dict[int, SeatState]:
        """The seats, rising, whose links the deck needs."""
        seats = self.opened.seats
        return {s.seat: s for s in seats if s.state is SeatWord.IN and s.anchor is not None}


@dataclass(frozen=True, slots=True)
class Blinds:
    """The seats where both blinds of a hand stood, a dead one too."""

    small: int
    big: int


@quick
@dataclass(frozen=True, slots=True)
class TableState:
    """A game after some of its lines. Build it with `evolve`, `fold` or `fold_from`.

    `rules` are those of the game, with the blinds, ante, unit and limits of `level` where it is a
    tournament's table: the level of the last hand opened there, None before its first.
    `hand` is the number of the last hand opened, `button` its button, each 0 before the first
    (a carried game begins with the other's button). `button_stays` says that it was void.
    `awaited` are carried players who may still anchor before the first hand. `last` is that hand
    itself; `blinds` those of the last hand that was not void and has ended, where the rules have
    missed blinds. `departed` are those who may not yet come back with less, by name. `revealed` is
    the last hand whose secret was revealed.
    """

    opened: GameOpened
    rules: RuleSet
    opened_at: int
    at: int
    phase: Phase
    paused: bool
    seats: Mapping[int, Seat]
    misses: Mapping[str, tuple[int, ...]]
    voids: int
    void_hands: tuple[int, ...]
    hand: int
    button: int
    button_stays: bool
    awaited: frozenset[str]
    departed: Mapping[str, Departed] = field(hash=False)
    last: LastHand | None = None
    blinds: Blinds | None = None
    level: HandLevel | None = None
    open: OpenHand | None = None
    closed: GameClosed | None = None
    closed_at: int = 0
    revealed: int = 0

    @property
    def play(self) -> engine.HandState | None:
        """The open hand's play, from its opening on; None between hands."""
        return self.open.play if self.open else None


def seat_of(state: TableState, player: str) -> int | None:
    """Give the seat that a player holds, one that it leaves after this hand included."""
    for number, seat in state.seats.items():
        if seat.player == player:
            return number
    return None


def is_dealt_in(state: TableState, seat: int) -> bool:
    """Say whether a seat is dealt into the hand that is open."""
    return state.open is not None and seat in state.open.play.frame.place


def seat_word(rules: RuleSet, seat: Seat) -> SeatWord:
    """Say why a seat is, or is not, dealt in: the first that is true (section 6.3).

    One that waits for the big blind may be dealt in all the same, and one that is in or absent may
    be left out by its position: `lineup` knows when.
    """
    if seat.sitting_out:
        dealt_in = rules.absent == DEALT_IN and seat.stack > 0
        return SeatWord.ABSENT if dealt_in else SeatWord.SITTING_OUT
    if seat.stack == 0:
        return SeatWord.NO_CHIPS
    if rules.links is Links.REQUIRED and seat.anchor is None:
        return SeatWord.NO_ANCHOR
    return SeatWord.WAITING if seat.waits else SeatWord.IN


def new_bank(rules: RuleSet) -> int | None:
    """Give the time bank of one who sits down, in milliseconds; None where the rules have none."""
    return rules.time_bank.start_ms if rules.time_bank else None


def may_close_by(rules: RuleSet) -> frozenset[CloseReason]:
    """Give the reasons by which a game of these rules can close."""
    by_tournament = frozenset({CloseReason.TOURNAMENT})
    if rules.tournament is not None:
        return by_tournament | {CloseReason.RESTORED}
    return frozenset(CloseReason) - by_tournament


def miss_list(state: TableState) -> tuple[Miss, ...]:
    """List the misses by rising name, as a `hand_opened` repeats them."""
    return tuple(Miss(player, hands) for player, hands in sorted(state.misses.items()))


def departed_list(state: TableState, at: int) -> tuple[Departed, ...] | None:
    """List, by rising name, who may not yet come back with less at the time `at`.

    None where the rules have no return window, as a `hand_opened` leaves it out.
    """
    window = state.rules.return_ms
    if window is None:
        return None
    gone = (one for _, one in sorted(state.departed.items()))
    return tuple(one for one in gone if at <= one.at + window)


def buy_in_bounds(state: TableState, player: str, at: int) -> tuple[int, int]:
    """Give the least and the greatest stack with which a player may sit down at the time `at`."""
    rules = state.rules
    left = state.departed.get(player)
    if left is None or rules.return_ms is None or at > left.at + rules.return_ms:
        return rules.buy_in_min, rules.buy_in_max
    return left.stack, max(left.stack, rules.buy_in_max)


def chips_on_table(state: TableState) -> int:
    """Count the chips of all seats, between hands or in one."""
    if state.closed is not None:
        return 0
    return sum(seat.stack for seat in state.seats.values())


def player_stacks(state: TableState) -> tuple[PlayerStack, ...]:
    """List what every seat holds, rising, as `game_closed` does."""
    return tuple(PlayerStack(n, seat.player, seat.stack) for n, seat in state.seats.items())


def next_secret(state: TableState) -> int | None:
    """Give the hand whose secret is revealed next; None where none is left.

    Cheap however many hands there were: it is asked once for each of them.
    """
    void = state.void_hands
    place = bisect_right(void, state.revealed)
    number = state.revealed + 1
    while place < len(void) and void[place] == number:
        place, number = place + 1, number + 1
    return number if number <= state.hand else None


def secrets_due(state: TableState) -> tuple[int, ...]:
    """List the hands, rising, whose secrets are still to be revealed: those not void."""
    void = frozenset(state.void_hands)
    return tuple(n for n in range(state.revealed + 1, state.hand + 1) if n not in void)
