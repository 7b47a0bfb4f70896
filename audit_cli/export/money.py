"""What chips are worth in a file for others: a currency, or chips as they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audit_cli.told.hand import Tournament

_HUNDREDTHS = 100


@dataclass(frozen=True, slots=True)
class Money:
    """`currency` is a code of ISO 4217, or empty for chips; `per_unit` chips make one unit of it.

    Of dollars that are dealt in cents, `currency` is USD and `per_unit` 100.
    """

    currency: str = ""
    per_unit: int = 1

    def units(self, chips: int) -> int | Decimal:
        """Return an amount in units: a whole number where it is one, else exact decimals."""
        whole, rest = divmod(chips, self.per_unit)
        return Decimal(chips) / Decimal(self.per_unit) if rest else whole


CHIPS = Money()


def prize_money(tournament: Tournament) -> Money:
    """Return what a tournament is paid in: its currency by hundredths, or play money."""
    currency = tournament.currency
    return Money(currency, _HUNDREDTHS) if currency else CHIPS


def price(tournament: Tournament, money: Money) -> Tournament:
    """Return a tournament that was told in units of money as one of a currency.

    Parts below a hundredth, which no currency here has, are dropped.
    """
    if not money.currency:
        return tournament

    def hundredths(units: int) -> int:
        return units * _HUNDREDTHS // money.per_unit

    return replace(
        tournament,
        currency=money.currency,
        buy_in=hundredths(tournament.buy_in),
        fee=hundredths(tournament.fee),
        finished=tuple(
            replace(finish, prize=hundredths(finish.prize)) for finish in tournament.finished
        ),
    )
