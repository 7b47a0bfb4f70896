"""Who watches a game, and what each of them is still to be told.

A batch is made once and handed to every watcher of the game; whoever sends it first may keep the
serialised bytes in it for the others. A watcher that does not read is not waited for: its backlog
is bounded, and so are all backlogs together. When one is full, its watcher is ended with the index
from which it can go on; when they are too much together, the watcher with the largest is.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from dealer_service.fairness.deck import Opening
from dealer_service.rules.hand import Decision

MAX_BACKLOG: Final = 4_096
MAX_BACKLOG_BYTES: Final = 4 * 1024 * 1024
MAX_ALL_BYTES: Final = 64 * 1024 * 1024
"""All backlogs of a dealer together; what many watchers wait for counts for each of them."""

_LADEN_BYTES: Final = 16 * 1024
"""Backlogs from here on are looked through for the largest, when all are too much together."""


@dataclass(frozen=True, slots=True)
class Proven:
    """The inclusion path of a position that a line opens."""

    hand: int
    position: int
    proof: tuple[bytes, ...]


@dataclass(slots=True)
class Batch:
    """Durable lines with what belongs to them; the same for everybody.

    `first` is the index of the first line; `checkpoint` covers exactly the lines up to the end of
    the batch, or is empty. `wire` is a place for the sender's own serialised form, `weight` for
    what the batch counts in a backlog, `told_at` for when it was handed out (`time.monotonic`).
    """

    first: int
    lines: tuple[bytes, ...] = ()
    proofs: tuple[Proven, ...] = ()
    checkpoint: str = ""
    decision: Decision | None = None
    deadline: int = 0
    wire: bytes | None = None
    weight: int = 0
    told_at: float = 0.0

    @property
    def end(self) -> int:
        """The index of the line behind the last."""
        return self.first + len(self.lines)


@dataclass(slots=True)
class PrivateOpenings:
    """The openings of one seat's own cards, for its player alone."""

    hand: int
    openings: Sequence[Opening] = field(repr=False)
    wire: bytes | None = field(default=None, repr=False)
    weight: int = 0
    told_at: float = 0.0


Message = Batch | PrivateOpenings


class TooSlow(Exception):  # noqa: N818 - it is the watcher that is too slow
    """The backlog is full; watching can go on from the line with the index `resume`."""

    def __init__(self, resume: int) -> None:
        super().__init__(f"watched too slowly; watch again from {resume}")
        self.resume = resume


@dataclass(frozen=True, slots=True)
class Lag:
    """What waits for a watcher, in messages and bytes, and how many seconds the oldest waits."""

    messages: int = 0
    bytes: int = 0
    seconds: float = 0.0


NO_LAG: Final = Lag()


class Backlogs:
    """What all watchers of a dealer together are still to be told, in bytes, and its bound."""

    __slots__ = ("_laden", "_most", "held")

    def __init__(self, most: int = MAX_ALL_BYTES) -> None:
        self.held = 0
        self._most = most
        self._laden: set[Watcher] = set()

    def added(self, watcher: "Watcher", weight: int) -> None:
        """Note what a watcher's backlog grew by; ends whose backlogs are too much."""
        self.held += weight
        if watcher.held > _LADEN_BYTES:
            self._laden.add(watcher)
        while self.held > self._most:
            max(self._laden, key=_held, default=watcher).overrun()

    def taken(self, watcher: "Watcher", weight: int) -> None:
        """Note what a watcher's backlog shrank by."""
        self.held -= weight
        if watcher.held <= _LADEN_BYTES:
            self._laden.discard(watcher)


class Watcher:
    """One reader of a game's messages, in order.

    `resume` is the index of the line from which watching can go on: the lines before it were taken,
    and whoever asks for the next message has sent the one before. `held` is the backlog's weight.
    `moved` says that it is ended because its player is told at another time from here on.
    """

    __slots__ = (
        "_backlog",
        "_backlogs",
        "_ended",
        "_overrun",
        "_taken",
        "_waiting",
        "held",
        "moved",
        "player",
        "resume",
    )

    def __init__(self, player: str, start: int, backlogs: Backlogs | None = None) -> None:
        self.player = player
        self.moved = False
        self.resume = start
        self.held = 0
        self._taken = start
        self._backlog: deque[Message] = deque()
        self._backlogs = backlogs if backlogs is not None else Backlogs()
        self._waiting: asyncio.Future[None] | None = None
        self._ended = False
        self._overrun = False

    def tell(self, message: Message) -> None:
        """Add a message to the backlog, or end the watcher when that is full."""
        if self._overrun or self._ended:
            return
        weight = message.weight or _weigh(message)
        if len(self._backlog) >= MAX_BACKLOG or self.held + weight > MAX_BACKLOG_BYTES:
            self.overrun()
            return
        self._backlog.append(message)
        self.held += weight
        self._backlogs.added(self, weight)
        self._wake()

    def overrun(self) -> None:
        """Give the backlog up: whoever reads is told from where to go on."""
        self._overrun = True
        self.drop()
        self._wake()

    @property
    def lag(self) -> "Lag":
        """How far behind it is."""
        if not self._backlog:
            return NO_LAG
        return Lag(len(self._backlog), self.held, monotonic() - self._backlog[0].told_at)

    def end(self) -> None:
        """Nothing more will come; what is in the backlog is still read."""
        self._ended = True
        self._wake()

    def drop(self) -> None:
        """Let go of what is in the backlog."""
        self._backlog.clear()
        held, self.held = self.held, 0
        self._backlogs.taken(self, held)

    def __aiter__(self) -> AsyncIterator[Message]:
        return self

    async def __anext__(self) -> Message:
        self.resume = max(self.resume, self._taken)
        while not self._backlog:
            if self._overrun:
                raise TooSlow(self.resume)
            if self._ended:
                raise StopAsyncIteration
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        message = self._backlog.popleft()
        self.held -= message.weight
        self._backlogs.taken(self, message.weight)
        if isinstance(message, Batch):
            self._taken = message.end
        return message

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


class Audience:
    """All watchers of one game."""

    __slots__ = ("_backlogs", "_ended", "_watchers")

    def __init__(self, backlogs: Backlogs | None = None) -> None:
        """Make it empty; `backlogs` are those of all games together."""
        self._backlogs = backlogs if backlogs is not None else Backlogs()
        self._watchers: set[Watcher] = set()
        self._ended = False

    def __len__(self) -> int:
        return len(self._watchers)

    def join(self, player: str, start: int) -> Watcher:
        """Add a watcher that is told everything from now on; `start` is where it resumes."""
        watcher = Watcher(player, start, self._backlogs)
        if self._ended:
            watcher.end()
        self._watchers.add(watcher)
        return watcher

    def has(self, player: str) -> bool:
        """Say whether a player watches, and so is connected."""
        return any(watcher.player == player for watcher in self._watchers)

    def lags(self) -> Iterator[Lag]:
        """Give how far behind each is that has not been sent everything."""
        return (watcher.lag for watcher in self._watchers if watcher.held)

    def leave(self, watcher: Watcher) -> None:
        """Tell this watcher nothing more."""
        self._watchers.discard(watcher)
        watcher.drop()

    def tell_all(self, batch: Batch) -> None:
        """Hand one batch to every watcher."""
        batch.told_at = monotonic()
        for watcher in self._watchers:
            watcher.tell(batch)

    def tell_player(self, player: str, openings: PrivateOpenings) -> None:
        """Hand a player its own openings, wherever it watches."""
        openings.told_at = monotonic()
        for watcher in self._watchers:
            if watcher.player == player:
                watcher.tell(openings)

    def move(self, player: str) -> None:
        """End a player's watchers where they are: it is told at another time from here on."""
        for watcher in self._watchers:
            if watcher.player == player:
                watcher.moved = True
                watcher.end()

    def end(self) -> None:
        """Tell every watcher, and whoever joins later, that nothing more will come."""
        self._ended = True
        for watcher in self._watchers:
            watcher.end()


def _weigh(message: Message) -> int:
    if isinstance(message, PrivateOpenings):
        message.weight = 256 * len(message.openings)
    else:
        message.weight = 64 + sum(map(len, message.lines)) + len(message.checkpoint)
    return message.weight


def _held(watcher: Watcher) -> int:
    return watcher.held
