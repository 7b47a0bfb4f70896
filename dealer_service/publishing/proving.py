"""Who waits for lines of the dealer's log, and the proofs of those that the world can have.

A line counts from the first checkpoint over it that the policy is satisfied with: only then is
who waits told, and only under such a checkpoint is a line proved.
"""

import asyncio
from collections.abc import Sequence

from dealer_service.publishing.edition import Edition
from dealer_service.publishing.finding import Subject
from dealer_service.tables.published import LineProof
from dealer_service.transcript.noted import Stage


class Proving:
    """The lines of an edition for those who ask; it is used from one event loop alone."""

    def __init__(self, edition: Edition) -> None:
        self._edition = edition
        # The last checkpoint that the policy is satisfied with, and its size.
        self._proven = ("", 0)
        self._waiting: dict[Subject, set[asyncio.Future[None]]] = {}
        self._due: dict[Subject, int] = {}

    def note(self, first: int, subjects: Sequence[Subject]) -> None:
        """Note what the lines from index `first` on are of, which are in the edition now."""
        if not self._waiting:
            return
        for index, subject in enumerate(subjects, first):
            if subject in self._waiting:
                self._due.setdefault(subject, index)

    def tell(self, checkpoint_note: str, size: int) -> None:
        """Tell all who wait for lines that this checkpoint covers, with which the policy is met."""
        self._proven = (checkpoint_note, size)
        for subject in [one for one, index in self._due.items() if index < size]:
            del self._due[subject]
            for told in self._waiting.pop(subject, ()):
                if not told.done():
                    told.set_result(None)

    def stop(self) -> None:
        """Cancel all who wait."""
        for waiting in self._waiting.values():
            for one in waiting:
                one.cancel()
        self._waiting.clear()

    async def wait_for(self, game: str, hand: int, stage: Stage) -> None:
        """Return when the line of that stage can be had by anybody, co-signed by the policy."""
        subject = _subject(game, hand, stage)
        told: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(subject, set()).add(told)
        try:
            index = await asyncio.to_thread(self._edition.find, subject)
            if index is not None and not told.done():
                if index < self._proven[1]:
                    return
                self._due.setdefault(subject, index)
            await told
        finally:
            waiting = self._waiting.get(subject)
            if waiting is not None:
                waiting.discard(told)
                if not waiting:
                    self._waiting.pop(subject)
                    self._due.pop(subject, None)

    async def prove(self, game: str, hand: int, stage: Stage) -> LineProof | None:
        """Prove that the line of that stage is in the log; None where it is not there yet.

        CannotPublish or OSError where the folder's files do not prove it.
        """
        note, size = self._proven
        index = await asyncio.to_thread(self._edition.find, _subject(game, hand, stage))
        if index is None or index >= size:
            return None
        line, named, text = await asyncio.to_thread(self._edition.prove, index, note)
        return LineProof(line, named, text)


def _subject(game: str, hand: int, stage: Stage) -> Subject:
    return bytes.fromhex(game), hand, stage
