"""The entries of a tournament's transcript, as values.

One frozen dataclass for each kind and shape of PROTOCOL.md section 14, with the same names and in
JSON's own terms, as in `rules.entry`. A tournament's state is only ever folded from them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from dealer_service.rules.entry import AnteRule, Resumed, RuleSet, SeatStack


class StartKind(StrEnum):
    """When a tournament starts: with its last seat, or at a time."""

    FULL = "full"
    AT = "at"


class LevelBy(StrEnum):
    """By what a level's length is measured."""

    TIME = "time"
    HANDS = "hands"
    ORBITS = "orbits"


class Ties(StrEnum):
    """How those are ranked who bust at several tables in one round of hand for hand."""

    SHARE = "share"
    STACKS = "stacks"


class PayoutKind(StrEnum):
    """How prizes follow from the pool."""

    SHARES = "shares"
    WINNER = "winner"
    SATELLITE = "satellite"
    POINTS = "points"


class DrawWhat(StrEnum):
    """What a draw is dealt out as (14.2)."""

    SEATS = "seats"
    PLACE = "place"
    BREAK = "break"
    REDRAW = "redraw"
    BUTTON = "button"
    RACE = "race"


class MoveWhy(StrEnum):
    """Why a player moves to another table."""

    BALANCE = "balance"
    BREAK = "break"
    REDRAW = "redraw"


class EndReason(StrEnum):
    """Why a tournament closed."""

    FINISHED = "finished"
    CANCELLED = "cancelled"
    RESTORED = "restored"


@dataclass(frozen=True, slots=True)
class StartRule:
    """When the tournament starts; `at` in ms since 1970, exactly with AT."""

    kind: StartKind
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Level:
    """Blinds, ante and unit of a level, its length (ms, hands or orbits) and the break after it."""

    small_blind: int
    big_blind: int
    chip_unit: int
    length: int
    break_ms: int
    ante: AnteRule | None = None


@dataclass(frozen=True, slots=True)
class LateRule:
    """Until the end of which level one may enter, and how often again."""

    levels: int
    reentries: int


@dataclass(frozen=True, slots=True)
class RebuyRule:
    """What a rebuy gives and costs, how often (0: no limit), at which stack; time to decide."""

    chips: int
    cost: int
    most: int
    max_stack: int
    decide_ms: int


@dataclass(frozen=True, slots=True)
class AddOnRule:
    """What the add-on gives and costs."""

    chips: int
    cost: int


@dataclass(frozen=True, slots=True)
class ShareTable:
    """The shares of the places, in ten thousandths, for so many players and more."""

    players: int
    shares: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PayoutRule:
    """How prizes follow from the pool; each field is there exactly with its kind."""

    kind: PayoutKind
    unit: int | None = None
    tables: tuple[ShareTable, ...] | None = None
    prize: int | None = None
    points: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Structure:
    """What a tournament is played by (14.3); chips in the smallest unit, money in its own."""

    name: str
    rules: RuleSet
    stack: int
    start: StartRule
    players_min: int
    players_max: int
    levels: tuple[Level, ...]
    level_by: LevelBy
    take_over: bool
    buy_in: int
    fee: int
    guarantee: int
    payout: PayoutRule
    hand_for_hand: int
    ties: Ties
    redraw: tuple[int, ...]
    deals: bool
    late: LateRule | None = None
    rebuy: RebuyRule | None = None
    add_on: AddOnRule | None = None


@dataclass(frozen=True, slots=True)
class TournamentOpened:
    """The first line of a tournament's log."""

    suite: str
    origin: str
    tournament: str
    structure: Structure
    draw_commitment: str


@dataclass(frozen=True, slots=True)
class Registered:
    """A player enters; `anchors` says that it will give links."""

    player: str
    entrant: int
    anchors: bool
    house: bool | None = None


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A player takes its registration back."""

    player: str


@dataclass(frozen=True, slots=True)
class Started:
    """The tournament starts with so many players."""

    players: int


@dataclass(frozen=True, slots=True)
class TableOpened:
    """A table opens as a game."""

    table: int
    game: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """A draw: its secret, what came out, and the commitment of the next."""

    draw: int
    what: DrawWhat
    secret: str = field(repr=False)
    order: tuple[int, ...]
    next_commitment: str
    table: int | None = None
    player: str | None = None


@dataclass(frozen=True, slots=True)
class Seated:
    """A player sits down with a fresh stack."""

    player: str
    table: int
    seat: int
    stack: int


@dataclass(frozen=True, slots=True)
class Moved:
    """A player goes from one table to another with its stack."""

    player: str
    from_table: int
    from_seat: int
    table: int
    seat: int
    stack: int
    why: MoveWhy


@dataclass(frozen=True, slots=True)
class TableBroken:
    """Nobody sits at a table any more."""

    table: int


@dataclass(frozen=True, slots=True)
class LevelBegun:
    """A level begins."""

    level: int


@dataclass(frozen=True, slots=True)
class BreakBegun:
    """The break after a level begins."""

    level: int


@dataclass(frozen=True, slots=True)
class HandStarted:
    """A hand opens at a table, with so many players dealt in."""

    table: int
    hand: int
    level: int
    button: int
    big_blind_seat: int
    players: int


@dataclass(frozen=True, slots=True)
class HandFinished:
    """A hand ended at a table, or was void; the stacks of all seats dealt in."""

    table: int
    hand: int
    void: bool
    stacks: tuple[SeatStack, ...]


@dataclass(frozen=True, slots=True)
class Busted:
    """A player is out; `stack` is what it had when the hand opened."""

    player: str
    table: int
    seat: int
    hand: int
    stack: int


@dataclass(frozen=True, slots=True)
class TableColoredUp:
    """Chips of a lower unit were exchanged and raced at a table; the stacks that changed."""

    table: int
    unit: int
    stacks: tuple[SeatStack, ...]
    draw: int | None = None


@dataclass(frozen=True, slots=True)
class Reentered:
    """A player who busted enters again."""

    player: str


@dataclass(frozen=True, slots=True)
class Rebought:
    """A player buys chips again."""

    player: str
    table: int
    seat: int
    chips: int


@dataclass(frozen=True, slots=True)
class AddedOn:
    """A player buys the add-on."""

    player: str
    table: int
    seat: int
    chips: int


@dataclass(frozen=True, slots=True)
class TakenOver:
    """A person takes a house player's seat with a fresh stack; `removed` goes out of play."""

    player: str
    house_player: str
    table: int
    seat: int
    stack: int
    removed: int


@dataclass(frozen=True, slots=True)
class Disqualified:
    """A player is taken out by the operator, its chips out of play."""

    player: str
    table: int
    seat: int
    stack: int


@dataclass(frozen=True, slots=True)
class RegistrationClosed:
    """Nobody enters any more: the pool and the prizes, from place 1 on."""

    players: int
    entries: int
    pool: int
    prizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HandForHandBegun:
    """From here on all tables play their hands in rounds."""


@dataclass(frozen=True, slots=True)
class HandForHandEnded:
    """Tables play on by themselves."""


@dataclass(frozen=True, slots=True)
class Share:
    """What a deal gives a player."""

    player: str
    amount: int


@dataclass(frozen=True, slots=True)
class DealAgreed:
    """The last players share what is still to be won; `left` is played for."""

    shares: tuple[Share, ...]
    left: int


@dataclass(frozen=True, slots=True)
class Placed:
    """A player's place, how many share it, and its prize."""

    player: str
    place: int
    tied: int
    prize: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """No hand starts and no clock runs."""


@dataclass(frozen=True, slots=True)
class TableClosed:
    """A table's game is closed: its log's size and root then."""

    table: int
    game: str
    size: int
    root: str


@dataclass(frozen=True, slots=True)
class TournamentClosed:
    """The last line: why, and the secret of the draw that was not made."""

    reason: EndReason
    secret: str = field(repr=False)


TournamentEntry = (
    TournamentOpened
    | Registered
    | Withdrawn
    | Started
    | TableOpened
    | Drawn
    | Seated
    | Moved
    | TableBroken
    | LevelBegun
    | BreakBegun
    | HandStarted
    | HandFinished
    | Busted
    | TableColoredUp
    | Reentered
    | Rebought
    | AddedOn
    | TakenOver
    | Disqualified
    | RegistrationClosed
    | HandForHandBegun
    | HandForHandEnded
    | DealAgreed
    | Placed
    | Stopped
    | Resumed
    | TableClosed
    | TournamentClosed
)

TOURNAMENT_KINDS: dict[str, type[TournamentEntry]] = {
    "tournament_opened": TournamentOpened,
    "registered": Registered,
    "withdrawn": Withdrawn,
    "started": Started,
    "table_opened": TableOpened,
    "drawn": Drawn,
    "seated": Seated,
    "moved": Moved,
    "table_broken": TableBroken,
    "level_begun": LevelBegun,
    "break_begun": BreakBegun,
    "hand_started": HandStarted,
    "hand_finished": HandFinished,
    "busted": Busted,
    "colored_up": TableColoredUp,
    "reentered": Reentered,
    "rebought": Rebought,
    "added_on": AddedOn,
    "taken_over": TakenOver,
    "disqualified": Disqualified,
    "registration_closed": RegistrationClosed,
    "hand_for_hand_begun": HandForHandBegun,
    "hand_for_hand_ended": HandForHandEnded,
    "deal_agreed": DealAgreed,
    "placed": Placed,
    "stopped": Stopped,
    "resumed": Resumed,
    "table_closed": TableClosed,
    "tournament_closed": TournamentClosed,
}
"""The name in the log of every kind of entry."""
