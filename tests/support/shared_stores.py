"""Stores that several dealers share, each opened as often as a test has dealers."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Protocol

from dealer_service.store.api import Store
from dealer_service.store.leases import Leases
from dealer_service.store.memory_shared import Shared
from dealer_service.store.postgres import PostgresStore
from dealer_service.store.postgres_change import NOW
from tests.support.postgres import give_back, lend_database, shared_server

LEASE_MS = 5_000


class SharedStore(Store, Leases, Protocol):
    """A store and its leases."""


@dataclass(frozen=True)
class SharedBy:
    """One content: `open` gives a dealer's view of it, `pass_lease` lets a lease's time go by.

    `now` reads its clock, in milliseconds since 1970.
    """

    open: Callable[[], SharedStore]
    pass_lease: Callable[[], None]
    now: Callable[[], int]


@contextmanager
def shared_in_memory() -> Iterator[SharedBy]:
    shared = Shared()

    def pass_lease() -> None:
        shared.now += LEASE_MS

    yield SharedBy(shared.open, pass_lease, lambda: shared.now)


@contextmanager
def shared_in_postgres() -> Iterator[SharedBy]:
    url = lend_database()
    with ExitStack() as closing:
        closing.callback(give_back, url)

        def open_one() -> SharedStore:
            store = PostgresStore(url)
            closing.callback(store.close)
            return store

        def pass_lease() -> None:
            """Every lease runs out this much earlier: the database's clock can not be moved."""
            shared_server().run(
                f"UPDATE nodes SET expires_at = expires_at - {LEASE_MS}", url.rpartition("/")[2]
            )

        def now() -> int:
            ((at,),) = shared_server().run(f"SELECT {NOW}")
            return int(at)

        yield SharedBy(open_one, pass_lease, now)


SHARED = {"memory": shared_in_memory, "postgres": shared_in_postgres}
