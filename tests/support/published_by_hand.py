"""A dealer's log that a test publishes by hand: what it has not let out, nobody has seen.

It reads the notices that the dealer's own units left in its store, and proves them under the
dealer's own key, so that what comes out is what a client must take.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from dealer_service import app
from dealer_service.store.api import Notice, Store, StoredNotice
from dealer_service.tables.house import House
from dealer_service.tables.published import LineProof
from dealer_service.transcript.checkpoint import Checkpoint, sign_checkpoint
from dealer_service.transcript.logproof import write_log_proof
from dealer_service.transcript.merkle import Tree, leaf_hash
from dealer_service.transcript.noted import Noted, Stage, write_noted
from tests.support.service import PATIENCE, Service, serving

Subject = tuple[str, int, str]


class ByHand:
    """What is published: everything at once, or with `holds` only what the test lets out."""

    def __init__(self, *, holds: bool = False) -> None:
        self.holds = holds
        self.asked: list[Subject] = []
        self.missed: list[Subject] = []
        self.fault: Exception | None = None
        self._out: set[Subject] = set()
        self._news = asyncio.Condition()
        self._house: House | None = None

    def join(self, house: House) -> House:
        """Learn whose log it is."""
        self._house = house
        return house

    async def let_out(self, game: str, hand: int, stage: str = Stage.DECK_COMMITTED) -> None:
        """Publish one line."""
        async with self._news:
            self._out.add((game, hand, stage))
            self._news.notify_all()

    async def fail(self, fault: Exception) -> None:
        """Fail whoever waits."""
        async with self._news:
            self.fault = fault
            self._news.notify_all()

    async def until_asked(self, game: str, hand: int) -> None:
        """Return when somebody waits for a hand's deck."""
        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(lambda: (game, hand, Stage.DECK_COMMITTED) in self.asked)

    async def until_missed(self, game: str, hand: int, stage: str) -> None:
        """Return when somebody asked for a line that is not out, twice."""
        subject = (game, hand, stage)
        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(lambda: self.missed.count(subject) > 1)

    async def wait_for(self, game: str, hand: int, stage: Stage) -> None:
        """Wait until the test lets it out."""
        async with self._news:
            self.asked.append((game, hand, stage))
            self._news.notify_all()
            await self._news.wait_for(lambda: self.fault or self._is_out((game, hand, stage)))
        if self.fault is not None:
            raise self.fault

    async def proof(self, game: str, hand: int, stage: Stage) -> LineProof | None:
        """Prove a line in a log of all notices that the store has."""
        assert self._house is not None
        stored = await self._house.read(noticed)
        for index, one in enumerate(stored):
            subject = (one.log, one.notice.hand, one.notice.stage)
            if subject == (game, hand, stage) and self._is_out(subject):
                return self._prove(index, stored)
        async with self._news:
            self.missed.append((game, hand, stage))
            self._news.notify_all()
        return None

    def _is_out(self, subject: Subject) -> bool:
        return not self.holds or subject in self._out

    def _prove(self, index: int, stored: tuple[StoredNotice, ...]) -> LineProof:
        assert self._house is not None
        lines = [line_of(one.log, one.notice) for one in stored]
        tree = Tree(leaf_hash(line) for line in lines)
        checkpoint = Checkpoint(self._house.origin, tree.size, tree.root())
        note = sign_checkpoint(checkpoint, self._house.signer)
        text = write_log_proof(index, tree.inclusion(index), note, lines[index])
        return LineProof(lines[index], stored[index].notice.size, text)


def noticed(store: Store) -> tuple[StoredNotice, ...]:
    """Read all notices that wait."""
    return store.notices(10_000)


def line_of(game: str, notice: Notice) -> bytes:
    """Write the line that a notice becomes."""
    return write_noted(
        Noted(notice.at, bytes.fromhex(game), notice.hand, notice.stage, notice.size, notice.root)
    )


@asynccontextmanager
async def publishing(
    folder: Path, patch: pytest.MonkeyPatch, by_hand: ByHand, **given: Any
) -> AsyncIterator[Service]:
    """Run a dealer whose log is published by hand, until the block ends."""

    def furnish(**means: Any) -> House:
        return by_hand.join(House(**means | {"published": by_hand}))

    with patch.context() as patching:
        patching.setattr(app, "House", furnish)
        async with serving(folder, **given) as service:
            yield service
