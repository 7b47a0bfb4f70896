"""Proofs that a line stands in a log (C2SP tlog-proof), to be kept and checked offline.

A proof is the line's index, its RFC 6962 inclusion path and the log's signed checkpoint, with the
co-signatures that it has. Ours carry the line itself as their extra data: nothing vouches for
that but the path, from the line's hash to the checkpoint's root.
"""

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

from dealer_service.transcript.checkpoint import (
    MAX_SIZE,
    Checkpoint,
    open_checkpoint,
    parse_checkpoint,
)
from dealer_service.transcript.merkle import (
    HASH_BYTES,
    MAX_PROOF_HASHES,
    leaf_hash,
    verify_inclusion,
)
from dealer_service.transcript.note import NoteKey, parse_note, strict_base64
from dealer_service.transcript.refusal import Reason, TranscriptError

HEADER: Final = "c2sp.org/tlog-proof@v1"
MAX_PROOF_BYTES: Final = 1 << 18

_INDEX = re.compile(r"index (0|[1-9][0-9]{0,18})")


@dataclass(frozen=True, slots=True)
class LogProof:
    """A proof as it is written: nothing of it is checked before `open_log_proof`."""

    index: int
    path: tuple[bytes, ...]
    checkpoint: str
    extra: bytes | None = None


def write_log_proof(
    index: int, path: Sequence[bytes], checkpoint_note: str, extra: bytes | None = None
) -> str:
    """Write the proof of line `index` under a signed checkpoint, by its path from leaf to root.

    TranscriptError LOG_PROOF_MALFORMED where the index is not below the checkpoint's size or a
    hash is none; the reasons of a malformed note and checkpoint.
    """
    size = parse_checkpoint(parse_note(checkpoint_note.encode()).text, allow_extensions=True).size
    if not 0 <= index < size:
        _refuse(f"index {index} is not below the checkpoint's size {size}")
    if len(path) > MAX_PROOF_HASHES or any(len(value) != HASH_BYTES for value in path):
        _refuse(f"the path is at most {MAX_PROOF_HASHES} hashes of {HASH_BYTES} bytes")
    lines = [HEADER]
    if extra is not None:
        lines.append(f"extra {base64.b64encode(extra).decode('ascii')}")
    lines.append(f"index {index}")
    lines.extend(base64.b64encode(value).decode("ascii") for value in path)
    return "\n".join([*lines, "", checkpoint_note])


def parse_log_proof(text: bytes) -> LogProof:
    """Read a proof; TranscriptError LOG_PROOF_MALFORMED. Its checkpoint is not looked into."""
    if len(text) > MAX_PROOF_BYTES:
        _refuse(f"{len(text)} bytes, where at most {MAX_PROOF_BYTES} are read")
    try:
        head, gap, checkpoint = text.decode("utf-8").partition("\n\n")
    except UnicodeDecodeError:
        gap = ""
    if not gap:
        _refuse("it is UTF-8, with an empty line before the checkpoint")
    header, *lines = head.split("\n")
    if header != HEADER:
        _refuse(f"its first line is {HEADER}")
    extra = None
    if lines and lines[0].startswith("extra "):
        extra = strict_base64(lines.pop(0).removeprefix("extra "))
        if extra is None:
            _refuse("the extra data is padded base64")
    index = _INDEX.fullmatch(lines[0]) if lines else None
    if index is None or int(index[1]) > MAX_SIZE:
        _refuse("the index is plain digits, without a leading zero, below 2^63")
    path = tuple(_hash(line) for line in lines[1:])
    if len(path) > MAX_PROOF_HASHES:
        _refuse(f"{len(path)} hashes, where a path has at most {MAX_PROOF_HASHES}")
    return LogProof(int(index[1]), path, checkpoint, extra)


def open_log_proof(proof: LogProof, line: bytes, key: NoteKey, origin: str) -> Checkpoint:
    """Give the checkpoint, signed by `key`, of the log `origin` in which `line` stands.

    TranscriptError LOG_PROOF_FAILS where the path does not lead from the line to its root;
    the reasons of `open_checkpoint`.
    """
    checkpoint = open_checkpoint(proof.checkpoint.encode(), key, origin)
    leaf, size, root = leaf_hash(line), checkpoint.size, checkpoint.root
    if not verify_inclusion(leaf, proof.index, size, proof.path, root):
        message = f"the path does not show the line at index {proof.index} of {size} lines"
        raise TranscriptError(Reason.LOG_PROOF_FAILS, message)
    return checkpoint


def _hash(line: str) -> bytes:
    value = strict_base64(line)
    if value is None or len(value) != HASH_BYTES:
        _refuse("a line of the path is 32 bytes in padded base64")
    return value


def _refuse(why: str) -> NoReturn:
    message = f"not a log proof: {why}"
    raise TranscriptError(Reason.LOG_PROOF_MALFORMED, message)
