"""The two ways to write a card: 0 to 51 in hashes, two characters everywhere else.

A card's number is 4 x rank + suit, ranks 2 to A as 0 to 12, suits c d h s as 0 to 3
(protocol section 2).
"""

from dealer_service.fairness.refusal import FairnessError, Reason

DECK_SIZE = 52
CARD_NAMES = tuple(rank + suit for rank in "23456789TJQKA" for suit in "cdhs")
_NUMBERS = {name: number for number, name in enumerate(CARD_NAMES)}


def card_name(number: int) -> str:
    """Name a card number, 0 to 51, such as 51 -> "As"; FairnessError BAD_CARD otherwise."""
    if not 0 <= number < DECK_SIZE:
        message = f"no card has the number {number}; cards are 0 to 51"
        raise FairnessError(Reason.BAD_CARD, message)
    return CARD_NAMES[number]


def card_number(name: str) -> int:
    """Give the number of a named card, such as "2c" -> 0; FairnessError BAD_CARD otherwise."""
    number = _NUMBERS.get(name)
    if number is None:
        message = f"no card is named {name[:8]!r}; a card is a rank 23456789TJQKA and a suit cdhs"
        raise FairnessError(Reason.BAD_CARD, message)
    return number
