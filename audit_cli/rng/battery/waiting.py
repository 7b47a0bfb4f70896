"""S17 and S18: how many hands until all have been seen, and until one card comes again.

What is first dealt is one of k equally likely kinds, from hand to hand independently. So the number
of kinds seen so far is a chain, and a wait ends when it reaches k; the wait for one named card is
geometric. The last cell of a table holds all that is longer. Of a chunk only as many waits count as
end in it all but surely (`counting.tables.quota`), so that long ones are not left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from audit_cli.rng.battery.tables import Histogram, Law, histogram_test
from audit_cli.rng.counting.tables import COUPONS, TABLES, quota

if TYPE_CHECKING:
    from audit_cli.rng.battery.statistic import Size

#: Laws are kept as whole numbers over this: far finer than any table's total.
_FINE: Final = 10**30


def coupon_law(kinds: int, cells: int) -> Law:
    """Return the law of the wait for all kinds; cell t is t hands, the last one t or more."""
    # seen[k] is the chance that k kinds are seen so far, over _FINE; what is rounded off is
    # below a unit a step.
    seen = [_FINE] + [0] * kinds
    weights = [0] * cells
    for hands in range(1, cells - 1):
        for k in range(kinds, 0, -1):
            stays = 0 if k == kinds else seen[k] * k // kinds
            seen[k] = stays + seen[k - 1] * (kinds - k + 1) // kinds
        seen[0] = 0
        weights[hands] = seen[kinds]
        seen[kinds] = 0
    weights[-1] = _FINE - sum(weights)
    return Law(tuple(weights))


def gap_law(kinds: int, cells: int) -> Law:
    """Return the law of the wait for one of so many kinds; the last cell t or more."""
    # (kinds - 1)^(t - 1) / kinds^t, over kinds^(cells - 2)
    weights = [
        (kinds - 1) ** (hands - 1) * kinds ** (cells - 2 - hands) for hands in range(1, cells - 1)
    ]
    return Law((0, *weights, (kinds - 1) ** (cells - 2)))


def _histogram(table: str) -> Histogram:
    cells = TABLES[table][0]
    law = gap_law(52, cells) if table == "gap" else coupon_law(COUPONS[table], cells)

    def samples(size: Size) -> int:
        return size.chunks * quota(table, size.chunk)

    return Histogram(table, law, samples)


STATISTICS: Final = (
    histogram_test(
        "S17.card",
        "hands until every card was dealt first",
        _histogram("coupon_card"),
        "coupon collector's wait for 52",
        covers=("GLI.coupon", "PA.coupon"),
    ),
    histogram_test(
        "S17.rank",
        "hands until every rank was dealt first",
        _histogram("coupon_rank"),
        "coupon collector's wait for 13",
        covers=("GLI.coupon", "PA.coupon"),
    ),
    histogram_test(
        "S17.suit",
        "hands until every suit was dealt first",
        _histogram("coupon_suit"),
        "coupon collector's wait for 4",
        covers=("GLI.coupon", "PA.coupon"),
    ),
    histogram_test(
        "S18",
        "hands until the ace of spades was dealt first again",
        _histogram("gap"),
        "geometric, 1/52",
        covers=("PA.gap", "PA.subsequences"),
    ),
)
