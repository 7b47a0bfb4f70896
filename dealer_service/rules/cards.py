"""The 52 cards: their two characters, and the order in which they are numbered (section 1).

A card's number is 4 x rank + suit, ranks 2 to ace as 0 to 12, suits c d h s as 0 to 3.
"""

from typing import Final

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
CARDS: Final[tuple[str, ...]] = tuple(rank + suit for rank in RANKS for suit in SUITS)
NUMBERS: Final[dict[str, int]] = {card: number for number, card in enumerate(CARDS)}
