"""The log-signing key's file: one Ed25519 seed, for one origin for ever (protocol section 6).

The file is one line, `cutcard-log-key/1 <origin> <64 hex digits>`. The origin stands in it, so
that a key is never used under another name.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from dealer_service.store.key_file import read_or_make
from dealer_service.store.refusal import Reason, StoreError

SEED_BYTES: Final = 32

_FORMAT: Final = "cutcard-log-key/1"
_LINE = re.compile(rb"cutcard-log-key/1 ([a-z0-9./-]{1,128}) ([0-9a-f]{64})\n")


@dataclass(frozen=True, slots=True)
class LogKey:
    """An origin, which is the key's name, and its Ed25519 seed (32 bytes)."""

    origin: str
    seed: bytes = field(repr=False)


def open_log_key(
    path: Path, origin: str, fresh: Callable[[int], bytes], *, first_start: bool
) -> LogKey:
    """Give the key of `origin` from its file, which is made at the first start.

    `fresh(n)` gives n random bytes. StoreError: the reasons of `read_or_make`,
    KEY_FILE_MALFORMED, or KEY_OF_ANOTHER_ORIGIN.
    """

    def make() -> bytes:
        return f"{_FORMAT} {origin} {fresh(SEED_BYTES).hex()}\n".encode("ascii")

    content = read_or_make(path, "log key", make, first_start=first_start)
    key = _parse(path, content)
    if key.origin != origin:
        message = (
            f"the log key {path} is of the origin {key.origin!r} and not of {origin!r}: "
            "an origin keeps its key, and a new origin needs a new key file"
        )
        raise StoreError(Reason.KEY_OF_ANOTHER_ORIGIN, message)
    return key


def read_log_key(path: Path) -> LogKey:
    """Give the key of a file that is there already, whosever it is; StoreError as above."""
    return _parse(path, read_or_make(path, "log key", lambda: b"", first_start=False))


def _parse(path: Path, content: bytes) -> LogKey:
    match = _LINE.fullmatch(content)
    if match is None:
        message = f"the log key {path} is not one line of {_FORMAT}, origin and 64 hex digits"
        raise StoreError(Reason.KEY_FILE_MALFORMED, message)
    return LogKey(match[1].decode("ascii"), bytes.fromhex(match[2].decode("ascii")))
