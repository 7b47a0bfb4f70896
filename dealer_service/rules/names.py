"""What a hand is called: "Full house, queens full of fours" (PROTOCOL.md 9.7)."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from dealer_service.rules.cards import RANKS
from dealer_service.rules.ranking import Category

_WORDS: Final = dict(
    zip(
        RANKS,
        "two three four five six seven eight nine ten jack queen king ace".split(),  # noqa: SIM905
        strict=True,
    )
)
_PLURALS: Final = {rank: word + ("es" if word == "six" else "s") for rank, word in _WORDS.items()}
_FORMS: Final = {
    Category.HIGH_CARD: "%(One)s high",
    Category.ONE_PAIR: "Pair of %(ones)s",
    Category.TWO_PAIR: "Two pair, %(ones)s and %(others)s",
    Category.THREE_OF_A_KIND: "Three %(ones)s",
    Category.STRAIGHT: "Straight, %(one)s high",
    Category.FLUSH: "Flush, %(one)s high",
    Category.FULL_HOUSE: "Full house, %(ones)s full of %(others)s",
    Category.FOUR_OF_A_KIND: "Four %(ones)s",
    Category.STRAIGHT_FLUSH: "Straight flush, %(one)s high",
}
_SECOND_GROUP: Final = {Category.TWO_PAIR: 2, Category.FULL_HOUSE: 3}
"""Where in the five cards the second group begins."""


def name_hand(five: Sequence[str], category: Category) -> str:
    """Name five cards of a category, given in the order of `ranking.best_five`."""
    first = five[0][0]
    if category is Category.STRAIGHT_FLUSH and first == "A":
        return "Royal flush"
    return _say(category, first, five[_SECOND_GROUP.get(category, 0)][0])


@cache
def _say(category: Category, first: str, second: str) -> str:
    return _FORMS[category] % {
        "one": _WORDS[first],
        "One": _WORDS[first].capitalize(),
        "ones": _PLURALS[first],
        "others": _PLURALS[second],
    }


def name_low(five: Sequence[str]) -> str:
    """Name a low, given from the top down: "Low, eight six four three ace"."""
    return "Low, " + " ".join(_WORDS[card[0]] for card in five)
