"""What is due, as values: a step, the draw that it needs, and what the draw gave."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique

from dealer_service.rules.tournament.entry import DrawWhat


@unique
class StepKind(StrEnum):
    """The things that can be due (14.6 to 14.10), in the order in which they are done."""

    BUST = "bust"
    CLOSE_REGISTRATION = "close_registration"
    PLACE = "place"
    BEGIN_HAND_FOR_HAND = "begin_hand_for_hand"
    END_HAND_FOR_HAND = "end_hand_for_hand"
    FINISH = "finish"
    CLOSE_TABLE = "close_table"
    END = "end"
    START = "start"
    BEGIN_BREAK = "begin_break"
    BEGIN_LEVEL = "begin_level"
    SEAT = "seat"
    REDRAW = "redraw"
    BREAK_TABLE = "break_table"
    BALANCE = "balance"
    DRAW_BUTTON = "draw_button"
    RACE = "race"
    START_HAND = "start_hand"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A draw that a step needs: what it is dealt out as, and the list before the shuffle."""

    what: DrawWhat
    items: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that is due. `table` is 0 and `player` empty where it is of none.

    With `draw`, `take` needs the next draw's secret and order; END needs the secret alone. `games`
    says for how many tables to be opened it needs fresh game ids.
    """

    kind: StepKind
    table: int = 0
    player: str = ""
    draw: Wanted | None = None
    games: int = 0


@dataclass(frozen=True, slots=True)
class DrawnOrder:
    """The next draw's secret (64 hex digits), what it gave, and the commitment of the one after.

    For END only the secret is read.
    """

    secret: str = field(repr=False)
    order: tuple[int, ...] = ()
    next_commitment: str = ""


Held = Mapping[int, int]
"""By table, the time until which its next hand waits for anchors."""
