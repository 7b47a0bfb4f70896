"""Who shows, and in which order (9.6, after TDA 2024 rules 16 and 17-A).

Seats of the highest-numbered pot come first. Within one group the last seat that bet or raised
on the street on which betting ended begins, else the first to the left of the button.
"""

from collections.abc import Mapping, Sequence

from dealer_service.rules.positions import start_at
from dealer_service.rules.pots import Pot


def order_showing(pots: Sequence[Pot], aggressor: int | None) -> tuple[int, ...]:
    """Order all seats that can win a pot; those of a pot are given clockwise from the button."""
    order: tuple[int, ...] = ()
    for pot in reversed(pots):
        group = tuple([seat for seat in pot.eligible if seat not in order])
        order += start_at(group, aggressor) if aggressor in group else group
    return order


def must_show(seat: int, strength: int, pots: Sequence[Pot], opened: Mapping[int, int]) -> bool:
    """Tell whether a hand wins or ties a pot that it can win against the strengths opened so far.

    The first hand of a showdown has nothing against it, so that it is always shown.
    """
    return any(
        seat in pot.eligible
        and all(strength >= opened[other] for other in pot.eligible if other in opened)
        for pot in pots
    )
