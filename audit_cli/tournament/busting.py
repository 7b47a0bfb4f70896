"""Who busts: players without chips that can not buy any more (protocol 14.5, 14.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.report.finding import Promise
from audit_cli.tournament.planned import Planned

if TYPE_CHECKING:
    from audit_cli.tournament.state import Entrant, State


def plan_busts(state: State, at: int) -> list[Planned]:
    """Return the busting of all whose time is over, in the order in which they lost.

    Of one hand, or of one round, they stand by the end of the hands and by rising seat.
    """
    return [
        plan_bust(one, one.out.hand, one.out.start)
        for name, deadline in state.deciding.items()
        if (one := state.entrants[name]).out is not None
        and (deadline <= at or not state.may_rebuy(one, 0))
    ]


def plan_bust(entrant: Entrant, hand: int, start: int, *, at_once: bool = False) -> Planned:
    """Return the entry with which a player busts that lost its last chip in a hand."""
    fields = {
        "player": entrant.name,
        "table": entrant.table,
        "seat": entrant.seat,
        "hand": hand,
        "stack": start,
    }
    return Planned("busted", fields, Promise.SEATED, at_once)
