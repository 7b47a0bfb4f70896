"""What chips are worth in a file for others: a currency, or chips as they are."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


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
