"""Who can win what: the uncalled bet and the pots, computed from what the seats put in (9.6).

Nothing here is kept or changed: pots are layers at the distinct totals of live seats. Folded
chips fall into the layers that they reach, and above the highest live total into the last. Dead
money, which nobody put in as a bet, joins the main pot and is never given back.
"""

from collections.abc import Sequence
from typing import NamedTuple

from dealer_service.rules.betting import Chair


class Pot(NamedTuple):
    """Chips, and the live seats that can win them in the order of the chairs."""

    amount: int
    eligible: tuple[int, ...]


def find_uncalled(chairs: Sequence[Chair]) -> tuple[int, int] | None:
    """Give the live seat that put in more than any other seat, folded ones too, and how much more.

    What a folded seat put in stays in: by folding it gave up every claim to the pot.
    """
    first = second = owner = 0
    gave_up = False
    for chair in chairs:
        put = chair.put
        if put > first:
            first, second, owner, gave_up = put, first, chair.seat, chair.folded
        elif put > second:
            second = put
    return (owner, first - second) if first > second and not gave_up else None


def layer_pots(chairs: Sequence[Chair], dead: int = 0) -> tuple[Pot, ...]:
    """Layer what the chairs put in, without the uncalled bet, into pots; the main pot comes first.

    A live seat that put nothing in but dead money can win the dead money.
    """
    total, levels, live = dead, set(), []
    for chair in chairs:
        total += chair.put
        if not chair.folded:
            levels.add(chair.put)
            live.append(chair.seat)
    if len(levels) <= 1:
        return (Pot(total, tuple(live)),) if total else ()
    if not dead:
        levels.discard(0)
    return _layer(chairs, sorted(levels), dead)


def _layer(chairs: Sequence[Chair], levels: Sequence[int], dead: int) -> tuple[Pot, ...]:
    """Layer what the chairs put in at these totals of live seats, which rise."""
    pots = []
    floor, extra = 0, dead
    for level in levels:
        # What reaches above the highest live total belongs to the last layer.
        top = level if level < levels[-1] else max(chair.put for chair in chairs)
        chips = sum(min(chair.put, top) - min(chair.put, floor) for chair in chairs)
        eligible = [chair.seat for chair in chairs if not chair.folded and chair.put >= level]
        pots.append(Pot(chips + extra, tuple(eligible)))
        floor, extra = level, 0
    return tuple(pots)
