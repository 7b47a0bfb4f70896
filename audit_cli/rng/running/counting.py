"""Has all of a run counted that is not counted yet, and keeps each part as it comes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from audit_cli import say
from audit_cli.inputs import shown
from audit_cli.rng.running.bar import watched
from audit_cli.rng.running.chunks import BitsTask, ChunkTask, Task, work
from audit_cli.rng.running.packed import Packed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from audit_cli.rng.running.folder import Shelf
    from audit_cli.rng.running.layout import Bits, Chunk, Parts
    from audit_cli.rng.running.pool import Workers

#: What the tests of raw bits cost, as decks that could be counted meanwhile.
_BITS_COST: Final = 10_000


def count(shelf: Shelf, parts: Parts, engine: str, workers: Workers, words: str) -> int:
    """Count what is lacking on a shelf, `words` on the bar; how many parts were there before.

    OSError where a part can not be kept, and what `chunks.work` and the workers raise.
    """
    shelf.prepare()
    lacking = shelf.lacking(parts.chunks, parts.bits)
    for path in lacking.damaged:
        say.warning(f"{shown(str(path))} is damaged, or of another run: counted again")

    def tasks() -> Iterator[Task]:
        # Raw bits take less time than chunks: last, they fill the gaps at the end.
        for chunk in lacking.chunks:
            yield ChunkTask(shelf.plan, parts.source, engine, chunk)
        for bits in lacking.bits:
            yield BitsTask(shelf.plan, parts.source, engine, bits)

    total = _cost(parts.chunks, parts.bits)
    already = total - _cost(lacking.chunks, lacking.bits)
    with watched(words, total, already=already) as bar:
        for task, result in workers.each(work, tasks()):
            if isinstance(task, ChunkTask) and isinstance(result, Packed):
                shelf.keep(task.chunk, result)
                bar.add(task.chunk.count)
            elif isinstance(task, BitsTask) and isinstance(result, bytes):
                shelf.keep_bits(task.bits, result)
                bar.add(_BITS_COST)
    done = len(parts.chunks) + len(parts.bits)
    return done - len(lacking.chunks) - len(lacking.bits)


def _cost(chunks: tuple[Chunk, ...], bits: tuple[Bits, ...]) -> int:
    return sum(chunk.count for chunk in chunks) + _BITS_COST * len(bits)
