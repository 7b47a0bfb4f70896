"""Who can win what: the uncalled bet and the pots, computed from what the seats put in (9.6).

Nothing here is kept or changed: pots are layers at the distinct totals of live seats. Folded
chips fall into the layers that they reach, and above the highest live total into the last. Dead
money, which nobody put in as a bet, joins the main pot and is never given back.
"""

from collections.abc import Sequence
from typing import NamedTuple


class Stake(NamedTuple):
    """What a seat has put into the hand, and whether it is live: dealt in and not folded."""

    seat: int
    amount: int
    live: bool


class Pot(NamedTuple):
    """Chips, and the live seats that can win them in the order of the stakes."""

    amount: int
    eligible: tuple[int, ...]


def find_uncalled(stakes: Sequence[Stake]) -> tuple[int, int] | None:
    """Give the live seat that put in more than any other seat, folded ones too, and how much more.

    What a folded seat put in stays in: by folding it gave up every claim to the pot.
    """
    first = second = 0
    owner: Stake | None = None
    for stake in stakes:
        if stake.amount > first:
            first, second, owner = stake.amount, first, stake
        elif stake.amount > second:
            second = stake.amount
    if owner is None or first == second or not owner.live:
        return None
    return owner.seat, first - second


def layer_pots(stakes: Sequence[Stake], dead: int = 0) -> tuple[Pot, ...]:
    """Layer the stakes, without the uncalled bet, into pots; the main pot comes first."""
    levels = sorted({stake.amount for stake in stakes if stake.live and stake.amount})
    if len(levels) <= 1:
        total = sum([stake.amount for stake in stakes]) + dead
        level = levels[0] if levels else 0
        eligible = tuple([s.seat for s in stakes if s.live and s.amount >= level])
        return (Pot(total, eligible),) if total else ()
    pots = []
    floor, extra = 0, dead
    for level in levels:
        # What reaches above the highest live total belongs to the last layer.
        top = level if level < levels[-1] else max(stake.amount for stake in stakes)
        amount = sum(min(stake.amount, top) - min(stake.amount, floor) for stake in stakes)
        eligible = tuple(s.seat for s in stakes if s.live and s.amount >= level)
        pots.append(Pot(amount + extra, eligible))
        floor, extra = level, 0
    return tuple(pots)
