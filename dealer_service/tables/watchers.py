"""Who watches a game, and what each of them is still to be told.

A batch is made once and handed to every watcher of the game; whoever sends it first may keep the
serialised bytes in it for the others. A watcher that does not read is not waited for: its backlog
is bounded, and when it is full the watcher is ended with the index from which it can go on.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from dealer_service.fairness.deck import Opening
from dealer_service.rules.hand import Decision

MAX_BACKLOG: Final = 4_096
MAX_BACKLOG_BYTES: Final = 4 * 1024 * 1024


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
    the batch, or is empty. `wire` is a place for the sender's own serialised form.
    """

    first: int
    lines: tuple[bytes, ...] = ()
    proofs: tuple[Proven, ...] = ()
    checkpoint: str = ""
    decision: Decision | None = None
    deadline: int = 0
    wire: bytes | None = None

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


Message = Batch | PrivateOpenings


class TooSlow(Exception):  # noqa: N818 - it is the watcher that is too slow
    """The backlog is full; watching can go on from the line with the index `resume`."""

    def __init__(self, resume: int) -> None:
        super().__init__(f"watched too slowly; watch again from {resume}")
        self.resume = resume


class Watcher:
    """One reader of a game's messages, in order."""

    __slots__ = ("_backlog", "_bytes", "_ended", "_next", "_overrun", "_waiting", "player")

    def __init__(self, player: str, start: int) -> None:
        self.player = player
        self._backlog: deque[Message] = deque()
        self._bytes = 0
        self._next = start
        self._waiting: asyncio.Future[None] | None = None
        self._ended = False
        self._overrun = False

    def tell(self, message: Message) -> None:
        """Add a message to the backlog, or end the watcher when that is full."""
        if self._overrun or self._ended:
            return
        self._bytes += _weight(message)
        if len(self._backlog) >= MAX_BACKLOG or self._bytes > MAX_BACKLOG_BYTES:
            self._overrun = True
            self._backlog.clear()
        else:
            self._backlog.append(message)
        self._wake()

    def end(self) -> None:
        """Nothing more will come; what is in the backlog is still read."""
        self._ended = True
        self._wake()

    def __aiter__(self) -> AsyncIterator[Message]:
        return self

    async def __anext__(self) -> Message:
        while not self._backlog:
            if self._overrun:
                raise TooSlow(self._next)
            if self._ended:
                raise StopAsyncIteration
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        message = self._backlog.popleft()
        self._bytes -= _weight(message)
        if isinstance(message, Batch):
            self._next = max(self._next, message.end)
        return message

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


class Audience:
    """All watchers of one game."""

    __slots__ = ("_ended", "_watchers")

    def __init__(self) -> None:
        self._watchers: set[Watcher] = set()
        self._ended = False

    def __len__(self) -> int:
        return len(self._watchers)

    def join(self, player: str, start: int) -> Watcher:
        """Add a watcher that is told everything from now on; `start` is where it resumes."""
        watcher = Watcher(player, start)
        if self._ended:
            watcher.end()
        self._watchers.add(watcher)
        return watcher

    def has(self, player: str) -> bool:
        """Say whether a player watches, and so is connected."""
        return any(watcher.player == player for watcher in self._watchers)

    def leave(self, watcher: Watcher) -> None:
        """Tell this watcher nothing more."""
        self._watchers.discard(watcher)

    def tell_all(self, batch: Batch) -> None:
        """Hand one batch to every watcher."""
        for watcher in self._watchers:
            watcher.tell(batch)

    def tell_player(self, player: str, openings: PrivateOpenings) -> None:
        """Hand a player its own openings, wherever it watches."""
        for watcher in self._watchers:
            if watcher.player == player:
                watcher.tell(openings)

    def end(self) -> None:
        """Tell every watcher, and whoever joins later, that nothing more will come."""
        self._ended = True
        for watcher in self._watchers:
            watcher.end()


def _weight(message: Message) -> int:
    if isinstance(message, PrivateOpenings):
        return 256 * len(message.openings)
    return 64 + _length(message.lines) + len(message.checkpoint)


def _length(lines: Iterable[bytes]) -> int:
    return sum(len(line) for line in lines)
