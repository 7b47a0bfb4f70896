"""The tables of counts: their names and shapes, and what stands in each cell.

Every table is int64. A card is 0 to 51 (4 x rank + suit), a position 0 to 51 in dealing order, and
"the permutation" of a deck takes a position to the card that lies there. Statistics are functions
of these tables alone; tables of different chunks are added up cell by cell.

A chunk is counted by itself. What looks from one hand to the next (`serial`, `matches`, the waits)
begins anew in each, and so a chunk of n hands holds n - k pairs of hands k apart.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Final

from audit_cli.derive import DECK_SIZE
from audit_cli.rng.hands import DRAWS

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The ranges of the 51 draws of one shuffle: what is counted of decks whose draws are not known.
SHUFFLE: Final = tuple(range(DECK_SIZE, 1, -1))

# The game of B4: hold'em at a full table of six, a card burned before flop, turn and river.
SEATS: Final = 6
HOLES: Final = tuple((seat, seat + SEATS) for seat in range(SEATS))
FLOP: Final = (13, 14, 15)
BOARD: Final = (*FLOP, 17, 19)

LAGS: Final = (1, 2, 3, 4, 5)
#: `successor`'s row before the first card and column behind the last one.
EDGE: Final = DECK_SIZE
#: The card whose gaps at position 0 are counted: the ace of spades.
NAMED_CARD: Final = 51

_PAIRS: Final = DECK_SIZE * (DECK_SIZE - 1) // 2

TABLES: Final[Mapping[str, tuple[int, ...]]] = {
    # How many hands.
    "decks": (1,),
    # S1. [position, card]
    "card_position": (DECK_SIZE, DECK_SIZE),
    # S2. [card, the card behind it], the edge of the deck as a 53rd card before and behind all.
    "successor": (DECK_SIZE + 1, DECK_SIZE + 1),
    # S3. [card at position 0, card at position 1]
    "joint": (DECK_SIZE, DECK_SIZE),
    # S4. [lag - 1, card at position 0, card at position 0 of the hand `lag` hands later]
    "serial": (len(LAGS), DECK_SIZE, DECK_SIZE),
    # S5. [positions with the same card as in the hand before]; a chunk's first hand has none.
    "matches": (DECK_SIZE + 1,),
    # S6 to S12, of the permutation. [how many]
    "fixed": (DECK_SIZE + 1,),
    "cycles": (DECK_SIZE + 1,),
    "inversions": (_PAIRS + 1,),
    "descents": (DECK_SIZE,),
    "rising": (DECK_SIZE + 1,),  # rising sequences: 1 + the descents of the inverse
    "runs": (DECK_SIZE,),  # runs up and down: 1 + the turning points
    "lis": (DECK_SIZE + 1,),  # the length of the longest increasing subsequence
    # S13. [place of the order of the cards at positions 0 to 4 among the 120, lexicographic]
    "order5": (120,),
    # S14. [seat, place of its two cards among the pairs (0, 1), (0, 2), ... (50, 51)]
    "holes": (SEATS, _PAIRS),
    # S15. [category] of seat 0's seven cards, and of the cards at positions 0 to 4: 0 is high card,
    # 8 straight flush, as in `poker.ranking`.
    "category7": (9,),
    "category5": (9,),
    # S16. [different suits - 1]: one suit, two, rainbow. [different ranks - 1]: trips, pair, none.
    "flop_suits": (3,),
    "flop_ranks": (3,),
    # S17. [hands until every card, rank, suit was seen at position 0], and S18, [hands until the
    # named card was]; the last cell holds all that is longer. A wait begins where the one before
    # ended. Of each chunk the first `quota` waits count, so that long ones are not left out.
    "coupon_card": (1025,),
    "coupon_rank": (257,),
    "coupon_suit": (65,),
    "gap": (1025,),
    # S20, over a chunk's last eighth, from what its first half taught. [right guesses] where 52
    # different cards are guessed at once, and where each is guessed after the ones before it.
    "guess_blind": (DECK_SIZE + 1,),
    "guess_hits": (DECK_SIZE + 1,),
    # S21. [seat]: won the showdown of all six alone; held two aces. [seat, aces held]
    "wins": (SEATS,),
    "aces": (SEATS,),
    "ace_holes": (SEATS, 3),
    # S22, S23. Cell `first_cells(sizes)[k] + v`: draw k was v.
    "draws": (sum(DRAWS),),
}

# S17 and S18: how many different things a wait is for. `gap` waits for one of 52.
COUPONS: Final[Mapping[str, int]] = {"coupon_card": 52, "coupon_rank": 13, "coupon_suit": 4}


def shapes(sizes: tuple[int, ...] = DRAWS, *, draws: bool = True) -> dict[str, tuple[int, ...]]:
    """Return the shape of each table for draws of these ranges (`draws` alone depends on them)."""
    found = {name: shape for name, shape in TABLES.items() if name != "draws"}
    return found | {"draws": (sum(sizes),)} if draws else found


def first_cells(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return where in `draws` the cells of each draw begin."""
    return tuple(sum(sizes[:place]) for place in range(len(sizes)))


def moments(wait: str) -> tuple[float, float]:
    """Return mean and variance of one of the waits `coupon_card` ... `gap`, in hands."""
    if wait == "gap":
        return float(DECK_SIZE), float(DECK_SIZE * (DECK_SIZE - 1))
    kinds = COUPONS[wait]
    # A wait for the next new one of `kinds` of which `left` are left is geometric.
    shares = [left / kinds for left in range(1, kinds + 1)]
    return sum(1 / share for share in shares), sum((1 - share) / share**2 for share in shares)


def quota(wait: str, hands: int) -> int:
    """Return how many waits of a chunk of so many hands are counted: at most, and nearly always.

    It is the most that ends seven standard deviations before the chunk does. Counting all that
    end in a chunk would leave out the one that does not, which is longer than others are.
    """
    mean, variance = moments(wait)
    # mean * q + 7 * sd * sqrt(q) <= hands, a quadratic in sqrt(q)
    spread = 7 * sqrt(variance)
    root = (sqrt(spread**2 + 4 * mean * hands) - spread) / (2 * mean)
    return int(root * root)


def guessed(hands: int) -> tuple[int, int]:
    """Return after how many hands of a chunk the guesses are learned, and where scoring begins."""
    return hands // 2, hands - hands // 8
