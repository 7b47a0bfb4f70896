"""Dealers as processes on one PostgreSQL, and players who find whichever of them has their game.

A player knows the addresses of all dealers. It is sent on by GAME_ELSEWHERE, comes again after
GAME_MOVING and after a broken call, and repeats what it asked under the same request id. It keeps
every line that it was ever told and holds all of them to be one history.
"""

import asyncio
import contextlib
import signal
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from itertools import cycle, pairwise
from pathlib import Path
from typing import Any

import grpc
import grpc.aio

from cutcard.v1 import (
    entry_pb2,
    fairness_pb2,
    fairness_pb2_grpc,
    operate_pb2,
    operate_pb2_grpc,
    play_pb2,
    play_pb2_grpc,
)
from dealer_service.access.roles import Role
from dealer_service.access.tokens import TokenKey, load_token_key
from dealer_service.config import Settings
from dealer_service.fairness.commitment import chain
from dealer_service.fairness.randomness import operating_system
from dealer_service.keys import make_keys
from tests.support import commands
from tests.support.service import ORIGIN, Told, metadata, read, read_refusal

LEASE = 1
PATIENCE = 60.0
_AGAIN_SECONDS = 0.02
_ATTEMPT_SECONDS = 2.0
KEYS = ("log.key", "sealing.key", "token.key")


@dataclass
class Dealers:
    """The processes by name, and the store that they share."""

    folder: Path
    url: str
    stack: contextlib.ExitStack
    running: dict[str, commands.Service] = field(default_factory=dict)

    def start(self, name: str, *more: object) -> commands.Service:
        """Start a dealer of this name in a folder of its name, and wait until it serves."""
        folder = self.folder / name
        if not folder.exists():
            keys = self.folder / "keys"
            if not keys.exists():
                make_keys(Settings(keys, ORIGIN, store_url=self.url), operating_system)
            folder.mkdir(mode=0o700)
            for key in KEYS:
                (folder / key).write_bytes((keys / key).read_bytes())
                (folder / key).chmod(0o600)
        options = ("--directory", folder, "--origin", ORIGIN, "--store", self.url, "--node", name)
        rates = ("--calls", 100_000, "--streams", 1_000)
        serving = commands.serving(folder, *options, *rates, "--lease", f"{LEASE}s", *more)
        self.running[name] = self.stack.enter_context(serving)
        return self.running[name]

    def signal(self, name: str, number: int) -> None:
        """Send a dealer a signal."""
        self.running[name].process.send_signal(number)

    def kill(self, name: str) -> None:
        """End a dealer by SIGKILL."""
        self.signal(name, signal.SIGKILL)
        self.running.pop(name).process.wait()

    @property
    def addresses(self) -> list[str]:
        return [one.address for one in self.running.values()]

    def name_at(self, address: str) -> str:
        return next(name for name, one in self.running.items() if one.address == address)

    @property
    def token(self) -> TokenKey:
        return load_token_key(self.folder / "keys" / "token.key")


class Caller:
    """Somebody who calls any of the dealers, by name and role."""

    def __init__(self, dealers: Dealers, name: str, role: Role) -> None:
        self.name = name
        self.header = metadata(dealers.token, name, role)
        self.at = ""
        self._around = cycle(dealers.addresses)
        self._channels: dict[str, grpc.aio.Channel] = {}

    async def call(self, make: Callable[[grpc.aio.Channel], Any], request: Any) -> Any:
        """Ask until there is an answer, wherever it comes from; Told where it is a refusal."""
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    return await make(self.channel())(
                        request, metadata=self.header, timeout=_ATTEMPT_SECONDS
                    )
                except grpc.aio.AioRpcError as error:
                    await self.mind(error)

    def channel(self) -> grpc.aio.Channel:
        self.at = self.at or next(self._around)
        if self.at not in self._channels:
            quick = (
                ("grpc.initial_reconnect_backoff_ms", 100),
                ("grpc.max_reconnect_backoff_ms", 200),
            )
            self._channels[self.at] = grpc.aio.insecure_channel(self.at, options=quick)
        return self._channels[self.at]

    async def mind(self, error: grpc.aio.AioRpcError) -> None:
        """Know where to ask next; raises a refusal that is none of being elsewhere."""
        told = told_of(error)
        if told is not None and told.reason == "GAME_ELSEWHERE":
            self.at = told.metadata["owner"]
            return
        passing = {"GAME_MOVING", "GAME_OPENING", "STOPPING", "STORE_FAILED"}
        if told is not None and told.reason not in passing:
            raise error
        self.at = next(self._around)
        await asyncio.sleep(_AGAIN_SECONDS)

    async def close(self) -> None:
        for channel in self._channels.values():
            await channel.close()


def told_of(error: grpc.aio.AioRpcError) -> Told | None:
    """Give the dealer's own refusal; None where the call broke."""
    trailers = dict(error.trailing_metadata() or ())
    return read_refusal(error) if "grpc-status-details-bin" in trailers else None


class Player(Caller):
    """A player who checks and calls; `acts` holds the log's size behind each that was answered.

    It acts while `may_act` is set.
    """

    def __init__(self, dealers: Dealers, name: str, game: str, may_act: asyncio.Event) -> None:
        super().__init__(dealers, name, Role.PLAYER)
        self.game, self.may_act = game, may_act
        self.lines: dict[int, bytes] = {}
        self.acts: dict[tuple[int, int], int] = {}
        self.is_over = False
        self.news = asyncio.Condition()
        values = chain(ORIGIN, bytes.fromhex(game), name, operating_system(32), 50)
        self._links = {after.hex(): value for value, after in pairwise(values)}
        self._anchor = values[-1]
        self._seat = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._under_way: set[object] = set()
        self._watcher = Caller(dealers, name, Role.PLAYER)

    async def sit(self) -> None:
        request = play_pb2.TakeSeatRequest(
            request_id=f"sit-down-{self.name}",
            game=self.game,
            stack=200,
            anchor=self._anchor,
            accepts_reveal="all_cards",
        )
        answer = await self.call(lambda at: play_pb2_grpc.PlayServiceStub(at).TakeSeat, request)
        self._seat = answer.seat
        self._spawn(self._watch())

    async def until(self, holds: Callable[["Player"], Any]) -> Any:
        async with asyncio.timeout(PATIENCE), self.news:
            while not (found := holds(self)):
                await self.news.wait()
        return found

    def find(self, kind: str) -> list[dict[str, Any]]:
        """Give the bodies of all lines of a kind that were told."""
        entries = (read(self.lines[index]) for index in sorted(self.lines))
        return [body for found, body in entries if found == kind]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._watcher.close()
        await super().close()

    async def _watch(self) -> None:
        while not self.is_over:
            stub = play_pb2_grpc.PlayServiceStub(self._watcher.channel())
            try:
                # Taken up anew now and then, because a dealer that is frozen says nothing.
                stream = stub.Watch(
                    play_pb2.WatchRequest(game=self.game),
                    metadata=self._watcher.header,
                    timeout=_ATTEMPT_SECONDS,
                )
                async for message in stream:
                    await self._hear(message)
                self.is_over = True
            except grpc.aio.AioRpcError as error:
                await self._watcher.mind(error)
        async with self.news:
            self.news.notify_all()

    async def _hear(self, message: play_pb2.WatchResponse) -> None:
        async with self.news:
            for index, line in enumerate(message.lines, message.first):
                assert self.lines.setdefault(index, line) == line
            self.news.notify_all()
        end = message.first + len(message.lines)
        if message.checkpoint:
            self._answer_opening(self.lines.get(end - 1, b""))
        if message.HasField("decision") and message.decision.seat == self._seat:
            turn = (message.decision.hand, message.decision.turn)
            if turn not in self._under_way:
                self._under_way.add(turn)
                self._spawn(self._act(*turn, may_check=message.decision.may_check))

    def _answer_opening(self, line: bytes) -> None:
        if b'"hand_opened":{' not in line:
            return
        _, opened = read(line)
        for seat in opened["seats"]:
            hand = opened["hand"]
            if seat["player"] == self.name and hand not in self._under_way:
                self._under_way.add(hand)
                self._spawn(self._give(hand, self._links[seat["anchor"]]))

    async def _give(self, hand: int, link: bytes) -> None:
        request = play_pb2.GiveLinkRequest(game=self.game, hand=hand, link=link)
        await self.call(lambda at: play_pb2_grpc.PlayServiceStub(at).GiveLink, request)

    async def _act(self, hand: int, turn: int, *, may_check: bool) -> None:
        await self.may_act.wait()
        act = play_pb2.ACT_CHECK if may_check else play_pb2.ACT_CALL
        request = play_pb2.ActRequest(
            request_id=f"act-of-{self.name}-{hand}-{turn}",
            game=self.game,
            hand=hand,
            turn=turn,
            act=act,
        )
        answer = await self.call(lambda at: play_pb2_grpc.PlayServiceStub(at).Act, request)
        async with self.news:
            self.acts[hand, turn] = answer.size
            self.news.notify_all()

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)


@dataclass
class Party:
    """An operator and three players at one game."""

    operator: Caller
    players: Sequence[Player]
    game: str
    may_act: asyncio.Event

    async def has_ended(self) -> None:
        """Return when each player was told the end of the game."""
        await asyncio.gather(*(one.until(lambda player: player.is_over) for one in self.players))

    async def file(self) -> bytes:
        # By asking for the key it finds a dealer that answers.
        await self.key()
        request = fairness_pb2.GetGameFileRequest(game=self.game)
        stub = fairness_pb2_grpc.FairnessServiceStub(self.operator.channel())
        content = b""
        async for part in stub.GetGameFile(request, metadata=self.operator.header):
            content += part.chunk
        return content

    async def key(self) -> str:
        request = fairness_pb2.GetKeyRequest()
        answer = await self.operator.call(
            lambda at: fairness_pb2_grpc.FairnessServiceStub(at).GetKey, request
        )
        return str(answer.key)


@contextlib.asynccontextmanager
async def sitting(dealers: Dealers, owner: str, **rules: Any) -> AsyncIterator[Party]:
    """Open a game at one dealer and seat three players, who may not act yet."""
    operator = Caller(dealers, "operator", Role.OPERATOR)
    operator.at = dealers.running[owner].address
    usual = {"turn_ms": 600_000, "link_ms": 600_000, "max_hands": 1, "pause_ms": 0}
    opened = await operator.call(
        lambda at: operate_pb2_grpc.OperateServiceStub(at).OpenGame,
        operate_pb2.OpenGameRequest(
            request_id=f"open-a-game-{time.monotonic_ns()}",
            rules=entry_pb2.RuleSet(**usual | rules),
        ),
    )
    pause = operate_pb2.PauseGameRequest(request_id="pause-the-game", game=opened.game)
    await operator.call(lambda at: operate_pb2_grpc.OperateServiceStub(at).PauseGame, pause)
    may_act = asyncio.Event()
    players = [Player(dealers, name, opened.game, may_act) for name in ("ann", "bob", "cid")]
    try:
        for player in players:
            await player.sit()
        resume = operate_pb2.ResumeGameRequest(request_id="resume-the-game", game=opened.game)
        await operator.call(lambda at: operate_pb2_grpc.OperateServiceStub(at).ResumeGame, resume)
        yield Party(operator, players, opened.game, may_act)
    finally:
        for player in players:
            await player.close()
        await operator.close()
