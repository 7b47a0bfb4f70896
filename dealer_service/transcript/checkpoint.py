"""Checkpoints of a log (C2SP tlog-checkpoint): origin line, size and root, signed as a note.

The dealer signs every log under one key, named by its origin; a game's log has the origin line
`<origin>/games/<game>` (protocol section 6). Our logs have no extension lines, and reading one
of them allows none; `parse_checkpoint` can be told to allow the extensions of other logs.
"""

import base64
import re
from dataclasses import dataclass
from typing import Final, NoReturn

from dealer_service.quick import quick
from dealer_service.transcript.merkle import HASH_BYTES
from dealer_service.transcript.note import NoteKey, NoteSigner, open_note, sign_note, strict_base64
from dealer_service.transcript.refusal import Reason, TranscriptError

MAX_SIZE: Final = 2**63 - 1

_SIZE = re.compile(r"0|[1-9][0-9]{0,18}")
_GAME = re.compile(r"/games/[0-9a-f]{32}")
_BAD_SIZE: Final = "the size is plain digits, without a leading zero, below 2^63"
_BAD_ROOT: Final = "the root is 32 bytes in padded base64"


@quick
@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A log's origin line, its number of lines and its root at that size (32 bytes)."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    def text(self) -> str:
        """Give the note's text, as it is signed; CHECKPOINT_MALFORMED for what can be none."""
        lines = (self.origin, *self.extensions)
        if "" in lines or "\n" in "".join(lines):
            _refuse("a line of it is empty or holds a newline")
        if not 0 <= self.size <= MAX_SIZE:
            _refuse(_BAD_SIZE)
        if len(self.root) != HASH_BYTES:
            _refuse(_BAD_ROOT)
        root = base64.b64encode(self.root).decode("ascii")
        return "\n".join([self.origin, str(self.size), root, *self.extensions, ""])


def log_origin(origin: str, game: bytes) -> str:
    """Name a game's log: `<origin>/games/` and the 32 hex digits of the game's 16 bytes."""
    return f"{origin}/games/{game.hex()}"


def parse_checkpoint(text: str, *, allow_extensions: bool = False) -> Checkpoint:
    """Read a checkpoint's text; TranscriptError CHECKPOINT_MALFORMED unless it is exactly one.

    The size is plain ASCII digits without a leading zero, below 2^63; the root is 32 bytes in
    canonical base64; each line is not empty and ends with a newline.
    """
    *lines, rest = text.split("\n")
    if rest or len(lines) < 3 or not all(lines):
        _refuse("it is three or more lines, none empty, each ended by a newline")
    origin, size, encoded, *extensions = lines
    if _SIZE.fullmatch(size) is None or int(size) > MAX_SIZE:
        _refuse(_BAD_SIZE)
    root = strict_base64(encoded)
    if root is None or len(root) != HASH_BYTES:
        _refuse(_BAD_ROOT)
    if extensions and not allow_extensions:
        _refuse("a log of this format has no extension lines")
    return Checkpoint(origin, int(size), root, tuple(extensions))


def sign_checkpoint(checkpoint: Checkpoint, signer: NoteSigner) -> str:
    """Sign a checkpoint of one of the signer's own logs, as a note.

    TranscriptError CHECKPOINT_OF_ANOTHER_LOG when the origin line is not the signer's name or a
    game's log under it, CHECKPOINT_MALFORMED when it can not be written.
    """
    if checkpoint.extensions:
        _refuse("a log of this format has no extension lines")
    _require_log_of(signer.name, checkpoint.origin)
    return sign_note(checkpoint.text(), (signer,))


def open_checkpoint(note: bytes, key: NoteKey, origin: str) -> Checkpoint:
    """Read a note that `key` signed as a checkpoint of the log with the origin line `origin`.

    TranscriptError: the reasons of `open_note`, CHECKPOINT_MALFORMED, or
    CHECKPOINT_OF_ANOTHER_LOG when it is another log's or `key` is not of that log's dealer.
    """
    _require_log_of(key.name, origin)
    checkpoint = parse_checkpoint(open_note(note, (key,)).text)
    if checkpoint.origin != origin:
        message = f"the checkpoint is of the log {checkpoint.origin[:200]!r} and not of {origin!r}"
        raise TranscriptError(Reason.CHECKPOINT_OF_ANOTHER_LOG, message)
    return checkpoint


def _require_log_of(name: str, origin: str) -> None:
    if origin == name:
        return
    if not origin.startswith(name) or _GAME.fullmatch(origin, len(name)) is None:
        message = f"{origin[:200]!r} is not a log of the key named {name!r}"
        raise TranscriptError(Reason.CHECKPOINT_OF_ANOTHER_LOG, message)


def _refuse(why: str) -> NoReturn:
    message = f"not a checkpoint: {why}"
    raise TranscriptError(Reason.CHECKPOINT_MALFORMED, message)
