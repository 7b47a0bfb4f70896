"""A tournament's state as a value, between the lines of its log (PROTOCOL.md section 14).

State is frozen and only ever made by `folding.evolve`. What is due next follows from it and from
the time alone (`due`); nothing here knows of a store, of randomness or of a clock.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique

from dealer_service.rules.entry import HandLevel
from dealer_service.rules.tournament.entry import (
    EndReason,
    Level,
    LevelBy,
    Structure,
    TournamentOpened,
)


@unique
class Phase(StrEnum):
    """Where a tournament stands; whether it is stopped is told apart.

    In ENDING all are placed and the tables are being closed.
    """

    REGISTERING = "registering"
    RUNNING = "running"
    BREAK = "break"
    ENDING = "ending"
    CLOSED = "closed"


@unique
class Standing(StrEnum):
    """What a player of a tournament is at.

    REGISTERED waits for the start, WAITING for a seat; who is BUSTED has no place yet; WITHDRAWN
    may register again; OUT is for good: placed, or its seat was taken over.
    """

    REGISTERED = "registered"
    WAITING = "waiting"
    PLAYING = "playing"
    BUSTED = "busted"
    WITHDRAWN = "withdrawn"
    OUT = "out"


IN = frozenset({Standing.REGISTERED, Standing.WAITING, Standing.PLAYING})
"""The standings of who is in."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player's name in a tournament; `table` and `seat` are 0 while it does not sit.

    `taken_over` says that a person took this house player's seat. `place` is 0 while it is not
    placed.
    """

    player: str
    entrant: int
    anchors: bool
    house: bool
    standing: Standing
    table: int = 0
    seat: int = 0
    reentries: int = 0
    rebuys: int = 0
    added_on: bool = False
    disqualified: bool = False
    taken_over: bool = False
    place: int = 0
    prize: int = 0

    @property
    def is_in(self) -> bool:
        """Whether it is in: from registering, or entering again, until it is out."""
        return self.standing in IN

    @property
    def counts(self) -> bool:
        """Whether the name is a player of the event, in or out."""
        return self.standing is not Standing.WITHDRAWN and not self.taken_over


@dataclass(frozen=True, slots=True)
class Seat:
    """A taken seat. In a hand, `stack` is what it had when the hand opened.

    `unit` is the lowest unit that its chips may have; `sat_at` and `sat_hand` tell when it was
    taken, and behind which of the table's hands.
    """

    player: str
    stack: int
    unit: int
    sat_at: int
    sat_hand: int


@dataclass(frozen=True, slots=True)
class OpenHand:
    """The hand that is open at a table, with the seats as they were when it opened."""

    level: int
    big_blind_seat: int
    players: int
    seats: Mapping[int, Seat] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Ended:
    """When a hand ended, in the order that places go by: all hands of a round have one `order`."""

    hand: int = 0
    order: int = 0
    in_round: bool = False


@dataclass(frozen=True, slots=True)
class Lost:
    """Who has no chips since that hand, had `stack` when it opened, and is out at `until`."""

    ended: Ended
    stack: int
    until: int


@dataclass(frozen=True, slots=True)
class Bust:
    """Who is out and has no place yet."""

    player: str
    table: int
    stack: int
    ended: Ended


@dataclass(frozen=True, slots=True)
class Table:
    """One table, by its number; `seats` are rising.

    `hand` is the number of its last hand started, `ended` tells of the last that ended. `big_blind`
    is the seat of the big blind in the last hand that ended and was not void, 0 before one.
    `button` and `button_player` are what the draw gave for the first hand. `first_players` were
    dealt into its first hand. `level_hands` have ended in the level, the first of them with
    `level_players` dealt in.
    """

    table: int
    game: str
    seats: Mapping[int, Seat] = field(default_factory=dict, hash=False)
    hand: int = 0
    open: OpenHand | None = None
    ended: Ended = field(default_factory=Ended)
    big_blind: int = 0
    button: int = 0
    button_player: str = ""
    first_players: int = 0
    level_hands: int = 0
    level_players: int = 0
    broken: bool = False
    closed: bool = False

    @property
    def is_between_hands(self) -> bool:
        """Whether no hand is open here."""
        return self.open is None

    @property
    def last_big_blind(self) -> int:
        """The last big blind's seat: of the hand that is open, or the last not void; 0: none."""
        return self.open.big_blind_seat if self.open else self.big_blind

    @property
    def with_chips(self) -> tuple[int, ...]:
        """The seats that have chips, rising."""
        return tuple(number for number, seat in self.seats.items() if seat.stack)


@dataclass(frozen=True, slots=True)
class Deal:
    """How the last players share what was still to be won; `left` is played for."""

    shares: Mapping[str, int] = field(hash=False)
    left: int


@dataclass(frozen=True, slots=True)
class TournamentState:
    """A tournament after some of its lines. Build it with `folding.evolve` or `folding.fold`.

    `entrants` are by name, also those who are out. `tables` are by number, rising, with those that
    broke; `tables_open` counts `open_tables`. `waiting` are in and do not sit, in the order of
    entering. `lost` have no chips and keep their seat while they may buy some. `busted` have no
    place yet. `level` is the last begun, 0 before the start. Its clock, or that of the break, had
    run `clock_ran` ms at `clock_at`. `entries` counts entries, `purchases` rebuys and add-ons, and
    `spent` is what these cost. `draws` were made. `order` counts the hands that ended, a round as
    one. `round` are the tables that have started a hand in the round that is on; empty between
    rounds. `prizes` and `pool` are those of `registration_closed`. `end` says why it closes, once
    that is known.
    """

    opened: TournamentOpened
    opened_at: int
    at: int
    phase: Phase
    next_commitment: str
    stopped: bool = False
    entrants: Mapping[str, Entrant] = field(default_factory=dict, hash=False)
    tables: Mapping[int, Table] = field(default_factory=dict, hash=False)
    waiting: tuple[str, ...] = ()
    lost: Mapping[str, Lost] = field(default_factory=dict, hash=False)
    busted: tuple[Bust, ...] = ()
    players_in: int = 0
    tables_open: int = 0
    entries: int = 0
    purchases: int = 0
    spent: int = 0
    level: int = 0
    clock_at: int = 0
    clock_ran: int = 0
    draws: int = 0
    order: int = 0
    registration_open: bool = True
    hand_for_hand: bool = False
    round: frozenset[int] = frozenset()
    pool: int = 0
    prizes: tuple[int, ...] = ()
    deal: Deal | None = None
    end: EndReason | None = None

    @property
    def structure(self) -> Structure:
        """What it is played by, which never changes."""
        return self.opened.structure

    @property
    def next_draw(self) -> int:
        """The number of the draw that comes next, whose secret is committed to."""
        return self.draws + 1

    @property
    def has_started(self) -> bool:
        """Whether the players were seated; also of one that has ended."""
        return self.level > 0

    @property
    def is_running(self) -> bool:
        """Whether it is between its start and its end, in a break too."""
        return self.phase in {Phase.RUNNING, Phase.BREAK}

    @property
    def open_tables(self) -> tuple[Table, ...]:
        """The tables that are neither broken nor closed, rising."""
        return tuple(one for one in self.tables.values() if not one.broken and not one.closed)

    @property
    def players(self) -> int:
        """How many names are players of the event, in or out."""
        return sum(one.counts for one in self.entrants.values())

    @property
    def sitting(self) -> int:
        """How many players sit."""
        return self.players_in - len(self.waiting)

    @property
    def all_between_hands(self) -> bool:
        """Whether no hand is open at any table."""
        return all(one.open is None for one in self.tables.values())

    @property
    def level_rules(self) -> Level:
        """The blinds, ante, unit and length of the level that is played, or that was."""
        return self.structure.levels[max(1, self.level) - 1]

    @property
    def chips(self) -> int:
        """All chips in play, between hands."""
        return sum(seat.stack for table in self.tables.values() for seat in table.seats.values())


def hand_level(state: TournamentState) -> HandLevel:
    """Give what a hand that opens now is played by."""
    level = state.level_rules
    return HandLevel(
        level=state.level,
        small_blind=level.small_blind,
        big_blind=level.big_blind,
        chip_unit=level.chip_unit,
        ante=level.ante,
    )


def clock_ran(state: TournamentState, at: int) -> int:
    """Give how many ms the clock of the level, or of the break, has run at the time `at`."""
    return state.clock_ran if state.stopped else state.clock_ran + max(0, at - state.clock_at)


def clock_ends_at(state: TournamentState) -> int | None:
    """Give when the level, or the break, ends by time; None where it does not, or is stopped."""
    if state.stopped or not state.is_running:
        return None
    if state.phase is Phase.BREAK:
        length = state.level_rules.break_ms
    elif state.structure.level_by is LevelBy.TIME and state.level < len(state.structure.levels):
        length = state.level_rules.length
    else:
        return None
    return state.clock_at + max(0, length - state.clock_ran)
