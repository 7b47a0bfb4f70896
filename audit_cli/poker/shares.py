"""What each pot pays to whom: by boards, then by halves, rake first (protocol 9.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from audit_cli.poker.pots import halve, split_pot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from audit_cli.poker.pots import Pot
    from audit_cli.poker.ranking import Strength
    from audit_cli.poker.rules import HandRules


class Shown(NamedTuple):
    """The strengths of the hands that were shown, on one board; lows where there are any."""

    high: dict[int, Strength]
    low: dict[int, Strength]


class Award(NamedTuple):
    """One part of a pot: `half` is high or low where both share it, else empty.

    `amount` holds the `rake`. `shares` are what each winner gets, in the winners' order, with
    strengths where the pot was contested at a showdown.
    """

    pot: int
    board: int
    half: str
    amount: int
    rake: int
    shares: dict[int, int]
    strengths: dict[int, Strength]

    def __str__(self) -> str:
        """Say which part it is."""
        half = f", {self.half} half" if self.half else ""
        rake = f"rake {self.rake}" if self.rake else "no rake"
        return f"pot {self.pot} of {self.amount}, {rake}, board {self.board}{half}"


def share_pots(
    pots: Sequence[Pot], rakes: Sequence[int], shown: Sequence[Shown], rules: HandRules
) -> list[Award]:
    """Return all awards of a hand, the highest pot first; `shown` is of each board."""
    awards: list[Award] = []
    for number in range(len(pots) - 1, -1, -1):
        pot, rake = pots[number], rakes[number]
        contested = len(pot.eligible) > 1 and any(seat in pot.eligible for seat in _seen(shown))
        if not contested:
            shares = split_pot(pot.amount - rake, rules.chip_unit, pot.eligible)
            awards.append(Award(number, 1, "", pot.amount, rake, shares, {}))
            continue
        for board, amount in _boards(pot.amount - rake, len(shown), rules.chip_unit):
            hands = shown[board - 1]
            for half, part, strengths in _halves(pot, amount, hands, rules.chip_unit):
                best = max(strengths.values())
                winners = [seat for seat in strengths if strengths[seat] == best]
                shares = split_pot(part, rules.chip_unit, winners)
                won = {seat: strengths[seat] for seat in winners}
                awards.append(Award(number, board, half, part + rake, rake, shares, won))
                rake = 0
    return awards


def _seen(shown: Sequence[Shown]) -> dict[int, Strength]:
    return shown[0].high if shown else {}


def _boards(amount: int, boards: int, unit: int) -> Iterator[tuple[int, int]]:
    """Give each board with its share."""
    if boards == 1:
        return iter(((1, amount),))
    return iter(enumerate(halve(amount, unit), 1))


def _halves(
    pot: Pot, amount: int, shown: Shown, unit: int
) -> Iterator[tuple[str, int, dict[int, Strength]]]:
    """Give each half with its chips, and those who can win it; high takes all without a low."""
    high = {seat: shown.high[seat] for seat in pot.eligible if seat in shown.high}
    low = {seat: shown.low[seat] for seat in pot.eligible if seat in shown.low}
    if not low:
        yield "", amount, high
        return
    first, second = halve(amount, unit)
    yield "high", first, high
    yield "low", second, low
