"""What a witness is asked, and what its answer says (C2SP tlog-witness, add-checkpoint).

The request is the size that the witness is thought to have co-signed last, the RFC 6962
consistency proof from there, an empty line and the checkpoint. The answer is co-signature lines
(200), the size that it really has (409), or a refusal.
"""

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from dealer_service.transcript.checkpoint import MAX_SIZE
from dealer_service.transcript.merkle import MAX_PROOF_HASHES

PATH: Final = "/add-checkpoint"

_SIZE = re.compile(rb"(0|[1-9][0-9]{0,18})\n")
_SIZE_KIND: Final = "text/x.tlog.size"
_MAX_WORDS: Final = 200


@dataclass(frozen=True, slots=True)
class Signed:
    """The witness took the checkpoint: signature lines, still to be verified."""

    lines: bytes


@dataclass(frozen=True, slots=True)
class Conflict:
    """The witness's last checkpoint is another: of this size, where it says so."""

    size: int | None


@dataclass(frozen=True, slots=True)
class Inconsistent:
    """The proof does not lead from the witness's last checkpoint to this one."""


@dataclass(frozen=True, slots=True)
class Declined:
    """The witness does not co-sign, and says why; printable ASCII of at most 200 characters."""

    why: str


Reply = Signed | Conflict | Inconsistent | Declined


def write_request(old: int, proof: Sequence[bytes], note: str) -> bytes:
    """Write the request that takes a witness from `old` to the checkpoint in `note`.

    ValueError for a size below zero, and for more hashes than a proof has.
    """
    if not 0 <= old <= MAX_SIZE or len(proof) > MAX_PROOF_HASHES:
        message = f"no proof leads from size {old} by {len(proof)} hashes"
        raise ValueError(message)
    hashes = (base64.b64encode(one).decode("ascii") for one in proof)
    return "\n".join([f"old {old}", *hashes, "", note]).encode("utf-8")


def read_reply(status: int, kind: str, content: bytes) -> Reply:
    """Read an answer: its status, its type without parameters, and its content."""
    match status:
        case HTTPStatus.OK:
            return Signed(content)
        case HTTPStatus.CONFLICT:
            found = _SIZE.fullmatch(content) if kind == _SIZE_KIND else None
            size = int(found[1]) if found is not None else None
            return Conflict(size if size is not None and size <= MAX_SIZE else None)
        case HTTPStatus.UNPROCESSABLE_ENTITY:
            return Inconsistent()
        case HTTPStatus.NOT_FOUND:
            return Declined(_and_words("it does not know this log (404)", content))
        case HTTPStatus.FORBIDDEN:
            return Declined(_and_words("it does not trust this dealer's key (403)", content))
        case _:
            return Declined(_and_words(f"status {status}", content))


def _and_words(why: str, content: bytes) -> str:
    """Add what the witness says, with nothing in it that could move a cursor."""
    said = content[:_MAX_WORDS].decode("ascii", "replace")
    words = " ".join("".join(c if " " <= c <= "~" else " " for c in said).split())
    return f"{why}: {words}"[:_MAX_WORDS] if words else why
