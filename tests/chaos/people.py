"""Those who call a dealer that fails: they repeat what was not answered, and forget nothing.

A `Person` makes calls until they are answered, with the same bytes each time, and watches games
from where it was, through every break. What it hears goes into the ledger.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any, Final, Protocol

import grpc
import grpc.aio
from google.protobuf.message import Message

from cutcard.v1 import (
    fairness_pb2_grpc,
    operate_pb2,
    operate_pb2_grpc,
    play_pb2,
    play_pb2_grpc,
    tournament_pb2_grpc,
)
from dealer_service.access.roles import Role
from dealer_service.client.errors import read_error
from dealer_service.fairness.commitment import chain
from tests.chaos.houses import GaveUpError
from tests.chaos.ledger import Acked, Ledger
from tests.chaos.runner import ORIGIN

STUBS: Final[dict[str, Any]] = {
    "play": play_pb2_grpc.PlayServiceStub,
    "operate": operate_pb2_grpc.OperateServiceStub,
    "fairness": fairness_pb2_grpc.FairnessServiceStub,
    "tournaments": tournament_pb2_grpc.TournamentServiceStub,
}
TOTAL: Final = 90.0
"""Seconds until a call that nobody answers is given up; nothing needs them."""
_OPTIONS: Final = (
    ("grpc.enable_retries", 0),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.keepalive_time_ms", 1_000),
    ("grpc.keepalive_timeout_ms", 1_000),
    ("grpc.http2.max_pings_without_data", 0),
)
_AGAIN: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.INTERNAL,
    }
)
"""What a broken connection may look like, from where the caller stands."""


class Way(Protocol):
    """How callers reach whoever deals."""

    async def address(self, game: str) -> str:
        """Give where to call for a game now, waiting until somebody serves."""
        ...

    async def stream_address(self, game: str, name: str) -> str:
        """Give where somebody is to watch a game now, waiting until somebody serves."""
        ...

    async def failed(self, game: str, address: str, error: grpc.aio.AioRpcError) -> None:
        """Return when it may go better; the call at that address failed."""
        ...

    def token(self, name: str, role: Role) -> str:
        """Make a token."""
        ...

    def lives(self) -> int:
        """Count the starts of all dealers: what a dealer has only in mind ends with its life."""
        ...


Ready = Callable[[], Awaitable[None]]
"""What has to be so before a call is made, at each try."""


class Person:
    """Somebody who calls; `attempt` is how long one try may take, in seconds."""

    def __init__(
        self, way: Way, ledger: Ledger, name: str, role: Role = Role.PLAYER, attempt: float = 10.0
    ) -> None:
        self.name, self.role, self.ledger, self.attempt = name, role, ledger, attempt
        self.sizes: dict[str, int] = {}
        self.notes: dict[str, dict[int, str]] = {}
        self.twice = False
        """Whether each call is sent twice at once."""
        self._flying: dict[str, tuple[int, grpc.aio.Channel]] = {}
        self._way = way
        self._channels: dict[str, grpc.aio.Channel] = {}
        self._broken: list[grpc.aio.Channel] = []
        self._watching: dict[str, asyncio.Task[None]] = {}
        self._news = asyncio.Condition()
        self._links: dict[str, bytes] = {}

    # Calls.

    async def call(
        self, service: str, method: str, request: Message, ready: Ready | None = None
    ) -> Any:
        """Make a call until it is answered, and take the answer down."""
        answer, *others = await self._repeat(service, method, request, ready)
        if any(one != answer for one in others):
            self.ledger.refusals.append(f"{method} sent twice was answered differently")
        self.ledger.acked.append(
            Acked(self.name, self.role, service, method, request, answer.SerializeToString())
        )
        return answer

    async def ask(self, service: str, method: str, request: Message) -> Any:
        """Make a call that changes nothing."""
        return (await self._repeat(service, method, request))[0]

    async def is_under_way(self, method: str, ask: Message) -> bool:
        """Say whether a call that waits for its answer has come to the dealer that lives now.

        On one connection calls come in order: `ask` comes behind it, once the connection stands.
        """
        await self.ask("play", "GetTable", ask)
        before = self._flying.get(method)
        await self.ask("play", "GetTable", ask)
        if before is None or before != self._flying.get(method):
            return False
        lives, channel = before
        return lives == self._way.lives() and channel in self._channels.values()

    async def read(self, service: str, method: str, request: Message) -> list[Any]:
        """Read a whole stream, from its beginning at each try."""
        end = time.monotonic() + TOTAL
        game = getattr(request, "game", "")
        while True:
            address = await self._way.address(game)
            try:
                call = self._stub(address, service, method)(request, metadata=self._header())
                return [one async for one in call]
            except grpc.aio.AioRpcError as error:
                await self._after(error, address, game, method, end)

    async def hear(
        self, service: str, method: str, request: Message, heard: list[dict[str, object]]
    ) -> None:
        """Read a stream until it breaks, and take down the fields of each message."""
        address = await self._way.address("")
        try:
            call = self._stub(address, service, method)(request, metadata=self._header())
            async for message in call:
                async with self._news:
                    heard.append(fields_of(message))
                    self._news.notify_all()
        except grpc.aio.AioRpcError as error:
            await self._after(error, address, "", method, time.monotonic() + TOTAL)

    async def _repeat(
        self, service: str, method: str, request: Message, ready: Ready | None = None
    ) -> list[Any]:
        end = time.monotonic() + TOTAL
        game = getattr(request, "game", "")
        while True:
            address = await self._way.address(game)
            if ready is not None:
                await ready()
            stub = self._stub(address, service, method)
            self._flying[method] = (self._way.lives(), self._channels[address])
            try:
                tries = [
                    stub(request, metadata=self._header(), timeout=self.attempt)
                    for _ in range(2 if self.twice else 1)
                ]
                answers = await asyncio.gather(*tries)
            except grpc.aio.AioRpcError as error:
                self._flying.pop(method, None)
                await self._after(error, address, game, method, end)
            else:
                self._flying.pop(method, None)
                return answers

    async def _after(
        self, error: grpc.aio.AioRpcError, address: str, game: str, method: str, end: float
    ) -> None:
        if error.code() not in _AGAIN:
            raise read_error(error) from None
        if (told := read_error(error).refusal).reason == "DEALER_FAULT":
            self.ledger.refusals.append(f"{method} of {self.name}: {told.message}")
        if time.monotonic() > end:
            message = f"{method} of {self.name} was not answered in {TOTAL:.0f} seconds: {error}"
            raise GaveUpError(message)
        # Another call may still be under way on it: it is closed at the end.
        channel = self._channels.pop(address, None)
        if channel is not None:
            self._broken.append(channel)
        await self._way.failed(game, address, error)

    def _stub(self, address: str, service: str, method: str) -> Any:
        channel = self._channels.get(address)
        if channel is None:
            channel = grpc.aio.insecure_channel(address, options=_OPTIONS)
            self._channels[address] = channel
        return getattr(STUBS[service](channel), method)

    def _header(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self._way.token(self.name, self.role)}"),)

    # Watching.

    def watch(self, game: str) -> None:
        """Follow a game to its end, whatever comes between."""
        if game not in self._watching:
            self.sizes[game] = 0
            self.notes[game] = {}
            self._watching[game] = asyncio.create_task(self._follow(game))

    async def until(self, see: Callable[["Person"], object]) -> None:
        """Wait until something was told."""
        async with self._news:
            try:
                await asyncio.wait_for(self._news.wait_for(lambda: see(self)), TOTAL)
            except TimeoutError:
                message = f"{self.name} waited in vain to be told something"
                raise GaveUpError(message) from None

    async def at_the_end(self, game: str) -> None:
        """Wait until a watched game's stream has come to its end."""
        await asyncio.wait_for(self._watching[game], TOTAL)

    async def close(self) -> None:
        """Watch and call no more."""
        for task in self._watching.values():
            task.cancel()
        await asyncio.gather(*self._watching.values(), return_exceptions=True)
        for channel in (*self._channels.values(), *self._broken):
            await channel.close()

    async def _follow(self, game: str) -> None:
        again = 0
        while True:
            address = await self._way.stream_address(game, self.name)
            # A break now and then is followed by lines that were told before: the same ones.
            start = max(0, self.sizes[game] - again % 3)
            request = play_pb2.WatchRequest(game=game, **{"from": start})
            channel = grpc.aio.insecure_channel(address, options=_OPTIONS)
            try:
                stub = play_pb2_grpc.PlayServiceStub(channel)
                async for message in stub.Watch(request, metadata=self._header()):
                    await self._hear(game, message)
            except grpc.aio.AioRpcError as error:
                if error.code() not in _AGAIN:
                    # That a log is shorter than it was, or gone, is judged at the end.
                    self.ledger.refusals.append(f"Watch of {self.name}: {error.details()}")
                    self.sizes[game] = 0
                await self._way.failed(game, address, error)
            else:
                self.ledger.ended[self.name, game] = self.sizes[game]
                return
            finally:
                await channel.close()
            again += 1

    async def _hear(self, game: str, message: play_pb2.WatchResponse) -> None:
        self.ledger.hear(game, self.name, message)
        async with self._news:
            end = message.first + len(message.lines)
            self.sizes[game] = max(self.sizes[game], end)
            if message.checkpoint:
                self.notes[game][int(message.checkpoint.split("\n")[1])] = message.checkpoint
            self._news.notify_all()

    # The player's own randomness and record.

    def new_anchor(self, game: str, seed: bytes) -> bytes:
        """Begin a chain in a game, note its anchor and give it."""
        values = chain(ORIGIN, bytes.fromhex(game), self.name, seed, 40)
        self._links |= {after.hex(): value for value, after in pairwise(values)}
        self.note(game, {"anchor": {"anchor": values[-1].hex()}})
        return values[-1]

    def link_before(self, anchor: str) -> bytes:
        """Give the link whose next value is an anchor."""
        return self._links[anchor]

    def note(self, game: str, line: dict[str, object]) -> None:
        """Add to the player's record of a game."""
        lines = self.ledger.records.setdefault((game, self.name), [])
        if line not in lines:
            lines.append(line)


class Bank:
    """Follows the movements of chips, and settles each once: it goes on behind the last one."""

    def __init__(self, person: Person) -> None:
        self._person = person
        self._task = asyncio.create_task(self._follow())

    async def settle(self, last: int) -> None:
        """Wait until the movement with that cursor is settled, and follow no further."""
        settled = self._person.ledger.settled
        if last:
            await self._person.until(lambda _: settled and settled[-1]["cursor"] == last)
        await self.close()

    async def close(self) -> None:
        """Follow no further."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self._person.close()

    async def _follow(self) -> None:
        settled = self._person.ledger.settled
        while True:
            after = settled[-1]["cursor"] if settled else 0
            request = operate_pb2.FollowChipsRequest(after=after)  # type: ignore[arg-type]
            await self._person.hear("operate", "FollowChips", request, settled)


def fields_of(message: Message) -> dict[str, object]:
    """Give a message's fields by name."""
    return {field.name: getattr(message, field.name) for field in message.DESCRIPTOR.fields}


async def closing(*people: Person) -> None:
    """Let everybody go."""
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.gather(*(one.close() for one in people))
