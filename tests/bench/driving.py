"""The clients of the bench, in processes of their own: callers that keep tables busy, and watchers.

A caller knows without asking whose turn is next: its hands follow scripts, its stacks are too big
for anybody to be all-in, and the button goes round the six seats. So nothing but acts is called
while acts are measured.
"""

import asyncio
import time
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import count, cycle, repeat
from multiprocessing.connection import Connection
from random import uniform

import grpc
from google.protobuf.empty_pb2 import Empty

from cutcard.v1 import entry_pb2, operate_pb2, operate_pb2_grpc, play_pb2, play_pb2_grpc
from dealer_service.client.bearer import Bearer
from dealer_service.client.carried import CarriedPlay
from tests.bench.serving import EMPTY_METHOD

PLAYERS = ("ann", "ben", "cleo", "dan", "eve", "fay")
OPERATOR = "operator"
STACK = 10**12
RULES = entry_pb2.RuleSet(
    seats=len(PLAYERS),
    small_blind=1,
    big_blind=2,
    buy_in_max=STACK,
    turn_ms=3_600_000,
    max_hands=10**9,
)

FOLD, CHECK, CALL = play_pb2.ACT_FOLD, play_pb2.ACT_CHECK, play_pb2.ACT_CALL
BET, RAISE = play_pb2.ACT_BET, play_pb2.ACT_RAISE
WORDS = {"f": FOLD, "k": CHECK, "c": CALL, "b": BET, "r": RAISE}
STOLEN = ("r6 f f f f f",)
CONTESTED = ("r6 f c f f c", "k b6 c f", "k k", "b12 f")
BATTLED = ("f f f c c r8 c f", "b6 c", "b12 c", "k k")
LIMPED = ("c c c c c k", "k k k k k k", "k k k k k k", "k k k k k k")
HANDS = (STOLEN, CONTESTED, STOLEN, BATTLED, STOLEN, LIMPED)
"""Hands as they go round: six players, street by street (fold, check, call, bet or raise to).

They have about as many acts as those of pluribus.phhs, which have 11.2.
"""

ACTS_A_HAND = sum(len(street.split()) for hand in HANDS for street in hand) / len(HANDS)

Metadata = tuple[tuple[str, str], ...]
Play = play_pb2_grpc.PlayServiceStub | CarriedPlay
"""PlayService by calls and streams of their own, or all of it over one."""

Heard = tuple[str, int, float]
"""A game, the index behind the last line of a message, and when it came (CLOCK_MONOTONIC)."""


@dataclass(frozen=True, slots=True)
class Step:
    """One act of a script."""

    turn: int
    seat: int
    act: "play_pb2.Act.ValueType"
    to: int


def steps(hand: int) -> tuple[Step, ...]:
    """Give the acts of a hand by its number; hand 1 has its button at seat 1."""
    return SCRIPTS[(hand - 1) % len(SCRIPTS)]


def _script(hand: int) -> tuple[Step, ...]:
    seats = len(PLAYERS)
    button = (hand - 1) % seats
    live = [(button + place) % seats + 1 for place in range(1, seats + 1)]
    script: list[Step] = []
    for number, street in enumerate(HANDS[(hand - 1) % len(HANDS)]):
        # Before the flop the first to act sits behind the two blinds.
        order = cycle(live[2:] + live[:2] if number == 0 else live)
        folded: set[int] = set()
        for word in street.split():
            seat = next(seat for seat in order if seat not in folded)
            act = WORDS[word[0]]
            script.append(Step(len(script) + 1, seat, act, int(word[1:] or 0)))
            if act == FOLD:
                folded.add(seat)
        live = [seat for seat in live if seat not in folded]
    return tuple(script)


SCRIPTS = tuple(_script(hand) for hand in range(1, len(PLAYERS) * len(HANDS) + 1))
ROUND = sum(len(script) for script in SCRIPTS[: len(HANDS)])
"""The acts of one round of hands."""


@dataclass(frozen=True, slots=True)
class Pace:
    """What a round of calls came to: how many, in which time, and how long each took (seconds)."""

    calls: int
    seconds: float
    latencies: tuple[float, ...]

    @property
    def p99(self) -> float:
        """The latency that one call in a hundred exceeds."""
        return sorted(self.latencies)[int(len(self.latencies) * 0.99)]


def call_empty(pipe: Connection, port: int, token: str, callers: int) -> None:
    """Make empty calls, `callers` at a time, for as many seconds as each message asks."""
    asyncio.run(_call_empty(pipe, port, token, callers))


def call_acts(
    pipe: Connection, ports: Sequence[int], tokens: dict[str, str], tables: int, think: float = 0
) -> None:
    """Open tables, seat six players at each, tell their games, and act as messages ask.

    The tables are spread over the dealers at the ports; each act comes `think` seconds after the
    one before was answered.
    """
    asyncio.run(_call_acts(pipe, ports, tokens, tables, think))


def carry_acts(
    pipe: Connection, port: int, tokens: dict[str, str], tables: int, *, watched: bool
) -> None:
    """Do so at one dealer as one backend of all players, whose calls one stream carries.

    With `watched`, each player watches each of the games in the same way.
    """
    asyncio.run(_carry_acts(pipe, port, tokens, tables, watched=watched))


def open_tables(
    pipe: Connection,
    port: int,
    tokens: dict[str, str],
    tables: int,
    authority: bytes | None = None,
) -> None:
    """Open tables, seat six players at each, let no hand be dealt, and tell their games.

    With the certificate of a CA (PEM) over TLS.
    """
    asyncio.run(_open_tables(pipe, port, tokens, tables, authority))


def watch(pipe: Connection, port: int, tokens: dict[str, str], games: tuple[str, ...]) -> None:
    """Watch each game as each of its six players.

    Answers with the number of messages that came so far, and what was heard since the last time.
    """
    asyncio.run(_watch(pipe, port, tokens, games))


async def _call_empty(pipe: Connection, port: int, token: str, callers: int) -> None:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        empty = channel.unary_unary(
            EMPTY_METHOD,
            request_serializer=Empty.SerializeToString,
            response_deserializer=Empty.FromString,
        )
        metadata = bearing(token)

        def calls() -> Iterator[Callable[[], Awaitable[object]]]:
            request = Empty()
            return repeat(partial(empty, request, metadata=metadata))

        await _run(pipe, [calls() for _ in range(callers)])


async def _open_tables(
    pipe: Connection, port: int, tokens: dict[str, str], tables: int, authority: bytes | None
) -> None:
    if authority is None:
        connected = grpc.aio.insecure_channel(f"127.0.0.1:{port}")
    else:
        trusting = grpc.ssl_channel_credentials(authority)
        connected = grpc.aio.secure_channel(f"localhost:{port}", trusting)
    async with connected as channel:
        games = [await _seat_table(channel, tokens, number) for number in range(tables)]
        pipe.send(tuple(games))


async def _call_acts(
    pipe: Connection, ports: Sequence[int], tokens: dict[str, str], tables: int, think: float
) -> None:
    async with AsyncExitStack() as stack:
        channels = [
            await stack.enter_async_context(grpc.aio.insecure_channel(f"127.0.0.1:{port}"))
            for port in ports
        ]
        places = [channels[number % len(channels)] for number in range(tables)]
        games = [await open_table(place, tokens, number) for number, place in enumerate(places)]
        stubs = [play_pb2_grpc.PlayServiceStub(place) for place in places]
        acts = [_acts(*one, tokens) for one in zip(games, stubs, strict=True)]
        await _spread(acts)
        pipe.send(tuple(games))
        await _run(pipe, acts, think)


async def _carry_acts(
    pipe: Connection, port: int, tokens: dict[str, str], tables: int, *, watched: bool
) -> None:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        games = [await open_table(channel, tokens, number) for number in range(tables)]
        play = CarriedPlay(channel, Bearer(tokens[OPERATOR]), time.time)
        told = Told()
        acts = [_acts(game, play, tokens) for game in games]
        await _spread(acts)
        following = follow_all(play, tokens, games, told) if watched else []
        pipe.send(tuple(games))
        await _run(pipe, acts)
        require_going(following)
        assert bool(told.messages) == watched
        await hang_up(following)
        await play.close()


def _acts(
    game: str, play: Play, tokens: dict[str, str]
) -> Iterator[Callable[[], Awaitable[object]]]:
    """Give the acts of a table, one after another."""
    headers = [bearing(tokens[name]) for name in PLAYERS]
    for hand in count(1):
        for step in steps(hand):
            request = play_pb2.ActRequest(
                request_id=f"act-{hand}-{step.turn:02}",
                game=game,
                hand=hand,
                turn=step.turn,
                act=step.act,
                to=step.to,
            )
            yield partial(play.Act, request, metadata=headers[step.seat - 1])


async def _spread(callers: "Callers") -> None:
    """Play each table on by another part of a round, so that hands end one after another."""

    async def play_on(calls: Iterator[Callable[[], Awaitable[object]]], acts: int) -> None:
        for _ in range(acts):
            await next(calls)()

    shares = (number * ROUND // len(callers) for number in range(len(callers)))
    await asyncio.gather(*map(play_on, callers, shares))


Callers = list[Iterator[Callable[[], Awaitable[object]]]]


async def _run(pipe: Connection, callers: Callers, think: float = 0) -> None:
    while seconds := await asyncio.to_thread(pipe.recv):
        pipe.send(await _round(callers, seconds, think))


async def _round(callers: Callers, seconds: float, think: float) -> Pace:
    latencies: list[float] = []
    clock = time.perf_counter
    began = clock()
    end = began + seconds

    async def keep_calling(calls: Iterator[Callable[[], Awaitable[object]]]) -> None:
        now = clock()
        while now < end:
            if think:
                await asyncio.sleep(uniform(0.5, 1.5) * think)
                now = clock()
            sent = now
            await next(calls)()
            now = clock()
            latencies.append(now - sent)

    await asyncio.gather(*(keep_calling(calls) for calls in callers))
    return Pace(len(latencies), clock() - began, tuple(latencies))


async def open_table(channel: grpc.aio.Channel, tokens: dict[str, str], number: int) -> str:
    """Open a game, seat six players, and let hands be dealt; the game."""
    game = await _seat_table(channel, tokens, number)
    await operate_pb2_grpc.OperateServiceStub(channel).ResumeGame(
        operate_pb2.ResumeGameRequest(request_id="resume-0001", game=game),
        metadata=bearing(tokens[OPERATOR]),
    )
    return game


async def _seat_table(channel: grpc.aio.Channel, tokens: dict[str, str], number: int) -> str:
    """Open a game and seat its players; it stands still until it is resumed."""
    operate = operate_pb2_grpc.OperateServiceStub(channel)
    play = play_pb2_grpc.PlayServiceStub(channel)
    operator = bearing(tokens[OPERATOR])
    opened = await operate.OpenGame(
        operate_pb2.OpenGameRequest(request_id=f"open-{number:04}", rules=RULES),
        metadata=operator,
    )
    game = opened.game
    # No hand opens before all six sit.
    await operate.PauseGame(
        operate_pb2.PauseGameRequest(request_id="pause-0001", game=game), metadata=operator
    )
    for seat, name in enumerate(PLAYERS, 1):
        await play.TakeSeat(
            play_pb2.TakeSeatRequest(
                request_id="sit-0001",
                game=game,
                seat=seat,
                stack=STACK,
                accepts_reveal="all_cards",
            ),
            metadata=bearing(tokens[name]),
        )
    return game


async def _watch(
    pipe: Connection, port: int, tokens: dict[str, str], games: tuple[str, ...]
) -> None:
    told = Told()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        following = follow_all(play_pb2_grpc.PlayServiceStub(channel), tokens, games, told)
        while await asyncio.to_thread(pipe.recv):
            require_going(following)
            pipe.send((told.messages, told.heard))
            told.heard.clear()
        await hang_up(following)


@dataclass(slots=True)
class Told:
    """What watchers were told: the number of messages, and what they had of lines."""

    messages: int = 0
    heard: list[Heard] = field(default_factory=list)


def follow_all(
    play: Play, tokens: dict[str, str], games: Sequence[str], told: Told
) -> list["asyncio.Future[None]"]:
    """Begin to watch each game as each of its six players."""
    return [
        asyncio.ensure_future(
            _follow(
                game,
                play.Watch(play_pb2.WatchRequest(game=game), metadata=bearing(tokens[name])),
                told,
            )
        )
        for game in games
        for name in PLAYERS
    ]


async def _follow(game: str, stream: AsyncIterable[play_pb2.WatchResponse], told: Told) -> None:
    async for message in stream:
        told.messages += 1
        if message.lines:
            end = message.first + len(message.lines)
            told.heard.append((game, end, time.monotonic()))


def require_going(following: Iterable["asyncio.Future[None]"]) -> None:
    """Raise what has ended a watcher, where anything has."""
    for one in following:
        if one.done():
            one.result()


async def hang_up(following: Sequence["asyncio.Future[None]"]) -> None:
    """End watchers."""
    for one in following:
        one.cancel()
    await asyncio.gather(*following, return_exceptions=True)


def bearing(token: str) -> Metadata:
    """Give the header of a token's bearer."""
    return (("authorization", f"Bearer {token}"),)
