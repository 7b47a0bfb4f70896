"""A dealer that runs in the test's own process, and callers who know nothing but its wire.

`serving` starts a real dealer on a folder and a free port, with a clock that the test moves.
`Bot` is a raw player: it keeps every message, gives its links and acts by a plain policy.
Nothing here waits for time to pass: tests wait for what they are to see.
"""

import asyncio
import heapq
import json
import re
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import grpc
import grpc.aio
from google.rpc import error_details_pb2, status_pb2

from cutcard.v1 import (
    entry_pb2,
    fairness_pb2,
    fairness_pb2_grpc,
    operate_pb2,
    operate_pb2_grpc,
    play_pb2,
    play_pb2_grpc,
    tournament_pb2_grpc,
)
from dealer_service.access.roles import Role
from dealer_service.access.tokens import TokenKey, issue
from dealer_service.app import Dealer
from dealer_service.config import Limits, Settings
from dealer_service.fairness.commitment import chain
from dealer_service.fairness.randomness import operating_system
from dealer_service.store.api import Store
from dealer_service.store.sqlite import SqliteStore
from dealer_service.tables.clock import Clock
from dealer_service.tables.table import Table
from tests.support.timers import ManualTimer

ORIGIN = "dealer.example.com"
START = 1_767_225_600_000
PATIENCE = 30.0
"""Seconds after which a test that waits in vain fails; no test needs them."""
UNHURRIED = Limits(calls=10**6, bytes=10**9, streams=10**4, bad_tokens=10**6)
"""Limits that no test comes near, however fast it calls."""


class ManualClock:
    """Time that stands until `advance` moves it; what is due on the way is called in order."""

    def __init__(self, now: int = START) -> None:
        self._now = now
        self._calls: list[tuple[int, int, ManualTimer]] = []
        self._count = 0

    def now(self) -> int:
        return self._now

    def call_at(self, at: int, call: Callable[[], None]) -> "ManualTimer":
        timer = ManualTimer(call)
        self._count += 1
        heapq.heappush(self._calls, (at, self._count, timer))
        if at <= self._now:
            asyncio.get_running_loop().call_soon(self.advance, 0)
        return timer

    def advance(self, ms: int) -> None:
        """Let `ms` milliseconds pass."""
        end = self._now + ms
        while self._calls and self._calls[0][0] <= end:
            at, _, timer = heapq.heappop(self._calls)
            self._now = max(self._now, at)
            timer.run()
        self._now = max(self._now, end)


def metadata(
    key: TokenKey,
    name: str,
    role: Role | None,
    *,
    origin: str = ORIGIN,
    now: float | None = None,
    tables: Mapping[str, Role] | None = None,
) -> tuple[tuple[str, str], ...]:
    """Give the header of a caller whose token is good for an hour."""
    at = time.time() if now is None else now
    token = issue(key, name, role, ttl=3600, now=at, origin=origin, tables=tables)
    return bearing(token)


def bearing(token: str) -> tuple[tuple[str, str], ...]:
    """Give the header that a token is shown in."""
    return (("authorization", f"Bearer {token}"),)


class Service:
    """A dealer that runs, with stubs of its services and headers for callers."""

    def __init__(self, dealer: Dealer, clock: Clock, channel: grpc.aio.Channel) -> None:
        self.dealer, self.clock, self.channel = dealer, clock, channel
        self.play: play_pb2_grpc.PlayServiceStub = play_pb2_grpc.PlayServiceStub(channel)
        self.operate: operate_pb2_grpc.OperateServiceStub = operate_pb2_grpc.OperateServiceStub(
            channel
        )
        self.fair: fairness_pb2_grpc.FairnessServiceStub = fairness_pb2_grpc.FairnessServiceStub(
            channel
        )
        self.tournaments: tournament_pb2_grpc.TournamentServiceStub = (
            tournament_pb2_grpc.TournamentServiceStub(channel)
        )
        self.operator = self.header("operator", Role.OPERATOR)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.dealer.port}"

    @property
    def key(self) -> str:
        return str(self.dealer.keys.signer.verifier)

    def header(
        self,
        name: str,
        role: Role | None = Role.PLAYER,
        tables: Mapping[str, Role] | None = None,
    ) -> tuple[tuple[str, str], ...]:
        return metadata(self.dealer.keys.token, name, role, tables=tables)

    def table(self, game: str) -> Table:
        table = self.dealer.floor.running(game)
        assert table is not None
        return table

    def advance(self, ms: int) -> None:
        assert isinstance(self.clock, ManualClock)
        self.clock.advance(ms)

    async def settled(self, game: str) -> None:
        """Return when all that was decided at a table is durable and was told."""
        table = self.dealer.floor.running(game)
        if table is not None:
            await table._settled()

    async def open_game(self, reference: str = "", **rules: Any) -> str:
        request = operate_pb2.OpenGameRequest(
            request_id=fresh_id(), rules=entry_pb2.RuleSet(**rules), reference=reference
        )
        return (await self.operate.OpenGame(request, metadata=self.operator)).game

    async def close_game(self, game: str, reference: str = "") -> int:
        request = operate_pb2.CloseGameRequest(
            request_id=fresh_id(), game=game, reference=reference
        )
        return (await self.operate.CloseGame(request, metadata=self.operator)).size

    async def pause(self, game: str) -> None:
        request = operate_pb2.PauseGameRequest(request_id=fresh_id(), game=game)
        await self.operate.PauseGame(request, metadata=self.operator)

    async def resume(self, game: str) -> None:
        request = operate_pb2.ResumeGameRequest(request_id=fresh_id(), game=game)
        await self.operate.ResumeGame(request, metadata=self.operator)

    async def summary(self, game: str) -> operate_pb2.GameSummary:
        request = operate_pb2.GetGameRequest(game=game)
        return (await self.operate.GetGame(request, metadata=self.operator)).summary

    async def file(self, game: str) -> bytes:
        request = fairness_pb2.GetGameFileRequest(game=game)
        content = b""
        async for part in self.fair.GetGameFile(request, metadata=self.operator):
            content += part.chunk
        return content

    async def chips(self, after: int = 0) -> list[operate_pb2.FollowChipsResponse]:
        request = operate_pb2.FollowChipsRequest(after=after, stop_at_end=True)
        return [one async for one in self.operate.FollowChips(request, metadata=self.operator)]

    async def lines(self, game: str) -> list[bytes]:
        """Give all durable lines of a game."""
        lines: list[bytes] = []
        while True:
            request = listing(game, len(lines), 1000)
            answer = await self.fair.ListEntries(request, metadata=self.operator)
            lines += answer.lines
            if len(lines) >= answer.size:
                return lines

    async def entries(self, game: str) -> list[tuple[str, dict[str, Any]]]:
        return [read(line) for line in await self.lines(game)]


@asynccontextmanager
async def serving(
    folder: Path,
    *,
    clock: Clock | None = None,
    entropy: Callable[[int], bytes] = operating_system,
    accept_restore: bool = False,
    origin: str = ORIGIN,
    open_store: Callable[[Settings], Store] | None = None,
    **given: Any,
) -> AsyncIterator[Service]:
    """Run a dealer on a folder until the block ends; its clock stands unless one is given.

    `given` are other fields of its settings.
    """
    clock = clock or ManualClock()
    fields: dict[str, Any] = {"limits": UNHURRIED, "grace": 0.0} | given
    settings = Settings(folder, origin, "127.0.0.1:0", accept_restore=accept_restore, **fields)
    dealer = Dealer(
        settings,
        entropy=entropy,
        clock=clock,
        open_store=open_store or (lambda settings: SqliteStore(settings.store)),
    )
    await dealer.start()
    channel = grpc.aio.insecure_channel(f"127.0.0.1:{dealer.port}")
    try:
        yield Service(dealer, clock, channel)
    finally:
        await channel.close()
        await dealer.stop()


def fresh_id() -> str:
    """Draw a request id."""
    return secrets.token_hex(8)


def read(line: bytes) -> tuple[str, dict[str, Any]]:
    """Read a line's kind and body."""
    value = json.loads(line)
    ((kind, body),) = [(key, one) for key, one in value.items() if key != "at"]
    return kind, body


def time_of(line: bytes) -> int:
    """Read a line's time."""
    at = json.loads(line)["at"]
    assert isinstance(at, int)
    return at


@dataclass(frozen=True)
class Told:
    """A refusal as it came over the wire."""

    code: grpc.StatusCode
    reason: str
    message: str
    metadata: dict[str, str]
    violations: list[tuple[str, str]] = field(default_factory=list)


def read_refusal(error: grpc.aio.AioRpcError) -> Told:
    """Read a refusal, and hold it to the form that every one has."""
    trailers = dict(error.trailing_metadata() or ())
    content = trailers["grpc-status-details-bin"]
    assert isinstance(content, bytes)
    status = status_pb2.Status.FromString(content)
    assert (status.code, status.message) == (error.code().value[0], error.details())
    infos, bad, waits = [], [], []
    for detail in status.details:
        if detail.Is(error_details_pb2.ErrorInfo.DESCRIPTOR):
            info = error_details_pb2.ErrorInfo()
            detail.Unpack(info)
            infos.append(info)
        elif detail.Is(error_details_pb2.RetryInfo.DESCRIPTOR):
            retry = error_details_pb2.RetryInfo()
            detail.Unpack(retry)
            waits.append(retry.retry_delay.ToMilliseconds())
        else:
            request = error_details_pb2.BadRequest()
            assert detail.Unpack(request)
            bad += [(one.field, one.description) for one in request.field_violations]
    (info,) = infos
    assert info.domain == "cutcard.v1"
    assert re.fullmatch(r"[A-Z][A-Z_]*", info.reason)
    numbers = set(re.findall(r"\d+", status.message.replace("since 1970", "")))
    assert numbers <= set(info.metadata.values()), (status.message, dict(info.metadata))
    told = info.metadata.get("retry_after_ms")
    assert waits == ([] if told is None else [int(told)])
    return Told(error.code(), info.reason, status.message, dict(info.metadata), bad)


async def refusal(call: Awaitable[Any]) -> Told:
    """Make a call that must be refused, and give the refusal."""
    try:
        answer = await call
    except grpc.aio.AioRpcError as error:
        return read_refusal(error)
    message = f"the call was not refused: {answer}"
    raise AssertionError(message)


async def refusal_of_stream(stream: Any) -> Told:
    """Read a stream to the refusal that must end it."""

    async def drain() -> None:
        async for _ in stream:
            pass

    return await refusal(drain())


Policy = Callable[["Bot", play_pb2.Decision], tuple[int, int] | None]
"""What a bot does in its turn: the act and its total; None to let the clock run."""


def calling(_bot: "Bot", decision: play_pb2.Decision) -> tuple[int, int]:
    """Check or call."""
    return (play_pb2.ACT_CHECK, 0) if decision.may_check else (play_pb2.ACT_CALL, 0)


def folding(_bot: "Bot", decision: play_pb2.Decision) -> tuple[int, int]:
    """Check where that is free, else fold."""
    return (play_pb2.ACT_CHECK, 0) if decision.may_check else (play_pb2.ACT_FOLD, 0)


def shoving(_bot: "Bot", decision: play_pb2.Decision) -> tuple[int, int]:
    """Put everything in."""
    if decision.HasField("raise"):
        return play_pb2.ACT_RAISE, getattr(decision, "raise").to
    if decision.HasField("bet"):
        return play_pb2.ACT_BET, decision.bet.to
    return calling(_bot, decision)


def waiting(_bot: "Bot", _decision: play_pb2.Decision) -> None:
    """Do nothing."""


class Bot:
    """A player with a raw connection; `heard` is every message of its stream, in order."""

    def __init__(
        self,
        service: Service,
        name: str,
        *,
        policy: Policy = calling,
        links: bool = True,
        seed: bytes | None = None,
    ) -> None:
        self.service, self.name = service, name
        self.policy, self.gives_links, self.links = policy, links, links
        self.header = service.header(name)
        self.game, self.seat = "", 0
        self.heard: list[play_pb2.WatchResponse] = []
        self.lines: dict[int, bytes] = {}
        self.openings: list[play_pb2.Opening] = []
        self.checkpoints: dict[int, str] = {}
        self.refusals: list[Told] = []
        self.decision: play_pb2.Decision | None = None
        self.over: Told | str = ""
        self._seed = seed or secrets.token_bytes(32)
        self._links: dict[str, bytes] = {}
        self._acted: set[tuple[int, int]] = set()
        self._linked: set[int] = set()
        self._news = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self._stream: asyncio.Task[None] | None = None

    # Calls.

    def new_anchor(self, game: str, seed: bytes | None = None, length: int = 300) -> bytes:
        """Begin a chain and give its last value."""
        values = chain(
            self.service.dealer.settings.origin,
            bytes.fromhex(game),
            self.name,
            seed or self._seed,
            length,
        )
        self._links |= {after.hex(): value for value, after in pairwise(values)}
        return values[-1]

    def link_before(self, anchor: str) -> bytes:
        """Give the link whose next value is `anchor`."""
        return self._links[anchor]

    async def sit(
        self, game: str, *, stack: int = 200, seat: int = 0, reference: str = "", watch: bool = True
    ) -> "Bot":
        self.game = game
        anchor = self.new_anchor(game) if self.links else b""
        request = play_pb2.TakeSeatRequest(
            request_id=fresh_id(),
            game=game,
            seat=seat,
            stack=stack,
            anchor=anchor,
            accepts_reveal="all_cards",
            reference=reference,
        )
        if watch:
            self.watch(game)
        self.seat = (await self.service.play.TakeSeat(request, metadata=self.header)).seat
        return self

    async def act(self, hand: int, turn: int, act: int, to: int = 0) -> int:
        request = play_pb2.ActRequest(
            request_id=fresh_id(),
            game=self.game,
            hand=hand,
            turn=turn,
            act=cast("play_pb2.Act.ValueType", act),
            to=to,
        )
        return (await self.service.play.Act(request, metadata=self.header)).size

    async def give_link(self, hand: int, link: bytes) -> None:
        request = play_pb2.GiveLinkRequest(game=self.game, hand=hand, link=link)
        await self.service.play.GiveLink(request, metadata=self.header)

    async def prefer(self, *choices: str) -> int:
        request = play_pb2.PreferRequest(request_id=fresh_id(), game=self.game, choices=choices)
        return (await self.service.play.Prefer(request, metadata=self.header)).size

    async def pre_select(self, hand: int, act: int) -> None:
        request = play_pb2.PreSelectRequest(
            game=self.game, hand=hand, act=cast("play_pb2.PreAct.ValueType", act)
        )
        await self.service.play.PreSelect(request, metadata=self.header)

    async def leave(self, reference: str = "") -> play_pb2.LeaveSeatResponse:
        request = play_pb2.LeaveSeatRequest(
            request_id=fresh_id(), game=self.game, reference=reference
        )
        return await self.service.play.LeaveSeat(request, metadata=self.header)

    async def table(self) -> play_pb2.GetTableResponse:
        request = play_pb2.GetTableRequest(game=self.game)
        return await self.service.play.GetTable(request, metadata=self.header)

    # The stream.

    def watch(self, game: str, start: int = 0) -> None:
        """Follow a game from a line on, links and acts included."""
        self.game = game
        request = watching(game, start)
        stream = self.service.play.Watch(request, metadata=self.header)
        self._stream = asyncio.create_task(self._follow(stream))

    async def until(self, holds: Callable[["Bot"], Any]) -> Any:
        """Wait until `holds` gives something true of what was heard, and give it."""
        async with asyncio.timeout(PATIENCE), self._news:
            while not (found := holds(self)):
                await self._news.wait()
        return found

    async def until_line(self, kind: str, **body: Any) -> dict[str, Any]:
        """Wait for a line of a kind with these fields, and give its body."""
        found = await self.until(lambda bot: bot.find(kind, **body))
        assert isinstance(found, dict)
        return found

    async def until_given(self, holds: Callable[[], Any]) -> None:
        """Wait until something is true of the dealer itself, which tells nobody of it."""
        async with asyncio.timeout(PATIENCE):
            while not holds():  # noqa: ASYNC110 - nothing tells of it
                # One turn of the loop, in which the wire is read.
                await asyncio.sleep(0)

    async def until_over(self) -> "Told | str":
        """Wait for the end of the stream."""
        return await self.until(lambda bot: bot.over)  # type: ignore[no-any-return]

    def find(self, kind: str, **body: Any) -> dict[str, Any] | None:
        """Give the last line of a kind with these fields that was heard."""
        mark = b'"%s":{' % kind.encode()
        for index in sorted(self.lines, reverse=True):
            if mark in self.lines[index]:
                found, told = read(self.lines[index])
                if found == kind and all(told.get(name) == value for name, value in body.items()):
                    return told
        return None

    def entries(self) -> list[tuple[str, dict[str, Any]]]:
        return [read(self.lines[index]) for index in sorted(self.lines)]

    async def stop(self) -> None:
        """Hang up."""
        tasks = [*self._tasks, *([self._stream] if self._stream else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _follow(self, stream: Any) -> None:
        over: Told | str = "end"
        try:
            async for message in stream:
                await self._hear(message)
        except grpc.aio.AioRpcError as error:
            trailers = dict(error.trailing_metadata() or ())
            known = "grpc-status-details-bin" in trailers
            over = read_refusal(error) if known else error.code().name
        finally:
            stream.cancel()
        async with self._news:
            self.over = over
            self._news.notify_all()

    async def _hear(self, message: play_pb2.WatchResponse) -> None:
        async with self._news:
            self.heard.append(message)
            for index, line in enumerate(message.lines, message.first):
                assert self.lines.setdefault(index, line) == line
            end = message.first + len(message.lines)
            self.openings += message.openings
            if message.checkpoint:
                self.checkpoints[end] = message.checkpoint
            if message.HasField("decision"):
                self.decision = message.decision
            self._news.notify_all()
        if message.checkpoint and self.gives_links:
            self._answer_opening(self.lines.get(end - 1, b""))
        if message.HasField("decision") and message.decision.seat == self.seat:
            self._decide(message.decision)

    def _answer_opening(self, line: bytes) -> None:
        if b'"hand_opened":{' not in line:
            return
        _, opened = read(line)
        mine: dict[str, Any] = next(
            (one for one in opened["seats"] if one["player"] == self.name), {}
        )
        link = self._links.get(mine.get("anchor", ""))
        if mine.get("state") == "in" and link and opened["hand"] not in self._linked:
            self._linked.add(opened["hand"])
            self._spawn(partial(self.give_link, opened["hand"], link))

    def _decide(self, decision: play_pb2.Decision) -> None:
        turn = (decision.hand, decision.turn)
        chosen = None if turn in self._acted else self.policy(self, decision)
        if chosen is not None:
            self._acted.add(turn)
            self._spawn(partial(self.act, *turn, *chosen))

    def _spawn(self, call: Callable[[], Awaitable[Any]]) -> None:
        async def run() -> None:
            try:
                await call()
            except grpc.aio.AioRpcError as error:
                if "grpc-status-details-bin" in dict(error.trailing_metadata() or ()):
                    self.refusals.append(read_refusal(error))
            except grpc.aio.UsageError:
                # The test has ended and closed the channel.
                return

        task = asyncio.create_task(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def watching(game: str, start: int = 0) -> play_pb2.WatchRequest:
    """Ask for a game from a line on."""
    fields: dict[str, Any] = {"game": game, "from": start}
    return play_pb2.WatchRequest(**fields)


def listing(game: str, start: int = 0, limit: int = 0) -> fairness_pb2.ListEntriesRequest:
    """Ask for lines of a game from one on."""
    fields: dict[str, Any] = {"game": game, "from": start, "limit": limit}
    return fairness_pb2.ListEntriesRequest(**fields)


async def seated(service: Service, game: str, *names: str, **how: Any) -> list[Bot]:
    """Seat bots, one after another, at the lowest free seats."""
    return [await Bot(service, name, **how).sit(game) for name in names]


async def stop(bots: Sequence[Bot]) -> None:
    """Let all bots hang up."""
    for bot in bots:
        await bot.stop()
