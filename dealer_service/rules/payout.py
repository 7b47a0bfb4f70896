"""Who gets which chips: pots split among the best hands, odd units to the left of the button (9.6).

Every pot is split on its own, the highest-numbered first. One odd unit goes to each winner in
turn (TDA 2024 rule 20-A, Robert's Rules "Ties": nobody gets more than one odd chip of a pot).
"""

from collections.abc import Mapping, Sequence

from dealer_service.rules.entry import Awarded, Winner
from dealer_service.rules.names import name_hand
from dealer_service.rules.pots import Pot
from dealer_service.rules.ranking import category_of, pick_five, strength_of


def split(amount: int, winners: int, unit: int) -> tuple[int, ...]:
    """Split chips into shares of whole units; what is left below one unit goes to the first."""
    if winners == 1:
        return (amount,)
    units, rest = divmod(amount, unit)
    share, odd = divmod(units, winners)
    shares = [(share + (place < odd)) * unit for place in range(winners)]
    shares[0] += rest
    return tuple(shares)


def award_pots(
    pots: Sequence[Pot], hands: Mapping[int, Sequence[str]], unit: int
) -> tuple[Awarded, ...]:
    """Award every pot, the highest-numbered first, for one board and without rake.

    `hands` holds the seven cards of each seat whose hand was opened; no other seat wins a pot
    that more than one seat can win. The eligible seats of a pot begin left of the button.
    """
    strengths = {seat: strength_of(cards) for seat, cards in hands.items()} if hands else {}
    awards = []
    for number in range(len(pots) - 1, -1, -1):
        amount, eligible = pots[number]
        if len(eligible) == 1:
            winners: tuple[Winner, ...] = (Winner(eligible[0], amount),)
        else:
            shown = [seat for seat in eligible if seat in strengths]
            best = max([strengths[seat] for seat in shown])
            seats = [seat for seat in shown if strengths[seat] == best]
            shares = split(amount, len(seats), unit)
            winners = tuple(
                [
                    _name_winner(seat, share, hands[seat], best)
                    for seat, share in zip(seats, shares, strict=True)
                ]
            )
        awards.append(Awarded(number, amount, 0, 1, winners))
    return tuple(awards)


def _name_winner(seat: int, share: int, cards: Sequence[str], strength: int) -> Winner:
    category = category_of(strength)
    five = pick_five(cards, category)
    return Winner(seat, share, name_hand(five, category), five)
