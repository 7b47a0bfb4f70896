"""What was logged, told again: for whoever comes later than the lines, and for the game file.

A replay gives the same lines, checkpoints and proofs as those who watched were given: a
checkpoint ends each batch where one was signed, so that what has to be covered before the next
line comes is covered here too.
"""

from collections.abc import AsyncIterator
from functools import partial
from typing import TYPE_CHECKING, Final

from dealer_service.rules.entry import DeckCommitted, Opened, SecretRevealed
from dealer_service.store.api import Store
from dealer_service.store.sealing import key_of, needs_key
from dealer_service.tables.custody import Custody
from dealer_service.tables.lines import decode
from dealer_service.tables.watchers import Batch, Proven

if TYPE_CHECKING:
    from dealer_service.tables.house import House

PAGE: Final = 256

_COMMITS: Final = b',"deck_committed":{'
_OPENS: Final = b',"opened":{'
_REVEALS: Final = b',"secret_revealed":{'
_CLOSES_POSTS: Final = b',"posted":{'


async def replay(
    house: "House", game: str, start: int, end: int, signed: int | None = None
) -> AsyncIterator[Batch]:
    """Give the lines from index `start` up to `end`, all of them durable, as batches.

    Checkpoints are of sizes up to `signed`, or all that there are.
    """
    replayed = Replay(house, game)
    while start < end:
        stop = min(start + PAGE, end)
        batches = await house.read(partial(replayed.page, start=start, end=stop, signed=signed))
        for batch in batches:
            yield batch
        start = stop


class Replay:
    """One game's lines as batches, page by page.

    It derives the decks of past hands for the proofs of their opened cards, where there are any.
    """

    def __init__(self, house: "House", game: str) -> None:
        self._house = house
        self._game = game
        self._custody: Custody | None = None
        self._committed = b""
        self._sealed: dict[int, bytes] = {}

    def page(self, store: Store, *, start: int, end: int, signed: int | None = None) -> list[Batch]:
        """Give the lines from `start` up to `end`, with the checkpoints of sizes up to `signed`."""
        lines = store.lines(self._game, start, end - start)
        # There is a checkpoint for every line at most, so this many reach to the end of the page.
        stored = store.checkpoints(self._game, start + 1, end - start)
        notes = {one.size: one.note for one in stored if signed is None or one.size <= signed}
        batches = []
        first = start
        proofs: list[Proven] = []
        for index, line in enumerate(lines, start):
            if _COMMITS in line:
                self._custody, self._committed = None, line
            elif _OPENS in line:
                proofs += self._prove(store, index, line)
            note = notes.get(index + 1, "")
            if note or index + 1 == end:
                part = tuple(lines[first - start : index + 1 - start])
                batches.append(Batch(first, part, tuple(proofs), note))
                first, proofs = index + 1, []
        return batches

    def late(self, store: Store, *, size: int) -> list[Batch]:
        """Give the checkpoint of the first `size` lines alone, which came later than they did."""
        return [
            Batch(size, checkpoint=one.note)
            for one in store.checkpoints(self._game, size, 1)
            if one.size == size
        ]

    def _prove(self, store: Store, index: int, line: bytes) -> list[Proven]:
        _, opened = decode(line)
        if not isinstance(opened, Opened):
            return []
        if self._custody is None:
            self._commit(store, self._committed or self._find_commit(store, index))
        if self._custody is None or self._custody.hand != opened.hand:
            return []
        return self._custody.prove(card.position for card in opened.cards)

    def _find_commit(self, store: Store, index: int) -> bytes:
        """Look back for the deck of the hand in whose middle the replay began."""
        while index > 0:
            start = max(0, index - PAGE)
            for line in reversed(store.lines(self._game, start, index - start)):
                if _COMMITS in line:
                    return line
            index = start
        message = f"game {self._game} opens cards of no deck"
        raise LookupError(message)

    def _commit(self, store: Store, line: bytes) -> None:
        _, committed = decode(line)
        if not isinstance(committed, DeckCommitted):
            return
        if committed.hand not in self._sealed:
            # Those of all later hands come with it, and are not asked for again.
            found = store.sealed_secrets(self._game, committed.hand)
            self._sealed = {one.hand: one.sealed for one in found}
        sealed = self._sealed.get(committed.hand)
        if sealed is None:
            return
        custody = Custody(committed.hand, self._unseal(store, committed.hand, sealed))
        custody.fix(bytes.fromhex(committed.mix))
        self._custody = custody

    def _unseal(self, store: Store, hand: int, sealed: bytes) -> bytes:
        """Give a hand's secret; from the log, where its key was taken away after the reveal."""
        sealer = self._house.sealer
        if key_of(sealed) in sealer.key_ids:
            return sealer.unseal(bytes.fromhex(self._game), hand, sealed)
        head = store.head(self._game)
        end = 0 if head is None else head.next_index
        while end > 0:
            start = max(0, end - PAGE)
            for line in reversed(store.lines(self._game, start, end - start)):
                _, entry = decode(line) if _REVEALS in line else (0, None)
                if not isinstance(entry, SecretRevealed):
                    end = 0
                    break
                if entry.hand == hand:
                    return bytes.fromhex(entry.secret)
            end = min(end, start)
        where = f"the secret of hand {hand} of game {self._game}"
        raise needs_key(where, key_of(sealed), sealer.key_ids)


def must_be_in_file(line: bytes) -> bool:
    """Say whether a checkpoint that ends with this line belongs into the game file."""
    return _COMMITS in line or _CLOSES_POSTS in line
