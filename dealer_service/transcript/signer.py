"""The signer's rule: sign only a tree that extends the last one signed (protocol section 6).

Pure: the caller keeps the last signed size and root (one compare-and-swap row a log, and a file
beside the key), and stores the new ones before the signature leaves. Signing the same size again
gives the same checkpoint and is allowed; a log that lost signed lines is never signed again.
"""

import hmac
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Protocol

from dealer_service.transcript.checkpoint import Checkpoint


@unique
class WhyNot(StrEnum):
    """The stable reasons not to sign."""

    SIGNED_LINES_LOST = "SIGNED_LINES_LOST"
    SIGNED_LINES_CHANGED = "SIGNED_LINES_CHANGED"
    SIZE_WENT_BACK = "SIZE_WENT_BACK"
    SIZE_BEYOND_LOG = "SIZE_BEYOND_LOG"


class Log(Protocol):
    """What the rule must know of a log: its size, and its root at each size up to that."""

    @property
    def size(self) -> int:
        """The number of lines."""
        ...

    def root(self, size: int | None = None) -> bytes:
        """Give the RFC 6962 root of the first `size` lines."""
        ...


@dataclass(frozen=True, slots=True)
class Signed:
    """The last size and root that were signed for a log."""

    size: int
    root: bytes


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a checkpoint may not be signed, the size asked for, and the last signed size."""

    reason: WhyNot
    message: str
    size: int
    last_signed_size: int


def may_sign(
    origin: str, last: Signed | None, log: Log, size: int | None = None
) -> Checkpoint | Refusal:
    """Give the checkpoint at `size` (the whole log without it) if it may be signed.

    `last` is None only for a log of which nothing was ever signed.
    """
    size = log.size if size is None else size
    fault = continuity(last, log)
    if fault is not None:
        return fault
    last_size = last.size if last else 0
    if size < last_size:
        message = f"size {size} is below the last signed size {last_size}; sizes never go back"
        return Refusal(WhyNot.SIZE_WENT_BACK, message, size, last_size)
    if size > log.size:
        message = f"size {size} is beyond the log, which has {log.size} lines"
        return Refusal(WhyNot.SIZE_BEYOND_LOG, message, size, last_size)
    return Checkpoint(origin, size, log.root(size))


def continuity(last: Signed | None, log: Log) -> Refusal | None:
    """Say why `log` does not go on from what was last signed; None when it does."""
    if last is None:
        return None
    if log.size < last.size:
        message = f"the log has {log.size} lines, and {last.size} were signed: lines were lost"
        return Refusal(WhyNot.SIGNED_LINES_LOST, message, log.size, last.size)
    if not hmac.compare_digest(log.root(last.size), last.root):
        message = f"the log's first {last.size} lines are not those that were signed"
        return Refusal(WhyNot.SIGNED_LINES_CHANGED, message, log.size, last.size)
    return None
