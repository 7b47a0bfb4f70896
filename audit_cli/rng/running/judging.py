"""From what a run kept to what its tests say: sums, the two levels, raw bits and duplicates."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.inputs import shown
from audit_cli.rng.battery.duplicates import judge_duplicates
from audit_cli.rng.battery.judge import judge
from audit_cli.rng.code.judge import judge_code
from audit_cli.rng.counting.duplicates import DigestFile, confirm, find_duplicates
from audit_cli.rng.engines.choose import every_engine
from audit_cli.rng.hands_file import read_records
from audit_cli.rng.raw.judge import judge_raw
from audit_cli.rng.raw.lanes import LanesResult
from audit_cli.rng.raw.sequence import SequenceResult
from audit_cli.rng.running.chunks import find_engine
from audit_cli.rng.running.layout import LANES
from audit_cli.rng.second_level import measure_uniformity
from audit_cli.rng.sources import HandsFile, read_hands

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from audit_cli.rng.outcome import Outcome
    from audit_cli.rng.running.folder import Shelf
    from audit_cli.rng.running.layout import Bits, Chunk, Parts
    from audit_cli.rng.running.packed import Counted
    from audit_cli.rng.running.pool import Pool
    from audit_cli.rng.second_level import Uniformity

_BATCH: Final = 65_536


class DamagedError(Exception):
    """What was counted is not there any more, or not whole; the text names it."""


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """What a run says: outcomes of all its tests, uniformity over its blocks, and what is behind.

    `counts` are the sums over all chunks, `decks` the SHA-256 of each chunk's decks by its place,
    `sequences` what each sequence of raw bits gave.
    """

    outcomes: tuple[Outcome, ...]
    second: tuple[Uniformity, ...]
    counts: Mapping[str, NDArray[np.int64]] = field(repr=False)
    decks: tuple[str, ...] = field(repr=False)
    sequences: tuple[SequenceResult, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Block:
    shelf: Shelf
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class _Code:
    """The code itself, on every engine that runs where it is judged."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What a worker says of a block, or of the code."""

    values: tuple[tuple[str, float], ...] = ()
    code: tuple[Outcome, ...] = ()


@dataclass(slots=True)
class _Sums:
    """What all chunks add up to, and what workers said of each block by its first chunk."""

    counts: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    decks: dict[int, str] = field(default_factory=dict)
    blocks: dict[int, tuple[tuple[str, float], ...]] = field(default_factory=dict)
    code: tuple[Outcome, ...] = ()


def judge_kept(shelf: Shelf, parts: Parts, pool: Pool, *, code: bool) -> Findings:
    """Judge all parts of a run, which were all counted; `code`: and the code that counted them.

    DamagedError where one is not there, OSError where digests can not be sorted, and what
    `read_hands` raises.
    """
    with ThreadPoolExecutor(1) as beside:
        # Sorting takes as long as the blocks do, and needs no worker.
        duplicates = beside.submit(_judge_duplicates, shelf, parts)
        sums = _add_up(shelf, parts, pool, code=code)
        sequences, raw = _judge_bits(shelf, parts.bits)
        outcomes = (*sums.code, *raw)
        if parts.blocks:
            outcomes = (*outcomes, *judge(sums.counts), *duplicates.result())
    return Findings(
        outcomes=outcomes,
        second=_second([sums.blocks[first] for first in sorted(sums.blocks)]),
        counts=sums.counts,
        decks=tuple(sums.decks[index] for index in sorted(sums.decks)),
        sequences=sequences,
    )


def _add_up(shelf: Shelf, parts: Parts, pool: Pool, *, code: bool) -> _Sums:
    """Add up all chunks, while workers judge the blocks and the code."""
    sums = _Sums()
    work: list[_Code | _Block] = [_Code()] if code else []
    work += [_Block(shelf, chunks) for chunks in parts.blocks]
    for part, said in pool.each(_judge_part, work):
        if isinstance(part, _Code):
            sums.code = said.code
            continue
        # Whole numbers: the order in which blocks come does not matter.
        for chunk in part.chunks:
            counted = _read(shelf, chunk)
            sums.decks[chunk.index] = counted.decks_sha256
            _add(sums.counts, counted.counts)
        sums.blocks[part.chunks[0].index] = said.values
    return sums


def _judge_part(part: _Code | _Block) -> _Said:
    """Hold the code against what it has to give (B0), or return each test's p on one block."""
    if isinstance(part, _Code):
        return _Said(code=judge_code(every_engine()))
    total: dict[str, NDArray[np.int64]] = {}
    for chunk in part.chunks:
        _add(total, _read(part.shelf, chunk).counts)
    return _Said(values=tuple((one.test, one.p) for one in judge(total, blocks=True)))


def _second(blocks: list[tuple[tuple[str, float], ...]]) -> tuple[Uniformity, ...]:
    values: dict[str, list[float]] = {}
    for block in blocks:
        for test, p in block:
            values.setdefault(test, []).append(p)
    return tuple(measure_uniformity(test, each) for test, each in values.items())


def _judge_bits(
    shelf: Shelf, bits: tuple[Bits, ...]
) -> tuple[tuple[SequenceResult, ...], tuple[Outcome, ...]]:
    lanes: LanesResult | None = None
    sequences: list[SequenceResult] = []
    for each in bits:
        result = shelf.read_bits(each)
        if result is None:
            message = f"{shown(str(shelf.bits_path(each)))} is damaged: run again to test it again"
            raise DamagedError(message)
        if each.name == LANES:
            lanes = LanesResult.from_json(result)
        else:
            sequences.append(SequenceResult.from_json(result))
    return tuple(sequences), judge_raw(sequences, lanes) if sequences else ()


def _judge_duplicates(shelf: Shelf, parts: Parts) -> tuple[Outcome, ...]:
    if not parts.blocks:
        return ()
    files = [DigestFile(shelf.digests_path(chunk), chunk.first) for chunk in parts.chunks]
    found = find_duplicates(files, shelf.folder)

    # A few decks at most: the engine that takes the least memory.
    plain = find_engine("plain")

    def deck(hand: int) -> bytes:
        return read_hands(parts.source, plain, hand, 1).decks.tobytes()

    secrets = None
    if isinstance(parts.source, HandsFile):
        secrets = _count_equal_secrets(shelf.folder, parts.source, parts.chunks)
    return judge_duplicates(found.hands, found.five_pairs, confirm(found, deck), secrets)


def _count_equal_secrets(scratch: Path, source: HandsFile, chunks: tuple[Chunk, ...]) -> int:
    """Return how many pairs of hands have the same secret."""
    at = Path(source.path)
    first, end = chunks[0].first, chunks[-1].first + chunks[-1].count
    with TemporaryDirectory(prefix="secrets-", dir=scratch) as folder:
        path = Path(folder) / "secrets"
        with path.open("wb") as stream:
            for start in range(first, end, _BATCH):
                secrets = read_records(at, start, min(_BATCH, end - start)).secrets
                # 63 bits of each stand for it, below the highest digest of a deck.
                digests = np.ascontiguousarray(secrets[:, :8]).view("<u8").ravel() >> np.uint64(1)
                digests.tofile(stream)
        found = find_duplicates([DigestFile(path, first)], Path(folder))
        return confirm(found, lambda hand: read_records(at, hand, 1).secrets.tobytes())


def _read(shelf: Shelf, chunk: Chunk) -> Counted:
    counted = shelf.read(chunk)
    if counted is None:
        message = f"{shown(str(shelf.counts_path(chunk)))} is damaged: run again to count it again"
        raise DamagedError(message)
    return counted


def _add(total: dict[str, NDArray[np.int64]], counts: Mapping[str, NDArray[np.int64]]) -> None:
    for name, table in counts.items():
        if name in total:
            total[name] += table
        else:
            total[name] = table.copy()
