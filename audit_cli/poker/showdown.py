"""Who shows, in which order, and who may muck (protocol 9.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from audit_cli.poker.pots import Pot
    from audit_cli.poker.ranking import Strength


def order_showing(pots: Sequence[Pot], aggressor: int | None) -> tuple[int, ...]:
    """Return the live seats in showing order.

    Eligible seats of each pot stand left of the button first. `aggressor` is the last seat that
    bet or raised on the street on which betting ended.
    """
    shown: list[int] = []
    for pot in reversed(pots):
        group = [seat for seat in pot.eligible if seat not in shown]
        if aggressor in group:
            at = group.index(aggressor)
            group = group[at:] + group[:at]
        shown += group
    return tuple(shown)


def thresholds(
    pots: Sequence[Pot], seat: int, shown: Mapping[int, Strength]
) -> tuple[Strength | None, ...]:
    """For each pot that `seat` can win, the best strength shown so far by those who can win it.

    None where nobody who can win that pot has shown: any hand wins there.
    """
    return tuple(
        max((shown[rival] for rival in pot.eligible if rival in shown), default=None)
        for pot in pots
        if seat in pot.eligible
    )


def wins_or_ties(strength: Strength, against: Sequence[Strength | None]) -> bool:
    """Whether a hand wins or ties some pot, by `thresholds`."""
    return any(best is None or strength >= best for best in against)
