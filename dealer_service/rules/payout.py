"""Who gets which chips: rake, boards, halves, shares and odd units (9.6).

Every pot is split on its own, the highest-numbered first. One odd unit goes to each winner in
turn (TDA 2024 rule 20-A, Robert's Rules "Ties": nobody gets more than one odd chip of a pot), of
two boards to the first, and of high and low to high (20-C).
"""

from collections.abc import Mapping, Sequence

from dealer_service.rules.entry import Awarded, Half, RakeRule, Winner
from dealer_service.rules.judging import Ranks, name_high, name_low_of
from dealer_service.rules.pots import Pot


def split(amount: int, winners: int, unit: int) -> tuple[int, ...]:
    """Split chips into shares of whole units; what is left below one unit goes to the first."""
    if winners == 1:
        return (amount,)
    units, rest = divmod(amount, unit)
    share, odd = divmod(units, winners)
    shares = [(share + (place < odd)) * unit for place in range(winners)]
    shares[0] += rest
    return tuple(shares)


def take_rake(
    pots: Sequence[Pot], rule: RakeRule | None, seats: int, *, flop: bool
) -> tuple[int, ...]:
    """Give the rake of each pot: the main pot's first, and what it does not hold from the next.

    `seats` are those dealt in, by which the cap goes; `flop` tells whether one was dealt.
    """
    if rule is None or (rule.no_flop_no_drop and not flop):
        return (0,) * len(pots)
    cap = max([(one.players, one.cap) for one in rule.caps if one.players <= seats])[1]
    left = min(sum([pot.amount for pot in pots]) * rule.per_ten_thousand // 10_000, cap)
    rakes = []
    for pot in pots:
        rakes.append(min(left, pot.amount))
        left -= rakes[-1]
    return tuple(rakes)


def award_to_one(number: int, pot: Pot, rake: int) -> Awarded:
    """Award a pot that one seat alone can win: it has no boards, no halves and no hand's name."""
    return Awarded(number, pot.amount, rake, 1, (Winner(pot.eligible[0], pot.amount - rake),))


def award_pots(  # noqa: PLR0913, PLR0917 - all that decides who is paid
    pots: Sequence[Pot],
    hands: Mapping[int, Sequence[str]],
    boards: Sequence[Sequence[str]],
    ranked: Sequence[Ranks],
    unit: int,
    rakes: Sequence[int],
    *,
    omaha: bool = False,
) -> tuple[Awarded, ...]:
    """Award every pot, the highest-numbered first; of one pot boards first, then halves.

    `hands` holds the hole cards of each seat whose hand was opened, and `ranked` how they rank on
    each of the boards; no other seat wins a pot that more than one seat can win. The eligible
    seats of a pot begin left of the button.
    """
    awards: list[Awarded] = []
    for number in range(len(pots) - 1, -1, -1):
        pot, rake = pots[number], rakes[number]
        if len(pot.eligible) == 1:
            awards.append(award_to_one(number, pot, rake))
            continue
        shown = [seat for seat in pot.eligible if seat in hands]
        parts = split(pot.amount - rake, len(boards), unit)
        for place, board in enumerate(boards):
            for half, share, winners in _win(
                parts[place], shown, ranked[place], unit, hands, board, omaha=omaha
            ):
                awards.append(Awarded(number, share + rake, rake, place + 1, winners, half))
                rake = 0
    return tuple(awards)


def _win(  # noqa: PLR0913, PLR0917 - as of `award_pots`
    part: int,
    shown: Sequence[int],
    ranks: Ranks,
    unit: int,
    hands: Mapping[int, Sequence[str]],
    board: Sequence[str],
    *,
    omaha: bool,
) -> tuple[tuple[Half | None, int, tuple[Winner, ...]], ...]:
    """Give each half of a pot's part on one board, or the whole where no hand has a low."""
    highs, lows = ranks
    best = max([highs[seat] for seat in shown])
    highest = [seat for seat in shown if highs[seat] == best]
    with_low = [seat for seat in shown if seat in lows] if lows else ()
    high, low = split(part, 2, unit) if with_low else (part, 0)
    winners = []
    for seat, share in zip(highest, split(high, len(highest), unit), strict=True):
        name, five = name_high(hands[seat], board, best, omaha=omaha)
        winners.append(Winner(seat, share, name, five))
    if not with_low:
        return ((None, high, tuple(winners)),)
    least = min([lows[seat] for seat in with_low])
    lowest = [seat for seat in with_low if lows[seat] == least]
    low_winners = []
    for seat, share in zip(lowest, split(low, len(lowest), unit), strict=True):
        name, five = name_low_of(hands[seat], board, least)
        low_winners.append(Winner(seat, share, name, five))
    return (Half.HIGH, high, tuple(winners)), (Half.LOW, low, tuple(low_winners))
