"""Who shows, in which order, and who may muck (protocol 9.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from audit_cli.poker.pots import Pot
    from audit_cli.poker.ranking import Strength


class Against(NamedTuple):
    """What a hand has to win or tie, for each pot that its seat can win.

    The best high and the best low shown so far by those who can win that pot; None where nobody
    has shown any. `low` is empty where low shares no pot.
    """

    high: tuple[Strength | None, ...]
    low: tuple[Strength | None, ...] = ()

    @property
    def open(self) -> bool:
        """Whether there is a pot that any hand wins."""
        return None in self.high


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


def best_shown(
    pots: Sequence[Pot], seat: int, shown: Mapping[int, Strength]
) -> tuple[Strength | None, ...]:
    """For each pot that `seat` can win, the best strength shown so far by those who can win it.

    None where nobody who can win that pot has shown one.
    """
    return tuple(
        max((shown[rival] for rival in pot.eligible if rival in shown), default=None)
        for pot in pots
        if seat in pot.eligible
    )


def wins_or_ties(high: Strength, low: Strength | None, against: Against) -> bool:
    """Whether a hand wins or ties some pot or its half."""
    return any(best is None or high >= best for best in against.high) or (
        low is not None and any(best is None or low >= best for best in against.low)
    )
