"""The entries of a game's transcript, as values.

One frozen dataclass for each kind and shape of PROTOCOL.md section 6, with the same names and in
JSON's own terms: bytes are lower-case hex, cards their two characters, choices the words of the
text. Everything that happens at a table is one of these; state is only ever folded from them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from dealer_service.quick import quick


class SeatWord(StrEnum):
    """Why a seat is, or is not, dealt in (section 6.3)."""

    IN = "in"
    ABSENT = "absent"
    SITTING_OUT = "sitting_out"
    NO_CHIPS = "no_chips"
    NO_ANCHOR = "no_anchor"
    WAITING = "waiting"


class VoidReason(StrEnum):
    """Why a hand is void (section 7)."""

    LINK_MISSING = "link_missing"
    NO_BEACON = "no_beacon"
    OPERATOR = "operator"
    HEALTH = "health"
    DEALER_FAULT = "dealer_fault"


class Post(StrEnum):
    """What a seat posts."""

    ANTE = "ante"
    SMALL_BLIND = "small_blind"
    BIG_BLIND = "big_blind"
    STRADDLE = "straddle"
    LIVE = "live"
    DEAD = "dead"


class Destination(StrEnum):
    """Where a position is dealt to."""

    SEAT = "seat"
    BOARD = "board"
    BURN = "burn"


class Act(StrEnum):
    """What a seat may do in its turn."""

    FOLD = "fold"
    CHECK = "check"
    CALL = "call"
    BET = "bet"
    RAISE = "raise"


class By(StrEnum):
    """Who or what made something happen."""

    PLAYER = "player"
    CLOCK = "clock"
    PRE_ACTION = "pre_action"
    ABSENT = "absent"
    RULE = "rule"
    POLICY = "policy"


class CloseReason(StrEnum):
    """Why a game closed."""

    OPERATOR = "operator"
    MAX_HANDS = "max_hands"
    MAX_TIME = "max_time"
    RESTORED = "restored"
    TOURNAMENT = "tournament"


class Links(StrEnum):
    """Whether a player must add randomness to be dealt in."""

    OPTIONAL = "optional"
    REQUIRED = "required"


class LogProof(StrEnum):
    """What the dealer's log has to do with the deals of a game (section 5)."""

    NONE = "none"
    FOLLOW = "follow"
    BEFORE_CARDS = "before_cards"


class Variant(StrEnum):
    """Which game is dealt."""

    HOLDEM = "holdem"
    OMAHA = "omaha"
    OMAHA_HI_LO = "omaha_hi_lo"


class Structure(StrEnum):
    """How much may be bet."""

    NO_LIMIT = "no_limit"
    POT_LIMIT = "pot_limit"
    FIXED_LIMIT = "fixed_limit"


class Button(StrEnum):
    """How the button moves (section 8)."""

    MOVING = "moving"
    DEAD = "dead"


class Newcomers(StrEnum):
    """When a newcomer is dealt in, and with which post."""

    NEXT_HAND = "next_hand"
    POST = "post"
    WAIT = "wait"
    BY_POSITION = "by_position"


class MissedBlinds(StrEnum):
    """What one owes who sat out while the blinds passed."""

    LIVE = "live"
    DEAD = "dead"
    WAIT = "wait"


class Show(StrEnum):
    """Who shows at the showdown."""

    WINNERS = "winners"
    ALL = "all"


class AnteKind(StrEnum):
    """Who pays the ante."""

    EACH = "each"
    BIG_BLIND = "big_blind"


class StraddleKind(StrEnum):
    """Who may straddle."""

    UNDER_THE_GUN = "under_the_gun"
    BUTTON = "button"
    MISSISSIPPI = "mississippi"


class StraddleRaise(StrEnum):
    """How far the first raise over a straddle goes: by the straddle, or by the big blind."""

    DOUBLE = "double"
    BIG_BLIND = "big_blind"


class PotSmallBlind(StrEnum):
    """As what the small blind counts in the pot before the flop."""

    EXACT = "exact"
    ROUNDED_UP = "rounded_up"


class ChoicesCount(StrEnum):
    """When standing choices count: as the opening repeats them, or as they stand."""

    BEFORE_LINKS = "before_links"
    AT_ONCE = "at_once"


class Choice(StrEnum):
    """A standing choice of a player (section 9.8)."""

    CHOP = "chop"
    RUNS = "runs"
    SHOW = "show"
    STRADDLE = "straddle"


class Half(StrEnum):
    """Which half of a pot that high and low share."""

    HIGH = "high"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Limits:
    """The bets of fixed limit; `cap` is the most of a street, 0 for none."""

    small_bet: int
    big_bet: int
    cap: int
    uncapped_heads_up: bool


@dataclass(frozen=True, slots=True)
class AnteRule:
    """An ante of every player, or of the big blind for all."""

    kind: AnteKind
    amount: int


@dataclass(frozen=True, slots=True)
class StraddleRule:
    """A straddle of twice the big blind."""

    kind: StraddleKind
    min_raise: StraddleRaise


@dataclass(frozen=True, slots=True)
class RakeCap:
    """The most rake of a hand with so many players and more."""

    players: int
    cap: int


@dataclass(frozen=True, slots=True)
class RakeRule:
    """What the house takes of a hand."""

    per_ten_thousand: int
    caps: tuple[RakeCap, ...]
    no_flop_no_drop: bool


@dataclass(frozen=True, slots=True)
class TimeBankRule:
    """Time above the turn clock, by player."""

    start_ms: int
    per_hand_ms: int
    max_ms: int


@dataclass(frozen=True, slots=True)
class RevealRule:
    """What is revealed when a game has closed, and how soon at the latest."""

    policy: str
    within_ms: int


@dataclass(frozen=True, slots=True)
class BeaconRule:
    """The drand network whose rounds are mixed in."""

    chain: str


@dataclass(frozen=True, slots=True)
class TournamentTable:
    """Which tournament a table is of, and its number there (section 14)."""

    tournament: str
    table: int


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The whole rule set of a game (section 6.1); chips in the smallest unit, times in ms."""

    variant: Variant
    structure: Structure
    seats: int
    small_blind: int
    big_blind: int
    chip_unit: int
    buy_in_min: int
    buy_in_max: int
    button: Button
    newcomers: Newcomers
    absent: str
    show: Show
    all_in: str
    turn_ms: int
    link_ms: int
    pause_ms: int
    links: Links
    log_proof: LogProof
    reveal: RevealRule
    max_hands: int
    max_ms: int
    beacon: BeaconRule | None = None
    hole_cards: int | None = None
    limits: Limits | None = None
    pot_small_blind: PotSmallBlind | None = None
    ante: AnteRule | None = None
    straddle: StraddleRule | None = None
    missed_blinds: MissedBlinds | None = None
    runs: int | None = None
    chop: str | None = None
    choices: ChoicesCount | None = None
    rake: RakeRule | None = None
    return_ms: int | None = None
    time_bank: TimeBankRule | None = None
    disconnect_ms: int | None = None
    watch_delay_ms: int | None = None
    tournament: TournamentTable | None = None


@dataclass(frozen=True, slots=True)
class CarriedSeat:
    """A seat that a game takes over from the one before."""

    seat: int
    player: str
    stack: int
    sitting_out: bool
    anchored: bool
    house: bool | None = None


@dataclass(frozen=True, slots=True)
class Previous:
    """The game that this one goes on from (section 6.2)."""

    game: str
    size: int
    root: str
    button: int
    button_stays: bool
    seats: tuple[CarriedSeat, ...]


@dataclass(frozen=True, slots=True)
class GameOpened:
    """The first line of every log."""

    suite: str
    origin: str
    game: str
    rules: RuleSet
    previous: Previous | None = None


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """A player sits down."""

    seat: int
    player: str
    stack: int
    anchor: str | None = None
    house: bool | None = None


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A player leaves; without a stack when the seat is in the open hand."""

    seat: int
    player: str
    stack: int | None = None


@dataclass(frozen=True, slots=True)
class PlayerRemoved:
    """The operator removes a player; without a stack when the seat is in the open hand."""

    seat: int
    player: str
    stack: int | None = None


@dataclass(frozen=True, slots=True)
class ChipsAdded:
    """A player adds chips between hands."""

    seat: int
    player: str
    amount: int


@dataclass(frozen=True, slots=True)
class SatOut:
    """A player is not dealt in from the next hand on."""

    seat: int
    player: str
    by: By


@dataclass(frozen=True, slots=True)
class CameBack:
    """A player is dealt in again from the next hand on."""

    seat: int
    player: str


@dataclass(frozen=True, slots=True)
class Anchored:
    """A player logs the end of a chain; after a miss together with the link that was missing."""

    seat: int
    player: str
    anchor: str
    missing_hand: int | None = None
    missing_link: str | None = None


@dataclass(frozen=True, slots=True)
class Preferred:
    """All standing choices of a player from here on, rising."""

    seat: int
    player: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Paused:
    """The operator opens no hand from here on."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """Hands may open again."""


@dataclass(frozen=True, slots=True)
class Owed:
    """What a seat posts besides the blinds when it is dealt in: a live bet, and dead money."""

    live: int
    dead: int


@dataclass(frozen=True, slots=True)
class Departed:
    """Who left with what, and when, and may not yet come back with less."""

    player: str
    stack: int
    at: int


@quick
@dataclass(frozen=True, slots=True)
class SeatState:
    """A taken seat between hands (section 6.3)."""

    seat: int
    player: str
    stack: int
    state: SeatWord
    anchor: str | None = None
    choices: tuple[Choice, ...] | None = None
    owes: Owed | None = None
    waits: bool | None = None
    bank_ms: int | None = None
    house: bool | None = None


@dataclass(frozen=True, slots=True)
class Miss:
    """The hands whose link a player did not give."""

    player: str
    hands: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HandLevel:
    """What a hand is played by at a tournament's table."""

    level: int
    small_blind: int
    big_blind: int
    chip_unit: int
    ante: AnteRule | None = None


@quick
@dataclass(frozen=True, slots=True)
class HandOpened:
    """A hand opens: its commitment and the whole state between hands."""

    hand: int
    commitment: str
    button: int
    big_blind_seat: int
    seats: tuple[SeatState, ...]
    misses: tuple[Miss, ...]
    voids: int
    small_blind_seat: int | None = None
    dead_small_blind_seat: int | None = None
    straddle_seat: int | None = None
    last_small_blind_seat: int | None = None
    last_big_blind_seat: int | None = None
    departed: tuple[Departed, ...] | None = None
    level: HandLevel | None = None


@dataclass(frozen=True, slots=True)
class LoggedLink:
    """A link of a seat."""

    seat: int
    link: str


@dataclass(frozen=True, slots=True)
class MissingLink:
    """A seat whose link did not come."""

    seat: int
    player: str


@dataclass(frozen=True, slots=True)
class HandVoid:
    """A hand that is not played; it shows its secret."""

    hand: int
    reason: VoidReason
    secret: str = field(repr=False)
    links: tuple[LoggedLink, ...]
    missing: tuple[MissingLink, ...]


@dataclass(frozen=True, slots=True)
class BeaconRound:
    """The beacon's round that was mixed in."""

    round: int
    randomness: str
    signature: str


@dataclass(frozen=True, slots=True)
class DeckCommitted:
    """The deck is fixed: every link, the mix and the root."""

    hand: int
    links: tuple[LoggedLink, ...]
    mix: str
    deck_root: str
    beacon: BeaconRound | None = None


@quick
@dataclass(frozen=True, slots=True)
class Posted:
    """A seat posts a blind."""

    seat: int
    what: Post
    amount: int


@dataclass(frozen=True, slots=True)
class DealtPosition:
    """Where one position of the deck went."""

    position: int
    to: Destination
    seat: int | None = None
    board: int | None = None


@quick
@dataclass(frozen=True, slots=True)
class Dealt:
    """Positions go out, face down."""

    hand: int
    positions: tuple[DealtPosition, ...]


@quick
@dataclass(frozen=True, slots=True)
class Acted:
    """A seat acts; `to` is its total for the street after the act."""

    seat: int
    act: Act
    to: int
    by: By
    turn: int


@quick
@dataclass(frozen=True, slots=True)
class OpenedCard:
    """A position's card with its salt."""

    position: int
    card: str
    salt: str = field(repr=False)


@quick
@dataclass(frozen=True, slots=True)
class Opened:
    """Cards of a seat or of a board are turned up."""

    hand: int
    by: By
    cards: tuple[OpenedCard, ...]
    seat: int | None = None
    board: int | None = None


@dataclass(frozen=True, slots=True)
class Mucked:
    """A hand is thrown away unseen at the showdown."""

    hand: int
    seat: int
    by: By


@dataclass(frozen=True, slots=True)
class RunsAgreed:
    """Everybody live agreed to deal the rest of the board so many times."""

    hand: int
    runs: int
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BlindsChopped:
    """Both blinds agreed to take their blinds back."""

    hand: int
    seats: tuple[int, ...]


@quick
@dataclass(frozen=True, slots=True)
class Returned:
    """The uncalled bet goes back."""

    seat: int
    amount: int


@quick
@dataclass(frozen=True, slots=True)
class Winner:
    """What a seat gets of a pot; with its hand when the pot was contested at a showdown."""

    seat: int
    amount: int
    name: str | None = None
    best_five: tuple[str, ...] | None = None


@quick
@dataclass(frozen=True, slots=True)
class Awarded:
    """One pot is paid; pot 0 is the main pot."""

    pot: int
    amount: int
    rake: int
    board: int
    winners: tuple[Winner, ...]
    half: Half | None = None


@quick
@dataclass(frozen=True, slots=True)
class SeatStack:
    """A seat's stack when a hand has ended."""

    seat: int
    stack: int


@quick
@dataclass(frozen=True, slots=True)
class HandEnded:
    """A hand is over; the stacks of every seat dealt in."""

    hand: int
    stacks: tuple[SeatStack, ...]


@dataclass(frozen=True, slots=True)
class ColoredUp:
    """The stacks that a chip race changed, behind it; at a tournament's table alone."""

    unit: int
    stacks: tuple[SeatStack, ...]


@dataclass(frozen=True, slots=True)
class PlayerStack:
    """What a seat holds when a game closes."""

    seat: int
    player: str
    stack: int


@dataclass(frozen=True, slots=True)
class GameClosed:
    """No hand opens any more; every seat is cashed out or carried to `next`."""

    reason: CloseReason
    stacks: tuple[PlayerStack, ...]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class SecretRevealed:
    """The secret of a hand that was not void."""

    hand: int
    secret: str = field(repr=False)


Entry = (
    GameOpened
    | SeatTaken
    | SeatLeft
    | PlayerRemoved
    | ChipsAdded
    | SatOut
    | CameBack
    | Anchored
    | Preferred
    | Paused
    | Resumed
    | HandOpened
    | HandVoid
    | DeckCommitted
    | Posted
    | Dealt
    | Acted
    | Opened
    | Mucked
    | RunsAgreed
    | BlindsChopped
    | Returned
    | Awarded
    | HandEnded
    | ColoredUp
    | GameClosed
    | SecretRevealed
)

KINDS: dict[str, type[Entry]] = {
    "game_opened": GameOpened,
    "seat_taken": SeatTaken,
    "seat_left": SeatLeft,
    "player_removed": PlayerRemoved,
    "chips_added": ChipsAdded,
    "sat_out": SatOut,
    "came_back": CameBack,
    "anchored": Anchored,
    "preferred": Preferred,
    "paused": Paused,
    "resumed": Resumed,
    "hand_opened": HandOpened,
    "hand_void": HandVoid,
    "deck_committed": DeckCommitted,
    "posted": Posted,
    "dealt": Dealt,
    "acted": Acted,
    "opened": Opened,
    "mucked": Mucked,
    "runs_agreed": RunsAgreed,
    "blinds_chopped": BlindsChopped,
    "returned": Returned,
    "awarded": Awarded,
    "hand_ended": HandEnded,
    "colored_up": ColoredUp,
    "game_closed": GameClosed,
    "secret_revealed": SecretRevealed,
}
"""The name in the log of every kind of entry."""
