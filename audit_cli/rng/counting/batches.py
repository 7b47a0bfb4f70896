"""The counter of numpy: a piece's tables by operations on whole rows of bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from audit_cli.derive import DECK_SIZE
from audit_cli.rng.counting import orders
from audit_cli.rng.counting.digests import digest
from audit_cli.rng.counting.poker import BLANK, CATEGORY_SHIFT, KEYS, evaluator
from audit_cli.rng.counting.tables import BOARD, EDGE, FLOP, HOLES, LAGS, SEATS
from audit_cli.rng.counting.waits import Waits, count_waits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from audit_cli.rng.counting.chunk import Piece
    from audit_cli.rng.counting.guesses import Guesses

    Counts = Mapping[str, NDArray[np.int64]]
    Columns = NDArray[np.uint8]

_POSITIONS = np.arange(DECK_SIZE)[:, None]
_TABLE_52 = (DECK_SIZE * _POSITIONS).astype(np.intp)
_HOLE_ROWS = np.array(HOLES)
_BOARD_ROWS = list(BOARD)
# The place of an unordered pair of cards among the 1,326, for both of its orders.
_PAIR = np.zeros((DECK_SIZE, DECK_SIZE), np.intp)
_PAIR[np.triu_indices(DECK_SIZE, 1)] = np.arange(DECK_SIZE * (DECK_SIZE - 1) // 2)
_PAIR += _PAIR.T


def count(piece: Piece, counts: Counts, waits: Waits) -> NDArray[np.uint64]:
    """Add a piece to counts and waits, and return its digests (n,).

    Raises NotADeckError.
    """
    columns: Columns = np.ascontiguousarray(piece.decks.T)
    rising, longest = orders.count_chains(columns)
    counts["decks"] += len(piece.decks)
    _add(counts["rising"], rising)
    _add(counts["lis"], longest)
    _count_places(columns, piece, counts)
    _count_orders(columns, piece, counts)
    _count_neighbours(columns, piece, counts)
    _count_game(columns, counts)
    count_waits(columns[0], waits, counts)
    if piece.guesses is not None:
        _count_guesses(columns, piece.guesses, counts)
    return digest(piece.decks)


def _add(table: NDArray[np.int64], cells: NDArray[np.integer]) -> None:
    """Add one to a cell of the flattened table for each of `cells`."""
    table += np.bincount(cells.reshape(-1), minlength=table.size).reshape(table.shape)


def _count_places(columns: Columns, piece: Piece, counts: Counts) -> None:
    """Count single cards by position, and draws where they are known."""
    _add(counts["card_position"], columns + _TABLE_52)
    after = np.full((DECK_SIZE + 1, columns.shape[1]), EDGE, np.intp)
    after[:-1] = columns
    behind = after.copy()
    behind[1:] = after[:-1]
    behind[0] = EDGE
    behind *= DECK_SIZE + 1
    behind += after
    _add(counts["successor"], behind)
    _add(counts["joint"], DECK_SIZE * columns[0].astype(np.intp) + columns[1])
    if piece.cells is not None and piece.draws is not None:
        _add(counts["draws"], piece.draws + piece.cells)


def _count_orders(columns: Columns, piece: Piece, counts: Counts) -> None:
    """Count what is known of a permutation by its order."""
    code = orders.shuffle_draws(columns)
    if piece.cells is not None and piece.draws is None:
        _add(counts["draws"], code[:0:-1] + piece.cells[:, None])
    descents = orders.find_descents(columns)
    _add(counts["fixed"], orders.count_fixed(columns))
    _add(counts["cycles"], orders.count_fixed(code))
    _add(counts["inversions"], orders.count_inversions(columns))
    _add(counts["descents"], np.add.reduce(descents, axis=0, dtype=np.uint8))
    _add(counts["runs"], orders.count_runs(descents))
    _add(counts["order5"], orders.place_orders(columns[:5]))


def _count_neighbours(columns: Columns, piece: Piece, counts: Counts) -> None:
    """Count what a hand shares with those before it."""
    tail = np.ascontiguousarray(piece.before.T)
    if tail.shape[1]:
        first = np.add.reduce(tail[:, -1:] == columns[:, :1], axis=0, dtype=np.uint8)
        _add(counts["matches"], first)
    same = columns[:, 1:] == columns[:, :-1]
    _add(counts["matches"], np.add.reduce(same, axis=0, dtype=np.uint8))
    cards = np.concatenate([tail[0], columns[0]]).astype(np.intp)
    for row, lag in enumerate(LAGS):
        # Of the pairs those whose later hand is one of this piece.
        later = np.arange(max(len(tail[0]), lag), len(cards))
        _add(counts["serial"][row], DECK_SIZE * cards[later - lag] + cards[later])


def _count_game(columns: Columns, counts: Counts) -> None:
    """Count hole cards, flops, categories and showdowns."""
    holes = columns[_HOLE_ROWS]
    seats = np.arange(SEATS)[:, None]
    pairs = _PAIR.take(DECK_SIZE * holes[:, 0].astype(np.intp) + holes[:, 1])
    _add(counts["holes"], pairs + seats * _PAIR.max() + seats)
    aces = np.add.reduce(holes >= DECK_SIZE - 4, axis=1, dtype=np.uint8)
    _add(counts["ace_holes"], aces + 3 * seats)
    counts["aces"] += np.count_nonzero(aces == 2, axis=1)

    board = columns[_BOARD_ROWS]
    keys = KEYS.take(holes[:, 0]) + KEYS.take(holes[:, 1])
    keys += KEYS.take(board).sum(axis=0) + BLANK
    hands = columns.shape[1]
    cards = np.empty((7, SEATS, hands), np.uint8)
    cards[0], cards[1], cards[2:] = holes[:, 0], holes[:, 1], board[:, None]
    strengths = evaluator(7).rank(keys.reshape(-1), cards.reshape(7, -1)).reshape(SEATS, hands)
    _add(counts["category7"], strengths[0] >> CATEGORY_SHIFT)
    best = strengths == strengths.max(axis=0)
    best &= np.add.reduce(best, axis=0, dtype=np.uint8) == 1
    counts["wins"] += np.count_nonzero(best, axis=1)

    five = columns[:5]
    strengths = evaluator(5).rank(KEYS.take(five).sum(axis=0) + BLANK, five)
    _add(counts["category5"], strengths >> CATEGORY_SHIFT)

    flop = columns[list(FLOP)]
    _add(counts["flop_suits"], _different(flop & 3) - 1)
    _add(counts["flop_ranks"], _different(flop >> 2) - 1)


def _different(three: NDArray[np.integer]) -> NDArray[np.intp]:
    """Return how many different values stand in each column of three."""
    a, b, c = three
    found: NDArray[np.intp] = 1 + (b != a).astype(np.intp) + ((c != a) & (c != b))
    return found


def _count_guesses(columns: Columns, guesses: Guesses, counts: Counts) -> None:
    """Count the right guesses of one who sees nothing, and of one who sees all that was dealt."""
    right = columns == guesses.blind[:, None]
    _add(counts["guess_blind"], np.add.reduce(right, axis=0, dtype=np.uint8))
    hands = columns.shape[1]
    left = np.full(hands, (1 << DECK_SIZE) - 1, np.int64)
    hits = np.zeros(hands, np.uint8)
    before = np.full(hands, EDGE, np.intp)
    for card in columns:
        hits += (guesses.better.take(before * (EDGE + 1) + card) & left) == 0
        before = card.astype(np.intp)
        left ^= np.left_shift(1, before)
    _add(counts["guess_hits"], hits)
