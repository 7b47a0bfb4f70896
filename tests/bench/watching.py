"""`watcher_memory`: what the dealer's process grows by for each watcher of games that stand still.

Every watcher has a connection, a token and a stream of its own, and has read all that there is.
The watchers are other processes; what counts is the resident memory of the dealer's, before and
after, by the number of watchers. The yardstick is a KiB.
"""

import asyncio
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from cutcard.v1 import play_pb2
from dealer_service.commands.open_files import raise_limit
from tests.bench import driving, serving
from tests.bench.figure import Figure, Goal
from tests.bench.processes import process
from tests.support.bare_http2 import Ask, BareCall, call_all
from tests.support.certificates import Authority

MEMORY: Final = Goal("watcher_memory", "KiB a watcher", "KiB", "lower", 64)
WATCHERS: Final = 10_000
OVER_TLS: Final = 2_000
GAMES: Final = 100
HOLDERS: Final = 2
METHOD: Final = "/cutcard.v1.PlayService/Watch"


def measure(*, quick: bool = False) -> Figure:
    """Measure the memory of a watcher of an idle game."""
    watchers, over_tls, games = (200, 100, 4) if quick else (WATCHERS, OVER_TLS, GAMES)
    with idle_games(games) as idle:
        kib = memory_of(idle, watchers)
    with idle_games(games, tls=True) as idle:
        protected = memory_of(idle, over_tls)
    remark = (
        f"{watchers} connections with a stream each, over {games} games, without TLS; "
        f"{over_tls} with it took {protected:.1f} KiB each"
    )
    return Figure(MEMORY, (kib,), (1.0,), remark)


@dataclass(frozen=True, slots=True)
class Idle:
    """A dealer with games that stand still; with the certificate of its CA where it has TLS."""

    server: Connection
    port: int
    tokens: serving.Tokens
    games: tuple[str, ...]
    authority: bytes | None = None


def memory_of(idle: Idle, watchers: int) -> float:
    """Give the KiB that the dealer grows by for each of many watchers."""
    with ExitStack() as stack:
        shares = [
            (number * watchers // HOLDERS, (number + 1) * watchers // HOLDERS)
            for number in range(HOLDERS)
        ]
        called = (idle.port, idle.tokens, idle.games, idle.authority)
        holders = [
            stack.enter_context(process(partial(hold, called=called, share=share)))
            for share in shares
        ]
        # A few come first, so that what a server needs for the very first is not theirs.
        for holder in holders:
            holder.send(True)
            holder.recv()
        before = serving.memory(idle.server)
        for holder in holders:
            holder.send(True)
        held: int = sum(holder.recv() for holder in holders)
        return (serving.memory(idle.server) - before) / held


@contextmanager
def idle_games(count: int, *, tls: bool = False) -> Iterator[Idle]:
    """Run a dealer with games in which six players sit and no hand is dealt."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(TemporaryDirectory()))
        names = (*driving.PLAYERS, driving.OPERATOR)
        authority = Authority() if tls else None
        shown = authority.issue().write(directory / "tls") if authority else None
        ca = authority.pem if authority else None
        place = serving.Place(directory, tls=shown)
        dealer = partial(serving.serve_dealer, place=place, players=names)
        server = stack.enter_context(process(dealer))
        port, tokens = server.recv()
        opener = partial(driving.open_tables, port=port, tokens=tokens, tables=count, authority=ca)
        games = stack.enter_context(process(opener)).recv()
        yield Idle(server, port, serving.Tokens(directory), games, ca)


Called = tuple[int, serving.Tokens, tuple[str, ...], bytes | None]


def hold(pipe: Connection, called: Called, share: tuple[int, int]) -> None:
    """Hold watchers from one number to another: a few at the first message, the rest at the next.

    Answers each message with how many were added.
    """
    raise_limit()
    asyncio.run(_hold(pipe, called, share))


async def _hold(pipe: Connection, called: Called, share: tuple[int, int]) -> None:
    port, tokens, games, authority = called
    tls = None if authority is None else _trusting(authority)
    issue = tokens.issuer()
    asks = [
        Ask(
            METHOD,
            issue(f"watcher-{number}"),
            play_pb2.WatchRequest(game=games[number % len(games)]).SerializeToString(),
        )
        for number in range(*share)
    ]
    few = len(asks) // 20
    calls: list[BareCall] = []
    for part in (asks[:few], asks[few:]):
        await asyncio.to_thread(pipe.recv)
        calls += await call_all(port, part, tls=tls)
        if any(one.over.done() for one in calls):
            message = "a watcher's stream has ended"
            raise ConnectionError(message)
        pipe.send(len(part))
    await asyncio.to_thread(pipe.recv)
    for one in calls:
        one.hang_up()


def _trusting(authority: bytes) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=authority.decode("ascii"))
    context.set_alpn_protocols(["h2"])
    return context
