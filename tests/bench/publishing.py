"""`log_append`, `log_proof` and `log_tiles`: the dealer's log with a million lines in it.

Appending is all that a batch costs but the store: hashing, tiles, index and signature, each file on
disk before the checkpoint, and that too; beside as many bytes of lines in one file, synced a batch.
A proof is read from the files, checked and written out; beside bare reads of the same files. Tiles
are all bytes of the folder by the bytes of the lines.
"""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from dealer_service.publishing.edition import Edition
from dealer_service.publishing.finding import Index
from dealer_service.publishing.growing import Growth
from dealer_service.publishing.publication import Publication
from dealer_service.transcript.checkpoint import Checkpoint, sign_checkpoint
from dealer_service.transcript.noted import Noted, Stage, write_noted
from dealer_service.transcript.tiles import CHECKPOINT_PATH, tile_at
from tests.bench.figure import Figure, Goal, measure_in_turn
from tests.support.publishers import ORIGIN, SIGNER, START

LINES: Final = 1_000_000
QUICK_LINES: Final = 10_000
BATCH: Final = 100
BATCHES: Final = 40
PROOFS: Final = 400
APPEND: Final = Goal("log_append", "lines/s", "lines/s of one synced file", "higher", 0.03)
PROOF: Final = Goal("log_proof", "ms", "ms of reading its files", "lower", 30)
TILES: Final = Goal("log_tiles", "bytes a line", "bytes of a line", "lower", 1.3)
NAMES: Final = (APPEND.name, PROOF.name, TILES.name)

_PAGE: Final = 65_536
_STAGES: Final = (Stage.HAND_OPENED, Stage.DECK_COMMITTED)


@dataclass(frozen=True, slots=True)
class _Made:
    """A log in a folder, how long it took to make (s of CPU), and the bytes of its lines."""

    folder: Path
    edition: Edition
    seconds: float
    line_bytes: int


def measure(*, quick: bool = False, names: frozenset[str] = frozenset(NAMES)) -> list[Figure]:
    """Make the log once, and measure what is asked for."""
    lines = QUICK_LINES if quick else LINES
    with _made(lines) as made:
        # Before anything is appended, which leaves partial tiles.
        figures = [_tiles(made, lines)] if TILES.name in names else []
        if PROOF.name in names:
            figures.append(_proof(made, quick=quick))
        if APPEND.name in names:
            figures.append(_append(made, quick=quick))
    return sorted(figures, key=lambda figure: NAMES.index(figure.goal.name))


def _append(made: _Made, *, quick: bool) -> Figure:
    number = 3 if quick else BATCHES
    size = made.edition.size
    fresh = count(size // 2)

    def batch() -> list[bytes]:
        return [line for _ in range(BATCH // 2) for line in _hand(next(fresh))]

    def own() -> float:
        batches = [batch() for _ in range(number)]
        began = time.perf_counter()
        for lines in batches:
            made.edition.extend(lines)
            made.edition.show(_sign(made.edition.size, made.edition.root()))
        return number * BATCH / (time.perf_counter() - began)

    def other() -> float:
        batches = [batch() for _ in range(number)]
        began = time.perf_counter()
        with (made.folder.parent / "bare").open("ab", buffering=0) as file:
            for lines in batches:
                file.write(b"".join(lines))
                os.fsync(file.fileno())
        return number * BATCH / (time.perf_counter() - began)

    remark = f"on the wall, batches of {BATCH} lines behind {size:,}; without the store"
    return measure_in_turn(APPEND, own, other, rounds=2 if quick else 5, remark=remark)


def _proof(made: _Made, *, quick: bool) -> Figure:
    number = 20 if quick else PROOFS
    shown = made.edition.shown
    assert shown is not None
    size, note = shown.size, made.edition.note
    indexes = [int.from_bytes(sha256(b"%d" % n).digest()[:6]) % size for n in range(number)]

    def own() -> float:
        began = time.perf_counter()
        for index in indexes:
            made.edition.prove(index, note)
        return (time.perf_counter() - began) / number * 1000

    def other() -> float:
        began = time.perf_counter()
        for index in indexes:
            for path in _files_of(index, size):
                made.edition.read(path)
        return (time.perf_counter() - began) / number * 1000

    _, _, text = made.edition.prove(indexes[0], note)
    remark = f"of one line of {size:,}, {len(text)} bytes of text, the files in the page cache"
    return measure_in_turn(PROOF, own, other, rounds=2 if quick else 5, remark=remark)


def _tiles(made: _Made, lines: int) -> Figure:
    kinds = {"entries": 0, "hashes": 0}
    files = 0
    for path in (made.folder / "tile").rglob("*"):
        if path.is_file():
            kind = "entries" if "entries" in path.parts else "hashes"
            kinds[kind] += path.stat().st_size
            files += 1
    remark = (
        f"{lines:,} lines in {files:,} files: {kinds['entries'] / 1e6:.1f} MB of entries, "
        f"{kinds['hashes'] / 1e6:.1f} MB of hashes; lines written, hashed and kept, without syncs, "
        f"in {made.seconds / lines * 1e6:.1f} µs of CPU each"
    )
    total = sum(kinds.values())
    return Figure(TILES, (total / lines,), (made.line_bytes / lines,), remark)


@contextmanager
def _made(lines: int) -> Iterator[_Made]:
    """Make a log of so many lines, there until the end of the block."""
    with TemporaryDirectory() as name:
        folder = Path(name) / "publication"
        publication = Publication(folder)
        began = time.process_time()
        line_bytes = _fill(folder, lines)
        seconds = time.process_time() - began
        edition = Edition(SIGNER.verifier, publication, Index(Path(name) / "index"))
        try:
            assert edition.load()
            yield _Made(folder, edition, seconds, line_bytes)
        finally:
            edition.close()


def _fill(folder: Path, lines: int) -> int:
    growth, written = Growth(), 0
    for first in range(0, lines, _PAGE):
        hands = range(first // 2, min(first + _PAGE, lines) // 2)
        page = [line for hand in hands for line in _hand(hand)]
        written += sum(map(len, page))
        for path, content in growth.add(page):
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
    (folder / CHECKPOINT_PATH).write_text(_sign(growth.size, growth.root()), encoding="utf-8")
    return written


def _hand(number: int) -> Sequence[bytes]:
    """Give the two lines of a hand: of 50 games at a time, each of some hundred hands."""
    game = sha256(b"%d" % (number // 5_000 * 50 + number % 50)).digest()
    root = sha256(b"root %d" % number).digest()
    hand, at = number % 5_000 // 50 + 1, START + 100 * number
    return [
        write_noted(Noted(at, game[:16], hand, stage, 40 * hand + place, root))
        for place, stage in enumerate(_STAGES)
    ]


def _sign(size: int, root: bytes) -> str:
    return sign_checkpoint(Checkpoint(ORIGIN, size, root), SIGNER)


def _files_of(index: int, size: int) -> Iterator[str]:
    """Name the tiles along a line's way up to the root, and its bundle."""
    yield tile_at(0, index // 256, size).entries
    level, place = 0, index // 256
    while size >> 8 * level > 0:
        if place * 256 < size >> 8 * level:
            yield tile_at(level, place, size).path
        level, place = level + 1, place // 256
