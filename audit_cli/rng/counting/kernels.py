"""What numba compiles: one walk over each deck that adds to every table.

Cards that were seen are the bits of a number, so that what is above a card, before it or left in
the deck is a shift or a mask away. Numbers are int64 (numba makes floats of signed and unsigned
together), cards that are only indices stay uint8 (then no negative index is looked for). All tables
are one array, since each array handed on costs more than the adding.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np

from audit_cli.derive import DECK_SIZE
from audit_cli.rng.compiled import kept, part
from audit_cli.rng.counting.poker import (
    BLANK,
    CATEGORY_SHIFT,
    FLUSHES,
    KEYS,
    LOW_BITS,
    SUIT_SHIFT,
)
from audit_cli.rng.counting.tables import (
    BOARD,
    EDGE,
    FLOP,
    HOLES,
    LAGS,
    NAMED_CARD,
    SEATS,
    TABLES,
)
from audit_cli.rng.counting.waits import ORDER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Cells = NDArray[np.uint32]
    Numbers = NDArray[np.int64]
    Ranks = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]
    Waiting = tuple[Numbers, Numbers, Numbers]

#: What `count_piece` returns beside the place of what is no deck.
COUNTED = -1
STALE = -2


class Places(NamedTuple):
    """Where each table of `tables.TABLES` begins in the one array."""

    decks: int
    card_position: int
    successor: int
    joint: int
    serial: int
    matches: int
    fixed: int
    cycles: int
    inversions: int
    descents: int
    rising: int
    runs: int
    lis: int
    order5: int
    holes: int
    category7: int
    category5: int
    flop_suits: int
    flop_ranks: int
    coupon_card: int
    coupon_rank: int
    coupon_suit: int
    gap: int
    guess_blind: int
    guess_hits: int
    wins: int
    aces: int
    ace_holes: int
    draws: int


class Work(NamedTuple):
    """A `Piece` as compiled code takes it: what it lacks is empty."""

    decks: Bytes
    before: Bytes
    draws: Bytes
    draw_cells: Numbers
    blind: Bytes
    better: Numbers


def _lay_out() -> Places:
    """Return the places of all tables, one behind the other in the order of `Places`."""
    places, end = {}, 0
    for name in Places._fields:
        places[name] = end
        end += prod(TABLES[name])
    return Places(**places)


#: Where the tables are; `draws`, whose size is the caller's, is the last.
AT = _lay_out()

_FULL = (1 << DECK_SIZE) - 1
_LAGS = len(LAGS)
_ONE = np.uint32(1)
_LOW_MASK = (1 << LOW_BITS) - 1
_HIGH_MASK = (1 << (SUIT_SHIFT - LOW_BITS)) - 1
_ACES = DECK_SIZE - 4
_HANDS = np.array([(*hole, *BOARD) for hole in HOLES], np.uint8)
_BOARD = np.array(BOARD, np.uint8)
_FLOP = np.array(FLOP, np.uint8)
_FIVE = np.arange(5, dtype=np.uint8)
# The waits in their order: what of a card is its kind, which kinds end one, and their cells.
_SHIFTS = np.array([0, 2, 0, 0], np.int64)
_KINDS = np.array([63, 63, 3, 63], np.int64)
_WANTED = np.array([_FULL, (1 << 13) - 1, 15, 1 << NAMED_CARD], np.int64)
_WAIT_CELLS = np.array([getattr(AT, wait) for wait in ORDER], np.int64)
_WAIT_LAST = np.array([TABLES[wait][0] - 1 for wait in ORDER], np.int64)

#: Tells compiled code from what was compiled of other tables, positions or keys: numba keeps code
#: by the date of this file alone.
FROZEN = crc32(repr((AT, HOLES, BOARD, FLOP, LAGS, NAMED_CARD, ORDER, KEYS.tolist())).encode())


@part
def _count_bits(bits: np.int64) -> np.int64:
    """Return how many bits are set: LLVM knows this sum, and makes one instruction of it."""
    x = np.uint64(bits)
    x -= (x >> np.uint64(1)) & np.uint64(0x5555555555555555)
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@part
def _count_places(deck: Bytes, cells: Cells) -> None:
    previous = np.int64(EDGE)
    for position in range(DECK_SIZE):
        card = np.int64(deck[position])
        cells[AT.card_position + DECK_SIZE * position + card] += _ONE
        cells[AT.successor + (EDGE + 1) * previous + card] += _ONE
        previous = card
    cells[AT.successor + (EDGE + 1) * previous + EDGE] += _ONE
    cells[AT.joint + DECK_SIZE * np.int64(deck[0]) + np.int64(deck[1])] += _ONE


@part
def _count_chains(deck: Bytes, cells: Cells) -> bool:
    """Count inversions, rising sequences and increasing cards; return whether this is a deck."""
    seen, inversions, rising = np.int64(0), np.int64(0), np.int64(1)
    # The lowest cards that end an increasing subsequence of each length (patience sorting).
    ends = np.int64(0)
    for position in range(DECK_SIZE):
        card = np.int64(deck[position])
        bit = np.int64(1) << card
        above = seen >> card
        inversions += _count_bits(above)
        rising += (above >> 1) & 1
        seen |= bit
        higher = ends & -bit
        ends = (ends ^ (higher & -higher)) | bit
    if seen != _FULL:
        return False
    cells[AT.inversions + inversions] += _ONE
    cells[AT.rising + rising] += _ONE
    cells[AT.lis + _count_bits(ends)] += _ONE
    return True


@part
def _count_descents(deck: Bytes, cells: Cells) -> None:
    """Count descents, turning points and fixed points."""
    fixed = descents = turns = 0
    for position in range(DECK_SIZE):
        fixed += deck[position] == position
    for position in range(1, DECK_SIZE):
        descents += deck[position] < deck[position - 1]
    for position in range(2, DECK_SIZE):
        one, two, three = deck[position - 2], deck[position - 1], deck[position]
        turns += (two < one) != (three < two)
    cells[AT.fixed + fixed] += _ONE
    cells[AT.descents + descents] += _ONE
    cells[AT.runs + turns + 1] += _ONE


@part
def _count_cycles(deck: Bytes, cells: Cells) -> None:
    left = np.int64(_FULL)
    cycles = 0
    while left:
        cycles += 1
        start = np.uint8(_count_bits((left & -left) - 1))
        left ^= np.int64(1) << np.int64(start)
        card = deck[start]
        while card != start:
            left ^= np.int64(1) << np.int64(card)
            card = deck[card]
    cells[AT.cycles + cycles] += _ONE


@part
def _count_own_draws(deck: Bytes, draw_cells: Numbers, cells: Cells) -> None:
    """Count the draws by which one shuffle makes this deck, as `orders.shuffle_draws` does."""
    code = np.empty(DECK_SIZE, np.uint8)
    inverse = np.empty(DECK_SIZE, np.uint8)
    for position in range(DECK_SIZE):
        code[position] = deck[position]
        inverse[deck[position]] = position
    for position in range(DECK_SIZE - 1, 0, -1):
        last, home = code[position], inverse[position]
        cells[AT.draws + draw_cells[DECK_SIZE - 1 - position] + np.int64(last)] += _ONE
        # Without this position, its card goes where the card of its number is.
        code[home] = last
        inverse[last] = home


@part
def _count_draws(draws: Bytes, draw_cells: Numbers, cells: Cells) -> None:
    for place in range(len(draw_cells)):
        cells[AT.draws + draw_cells[place] + np.int64(draws[place])] += _ONE


@part
def _count_matches(deck: Bytes, other: Bytes, cells: Cells) -> None:
    same = 0
    for position in range(DECK_SIZE):
        same += deck[position] == other[position]
    cells[AT.matches + same] += _ONE


@part
def _count_serial(at: int, decks: Bytes, before: Bytes, cells: Cells) -> None:
    """Count the first card of deck `at` with those of the decks up to five before it."""
    card = np.int64(decks[at, 0])
    for lag in range(1, _LAGS + 1):
        if lag <= at:
            other = np.int64(decks[at - lag, 0])
        elif lag <= at + len(before):
            other = np.int64(before[len(before) + at - lag, 0])
        else:
            return
        cells[AT.serial + DECK_SIZE * (DECK_SIZE * (lag - 1) + other) + card] += _ONE


@part
def _count_waits(card: np.uint8, waits: Waiting, cells: Cells) -> None:
    """Count the waits that end with this card of position 0."""
    seen, waited, left = waits
    for row in range(len(left)):
        if left[row]:
            waited[row] += 1
            seen[row] |= np.int64(1) << ((np.int64(card) >> _SHIFTS[row]) & _KINDS[row])
            if seen[row] & _WANTED[row] == _WANTED[row]:
                cells[_WAIT_CELLS[row] + min(waited[row], _WAIT_LAST[row])] += _ONE
                seen[row] = waited[row] = 0
                left[row] -= 1


@part
def _count_holes(deck: Bytes, cells: Cells) -> None:
    for seat in range(SEATS):
        one, two = np.int64(deck[seat]), np.int64(deck[seat + SEATS])
        low, high = min(one, two), max(one, two)
        # Behind all pairs of lower cards than `low`, and those of `low` and a lower one.
        place = low * (2 * DECK_SIZE - 1 - low) // 2 + high - low - 1
        cells[AT.holes + seat * (DECK_SIZE * (DECK_SIZE - 1) // 2) + place] += _ONE
        aces = np.int64(one >= _ACES) + np.int64(two >= _ACES)
        cells[AT.ace_holes + 3 * seat + aces] += _ONE
        cells[AT.aces + seat] += np.uint32(aces == 2)


@part
def _further(a: np.uint8, b: np.uint8, c: np.uint8) -> np.int64:
    """Return how many different values there are beside the first."""
    return np.int64(b != a) + np.int64((c != a) & (c != b))


@part
def _rank(key: np.int64, deck: Bytes, positions: Bytes, ranks: Ranks) -> np.int64:
    """Return the strength of the cards at these positions, whose key this is."""
    below, above, strength, flush = ranks
    suited = (key & FLUSHES) >> SUIT_SHIFT
    if suited:
        suit = np.int64(suited > 0x8) + np.int64(suited > 0x80) + np.int64(suited > 0x800)
        held = np.int64(0)
        for position in positions:
            card = np.int64(deck[position])
            if card & 3 == suit:
                held |= np.int64(1) << (card >> 2)
        return np.int64(flush[held])
    place = below[key & _LOW_MASK] + above[(key >> LOW_BITS) & _HIGH_MASK]
    return np.int64(strength[place])


@part
def _count_five(deck: Bytes, ranks: Ranks, cells: Cells) -> None:
    """Count the order and the category of the first five cards, and the flop."""
    place = np.int64(0)
    key = np.int64(BLANK)
    for position in range(5):
        place *= 5 - position
        for behind in range(position + 1, 5):
            place += np.int64(deck[behind] < deck[position])
        key += KEYS[deck[position]]
    cells[AT.order5 + place] += _ONE
    cells[AT.category5 + (_rank(key, deck, _FIVE, ranks) >> CATEGORY_SHIFT)] += _ONE
    a, b, c = deck[_FLOP[0]], deck[_FLOP[1]], deck[_FLOP[2]]
    cells[AT.flop_suits + _further(a & 3, b & 3, c & 3)] += _ONE
    cells[AT.flop_ranks + _further(a >> 2, b >> 2, c >> 2)] += _ONE


@part
def _count_showdown(deck: Bytes, ranks: Ranks, cells: Cells) -> None:
    """Count seat 0's category, and the seat that wins alone."""
    board = np.int64(BLANK)
    for position in _BOARD:
        board += KEYS[deck[position]]
    best = winner = np.int64(-1)
    for seat in range(SEATS):
        key = board + KEYS[deck[seat]] + KEYS[deck[seat + SEATS]]
        strength = _rank(key, deck, _HANDS[seat], ranks)
        if seat == 0:
            cells[AT.category7 + (strength >> CATEGORY_SHIFT)] += _ONE
        if strength > best:
            best, winner = strength, np.int64(seat)
        elif strength == best:
            winner = np.int64(-1)
    if winner >= 0:
        cells[AT.wins + winner] += _ONE


@part
def _count_guesses(deck: Bytes, blind: Bytes, better: Numbers, cells: Cells) -> None:
    """Score the guesses of one who sees nothing, and of one who sees all that was dealt."""
    left = np.int64(_FULL)
    right = hits = 0
    previous = np.uint8(EDGE)
    for position in range(DECK_SIZE):
        card = deck[position]
        right += card == blind[position]
        hits += (better[previous, card] & left) == 0
        left ^= np.int64(1) << np.int64(card)
        previous = card
    cells[AT.guess_blind + right] += _ONE
    cells[AT.guess_hits + hits] += _ONE


@part
def _count_draws_of(at: int, deck: Bytes, work: Work, cells: Cells) -> None:
    if len(work.draws):
        _count_draws(work.draws[at], work.draw_cells, cells)
    elif len(work.draw_cells):
        _count_own_draws(deck, work.draw_cells, cells)


@kept
def count_piece(
    frozen: int, work: Work, waits: Waiting, ranks: tuple[Ranks, Ranks], cells: Cells
) -> int:
    """Add decks to all tables; return the place of the first that is none, COUNTED or STALE.

    `frozen` is FROZEN as it is now; where it was another when this was compiled, nothing is done.
    """
    if frozen != FROZEN:
        return STALE
    seven, five = ranks
    for at in range(len(work.decks)):
        deck = work.decks[at]
        if not _count_chains(deck, cells):
            return at
        _count_places(deck, cells)
        _count_descents(deck, cells)
        _count_cycles(deck, cells)
        _count_draws_of(at, deck, work, cells)
        if at:
            _count_matches(deck, work.decks[at - 1], cells)
        elif len(work.before):
            _count_matches(deck, work.before[-1], cells)
        _count_serial(at, work.decks, work.before, cells)
        _count_waits(deck[0], waits, cells)
        _count_holes(deck, cells)
        _count_five(deck, five, cells)
        _count_showdown(deck, seven, cells)
        if len(work.blind):
            _count_guesses(deck, work.blind, work.better, cells)
    cells[AT.decks] += np.uint32(len(work.decks))
    return COUNTED


def compile_again() -> None:
    """Compile `count_piece` anew, and keep that."""
    dispatcher: Any = count_piece
    dispatcher.recompile()
