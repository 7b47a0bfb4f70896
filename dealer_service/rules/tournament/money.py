"""What an entry of a tournament's log moves between the house and its players' wallets (14.9)."""

from dataclasses import dataclass
from enum import StrEnum, unique

from dealer_service.rules.tournament.entry import TournamentEntry
from dealer_service.rules.tournament.state import TournamentState


@unique
class What(StrEnum):
    """What moved, in units of money."""

    BUY_IN = "buy_in"
    REFUND = "refund"
    REBUY = "rebuy"
    ADD_ON = "add_on"
    PRIZE = "prize"
    TOURNAMENT_CLOSED = "tournament_closed"


INWARD = frozenset({What.BUY_IN, What.REBUY, What.ADD_ON})
OUTWARD = frozenset({What.REFUND, What.PRIZE})


@dataclass(frozen=True, slots=True)
class Movement:
    """Money of one player on its way; `tournament_closed` has no player and moves none."""

    what: What
    player: str = ""
    amount: int = 0


def movements(before: TournamentState | None, entry: TournamentEntry) -> tuple[Movement, ...]:
    """List what `entry` moved, with the state before it.

    A buy-in moves `buy_in` and `fee` together. Of a finished tournament what came in less what
    went out is the fee of every entry less what the house added up to the guarantee.
    """
    raise NotImplementedError
