"""The file beside the log key that knows what was last signed for each log (protocol section 6).

A store that was restored from a backup does not know of the lines that it lost; this file does,
because it is not of the backup. It is written after the store's commit and before a signature
leaves, once for a batch. So it may lag behind the store by the batch that a crash cut off, and a
store that lags behind it lost signed lines.

The first line is `cutcard-signed/1 <origin>`, and behind it the names of the nodes that wrote here
where dealers share a store: a restore of that needs the journal of each. Each further line is a
batch: `<CRC-32, 8 hex digits> <size>:<root, 64 hex digits>:<log> …`. A batch is one line, so a
crash can spoil the last line alone, which then is of a batch whose signatures never left. Any other
damage is an error. At start the file is written anew with one record a log.

Open the store first: its lock keeps a second process from this file too. A missing file may be
made when no log of that store was ever signed, or when the operator accepts a restore.
"""

import os
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from dealer_service.durable import sync_folder, write_all
from dealer_service.store.api import SignedAt
from dealer_service.store.refusal import Reason, StoreError

_FORMAT: Final = "cutcard-signed/1"
_BATCH_LOGS: Final = 64
_HEAD = re.compile(rb"cutcard-signed/1 ([!-~]{1,255})((?: [a-z0-9.-]{1,64})*)")
_RECORD = re.compile(r"([1-9][0-9]{0,18}):([0-9a-f]{64}):([!-~]{1,255})")


@dataclass(frozen=True, slots=True)
class Journalled:
    """What a journal knows: the last signed size and root of each log, and whose it is.

    `nodes` are the names of the nodes that wrote it, none for a dealer that has a store to itself.
    """

    last: Mapping[str, SignedAt]
    nodes: frozenset[str]


def read_journal(path: Path, origin: str) -> Journalled:
    """Read a journal, of another node, and leave it as it is.

    StoreError JOURNAL_MISSING, JOURNAL_DAMAGED, JOURNAL_OF_ANOTHER_ORIGIN or JOURNAL_FAILED.
    """
    try:
        return _read(path, origin)
    except FileNotFoundError:
        message = f"there is no signed journal {path}"
        raise StoreError(Reason.JOURNAL_MISSING, message) from None
    except OSError as error:
        message = f"the signed journal {path} can not be read: {error.strerror}"
        raise StoreError(Reason.JOURNAL_FAILED, message) from error


class SignedJournal:
    """The open file; `record` adds to it, `last` is what it knows. One committer uses it."""

    def __init__(self, path: Path, origin: str, *, may_make: bool, node: str = "") -> None:
        """Read the file, write it anew and keep it open.

        A missing file is made where it may be. `node` is this dealer's name among those that share
        a store. StoreError JOURNAL_MISSING, JOURNAL_DAMAGED, JOURNAL_OF_ANOTHER_ORIGIN or
        JOURNAL_FAILED.
        """
        self._path = path
        self._unusable = False
        try:
            known = self._read(origin, may_make=may_make)
            self._last = dict(known.last)
            self.nodes = known.nodes | ({node} if node else set())
            self._descriptor = self._rewrite(origin)
        except OSError as error:
            message = f"the signed journal {path} can not be read or written: {error.strerror}"
            raise StoreError(Reason.JOURNAL_FAILED, message) from error

    @property
    def last(self) -> Mapping[str, SignedAt]:
        """The last signed size and root of each log."""
        return self._last

    def record(self, signed: Mapping[str, SignedAt]) -> None:
        """Add a batch and return when it is on disk.

        StoreError JOURNAL_FAILED; the journal then takes nothing more until it is opened again.
        """
        if not signed:
            return
        if self._unusable:
            message = f"the signed journal {self._path} failed before: start again"
            raise StoreError(Reason.JOURNAL_FAILED, message)
        self._unusable = True
        try:
            write_all(self._descriptor, _batch(signed.items()))
            os.fsync(self._descriptor)
        except OSError as error:
            message = f"the signed journal {self._path} can not be written: {error.strerror}"
            raise StoreError(Reason.JOURNAL_FAILED, message) from error
        self._unusable = False
        self._last.update(signed)

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1
        self._unusable = True

    def _read(self, origin: str, *, may_make: bool) -> Journalled:
        if not os.path.lexists(self._path):
            if may_make:
                return Journalled({}, frozenset())
            message = (
                f"the signed journal {self._path} is missing, and this dealer has signed before: "
                "bring it back, or start once with --accept-restore"
            )
            raise StoreError(Reason.JOURNAL_MISSING, message)
        return _read(self._path, origin)

    def _rewrite(self, origin: str) -> int:
        draft = self._path.with_name(self._path.name + ".new")
        draft.unlink(missing_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        descriptor = os.open(draft, flags, 0o600)
        try:
            names = "".join(f" {name}" for name in sorted(self.nodes))
            write_all(descriptor, f"{_FORMAT} {origin}{names}\n".encode())
            logs = list(self._last.items())
            for start in range(0, len(logs), _BATCH_LOGS):
                write_all(descriptor, _batch(logs[start : start + _BATCH_LOGS]))
            os.fsync(descriptor)
            draft.replace(self._path)
            sync_folder(self._path.parent)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor


def _read(path: Path, origin: str) -> Journalled:
    lines = path.read_bytes().split(b"\n")
    head = _HEAD.fullmatch(lines[0])
    if head is None:
        _refuse(path, 1, f"it does not begin with {_FORMAT} and an origin")
    if head[1] != origin.encode():
        message = (
            f"the signed journal {path} is of the origin {head[1].decode()!r} and not of {origin!r}"
        )
        raise StoreError(Reason.JOURNAL_OF_ANOTHER_ORIGIN, message)
    # Behind the last newline there is nothing, or a line that a crash cut off.
    batches = lines[1:-1]
    last: dict[str, SignedAt] = {}
    for number, line in enumerate(batches, 2):
        records = _parse(line)
        if records is None:
            if number == len(batches) + 1 and lines[-1] == b"":
                break
            _refuse(path, number, "its sum or its form is wrong")
        for log, signed in records:
            before = last.get(log, signed)
            changed = signed.size == before.size and signed.root != before.root
            if signed.size < before.size or changed:
                _refuse(path, number, f"{log} goes back from size {before.size}")
            last[log] = signed
    return Journalled(last, frozenset(head[2].decode().split()))


def _refuse(path: Path, line: int, why: str) -> NoReturn:
    message = (
        f"the signed journal {path} is damaged in line {line}: {why}; nothing was changed: bring "
        "it back from where its copy is kept"
    )
    raise StoreError(Reason.JOURNAL_DAMAGED, message)


def _batch(signed: Iterable[tuple[str, SignedAt]]) -> bytes:
    written = [f"{at.size}:{at.root.hex()}:{log}" for log, at in signed]
    for record in written:
        if _RECORD.fullmatch(record) is None:
            message = f"the signed journal can not hold {record[:400]!r}"
            raise StoreError(Reason.JOURNAL_FAILED, message)
    records = " ".join(written).encode("ascii")
    return b"%08x %s\n" % (zlib.crc32(records), records)


def _parse(line: bytes) -> list[tuple[str, SignedAt]] | None:
    total, _, records = line.partition(b" ")
    if total != b"%08x" % zlib.crc32(records):
        return None
    signed = []
    for record in records.decode("ascii", "replace").split(" "):
        match = _RECORD.fullmatch(record)
        if match is None:
            return None
        signed.append((match[3], SignedAt(int(match[1]), bytes.fromhex(match[2]))))
    return signed
