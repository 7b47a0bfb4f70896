"""Short builders of what goes into a store, and one way to open and reopen every store."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from dealer_service.store.api import (
    Answer,
    Append,
    ChipMove,
    LogAppend,
    LogFacts,
    Movement,
    Notice,
    SealedSecret,
    Signed,
    Store,
)
from dealer_service.store.memory import MemoryStore
from dealer_service.store.postgres import PostgresStore
from dealer_service.store.sqlite import SqliteStore
from dealer_service.transcript.noted import Stage
from tests.support.postgres import give_back, lend_database


@dataclass
class Opened:
    """A store, and how it is opened again as after a restart."""

    store: Store
    _again: Callable[[Store], Store]
    _remove: Callable[[], None] = lambda: None

    def close(self) -> None:
        """Close the store, and remove what it was in where that is not the folder."""
        self.store.close()
        self._remove()

    def reopen(self) -> Store:
        self.store = self._again(self.store)
        return self.store


def open_sqlite(folder: Path) -> Opened:
    path = folder / "cutcard.db"

    def again(store: Store) -> Store:
        store.close()
        return SqliteStore(path)

    return Opened(SqliteStore(path), again)


def open_memory(_folder: Path) -> Opened:
    def again(store: Store) -> Store:
        assert isinstance(store, MemoryStore)
        return store.reopened()

    return Opened(MemoryStore(), again)


def open_postgres(_folder: Path) -> Opened:
    url = lend_database()

    def again(store: Store) -> Store:
        store.close()
        return PostgresStore(url)

    return Opened(PostgresStore(url), again, lambda: give_back(url))


STORES: dict[str, Callable[[Path], Opened]] = {
    "sqlite": open_sqlite,
    "memory": open_memory,
    "postgres": open_postgres,
}


def root(of: object) -> bytes:
    """Give 32 bytes that stand for a root."""
    return sha256(repr(of).encode()).digest()


def signed(size: int, after: int = 0, by: object = None) -> Signed:
    """Give a checkpoint of `size`, signed after one of size `after`."""
    return Signed(size, root(by or size), after, f"note {size}")


def change(
    log: str,
    at: int,
    *lines: bytes,
    epoch: int = 1,
    fold_from: int | None = None,
    facts: LogFacts | None = None,
    signed: tuple[Signed, ...] = (),
    secrets: tuple[SealedSecret, ...] = (),
    spent: tuple[bytes, ...] = (),
    notices: tuple[Notice, ...] = (),
) -> LogAppend:
    """Give a log's part of a unit."""
    return LogAppend(log, at, epoch, lines, fold_from, facts, signed, secrets, spent, notices)


def unit(
    *logs: LogAppend,
    moves: tuple[Movement, ...] = (),
    answer: Answer | None = None,
    noticed: tuple[int, ...] = (),
) -> Append:
    """Give a unit."""
    return Append(logs, moves, answer, noticed)


def notice(size: int, stage: Stage = Stage.HAND_OPENED, hand: int = 1) -> Notice:
    """Give a notice of the entry that made a log as long as `size`."""
    return Notice(hand, stage, size, root(size), 1767225600000 + size)


def answer(request_id: str, content: bytes = b"content", body: bytes = b"body") -> Answer:
    """Give the answer to one caller's request in one scope."""
    return Answer("games", "ann", request_id, sha256(content).digest(), body)


def move(log: str, index: int, what: ChipMove = ChipMove.CHIPS_ADDED, amount: int = 5) -> Movement:
    """Give a movement of chips."""
    return Movement(log, index, 1767225600000, what, "ann", 3, amount, "wallet-7")
