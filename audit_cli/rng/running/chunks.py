"""The units of work: a chunk of hands is counted, raw bits are tested, each by itself.

What one gives depends on its source and its place alone, so that any number of workers, any engine,
any order and any machine give the same figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from audit_cli.rng.counting.choose import tallier
from audit_cli.rng.counting.tables import SHUFFLE
from audit_cli.rng.engines.choose import engine
from audit_cli.rng.hands import DRAWS
from audit_cli.rng.raw.lanes import LANES_HANDS, measure_lanes
from audit_cli.rng.raw.sequence import SEQUENCE_HANDS, measure_sequence
from audit_cli.rng.running.layout import LANES
from audit_cli.rng.running.packed import Packed, pack, pack_bits
from audit_cli.rng.sources import DeckFile, Source, read_hands

if TYPE_CHECKING:
    from audit_cli.rng.hands import Engine
    from audit_cli.rng.measured import Measured
    from audit_cli.rng.running.layout import Bits, Chunk

#: Hands that are derived and counted at a time: what a core's cache holds.
BATCH: Final = 8192


@dataclass(frozen=True, slots=True)
class ChunkTask:
    """What a worker is told: the plan's ID, whose hands, by which engine, and which of them."""

    plan: str
    source: Source
    engine: str
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class BitsTask:
    """The same of raw bits."""

    plan: str
    source: Source
    engine: str
    bits: Bits


Task: TypeAlias = ChunkTask | BitsTask


def work(task: Task) -> Packed | bytes:
    """Do a task where it was sent; what is to be kept.

    HandsFileError and NotDerivedError as `read_hands` raises them, UsageError for an engine that
    can not run there.
    """
    using = find_engine(task.engine)
    if isinstance(task, ChunkTask):
        return pack(count_chunk(task.source, using, task.chunk), task.plan)
    return pack_bits(task.bits, measure_bits(task.source, using, task.bits), task.plan)


def count_chunk(source: Source, using: Engine, chunk: Chunk) -> Measured:
    """Derive and count a chunk, in batches. Errors as of `read_hands`."""
    known = not isinstance(source, DeckFile)
    counting = tallier(
        chunk.first,
        chunk.count,
        sizes=DRAWS if known else SHUFFLE,
        draws=True,
        native=using.name == "numba",
    )
    end = chunk.first + chunk.count
    for first in range(chunk.first, end, BATCH):
        counting.add(read_hands(source, using, first, min(BATCH, end - first)))
    return counting.finish()


def measure_bits(source: Source, using: Engine, bits: Bits) -> dict[str, Any]:
    """Test raw bits; the result's `to_json`. Errors as of `read_hands`."""
    count = LANES_HANDS if bits.name == LANES else SEQUENCE_HANDS
    streams = read_hands(source, using, bits.first, count, streams=True).streams
    if streams is None:
        message = f"the engine {using.name} gave no streams"
        raise ValueError(message)
    if bits.name == LANES:
        return measure_lanes(streams).to_json()
    return measure_sequence(streams).to_json()


@lru_cache(maxsize=4)
def find_engine(name: str) -> Engine:
    """Return an engine, ready: once in a process."""
    return engine(name)
