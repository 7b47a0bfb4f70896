"""The one writer of the dealer's log: notices in, lines and signatures out, in an order that holds.

Lines are durable in the store before their tiles are made, the tiles on disk before a checkpoint
is signed, and that stands in the store and the signed journal before anybody sees it. So a crash
anywhere leaves no checkpoint without its tiles, and whoever goes on, this dealer or another, finds
every notice either waiting or in the log. The owner's epoch fences who has lost the log.
"""

from collections.abc import Sequence
from typing import Final

from dealer_service.publishing.edition import CannotPublish, Edition
from dealer_service.store.api import (
    DEALER_LOG,
    Append,
    LogAppend,
    LogFacts,
    LogHead,
    Notice,
    Signed,
    SignedAt,
    StoredNotice,
)
from dealer_service.transcript import signer as rule
from dealer_service.transcript.checkpoint import sign_checkpoint
from dealer_service.transcript.note import NoteSigner
from dealer_service.transcript.noted import Noted, write_noted

BATCH_NOTICES: Final = 1024
"""So many notices become lines in one unit."""

FIRST_EPOCH: Final = 1
"""Whoever appends the first line makes the log, in this epoch."""


class Sequencer:
    """The log under its owner's epoch, over an edition that has all of its lines.

    `last` is what was last signed, by the store or the journal, whichever knows more.
    """

    def __init__(
        self, signer: NoteSigner, edition: Edition, epoch: int, head: LogHead | None
    ) -> None:
        self.epoch = epoch
        self.next_index = 0 if head is None else head.next_index
        self.last: SignedAt | None = None if head is None else head.signed
        self.is_covered = False
        # Others show what was kept last, so that it must go on.
        self.keeps_notes = head is not None and bool(head.facts.meta)
        self._edition = edition
        self._signer = signer
        self._recorded = 0 if head is None else head.signed_size

    def take_in(self, notices: Sequence[StoredNotice]) -> LogAppend:
        """Give the change that makes lines of notices, in their order."""
        return self._change(tuple(write_line(one.log, one.notice) for one in notices))

    def taken(self, change: LogAppend) -> None:
        """Note that the store has the lines."""
        self.next_index += len(change.lines)
        self.is_covered = False

    def sign(self) -> LogAppend:
        """Sign all lines, whose tiles are on disk; CannotPublish where that may not be."""
        last = None if self.last is None else rule.Signed(self.last.size, self.last.root)
        checkpoint = rule.may_sign(self._signer.name, last, self._edition)
        if isinstance(checkpoint, rule.Refusal):
            message = f"the dealer's log is not signed: {checkpoint.message}"
            raise CannotPublish(message)
        note = sign_checkpoint(checkpoint, self._signer)
        signed = Signed(checkpoint.size, checkpoint.root, self._recorded, note)
        return self._change(signed=(signed,))

    def signed(self, change: LogAppend) -> str:
        """Note that store and journal have the signature; gives the checkpoint."""
        (signed,) = change.signed
        self.last = SignedAt(signed.size, signed.root)
        self._recorded = signed.size
        self._edition.mark()
        return signed.note

    def keep(self, note: str) -> LogAppend:
        """Give the change that keeps a co-signed checkpoint for the other dealers of the store."""
        self.keeps_notes = True
        return self._change(facts=LogFacts(meta=note.encode()))

    def _change(
        self,
        lines: tuple[bytes, ...] = (),
        *,
        signed: tuple[Signed, ...] = (),
        facts: LogFacts | None = None,
    ) -> LogAppend:
        return LogAppend(DEALER_LOG, self.next_index, self.epoch, lines, signed=signed, facts=facts)


def write_line(game: str, notice: Notice) -> bytes:
    """Write the line of a notice of a game (32 hex digits)."""
    return write_noted(
        Noted(notice.at, bytes.fromhex(game), notice.hand, notice.stage, notice.size, notice.root)
    )


def unit_of(change: LogAppend, notices: Sequence[StoredNotice] = ()) -> Append:
    """Give the unit of a change, with the notices that wait no longer."""
    return Append((change,), noticed=tuple(one.id for one in notices))
