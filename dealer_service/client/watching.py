"""Keeps one log's stream alive: connects, verifies, notices what is overdue, connects anew.

After a break it goes on from the last line that is under a checkpoint; lines that come again must
be the same bytes. What is overdue on a quiet stream is refused once the dealer has answered another
call; on one that goes on telling other things it may lie unread on this side, and the stream is
begun anew. It ends when nothing more is to come, when the verifier refuses, or when the
dealer refuses the call itself for a reason that asking again does not change. When another node is
named as the game's owner, by this stream or by another call, it goes on there.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol, TypeVar

import grpc.aio

from cutcard.v1 import play_pb2, tournament_pb2
from dealer_service.client.calls import Caller, Failed, Tries, header
from dealer_service.client.errors import read_error
from dealer_service.client.lane import CarriedWatch
from dealer_service.client.message import Message
from dealer_service.client.refusing import Refused
from dealer_service.client.routes import Link
from dealer_service.client.wire import read_message, watch_request

Step_co = TypeVar("Step_co", covariant=True)
Step = TypeVar("Step")
_Header = tuple[tuple[str, str], ...]
_Call = grpc.aio.UnaryStreamCall[Any, Any] | CarriedWatch

# What has come by now may still lie in a buffer: it is looked at before anything is overdue.
_GLANCE_SECONDS: Final = 0.05

_MOVED: Final = "another node deals the game"
_LATE: Final = "what the dealer owes did not come in time"


@dataclass(frozen=True, slots=True)
class Broken:
    """The stream broke, and is being opened anew."""

    why: str


class Folding(Protocol[Step_co]):
    """What a stream is told to: it says what each message proved, and what is due."""

    @property
    def covered(self) -> int:
        """How many lines are under a checkpoint: where to go on after a break."""
        ...

    @property
    def finished(self) -> bool:
        """Whether nothing more is to come."""
        ...

    @property
    def deadline(self) -> float | None:
        """The monotonic time at which something is overdue if nothing comes; None for never."""
        ...

    def receive(self, message: Message, now: float, slept: float = 0.0) -> Step_co | Refused:
        """Take one message at a monotonic time."""
        ...

    def began(self, size: int) -> None:
        """Learn the size of the log when the stream had begun."""
        ...

    def interrupted(self, now: float, size: int) -> None:
        """Learn that the stream broke, and the size of the log now."""
        ...

    def overdue(self, now: float) -> Refused | None:
        """Say what should have come by now, and did not."""
        ...


@dataclass(frozen=True, slots=True)
class Source:
    """Where a log's lines come from: how it is watched, how long it is, what a message holds."""

    watch: Callable[[Link, str, int, _Header], _Call]
    size: Callable[[Link, str, float, _Header], Awaitable[int]]
    read: Callable[[Any], Message]
    has_cards: bool = False
    """Whether cards of one's own come beside the lines, of the hand that is open alone."""


def _watch_game(link: Link, game: str, first: int, metadata: _Header) -> _Call:
    return link.play.Watch(watch_request(game, first), metadata=metadata)


async def _size_of_game(link: Link, game: str, seconds: float, metadata: _Header) -> int:
    request = play_pb2.GetTableRequest(game=game)
    return (await link.play.GetTable(request, timeout=seconds, metadata=metadata)).size


def _watch_tournament(link: Link, tournament: str, first: int, metadata: _Header) -> _Call:
    request = tournament_pb2.WatchTournamentRequest(tournament=tournament, **{"from": first})
    return link.tournaments.WatchTournament(request, metadata=metadata)


async def _size_of_tournament(
    link: Link, tournament: str, seconds: float, metadata: _Header
) -> int:
    request = tournament_pb2.GetTournamentRequest(tournament=tournament)
    answer = await link.tournaments.GetTournament(request, timeout=seconds, metadata=metadata)
    return answer.summary.size


def _read_lines(response: tournament_pb2.WatchTournamentResponse) -> Message:
    return Message(response.first, tuple(response.lines), checkpoint=response.checkpoint)


GAME: Final = Source(_watch_game, _size_of_game, read_message, has_cards=True)
TOURNAMENT: Final = Source(_watch_tournament, _size_of_tournament, _read_lines)


class _Anew(Exception):  # noqa: N818 - the stream is begun anew
    """Ends a stream that is to be begun anew at once; the text says why."""


async def follow(
    caller: Caller, game: str, verifier: Folding[Step], source: Source = GAME
) -> AsyncGenerator[Step | Refused | Broken, None]:
    """Give what each message proved, in order; CallRefusedError when the dealer takes no call.

    `game` may be a tournament, by its own source.
    """
    tries = Tries(caller, game, None)
    broken = False
    while True:
        token, wait, heard = caller.bearer.token, 0.0, False
        async with caller.routes.use(game) as link:
            stream = _Stream(caller, link, game, source, token)
            try:
                async with aclosing(stream.steps(verifier, again=broken)) as steps:
                    async for step in steps:
                        tries.succeeded()
                        heard = True
                        yield step
                        if isinstance(step, Refused):
                            return
                why, wait = "the dealer ended the stream", tries.next_wait()
            except _Anew as anew:
                why = str(anew)
            except grpc.aio.AioRpcError as error:
                why = str(read_error(error))
                wait = await tries.judge(Failed(error, link.address, token))
        if verifier.finished:
            return
        broken = True
        if heard or wait:
            yield Broken(why)
        await caller.surroundings.sleep(wait)


class _Stream:
    """One stream at one node, from its beginning to its end or break."""

    __slots__ = ("_around", "_ask", "_moved", "_source", "_watch")

    def __init__(self, caller: Caller, link: Link, game: str, source: Source, token: str) -> None:
        self._around, self._source = caller.surroundings, source
        head, seconds = header(token), caller.surroundings.patience.attempt
        self._ask = partial(source.size, link, game, seconds, head)
        self._watch: Callable[[int], _Call] = lambda first: source.watch(link, game, first, head)
        self._moved = caller.routes.moved(game, link.address)

    async def steps(
        self, verifier: Folding[Step], *, again: bool
    ) -> AsyncGenerator[Step | Refused, None]:
        """Give what each message proved; `again` says that a stream before this one broke."""
        call: _Call | None = None
        try:
            if again:
                size = await self._ask()
                now = self._around.monotonic()
                verifier.interrupted(now, size)
                if refused := verifier.overdue(now):
                    yield refused
                    return
            call = self._watch(verifier.covered)
            # A hand that ended before the stream began comes without the player's cards.
            asks = self._source.has_cards
            while (response := await self._next(call, verifier)) is not None:
                if isinstance(response, Refused):
                    yield response
                    return
                if asks:
                    verifier.began(await self._ask())
                    asks = False
                message, around = self._source.read(response), self._around
                yield verifier.receive(message, around.monotonic(), around.slept())
                if self._is_late(verifier):
                    # It may lie unread on this side; of a stream that begins nothing does.
                    raise _Anew(_LATE)
        finally:
            self._moved.cancel()
            if call is not None:
                call.cancel()

    async def _next(self, call: _Call, verifier: Folding[Step]) -> Any:  # noqa: ANN401 - of the wire
        """Wait for the next response; None at the stream's end, Refused when one is overdue."""
        reading = asyncio.ensure_future(call.read())
        try:
            while not reading.done():
                deadline = verifier.deadline
                left = None if deadline is None else deadline - self._around.monotonic()
                await self._wait(reading, left)
                if reading.done():
                    break
                self._require_here()
                if self._is_late(verifier):
                    # A connection that is gone without a word is no fault of the dealer's: this
                    # call fails then, as the stream does.
                    await self._ask()
                    await self._wait(reading, self._around.patience.longest_wait)
                    if reading.done():
                        break
                    self._require_here()
                    if refused := verifier.overdue(self._around.monotonic()):
                        return refused
            response = reading.result()
        finally:
            reading.cancel()
        return None if response is grpc.aio.EOF else response

    def _require_here(self) -> None:
        if self._moved.done():
            raise _Anew(_MOVED)

    def _is_late(self, verifier: Folding[Step]) -> bool:
        deadline = verifier.deadline
        return deadline is not None and self._around.monotonic() > deadline

    async def _wait(self, reading: "asyncio.Future[Any]", seconds: float | None) -> None:
        timeout = None if seconds is None else max(_GLANCE_SECONDS, seconds)
        waited = {reading, self._moved}
        await asyncio.wait(waited, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
