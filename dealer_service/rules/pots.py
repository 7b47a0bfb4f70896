"""Who can win what: the uncalled bet and the pots, computed from what the seats put in (9.6).

Nothing here is kept or changed: pots are layers at the distinct totals of live seats. Folded
chips fall into the layers that they reach, and above the highest live total into the last. Dead
money, which nobody put in as a bet, joins the main pot and is never given back.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

Stake: TypeAlias = tuple[int, int, bool]
"""A seat, what it has put into the hand, and whether it is live: dealt in and not folded."""


class Pot(NamedTuple):
    """Chips, and the live seats that can win them in the order of the stakes."""

    amount: int
    eligible: tuple[int, ...]


def find_uncalled(stakes: Sequence[Stake]) -> tuple[int, int] | None:
    """Give the live seat that put in more than any other seat, folded ones too, and how much more.

    What a folded seat put in stays in: by folding it gave up every claim to the pot.
    """
    first = second = owner = 0
    owner_live = False
    for seat, amount, live in stakes:
        if amount > first:
            first, second, owner, owner_live = amount, first, seat, live
        elif amount > second:
            second = amount
    return (owner, first - second) if first > second and owner_live else None


def layer_pots(stakes: Sequence[Stake], dead: int = 0) -> tuple[Pot, ...]:
    """Layer the stakes, without the uncalled bet, into pots; the main pot comes first.

    A live seat that put nothing in but dead money can win the dead money.
    """
    levels = sorted({amount for _, amount, live in stakes if live and (amount or dead)})
    if len(levels) <= 1:
        level = levels[0] if levels else 0
        total, can_win = dead, []
        for seat, amount, live in stakes:
            total += amount
            if live and amount >= level:
                can_win.append(seat)
        return (Pot(total, tuple(can_win)),) if total else ()
    pots = []
    floor, extra = 0, dead
    for level in levels:
        # What reaches above the highest live total belongs to the last layer.
        top = level if level < levels[-1] else max(amount for _, amount, _ in stakes)
        chips = sum(min(amount, top) - min(amount, floor) for _, amount, _ in stakes)
        eligible = tuple([seat for seat, amount, live in stakes if live and amount >= level])
        pots.append(Pot(chips + extra, eligible))
        floor, extra = level, 0
    return tuple(pots)
