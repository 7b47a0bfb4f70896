"""Who can win what: the uncalled bet, the layers of pots, rake, and shares (protocol 9.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


class Pot(NamedTuple):
    """Chips and the live seats that can win them, in the order that was given."""

    amount: int
    eligible: tuple[int, ...]


def find_uncalled(totals: Mapping[int, int], live: Sequence[int]) -> tuple[int, int] | None:
    """Return the live seat that put in more than any other, folded ones too, and by how much."""
    second, top = sorted(totals.values())[-2:]
    if top == second:
        return None
    return next(((seat, top - second) for seat in live if totals[seat] == top), None)


def layer_pots(totals: Mapping[int, int], live: Sequence[int], dead: int = 0) -> tuple[Pot, ...]:
    """Return the pots, main pot first, of what each seat put in, less the uncalled bet.

    `live` are the seats that have not folded. Folded chips fall into the layers that they reach,
    and what reaches above the highest live total into the last; `dead` money, which nobody put
    in, joins the main pot. A pot without a chip is none.
    """
    pots: list[Pot] = []
    floor = 0
    levels = sorted({totals[seat] for seat in live})
    if len(levels) == 1:
        amount = sum(totals.values()) + dead
        return (Pot(amount, tuple(live)),) if amount else ()
    for level in levels:
        top = level == levels[-1]
        amount = sum(
            (total if top else min(total, level)) - floor
            for total in totals.values()
            if total > floor
        )
        if amount + dead:
            pots.append(Pot(amount + dead, tuple(seat for seat in live if totals[seat] >= level)))
        floor, dead = level, 0
    return tuple(pots)


def spread_rake(pots: Sequence[Pot], rake: int) -> tuple[int, ...]:
    """Return what of a hand's rake each pot bears: the main pot first, then the next."""
    parts = []
    for pot in pots:
        parts.append(min(rake, pot.amount))
        rake -= parts[-1]
    return tuple(parts)


def halve(amount: int, unit: int) -> tuple[int, int]:
    """Return both halves in whole units; an odd unit, and what is below one, is of the first."""
    second = amount // unit // 2 * unit
    return amount - second, second


def split_pot(amount: int, unit: int, winners: Collection[int]) -> dict[int, int]:
    """Return the share of each winner; `winners` begin left of the button.

    Equal shares of whole units; odd units go one each from the first winner on, and what is left
    below one unit goes to the first (TDA 2024 rule 20).
    """
    units, below = divmod(amount, unit)
    each, odd = divmod(units, len(winners))
    return {
        seat: (each + (place < odd)) * unit + (below if place == 0 else 0)
        for place, seat in enumerate(winners)
    }
