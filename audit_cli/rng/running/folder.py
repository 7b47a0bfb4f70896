"""The folder of a run: what was planned, what was counted, what was said of it.

    plan.note            the signed plan, written before any hand is derived
    plan.vkey            the key that verifies it
    sign.key             the key that signed it, where none was named
    origin.json          the secrets that the plan commits to, for its owner alone until told
    hands                collected hands, where there is no secret that repeats them
    counts/00042.npz     the counts of a chunk
    digests/00042.u64    the digests of its decks
    raw/00007.json       what the tests of raw bits say of a sequence; lanes.json of the lanes
    confirmation/        the same of the confirmation run, where there was one
    results/             what was said

Every file is there whole or not at all. A chunk is counted when its counts are there, which name
the SHA-256 of its digests: these are written first. Whatever is damaged or of another plan is no
count, and is told apart from what is only missing. One process at a time works in a folder.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from audit_cli.inputs import UsageError, reason, shown
from audit_cli.rng.file_hash import hash_file
from audit_cli.rng.running.packed import unpack, unpack_bits
from audit_cli.writing import sync_folder, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from audit_cli.rng.running.layout import Bits, Chunk
    from audit_cli.rng.running.packed import Counted, Packed

PLAN: Final = "plan.note"
VERIFIER: Final = "plan.vkey"
KEY: Final = "sign.key"
ORIGIN: Final = "origin.json"
HANDS: Final = "hands"
COUNTS: Final = "counts"
DIGESTS: Final = "digests"
RAW: Final = "raw"
RESULTS: Final = "results"
CONFIRMATION: Final = "confirmation"
_LOCK: Final = ".lock"


@dataclass(frozen=True, slots=True)
class Lacking:
    """What of a run is not there; `damaged` are the files that are there and not to be trusted."""

    chunks: tuple[Chunk, ...]
    bits: tuple[Bits, ...]
    damaged: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where the chunks and raw bits of one run of a plan are kept: the first, or confirmation."""

    folder: Path
    plan: str

    def prepare(self) -> None:
        """Make the folders. OSError where that can not be done."""
        for name in (COUNTS, DIGESTS, RAW):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        sync_folder(self.folder)

    def counts_path(self, chunk: Chunk) -> Path:
        """Where the counts of a chunk are."""
        return self.folder / COUNTS / f"{chunk.index:05}.npz"

    def digests_path(self, chunk: Chunk) -> Path:
        """Where the digests of a chunk are."""
        return self.folder / DIGESTS / f"{chunk.index:05}.u64"

    def bits_path(self, bits: Bits) -> Path:
        """Where what is said of raw bits is."""
        return self.folder / RAW / f"{bits.name}.json"

    def keep(self, chunk: Chunk, packed: Packed) -> None:
        """Write a chunk. OSError where it can not be written."""
        write_whole(self.digests_path(chunk), packed.digests)
        write_whole(self.counts_path(chunk), packed.counts)

    def keep_bits(self, bits: Bits, data: bytes) -> None:
        """Write what was said of raw bits. OSError where it can not be written."""
        write_whole(self.bits_path(bits), data)

    def read_bits(self, bits: Bits) -> dict[str, Any] | None:
        """Return what was said of raw bits; None where it is missing or not to be trusted."""
        try:
            data = self.bits_path(bits).read_bytes()
        except FileNotFoundError:
            return None
        return unpack_bits(data, bits, self.plan)

    def read(self, chunk: Chunk) -> Counted | None:
        """Return the counts of a chunk; None where they are missing or not to be trusted."""
        try:
            counted = unpack(self.counts_path(chunk).read_bytes(), self.plan)
        except FileNotFoundError:
            return None
        if counted is None or (counted.first, counted.hands) != (chunk.first, chunk.count):
            return None
        return counted

    def whole(self, chunk: Chunk) -> bool:
        """Whether counts and digests of a chunk are there and fit each other."""
        counted = self.read(chunk)
        return counted is not None and counted.digests_sha256 == _hash(self.digests_path(chunk))

    def lacking(self, chunks: Iterable[Chunk], bits: Iterable[Bits]) -> Lacking:
        """Return what there is still to do."""
        absent = [chunk for chunk in chunks if not self.whole(chunk)]
        unsaid = [one for one in bits if self.read_bits(one) is None]
        paths = [*map(self.counts_path, absent), *map(self.bits_path, unsaid)]
        return Lacking(tuple(absent), tuple(unsaid), tuple(path for path in paths if path.exists()))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep every other process out of a run's folder, which is made where it is not there.

    UsageError where another works in it, or where it can not be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        message = f"can not keep a run in {shown(str(folder))}: {reason(error)}"
        raise UsageError(message) from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            message = f"another process is at work in {shown(str(folder))}"
            raise UsageError(message, "wait for it, or name another folder by --run") from None
        yield
    finally:
        os.close(handle)


def _hash(path: Path) -> str | None:
    try:
        return hash_file(path)
    except FileNotFoundError:
        return None
