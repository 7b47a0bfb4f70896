"""Keeps one log's stream alive: connects, verifies, notices what is overdue, connects anew.

After a break it goes on from the last line that is under a checkpoint; lines that come again must
be the same bytes. It ends when nothing more is to come, when the verifier refuses, or when the
dealer refuses the call itself for a reason that asking again does not change. When another node is
named as the game's owner, by this stream or by another call, it goes on there.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol, TypeVar

import grpc.aio

from cutcard.v1 import play_pb2, tournament_pb2
from dealer_service.client.calls import Caller, Failed, Tries, header
from dealer_service.client.errors import read_error
from dealer_service.client.message import Message
from dealer_service.client.refusing import Refused
from dealer_service.client.routes import Link
from dealer_service.client.wire import read_message, watch_request

Step_co = TypeVar("Step_co", covariant=True)
Step = TypeVar("Step")
_Header = tuple[tuple[str, str], ...]
_Stream = grpc.aio.UnaryStreamCall[Any, Any]

# What has come by now may still lie in a buffer: it is looked at before anything is overdue.
_GLANCE_SECONDS: Final = 0.05


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

    watch: Callable[[Link, str, int, _Header], _Stream]
    size: Callable[[Link, str, float, _Header], Awaitable[int]]
    read: Callable[[Any], Message]
    has_cards: bool = False
    """Whether cards of one's own come beside the lines, of the hand that is open alone."""


def _watch_game(link: Link, game: str, first: int, metadata: _Header) -> _Stream:
    return link.play.Watch(watch_request(game, first), metadata=metadata)


async def _size_of_game(link: Link, game: str, seconds: float, metadata: _Header) -> int:
    request = play_pb2.GetTableRequest(game=game)
    return (await link.play.GetTable(request, timeout=seconds, metadata=metadata)).size


def _watch_tournament(link: Link, tournament: str, first: int, metadata: _Header) -> _Stream:
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


class _Moved(Exception):  # noqa: N818 - the game has moved
    """The game's calls go to another node now."""


async def follow(
    caller: Caller, game: str, verifier: Folding[Step], source: Source = GAME
) -> AsyncGenerator[Step | Refused | Broken, None]:
    """Give what each message proved, in order; CallRefusedError when the dealer takes no call.

    `game` may be a tournament, by its own source.
    """
    around = caller.surroundings
    tries = Tries(caller, game, None)
    broken = False
    while True:
        token, wait, heard = caller.bearer.token, 0.0, False
        async with caller.routes.use(game) as link:
            stream: _Stream | None = None
            moved = caller.routes.moved(game, link.address)
            try:
                ask = partial(source.size, link, game, around.patience.attempt, header(token))
                if broken:
                    verifier.interrupted(around.monotonic(), await ask())
                stream = source.watch(link, game, verifier.covered, header(token))
                # A hand that ended before the stream began comes without the player's cards.
                first = ask if source.has_cards else None
                while (
                    step := await _next(stream, verifier, caller, moved, source, first=first)
                ) is not None:
                    first = None
                    tries.succeeded()
                    heard = True
                    yield step
                    if isinstance(step, Refused):
                        return
                why, wait = "the dealer ended the stream", tries.next_wait()
            except _Moved:
                why = "another node deals the game"
            except grpc.aio.AioRpcError as error:
                why = str(read_error(error))
                wait = await tries.judge(Failed(error, link.address, token))
            finally:
                moved.cancel()
                if stream is not None:
                    stream.cancel()
        if verifier.finished:
            return
        broken = True
        if heard or wait:
            yield Broken(why)
        await around.sleep(wait)


async def _next(  # noqa: PLR0913 - as a stream is read
    stream: _Stream,
    verifier: Folding[Step],
    caller: Caller,
    moved: "asyncio.Future[None]",
    source: Source,
    *,
    first: Callable[[], Awaitable[int]] | None,
) -> Step | Refused | None:
    """Wait for the next message, or until one is overdue; None at the stream's end.

    `first` asks for the log's size when a message has come, before it is taken.
    """
    monotonic = caller.surroundings.monotonic
    reading = asyncio.ensure_future(stream.read())
    try:
        while not reading.done():
            deadline = verifier.deadline
            left = None if deadline is None else max(_GLANCE_SECONDS, deadline - monotonic())
            waited: set[asyncio.Future[Any]] = {reading, moved}
            await asyncio.wait(waited, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                break
            if moved.done():
                raise _Moved
            if refused := verifier.overdue(monotonic()):
                return refused
        response = reading.result()
    finally:
        reading.cancel()
    if response is grpc.aio.EOF:
        return None
    if first is not None:
        verifier.began(await first())
    return verifier.receive(source.read(response), monotonic(), caller.surroundings.slept())
