"""How a reader of PHH pays the pots at the end of a hand: the half of `replay` behind the betting.

Three things part it from the protocol's own rule (9.6): hands that can win nothing are out before
pots are made, so that more of these are one; every odd chip of a pot goes to its first winner, and
to high; and a low anywhere halves every pot.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from audit_cli.poker.ranking import Strength
    from audit_cli.told.made import Made


class OtherwiseError(Exception):
    """The hand would be played otherwise; the text says how."""


class Slice(NamedTuple):
    """A pot as the reader makes it: the places that can win it, by place."""

    amount: int
    places: tuple[int, ...]


def share_out(
    totals: Sequence[int], dead: int, places: Sequence[int], made: Mapping[int, Made], rake: int
) -> Mapping[int, int]:
    """Return what each place is paid; OtherwiseError where a pot would be nobody's.

    `totals` are what each place put in of its own, `dead` is nobody's chips, `places` are those
    that have not folded, and `made` their hands, where there are two of them or more. The rake
    comes from the main pot first.
    """
    if len(places) == 1:
        return {places[0]: sum(totals) + dead - rake}
    first = _slices(totals, dead, places)
    places = [at for at in places if any(_can_win(at, pot, made) for pot in first)]
    lows = any(made[at].low is not None for at in places)
    paid: Counter[int] = Counter()
    for pot in _slices(totals, dead, places):
        if not pot.places:
            message = "a pot would be nobody's"
            raise OtherwiseError(message)
        taken = min(rake, pot.amount)
        rake -= taken
        paid.update(_split(pot.places, pot.amount - taken, made, lows=lows))
    return paid


def _slices(totals: Sequence[int], dead: int, places: Sequence[int]) -> list[Slice]:
    """Return the pots, main pot first; neighbours that the same places can win are one."""
    pots: list[Slice] = []
    amount, below = dead, 0
    for level in sorted(set(totals)):
        amount += sum(level - below for total in totals if total >= level)
        able = tuple(at for at in places if totals[at] >= level)
        while pots and pots[-1].places == able:
            amount += pots.pop().amount
        if amount:
            pots.append(Slice(amount, able))
        amount, below = 0, level
    return pots


def _can_win(at: int, pot: Slice, made: Mapping[int, Made]) -> bool:
    """Tell whether a place has the best hand, high or low, of those who can win a pot."""
    if at not in pot.places:
        return False
    if made[at].high >= max(made[other].high for other in pot.places):
        return True
    low = made[at].low
    lows = [other for other in (made[place].low for place in pot.places) if other is not None]
    return low is not None and low >= max(lows)


def _split(
    places: Sequence[int], amount: int, made: Mapping[int, Made], *, lows: bool
) -> Counter[int]:
    """Return what each place gets of a pot: odd chips go to high, and to the first winner.

    With `lows` it is halved; the low half is shared by all who can win it if none of them has one.
    """
    highs = {at: made[at].high for at in places}
    if not lows:
        return _share(amount, places, highs)
    half = amount // 2
    have = {at: low for at in places if (low := made[at].low) is not None}
    return _share(amount - half, places, highs) + _share(half, places, have)


def _share(amount: int, places: Sequence[int], hands: Mapping[int, Strength]) -> Counter[int]:
    best = max(hands.values(), default=None)
    winners = [at for at in places if hands.get(at) == best]
    each, odd = divmod(amount, len(winners))
    return Counter({at: each + (odd if at == winners[0] else 0) for at in winners})
