"""Which counter counts a chunk. Both give the same figures, bit for bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.rng.counting import batches
from audit_cli.rng.counting.chunk import Chunk
from audit_cli.rng.hands import DRAWS

if TYPE_CHECKING:
    from audit_cli.rng.measured import Tallier


def tallier(
    first: int,
    size: int,
    *,
    sizes: tuple[int, ...] = DRAWS,
    draws: bool = True,
    native: bool = False,
) -> Tallier:
    """Return a tallier of hands `first` to `first + size - 1`.

    `sizes` are the ranges of the draws that are counted: those of the hands, or `tables.SHUFFLE`
    where only decks are known, which counts the draws by which one shuffle would have made each.
    `native` counts with numba, which must be there, instead of numpy.
    """
    if native:
        from audit_cli.rng.counting import native as compiled  # noqa: PLC0415 - numba is an extra

        return Chunk(first, size, sizes, draws, compiled.count)
    return Chunk(first, size, sizes, draws, batches.count)
