"""What all tables of a dealer share: its name, clock, randomness, keys and store."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from dealer_service.fairness.randomness import Entropy, draw_game
from dealer_service.observe.metrics import Metrics
from dealer_service.observe.tracing import Tracing
from dealer_service.store.api import Append, AppendResult, LogHead, Store
from dealer_service.store.sealing import Sealer
from dealer_service.tables.clock import Clock
from dealer_service.tables.delayed import Delays
from dealer_service.tables.published import Published
from dealer_service.tables.refused import ServiceReason, refused
from dealer_service.tables.rounds import Rounds
from dealer_service.tables.shelf import Shelf
from dealer_service.tables.watchers import Backlogs
from dealer_service.transcript.note import NoteSigner

T = TypeVar("T")


class Committer(Protocol):
    """Writes units in the order in which they are submitted."""

    def submit(self, append: Append) -> "asyncio.Future[AppendResult]":
        """Queue a unit; the future is done when it is durable, or refused."""
        ...


class Reader(Protocol):
    """Runs a blocking call of the store outside the event loop."""

    async def __call__(self, call: Callable[[Store], T]) -> T:
        """Give what the call gives."""
        ...


class News:
    """Wakes whoever waits for something new; what is new is read elsewhere."""

    __slots__ = ("_count", "_waiting", "is_over")

    def __init__(self) -> None:
        self.is_over = False
        self._count = 0
        self._waiting: set[asyncio.Future[None]] = set()

    @property
    def count(self) -> int:
        """How often there was news."""
        return self._count

    def tell(self) -> None:
        """Wake everybody."""
        self._count += 1
        waiting, self._waiting = self._waiting, set()
        for one in waiting:
            if not one.done():
                one.set_result(None)

    def end(self) -> None:
        """Wake everybody for the last time: there will be no more news."""
        self.is_over = True
        self.tell()

    async def after(self, count: int) -> None:
        """Return when there was more news than `count`, or there will be none."""
        while self._count <= count and not self.is_over:
            waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.add(waiting)
            try:
                await waiting
            finally:
                self._waiting.discard(waiting)


@dataclass(frozen=True, slots=True)
class House:
    """The dealer's name and its means; what is secret stands behind the sealer and the signer.

    `halted` is told when a table stops because of a fault (the game and the error), `unhealthy`
    when the source of randomness fails, `healthy` when it is well again, and `recovered` of each
    game that was taken over. `chips` has news when chips have moved, and `revealed` is told of each
    game that is over, whose file then belongs on the `shelf`, where there is one. `backlogs` are
    those of all watchers, `delays` the games of which some are told later. `tracing` is None where
    nothing is traced. `is_shared` says that other dealers serve games of the same store.
    `published` is the dealer's log as the world sees it, None where the dealer publishes none.
    `rounds` are those of the one beacon that rules may name, None where they may name none.
    """

    origin: str
    clock: Clock
    entropy: Entropy = field(repr=False)
    signer: NoteSigner = field(repr=False)
    sealer: Sealer = field(repr=False)
    committer: Committer
    read: Reader
    halted: Callable[[str, BaseException], None]
    unhealthy: Callable[[BaseException], None]
    healthy: Callable[[], None]
    backlogs: Backlogs = field(default_factory=Backlogs, repr=False)
    delays: Delays = field(default_factory=Delays, repr=False)
    recovered: Callable[[str], None] = lambda _game: None
    chips: News = field(default_factory=News)
    revealed: Callable[[str], None] = lambda _game: None
    shelf: Shelf | None = None
    metrics: Metrics = field(default_factory=Metrics, repr=False)
    tracing: Tracing | None = field(default=None, repr=False)
    is_shared: bool = False
    published: Published | None = field(default=None, repr=False)
    rounds: Rounds | None = field(default=None, repr=False)

    def draw_game(self) -> str:
        """Draw the id of a new game, in hex."""
        return draw_game(self.entropy).hex()

    async def head(self, game: str) -> LogHead:
        """Give what the store knows of a game; Refused NO_SUCH_GAME."""
        head = await self.read(lambda store: store.head(game))
        if head is None:
            raise refused(ServiceReason.NO_SUCH_GAME, "there is no such game")
        return head
