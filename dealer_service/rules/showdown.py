"""Who shows, and in which order (9.6, after TDA 2024 rules 16 and 17-A).

Seats of the highest-numbered pot come first. Within one group the last seat that bet or raised
on the street on which betting ended begins, else the first to the left of the button.
"""

from collections.abc import Sequence

from dealer_service.rules.judging import Shown
from dealer_service.rules.positions import start_at
from dealer_service.rules.pots import Pot


def order_showing(pots: Sequence[Pot], aggressor: int | None) -> tuple[int, ...]:
    """Order all seats that can win a pot; those of a pot are given clockwise from the button."""
    order: tuple[int, ...] = ()
    for pot in pots[::-1]:
        group = pot.eligible
        if order:
            group = tuple([seat for seat in group if seat not in order])
        order += start_at(group, aggressor) if aggressor in group else group
    return order


def must_show(hand: Shown, pots: Sequence[Pot], opened: Sequence[Shown]) -> bool:
    """Tell whether a hand wins or ties a pot, or its low half, against the hands opened so far.

    All are ranked. The first hand of a showdown has nothing against it, so that it is always shown.
    """
    for pot in pots:
        if hand.seat in pot.eligible:
            others = [other for other in opened if other.seat in pot.eligible]
            if _holds_high(hand, others) or _holds_low(hand, others):
                return True
    return False


def _holds_high(hand: Shown, others: Sequence[Shown]) -> bool:
    for other in others:  # noqa: SIM110 - a generator takes longer
        if other.high > hand.high:
            return False
    return True


def _holds_low(hand: Shown, others: Sequence[Shown]) -> bool:
    mine = hand.low
    return mine is not None and all(other.low is None or mine <= other.low for other in others)
