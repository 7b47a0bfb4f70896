"""The counter of numba: the same figures as numpy's, from one compiled walk over each deck."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from audit_cli.rng.counting.digests import digest
from audit_cli.rng.counting.kernels import (
    AT,
    COUNTED,
    FROZEN,
    STALE,
    Work,
    compile_again,
    count_piece,
)
from audit_cli.rng.counting.orders import NotADeckError
from audit_cli.rng.counting.poker import Evaluator, evaluator

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from audit_cli.rng.counting.chunk import Piece
    from audit_cli.rng.counting.kernels import Ranks
    from audit_cli.rng.counting.waits import Waits

_NO_DRAWS = np.empty((0, 0), np.uint8)
_NO_CELLS = np.empty(0, np.int64)
_NO_GUESSES = np.empty(0, np.uint8), np.empty((0, 0), np.int64)


def count(
    piece: Piece, counts: Mapping[str, NDArray[np.int64]], waits: Waits
) -> NDArray[np.uint64]:
    """Add a piece to counts and waits, and return its digests (n,).

    Raises NotADeckError.
    """
    guesses = piece.guesses
    blind, better = _NO_GUESSES if guesses is None else (guesses.blind, guesses.better)
    work = Work(
        piece.decks,
        piece.before,
        _NO_DRAWS if piece.draws is None else piece.draws,
        _NO_CELLS if piece.cells is None else piece.cells,
        blind,
        better,
    )
    cells = np.zeros(AT.draws + (counts["draws"].size if "draws" in counts else 0), np.uint32)
    ranks = (_take_ranks(evaluator(7)), _take_ranks(evaluator(5)))
    state = (waits.seen, waits.waited, waits.left)
    wrong = count_piece(FROZEN, work, state, ranks, cells)
    if wrong == STALE:
        compile_again()
        wrong = count_piece(FROZEN, work, state, ranks, cells)
    if wrong != COUNTED:
        raise NotADeckError(wrong)
    for name, table in counts.items():
        first = getattr(AT, name)
        np.add(table, cells[first : first + table.size].reshape(table.shape), out=table)
    return digest(piece.decks)


def _take_ranks(tables: Evaluator) -> Ranks:
    return tables.below, tables.above, tables.strength, tables.flush
