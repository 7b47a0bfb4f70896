"""What an entry of a tournament's log moves between the house and its players' wallets (14.9)."""

from dataclasses import dataclass
from enum import StrEnum, unique

from dealer_service.rules.tournament.entry import (
    AddedOn,
    EndReason,
    PayoutKind,
    Placed,
    Rebought,
    Reentered,
    Registered,
    TakenOver,
    TournamentClosed,
    TournamentEntry,
    Withdrawn,
)
from dealer_service.rules.tournament.state import Phase, TournamentState


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


def movements(  # noqa: PLR0911 - a return for each kind
    before: TournamentState | None, entry: TournamentEntry
) -> tuple[Movement, ...]:
    """List what `entry` moved, with the state before it.

    A buy-in moves `buy_in` and `fee` together. Of a finished tournament what came in less what
    went out is the fee of every entry less what the house added up to the guarantee.
    """
    if before is None:
        return ()
    structure = before.structure
    entry_money = structure.buy_in + structure.fee
    match entry:
        case Registered() | Reentered():
            return (Movement(What.BUY_IN, entry.player, entry_money),)
        case Withdrawn():
            return (Movement(What.REFUND, entry.player, entry_money),)
        case TakenOver():
            return (Movement(What.REFUND, entry.house_player, entry_money),)
        case Rebought() if structure.rebuy is not None:
            return (Movement(What.REBUY, entry.player, structure.rebuy.cost),)
        case AddedOn() if structure.add_on is not None:
            return (Movement(What.ADD_ON, entry.player, structure.add_on.cost),)
        case Placed() if entry.prize and structure.payout.kind is not PayoutKind.POINTS:
            return (Movement(What.PRIZE, entry.player, entry.prize),)
        case TournamentClosed():
            return (*_given_back(before, entry), Movement(What.TOURNAMENT_CLOSED))
        case _:
            return ()


def _given_back(before: TournamentState, entry: TournamentClosed) -> tuple[Movement, ...]:
    if before.phase is not Phase.REGISTERING or entry.reason is not EndReason.CANCELLED:
        return ()
    structure = before.structure
    return tuple(
        Movement(What.REFUND, name, structure.buy_in + structure.fee)
        for name in sorted(before.waiting)
    )
