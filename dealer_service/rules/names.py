"""What a hand is called: "Full house, queens full of fours" (PROTOCOL.md 9.7)."""

from collections.abc import Sequence
from typing import Final

from dealer_service.rules.cards import RANKS
from dealer_service.rules.ranking import Category, category_of, strength_of

_WORDS: Final = dict(
    zip(
        RANKS,
        "two three four five six seven eight nine ten jack queen king ace".split(),  # noqa: SIM905
        strict=True,
    )
)


def name_hand(five: Sequence[str]) -> str:  # noqa: PLR0911 - one form for each category
    """Name five cards given in the order of `ranking.best_five`."""
    one = _WORDS[five[0][0]]
    match category_of(strength_of(five)):
        case Category.STRAIGHT_FLUSH:
            return "Royal flush" if one == "ace" else f"Straight flush, {one} high"
        case Category.FOUR_OF_A_KIND:
            return f"Four {_plural(one)}"
        case Category.FULL_HOUSE:
            return f"Full house, {_plural(one)} full of {_plural(_WORDS[five[3][0]])}"
        case Category.FLUSH:
            return f"Flush, {one} high"
        case Category.STRAIGHT:
            return f"Straight, {one} high"
        case Category.THREE_OF_A_KIND:
            return f"Three {_plural(one)}"
        case Category.TWO_PAIR:
            return f"Two pair, {_plural(one)} and {_plural(_WORDS[five[2][0]])}"
        case Category.ONE_PAIR:
            return f"Pair of {_plural(one)}"
        case Category.HIGH_CARD:
            return f"{one.capitalize()} high"


def _plural(word: str) -> str:
    return word + ("es" if word == "six" else "s")
