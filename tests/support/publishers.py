"""Publishing as a dealer does it, over any store, with games that do nothing but send notices."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from dealer_service.observe.metrics import Metrics
from dealer_service.publishing.cosigning import Cosigning, Unwitnessed
from dealer_service.publishing.edition import Edition
from dealer_service.publishing.finding import Index
from dealer_service.publishing.publication import Publication
from dealer_service.publishing.publishing import Means, Publishing
from dealer_service.store.api import (
    DEALER_LOG,
    Append,
    Appended,
    AppendResult,
    LogAppend,
    Notice,
    SignedAt,
    Store,
)
from dealer_service.store.commit import GroupCommit
from dealer_service.store.leases import Leases
from dealer_service.store.signed_journal import SignedJournal
from dealer_service.transcript.checkpoint import Checkpoint, open_checkpoint
from dealer_service.transcript.ed25519 import signing_key
from dealer_service.transcript.merkle import Tree, leaf_hash
from dealer_service.transcript.note import NoteSigner
from dealer_service.transcript.noted import Stage
from dealer_service.transcript.tiles import TileReader

ORIGIN = "dealer.example.com"
SIGNER = NoteSigner(ORIGIN, signing_key(bytes(range(32))))
START = 1_767_225_600_000
PATIENCE = 30.0

T = TypeVar("T")


def game_of(number: int) -> str:
    """Give the id of a game by its number."""
    return sha256(b"game %d" % number).hexdigest()[:32]


def send(game: str, hand: int, *stages: Stage, at: int = 0) -> LogAppend:
    """Give a change that appends a line with a notice for each stage, from line `at` on."""
    lines = tuple(b"%d %s" % (hand, stage.encode()) for stage in stages)
    notices = tuple(
        Notice(hand, stage, at + size, sha256(lines[size - 1]).digest(), START + at + size)
        for size, stage in enumerate(stages, 1)
    )
    return LogAppend(game, at, 1, lines, notices=notices)


@dataclass
class Publisher:
    """One dealer's publishing, its folder, and what it failed with."""

    folder: Path
    store: Store
    commit: "GroupCommit[asyncio.Future[AppendResult]]"
    journal: SignedJournal
    publishing: Publishing
    faults: list[BaseException] = field(default_factory=list)
    failed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def publication(self) -> Path:
        return self.folder / "publication"

    async def write(self, *changes: LogAppend) -> None:
        """Write a unit of games."""
        assert await self.commit.submit(Append(changes)) == Appended()

    async def published(self, game: str, hand: int, stage: Stage) -> None:
        async with asyncio.timeout(PATIENCE):
            await self.publishing.wait_for(game, hand, stage)

    async def has_failed(self) -> None:
        """Wait until publishing has stopped the dealer."""
        async with asyncio.timeout(PATIENCE):
            await self.failed.wait()

    def shown(self) -> Checkpoint:
        return shown(self.publication)

    def lines(self) -> list[bytes]:
        return read_whole(self.publication)


def shown(publication: Path) -> Checkpoint:
    """Read the checkpoint that a folder shows."""
    note = (publication / "checkpoint").read_bytes()
    return open_checkpoint(note, SIGNER.verifier, ORIGIN)


def read_whole(publication: Path) -> list[bytes]:
    """Read a folder as the world does, all of it: tiles and lines must give the checkpoint."""
    checkpoint = shown(publication)
    reader = TileReader(checkpoint.size, lambda path: (publication / path).read_bytes())
    lines = list(reader.lines(0, checkpoint.size))
    tree = Tree(leaf_hash(line) for line in lines)
    assert reader.root() == tree.root() == checkpoint.root
    return lines


def open_journal(folder: Path, node: str = "") -> SignedJournal:
    """Open a dealer's journal in its folder, which is made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    return SignedJournal(folder / "signed.journal", ORIGIN, may_make=True, node=node)


@asynccontextmanager
async def publisher(
    folder: Path,
    store: Store,
    *,
    journal: SignedJournal | None = None,
    leases: Leases | None = None,
    node: str = "",
    cosigning: Cosigning | None = None,
    accepts: bool = False,
    batch: float = 0.002,
    starts: bool = True,
) -> AsyncIterator[Publisher]:
    """Publish what is in a store until the block ends; the store stays open."""
    loop = asyncio.get_running_loop()
    own = journal or open_journal(folder, node)
    faults: list[BaseException] = []
    failed = asyncio.Event()

    def fail(fault: BaseException) -> None:
        faults.append(fault)
        failed.set()

    commit: GroupCommit[asyncio.Future[AppendResult]] = GroupCommit(
        store,
        own,
        new_promise=loop.create_future,
        deliver=loop.call_soon_threadsafe,
        on_failure=faults.append,
    )

    async def read(call: Callable[[Store], T]) -> T:
        return await asyncio.to_thread(call, store)

    def signed() -> SignedAt | None:
        return own.last.get(DEALER_LOG)

    edition = Edition(
        SIGNER.verifier, Publication(folder / "publication"), Index(folder / "index.sqlite")
    )
    publishing = Publishing(
        Means(
            SIGNER,
            read,
            commit,
            edition,
            cosigning or Unwitnessed(),
            Metrics(),
            fail,
            signed,
            accepts=accepts,
            leases=leases,
            node=node,
            batch=batch,
        )
    )
    try:
        if accepts:
            await publishing.mend()
        await publishing.begin()
        if starts:
            publishing.start()
        yield Publisher(folder, store, commit, own, publishing, faults, failed)
    finally:
        await publishing.stop()
        await asyncio.to_thread(commit.close)
        own.close()
