"""C2SP `tlog-proof`: one entry's place in a log, with the checkpoint, as a text of its own.

c2sp.org/tlog-proof@v1
extra BASE64            (may be left out; proves nothing)
index N
BASE64 …                (the inclusion path, leaf to root)

the checkpoint, with its signatures and co-signatures
"""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING

from audit_cli.checkpoint import Checkpoint, parse_checkpoint_note
from audit_cli.merkle import HASH_BYTES, MAX_PROOF, verify_inclusion
from audit_cli.note import Note, decode_base64
from audit_cli.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

HEAD = "c2sp.org/tlog-proof@v1"
MAX_LOG_PROOF = 1024 * 1024

_INDEX = re.compile(r"index (0|[1-9][0-9]{0,18})", re.ASCII)


@dataclass(frozen=True, slots=True)
class LogProof:
    """A proof's parts: `path` of 32-byte hashes, the note's whole text, what it says, `extra`."""

    index: int
    path: tuple[bytes, ...]
    note_text: str
    note: Note
    checkpoint: Checkpoint
    extra: bytes | None = None

    def steps(self) -> tuple[bytes, ...]:
        """Return the path."""
        return self.path

    def check(self, leaf: bytes) -> str | None:
        """None when the leaf hash stands at `index` under the checkpoint; else the reason.

        Whether anyone signed the checkpoint is for the caller to see.
        """
        checkpoint = self.checkpoint
        return verify_inclusion(self.index, checkpoint.size, leaf, self.path, checkpoint.root)


def parse_log_proof(
    data: bytes | str,
) -> LogProof | Problem:
    """Return the parts of a proof, or the first thing that is wrong with it."""
    if len(data) > MAX_LOG_PROOF:
        return Problem(f"a proof of more than {MAX_LOG_PROOF:,} bytes")
    if isinstance(data, bytes):
        try:
            data = data.decode("utf-8")
        except UnicodeDecodeError as error:
            return Problem("a proof that is not UTF-8", "", error.start)
    head, blank, note_text = data.partition("\n\n")
    if not blank:
        return Problem("a proof without a blank line before its checkpoint")
    place = _read_head(head.split("\n"))
    if isinstance(place, Problem):
        return place
    found = parse_checkpoint_note(note_text)
    if isinstance(found, Problem):
        return found
    index, path, extra = place
    return LogProof(index, path, note_text, *found, extra)


def _read_head(lines: list[str]) -> tuple[int, tuple[bytes, ...], bytes | None] | Problem:
    """Return index, path and extra data from the lines before the checkpoint."""
    if lines.pop(0) != HEAD:
        return Problem("not a proof", f"a proof begins with the line {HEAD}")
    extra: bytes | None = None
    if lines and lines[0].startswith("extra "):
        extra = decode_base64(lines.pop(0).removeprefix("extra "))
        if extra is None:
            return Problem("extra data of a proof that is not canonical base64")
    found = _INDEX.fullmatch(lines.pop(0)) if lines else None
    if found is None:
        return Problem("a proof without its index line", "index N, in decimal")
    path = read_hashes(lines)
    return path if isinstance(path, Problem) else (int(found.group(1)), path, extra)


def read_hashes(lines: Sequence[str]) -> tuple[bytes, ...] | Problem:
    """Return the hashes of a proof's base64 lines, 63 at most, or what is wrong with one."""
    if len(lines) > MAX_PROOF:
        return Problem(f"a proof of {len(lines)} hashes", f"at most {MAX_PROOF} are possible")
    path = []
    for line in lines:
        step = decode_base64(line)
        if step is None or len(step) != HASH_BYTES:
            return Problem("a hash of a proof that is not 32 bytes in canonical base64")
        path.append(step)
    return tuple(path)


def write_log_proof(
    index: int, path: Sequence[bytes], note_text: str, extra: bytes | None = None
) -> str:
    """Return the text of a proof, as anyone's tools read it."""
    lines = [HEAD]
    if extra is not None:
        lines.append(f"extra {b64encode(extra).decode('ascii')}")
    lines.append(f"index {index}")
    lines += [b64encode(step).decode("ascii") for step in path]
    return "\n".join(lines) + f"\n\n{note_text}"
