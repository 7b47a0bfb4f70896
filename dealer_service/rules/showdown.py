"""Who shows, and in which order (9.6, after TDA 2024 rules 16 and 17-A).

Seats of the highest-numbered pot come first. Within one group the last seat that bet or raised
on the street on which betting ended begins, else the first to the left of the button.
"""

from collections.abc import Mapping, Sequence

from dealer_service.rules.judging import Ranks
from dealer_service.rules.positions import start_at
from dealer_service.rules.pots import Pot


def order_showing(pots: Sequence[Pot], aggressor: int | None) -> tuple[int, ...]:
    """Order all seats that can win a pot; those of a pot are given clockwise from the button."""
    order: tuple[int, ...] = ()
    for pot in reversed(pots):
        group = tuple([seat for seat in pot.eligible if seat not in order])
        order += start_at(group, aggressor) if aggressor in group else group
    return order


def must_show(seat: int, pots: Sequence[Pot], opened: Sequence[int], ranks: Ranks) -> bool:
    """Tell whether a hand wins or ties a pot, or its low half, against the hands opened so far.

    `ranks` are of all these hands on the board. The first hand of a showdown has nothing against
    it, so that it is always shown.
    """
    highs, lows = ranks
    mine = highs[seat]
    better = [other for other in opened if highs[other] > mine]
    for pot in pots:
        eligible = pot.eligible
        if seat in eligible:
            beaten = [other for other in better if other in eligible]
            if not beaten or (lows and _holds_low(seat, pot, opened, lows)):
                return True
    return False


def _holds_low(seat: int, pot: Pot, opened: Sequence[int], lows: Mapping[int, int]) -> bool:
    mine = lows.get(seat)
    return mine is not None and all(
        mine <= lows.get(other, mine) for other in opened if other in pot.eligible
    )
