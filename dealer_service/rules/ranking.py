"""Which hand wins: the strength of five to seven cards, their category and the best five of them.

A strength is one of the 7,462 classes of five cards, from 0 (seven high) to 7,461 (royal flush);
the higher one wins and equal ones tie, whatever the suits. The tables of all classes are made once
at import; of six or seven cards the best five count (PROTOCOL.md 9.7).
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum, unique
from functools import cache
from itertools import combinations
from typing import Final

from dealer_service.rules.cards import CARDS, NUMBERS, RANKS


@unique
class Category(IntEnum):
    """The nine kinds of hands, the weakest first; a royal flush is the highest straight flush."""

    HIGH_CARD = 0
    ONE_PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8


GROUPS: Final[dict[Category, tuple[int, ...]]] = {
    Category.HIGH_CARD: (1, 1, 1, 1, 1),
    Category.ONE_PAIR: (2, 1, 1, 1),
    Category.TWO_PAIR: (2, 2, 1),
    Category.THREE_OF_A_KIND: (3, 1, 1),
    Category.FLUSH: (1, 1, 1, 1, 1),
    Category.FULL_HOUSE: (3, 2),
    Category.FOUR_OF_A_KIND: (4, 1),
}
"""The sizes of the groups of one rank that make up a hand which is no straight."""

_OF_ONE_SUIT: Final = (Category.FLUSH, Category.STRAIGHT_FLUSH)
_STRAIGHT: Final = Category.STRAIGHT

# The cards of one rank are counted in three bits each, the cards of one suit in four bits each
# above them, so that one sum over the cards holds both counts.
_SUIT_SHIFT: Final = 40
_RANKS_ONLY: Final = (1 << _SUIT_SHIFT) - 1
_KEYS: Final = tuple(
    (1 << 3 * (n // 4)) + (1 << (_SUIT_SHIFT + 4 * (n % 4))) for n in range(len(CARDS))
)
_KEY_OF: Final = {card: _KEYS[number] for card, number in NUMBERS.items()}
# Three more in a suit's four bits set the highest bit from five cards on.
_FLUSH_ADD: Final = 0x3333 << _SUIT_SHIFT
_FLUSH_BIT: Final = 0x8888 << _SUIT_SHIFT

# A card's place in a hand is told by one number: where its rank stands above its own number.
_PLACE_SHIFT: Final = 6
_NUMBER_BITS: Final = (1 << _PLACE_SHIFT) - 1

_STRAIGHTS: Final = ((12, 0, 1, 2, 3), *(tuple(range(low, low + 5)) for low in range(9)))
"""The ranks of each straight, lowest first; the ace is the lowest card of the wheel."""


def _rank_key(ranks: Iterable[int]) -> int:
    return sum(1 << 3 * rank for rank in ranks)


def _grouped(sizes: tuple[int, ...]) -> Iterator[int]:
    """Give the rank keys of all hands of such groups, the weakest first."""

    def fill(left: tuple[int, ...], used: tuple[int, ...]) -> Iterator[int]:
        if not left:
            yield sum(size << 3 * rank for size, rank in zip(sizes, used, strict=True))
            return
        # Groups of one size run from high to low, so that each hand comes up once.
        same = bool(used) and sizes[len(used) - 1] == left[0]
        for rank in range(used[-1] if same else 13):
            if rank not in used:
                yield from fill(left[1:], (*used, rank))

    return fill(sizes, ())


def _tables() -> tuple[dict[int, int], dict[int, int], tuple[int, ...], tuple[int, ...]]:
    """Give all classes by ranks alone and by ranks of one suit; where each category begins.

    Last come the rank keys of all classes, by strength.
    """
    straights = [_rank_key(ranks) for ranks in _STRAIGHTS]
    plain: dict[int, int] = {}
    suited: dict[int, int] = {}
    floors = []
    by_strength: list[int] = []
    for category in Category:
        floors.append(len(by_strength))
        if category in (Category.STRAIGHT, Category.STRAIGHT_FLUSH):
            keys: Iterable[int] = straights
        else:
            keys = (key for key in _grouped(GROUPS[category]) if key not in straights)
        table = suited if category in (Category.FLUSH, Category.STRAIGHT_FLUSH) else plain
        for key in keys:
            table[key] = len(by_strength)
            by_strength.append(key)
    return plain, suited, tuple(floors), tuple(by_strength)


_PLAIN, _SUITED, _FLOORS, _RANK_KEYS = _tables()
_CATEGORIES: Final = tuple(Category)
CLASSES: Final = len(_PLAIN) + len(_SUITED)


def strength_of(cards: Sequence[str]) -> int:
    """Rank the best five of five to seven different cards: 0, the weakest, to 7,461."""
    total = 0
    for card in cards:
        total += _KEY_OF[card]
    if (total + _FLUSH_ADD) & _FLUSH_BIT:
        # Five of a suit among seven cards leave no room for four of a kind or a full house.
        numbers = _flush_only([NUMBERS[card] for card in cards])
        return _best_suited(tuple(sorted([number >> 2 for number in numbers])))
    return _best_plain(total & _RANKS_ONLY)


def strength_using(hole: Sequence[str], board: Sequence[str], count: int) -> int:
    """Rank the best five of exactly `count` hole cards and the rest from the board."""
    mine = [sum(keys) for keys in combinations([_KEY_OF[card] for card in hole], count)]
    shared = [sum(keys) for keys in combinations([_KEY_OF[card] for card in board], 5 - count)]
    return max([_strength_of_five(one + other) for one in mine for other in shared])


def _strength_of_five(total: int) -> int:
    table = _SUITED if (total + _FLUSH_ADD) & _FLUSH_BIT else _PLAIN
    return table[total & _RANKS_ONLY]


def category_of(strength: int) -> Category:
    """Name the category of a strength."""
    return _CATEGORIES[bisect_right(_FLOORS, strength) - 1]


def best_five(cards: Sequence[str]) -> tuple[str, ...]:
    """Give the five cards that make the hand, in the order of PROTOCOL.md 9.7."""
    return pick_five(cards, strength_of(cards))


def pick_five(cards: Sequence[str], strength: int) -> tuple[str, ...]:
    """Give the five cards that make the hand, which is known to be of that strength.

    Groups of one rank come as the strength orders them, and the cards of one rank by their suits.
    """
    numbers = [NUMBERS[card] for card in cards]
    category = category_of(strength)
    if category in _OF_ONE_SUIT:
        numbers = _flush_only(numbers)
    places = _rank_places(strength)
    placed = sorted([places[number >> 2] + number for number in numbers])
    if category is _STRAIGHT:
        # Of a rank that comes twice the first card counts.
        placed = sorted({one >> _PLACE_SHIFT: one for one in reversed(placed)}.values())
    return tuple([CARDS[one & _NUMBER_BITS] for one in placed[:5]])


@cache
def _rank_places(strength: int) -> tuple[int, ...]:
    """Give each rank's place in a hand of that strength, above the bits of a card's number.

    Ranks that are not in the hand come behind all that are.
    """
    key = _RANK_KEYS[strength]
    counts = [key >> 3 * rank & 7 for rank in range(len(RANKS))]
    order = sorted(
        [rank for rank, count in enumerate(counts) if count],
        key=lambda rank: (counts[rank], rank),
        reverse=True,
    )
    if key == _rank_key(_STRAIGHTS[0]):
        # The ace is the lowest card of the wheel.
        order = [*order[1:], order[0]]
    places = [len(order) if rank not in order else order.index(rank) for rank in range(len(RANKS))]
    return tuple([place << _PLACE_SHIFT for place in places])


def pick_using(
    hole: Sequence[str], board: Sequence[str], count: int, strength: int
) -> tuple[str, ...]:
    """Give the five cards of a hand of that strength, made of exactly `count` hole cards.

    Of all fives of that strength it is the one that comes first when they are read card by card.
    """
    fives = [
        pick_five((*mine, *shared), strength)
        for mine in combinations(hole, count)
        for shared in combinations(board, 5 - count)
        if _strength_of_five(sum([_KEY_OF[card] for card in (*mine, *shared)])) == strength
    ]
    return min(fives, key=lambda five: [NUMBERS[card] for card in five])


def _flush_only(numbers: Iterable[int]) -> list[int]:
    """Leave only the cards of the suit of which there are five or more."""
    suits: tuple[list[int], ...] = ([], [], [], [])
    for number in numbers:
        suits[number & 3].append(number)
    return max(suits, key=len)


@cache
def _best_suited(ranks: tuple[int, ...]) -> int:
    return max(_SUITED[_rank_key(five)] for five in combinations(ranks, 5))


@cache
def _best_plain(key: int) -> int:
    """Rank cards by their ranks alone, where no five are of a suit."""
    ranks = [rank for rank in range(13) for _ in range(key >> 3 * rank & 7)]
    return max(_PLAIN[_rank_key(five)] for five in combinations(ranks, 5))
