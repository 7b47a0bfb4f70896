"""The tables of counts in the plainest words there are: slow, and without numpy.

What `counting` counts by bits, bytes and lookups is counted here by its definition.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from audit_cli.poker.ranking import measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Deck = Sequence[int]
    # A table and the indices of a cell.
    Counted = tuple[str, *tuple[int, ...]]
    Cells = dict[str, Counter[tuple[int, ...]]]

HOLES = ((0, 6), (1, 7), (2, 8), (3, 9), (4, 10), (5, 11))
BOARD = (13, 14, 15, 17, 19)
LAST_CELLS = {"coupon_card": 1024, "coupon_rank": 256, "coupon_suit": 64, "gap": 1024}
PAIRS = {pair: place for place, pair in enumerate(combinations(range(52), 2))}


def count_plainly(decks: Sequence[Deck], quotas: dict[str, int]) -> Cells:
    """Return for each table but `draws` how often each cell, by its indices, was counted."""
    kinds = {
        "coupon_card": {card: card for card in range(52)},
        "coupon_rank": {card: card // 4 for card in range(52)},
        "coupon_suit": {card: card % 4 for card in range(52)},
        "gap": {51: 51},
    }
    counted = [
        *(cell for deck in decks for cell in (*_one_deck(deck), *_game(deck))),
        *(cell for at in range(len(decks)) for cell in _with_those_before(decks, at)),
        *(cell for table, of in kinds.items() for cell in _waits(decks, table, quotas, of)),
        *_guess(decks),
    ]
    cells: Cells = {}
    for table, *cell in counted:
        cells.setdefault(table, Counter())[tuple(cell)] += 1
    return cells


def _one_deck(deck: Deck) -> Iterator[Counted]:
    yield "decks", 0
    for position, card in enumerate(deck):
        yield "card_position", position, card
    for card, behind in pairwise([52, *deck, 52]):
        yield "successor", card, behind
    yield "joint", deck[0], deck[1]
    yield from describe(deck).items()


def _with_those_before(decks: Sequence[Deck], at: int) -> Iterator[Counted]:
    for lag in range(1, 6):
        if at >= lag:
            yield "serial", lag - 1, decks[at - lag][0], decks[at][0]
    if at:
        yield "matches", sum(a == b for a, b in zip(decks[at], decks[at - 1], strict=True))


def _game(deck: Deck) -> Iterator[Counted]:
    for seat, (one, two) in enumerate(HOLES):
        low, high = sorted((deck[one], deck[two]))
        aces = sum(card >> 2 == 12 for card in (low, high))
        yield "holes", seat, PAIRS[low, high]
        yield "ace_holes", seat, aces
        if aces == 2:
            yield "aces", seat
    board = [deck[position] for position in BOARD]
    strengths = [measure([deck[one], deck[two], *board]) for one, two in HOLES]
    yield "category7", strengths[0][0]
    if strengths.count(max(strengths)) == 1:
        yield "wins", strengths.index(max(strengths))


def describe(deck: Deck) -> dict[str, int]:
    """Return the tables with one number a deck, and the deck's numbers."""
    home = {card: position for position, card in enumerate(deck)}
    falls = [behind < card for card, behind in pairwise(deck)]
    five = list(deck[:5])
    flop = deck[13:16]
    return {
        "fixed": sum(card == position for position, card in enumerate(deck)),
        "cycles": _cycles(deck),
        "inversions": sum(a > b for a, b in combinations(deck, 2)),
        "descents": sum(falls),
        "rising": 1 + sum(home[card + 1] < home[card] for card in range(51)),
        "runs": 1 + sum(a != b for a, b in pairwise(falls)),
        "lis": _longest(deck),
        "order5": _place_order(five),
        "category5": measure(five)[0],
        "flop_suits": len({card & 3 for card in flop}) - 1,
        "flop_ranks": len({card >> 2 for card in flop}) - 1,
    }


def _cycles(deck: Deck) -> int:
    left, cycles = set(range(52)), 0
    while left:
        cycles += 1
        at = min(left)
        while at in left:
            left.remove(at)
            at = deck[at]
    return cycles


def _longest(deck: Deck) -> int:
    ends: list[int] = []
    for card in deck:
        place = bisect_left(ends, card)
        ends[place : place + 1] = [card]
    return len(ends)


def _place_order(cards: list[int]) -> int:
    place = 0
    for at, card in enumerate(cards):
        place = place * (len(cards) - at) + sum(other < card for other in cards[at + 1 :])
    return place


def _waits(
    decks: Sequence[Deck], table: str, quotas: dict[str, int], kinds: dict[int, int]
) -> list[Counted]:
    wanted, waited = set(kinds.values()), 0
    seen: set[int] = set()
    found: list[Counted] = []
    for deck in decks:
        waited += 1
        if deck[0] in kinds:
            seen.add(kinds[deck[0]])
        if seen == wanted:
            found.append((table, min(waited, LAST_CELLS[table])))
            seen, waited = set(), 0
    return found[: quotas[table]]


def _guess(decks: Sequence[Deck]) -> list[Counted]:
    """Return the right guesses of a player of each kind for each deck of the last eighth."""
    studied = decks[: len(decks) // 2]
    follows = Counter(pair for deck in studied for pair in pairwise([52, *deck]))
    lies = Counter(pair for deck in studied for pair in enumerate(deck))
    blind: list[int] = []
    for position in range(52):
        left = [card for card in range(52) if card not in blind]
        blind.append(max(left, key=lambda card: (lies[position, card], -card)))
    found: list[Counted] = []
    for deck in decks[len(decks) - len(decks) // 8 :]:
        found.append(("guess_blind", sum(a == b for a, b in zip(deck, blind, strict=True))))
        hits, before, unseen = 0, 52, set(range(52))
        for card in deck:
            guess = max(unseen, key=lambda one: (follows[before, one], -one))
            hits += guess == card
            unseen.remove(card)
            before = card
        found.append(("guess_hits", hits))
    return found
