"""The dealer's log as one folder has it: taken up, made longer, shown, and proved from.

An edition follows the store, which is the truth: lines come from there, and a checkpoint is shown
only when its root is that of the lines here. What a folder shows under the dealer's key binds the
dealer for ever: a store that has less, or has other lines, is refused.
"""

import hmac
from collections.abc import Iterator, Sequence
from typing import Final

from dealer_service.publishing.finding import Index, Subject
from dealer_service.publishing.growing import Growth, outgrown
from dealer_service.publishing.publication import Publication
from dealer_service.transcript.checkpoint import Checkpoint, open_checkpoint
from dealer_service.transcript.logproof import write_log_proof
from dealer_service.transcript.merkle import HASH_BYTES, leaf_hash, verify_inclusion
from dealer_service.transcript.note import NoteKey
from dealer_service.transcript.noted import read_noted
from dealer_service.transcript.refusal import TranscriptError
from dealer_service.transcript.tiles import (
    TILE_WIDTH,
    TileReader,
    entry_bundle,
    read_entry_bundle,
)

_PARTIAL: Final = ".p/"
_ENTRIES: Final = "tile/entries/"


class CannotPublish(Exception):  # noqa: N818 - says what the dealer can not do
    """Why nothing more of the dealer's log can be signed or shown; the text says what to do."""


class Edition:
    """One folder's edition of the log of `key`; calls block, those that change it come in turn.

    It is a log in the terms of `transcript.signer`: of its size, and of the one marked last.
    """

    def __init__(self, key: NoteKey, publication: Publication, index: Index) -> None:
        """Begin empty, with nothing read."""
        self.index = index
        self.shown: Checkpoint | None = None
        self.note = ""
        self._key = key
        self._publication = publication
        self._growth = Growth()
        self._marked = (0, self._growth.root())

    @property
    def size(self) -> int:
        """The number of lines that are here, shown or not."""
        return self._growth.size

    def root(self, size: int | None = None) -> bytes:
        """Give the root of all lines, or of those up to the mark."""
        if size is not None and size == self._marked[0]:
            return self._marked[1]
        assert size is None or size == self.size
        return self._growth.root()

    def mark(self) -> None:
        """Remember the root as it is now."""
        self._marked = (self.size, self._growth.root())

    def load(self) -> bool:
        """Take up what the folder shows; False where its files are not whole: it is made anew.

        CannotPublish where it shows a checkpoint that is not this dealer's; StoreError, OSError.
        """
        self._publication.take_up()
        note = self._publication.checkpoint()
        self._growth, self.shown, self.note = Growth(), None, ""
        self.mark()
        if note is None:
            return True
        self.shown, self.note = self.open(note), note
        try:
            growth = Growth.read(self.shown.size, self.read)
            is_whole = hmac.compare_digest(growth.root(), self.shown.root)
        except (TranscriptError, FileNotFoundError):
            is_whole = False
        if is_whole:
            self._growth = growth
            self.mark()
        return is_whole

    def open(self, note: str) -> Checkpoint:
        """Read a checkpoint of this log; CannotPublish where it is none, or not this dealer's."""
        try:
            return open_checkpoint(note.encode(), self._key, self._key.name)
        except TranscriptError as fault:
            message = (
                f"a checkpoint of the dealer's log is not of {self._key.name!r}: {fault}. Each "
                "dealer needs a publication folder of its own"
            )
            raise CannotPublish(message) from fault

    def extend(self, lines: Sequence[bytes]) -> Sequence[Subject]:
        """Append lines, and return when their tiles are on disk; OSError.

        Gives what each line is of. After a fault the folder is to be loaded again.
        """
        first = self.size
        self._publication.keep(self._growth.add(lines))
        return self.index.add(first, lines)

    def require(self, size: int, root: bytes) -> None:
        """Hold the lines that are here to what was signed for as many; CannotPublish."""
        if self.size != size or not hmac.compare_digest(self.root(), root):
            message = (
                f"the first {size} lines of the dealer's log are not those that were signed: the "
                "store went back, or is another one. Nothing was changed: bring back the newest"
            )
            raise CannotPublish(message)

    def show(self, note: str) -> None:
        """Publish a checkpoint of lines that are here; CannotPublish for any other, or OSError."""
        checkpoint = self.open(note)
        before = 0 if self.shown is None else self.shown.size
        if checkpoint.size < before:
            message = f"size {checkpoint.size} is below {before}, which is published already"
            raise CannotPublish(message)
        self.require(checkpoint.size, checkpoint.root)
        self._publication.publish(note)
        self.shown, self.note = checkpoint, note
        self._publication.drop(outgrown(before, checkpoint.size))

    def consistency(self, old: int, size: int) -> tuple[bytes, ...]:
        """Prove that `size` lines extend the first `old` of them, 1 or more; OSError."""
        return TileReader(size, self.read).consistency(old)

    def lines(self, low: int, high: int) -> Iterator[bytes]:
        """Give lines that are shown, from `low` to `high`, not included; OSError as they come."""
        assert self.shown is not None
        return TileReader(self.shown.size, self.read).lines(low, high)

    def find(self, subject: Subject) -> int | None:
        """Give the index of a stage's line, shown or not; None where it is not in the log yet."""
        return self.index.find(subject)

    def prove(self, index: int, note: str) -> tuple[bytes, int, str]:
        """Give a line, the size that it names, and its proof under a checkpoint that covers it.

        CannotPublish where the files do not prove it; OSError where they can not be read.
        """
        checkpoint = self.open(note)
        tiles = TileReader(checkpoint.size, self.read)
        (line,) = tiles.lines(index, index + 1)
        path = tiles.inclusion(index)
        leaf, size, root = leaf_hash(line), checkpoint.size, checkpoint.root
        if not verify_inclusion(leaf, index, size, path, root):
            message = (
                f"the publication folder does not prove line {index} of {size}: its files were "
                "changed; remove all of it but the checkpoint, and start again"
            )
            raise CannotPublish(message)
        return line, read_noted(line).size, write_log_proof(index, path, note, line)

    def read(self, path: str) -> bytes:
        """Give a file; of a partial tile that is outgrown, what the full one has of it. OSError."""
        try:
            return self._publication.read(path)
        except FileNotFoundError:
            full, is_partial, width = path.partition(_PARTIAL)
            if not is_partial:
                raise
            content = self._publication.read(full)
            if not path.startswith(_ENTRIES):
                return content[: HASH_BYTES * int(width)]
            return entry_bundle(read_entry_bundle(content, TILE_WIDTH)[: int(width)])

    def close(self) -> None:
        """Let go of the folder and the index; a second call does nothing."""
        self._publication.close()
        self.index.close()
