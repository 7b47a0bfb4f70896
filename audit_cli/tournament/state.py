"""The state of a tournament between two entries: who is in, who sits where, level, round, draws.

It holds what the log says; what the log should have said is worked out from it elsewhere. Counts
that every question needs are kept, so that none of them looks through all players.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audit_cli.tournament.structure import Structure


@dataclass(frozen=True, slots=True)
class Out:
    """How a player lost its last chip: in which hand, at which table, with what it had begun it.

    `order` rises with the hands' ends; in a round hand for hand it is one for all of them.
    """

    order: int
    table: int
    hand: int
    start: int
    at: int
    in_round: bool = False


@dataclass(slots=True)
class Entrant:
    """A registered name. `table` is 0 where it does not sit; `unit` is that of its chips.

    `stands` tells whether its entry counts: not where it was withdrawn or taken over; after the
    latter (`annulled`) the name never comes again.
    """

    name: str
    number: int
    anchors: bool = False
    house: bool = False
    is_in: bool = False
    stands: bool = False
    annulled: bool = False
    busted: bool = False
    disqualified: bool = False
    placed: bool = False
    table: int = 0
    seat: int = 0
    stack: int = 0
    unit: int = 0
    reentries: int = 0
    rebuys: int = 0
    added_on: bool = False
    out: Out | None = None


@dataclass(frozen=True, slots=True)
class OpenHand:
    """A hand that is being played: `stacks` are those of all seats with chips when it started."""

    number: int
    level: int
    big_blind: int
    players: int
    stacks: dict[int, int]


@dataclass(slots=True)
class Table:
    """A table: who sits where, the open hand, and where its last big blind was."""

    number: int
    game: str
    seats: dict[int, str] = field(default_factory=dict)
    hand: OpenHand | None = None
    last_hand: int = 0
    last_big_blind: int = 0
    first_players: int = 0
    # The last finished hand's place in the order of all, 0 before there is one.
    last_order: int = 0
    # Of the level that is played: finished hands that were not void, and how many the first of
    # them dealt in.
    level: int = 0
    level_hands: int = 0
    level_first: int = 0
    # Who drew the first button, "" without a draw.
    button: str = ""
    # Who sat down since the last hand began, and when.
    fresh: dict[str, int] = field(default_factory=dict)
    broken: bool = False
    closed: bool = False

    @property
    def is_open(self) -> bool:
        """Whether hands may be played here."""
        return not (self.broken or self.closed)

    @property
    def big_blind(self) -> int:
        """The seat of the last big blind (protocol 14.8); 0 before the first hand."""
        return self.last_big_blind if self.hand is None else self.hand.big_blind

    @property
    def orbiting(self) -> bool:
        """Whether the table is in its first orbit (protocol 14.5)."""
        return self.last_hand == 0 or self.last_hand <= self.first_players


@dataclass(slots=True)
class Clock:
    """The clock of a level or a break: it stands while the tournament is stopped."""

    run: int = 0
    since: int | None = None

    def begin(self, at: int, *, stopped: bool) -> None:
        """Begin anew."""
        self.run = 0
        self.since = None if stopped else at

    def stop(self, at: int) -> None:
        """Stand."""
        self.run = self.at(at)
        self.since = None

    def resume(self, at: int) -> None:
        """Run on."""
        if self.since is None:
            self.since = at

    def at(self, at: int) -> int:
        """Return how long it has run, in ms."""
        return self.run if self.since is None else self.run + max(at - self.since, 0)


@dataclass(slots=True)
class State:
    """A tournament as its log tells it so far."""

    tournament: str
    origin: str
    structure: Structure
    commitment: str
    draws: int = 0
    entrants: dict[str, Entrant] = field(default_factory=dict)
    by_number: dict[int, str] = field(default_factory=dict)
    tables: dict[int, Table] = field(default_factory=dict)
    games: dict[str, int] = field(default_factory=dict)
    # The open tables, None when they have to be listed anew.
    open_list: list[Table] | None = None
    # Players in that do not sit, in the order of entering; and those without chips who decide.
    unseated: dict[str, None] = field(default_factory=dict)
    deciding: dict[str, int] = field(default_factory=dict)
    # Who has busted without a place, in the order of busting.
    unplaced: dict[str, None] = field(default_factory=dict)
    players_in: int = 0
    sitting: int = 0
    # Names whose entry stands, and with re-entries; chips bought later, in money.
    players: int = 0
    entries: int = 0
    bought: int = 0
    # How often chips came into play: entries, rebuys and add-ons.
    stacks_given: int = 0
    started: bool = False
    stopped: bool = False
    level: int = 0
    in_break: bool = False
    level_over: bool = False
    clock: Clock = field(default_factory=Clock)
    registration_closed: bool = False
    pool: int = 0
    prizes: tuple[int, ...] = ()
    # How many places are given; the worst are given first.
    given: int = 0
    hand_for_hand: bool = False
    # The tables that have started a hand in the round; None between rounds.
    round: set[int] | None = None
    round_order: int = 0
    open_hands: int = 0
    shares: dict[str, int] | None = None
    left: int = 0
    # The end has begun: a table is closed.
    ended: bool = False
    last_closed: int = 0
    closed: bool = False
    reason: str = ""
    # What was due and is missing, said once and not again at every hand.
    said: set[str] = field(default_factory=set)
    # Whether an entry could not be read: what the state should be is then not known.
    torn: bool = False

    def entrant(self, name: str) -> Entrant:
        """Return a name's entrant; one that never registered has the number 0."""
        found = self.entrants.get(name)
        if found is None:
            found = self.entrants[name] = Entrant(name, 0)
        return found

    def table(self, number: int) -> Table:
        """Return a table; one that was never opened has no game."""
        found = self.tables.get(number)
        if found is None:
            found = self.tables[number] = Table(number, "")
            self.open_list = None
        return found

    def open_tables(self) -> list[Table]:
        """Return the tables at which hands may be played, by rising number; not to be changed."""
        if self.open_list is None:
            listed = [table for table in self.tables.values() if table.is_open]
            self.open_list = sorted(listed, key=lambda table: table.number)
        return self.open_list

    def chips(self, table: Table) -> dict[int, int]:
        """Return the stacks of those with chips at a table, by rising seat."""
        stacks = ((seat, self.entrants[name].stack) for seat, name in sorted(table.seats.items()))
        return {seat: stack for seat, stack in stacks if stack}

    def numbers(self, names: list[str]) -> list[int]:
        """Return the entrant numbers of some names, in ascending order of name."""
        return [self.entrants[name].number for name in sorted(names)]

    def button_seat(self, table: Table) -> int:
        """Return the seat of who drew the first button, 0 where it does not play there."""
        entrant = self.entrants.get(table.button)
        plays = entrant is not None and entrant.table == table.number and entrant.stack
        return entrant.seat if entrant is not None and plays else 0

    @property
    def ready(self) -> bool:
        """Whether all tables are between hands."""
        return self.open_hands == 0

    @property
    def unit(self) -> int:
        """The unit of the level that is played, of level 1 before the start."""
        return self.structure.level(self.level).unit

    def may_rebuy(self, entrant: Entrant, stack: int) -> bool:
        """Whether a player with this stack may still buy chips (protocol 14.5)."""
        rule = self.structure.rebuy
        return (
            rule is not None
            and not self.registration_closed
            and stack <= rule.max_stack
            and (rule.most == 0 or entrant.rebuys < rule.most)
        )

    def time_to_decide(self, entrant: Entrant) -> int:
        """Return how long a player without chips keeps its seat, in ms."""
        rule = self.structure.rebuy
        return rule.decide_ms if rule is not None and self.may_rebuy(entrant, 0) else 0
