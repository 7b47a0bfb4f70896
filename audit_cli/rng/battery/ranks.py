"""S15 and S16: poker hands of seven and of five cards, and flops, by exact numbers of hands."""

from __future__ import annotations

from typing import Final

from audit_cli.rng.battery.tables import Histogram, Law, all_decks, histogram_test
from audit_cli.rng.outcome import Level

CATEGORIES: Final = (
    *("high card", "pair", "two pair", "three", "straight"),
    *("flush", "full house", "four", "straight flush"),
)
#: Of the 133,784,560 hands of seven and the 2,598,960 of five, by category.
SEVEN: Final = Law(
    (23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848, 41584)
)
FIVE: Final = Law((1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40))
#: Of the 22,100 flops: by suits, and by ranks.
FLOP_SUITS: Final = Law((4 * 286, 12 * 78 * 13, 4 * 13**3))
FLOP_RANKS: Final = Law((13 * 4, 13 * 6 * 48, 286 * 4**3))

STATISTICS: Final = (
    histogram_test(
        "S15",
        "best hand of seven cards",
        Histogram("category7", SEVEN, all_decks, CATEGORIES),
        "133,784,560 hands by category",
        covers=("PA.poker",),
        level=Level.GAME,
    ),
    histogram_test(
        "S15b",
        "hand of the first five cards",
        Histogram("category5", FIVE, all_decks, CATEGORIES),
        "2,598,960 hands by category",
        covers=("PA.poker",),
        level=Level.GAME,
    ),
    histogram_test(
        "S16.suits",
        "suits of the flop",
        Histogram("flop_suits", FLOP_SUITS, all_decks, ("one suit", "two suits", "three suits")),
        "22,100 flops by suits",
        covers=("PA.poker",),
        level=Level.GAME,
    ),
    histogram_test(
        "S16.ranks",
        "ranks of the flop",
        Histogram("flop_ranks", FLOP_RANKS, all_decks, ("trips", "pair", "no pair")),
        "22,100 flops by ranks",
        covers=("PA.poker",),
        level=Level.GAME,
    ),
)
