"""Light players: each has a token and a stream of its own, gives its links and acts in its turn.

A process of them drives some of the tables, over a connection for every few tables. They verify
nothing, so that the dealer and not its callers is loaded; what they are told is audited at the
end. Now and then each cuts its stream off and goes on from the next line, as players whose
connection comes and goes do; when a game is over they go on in the next.
"""

import asyncio
import json
import random
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from itertools import count, pairwise
from multiprocessing.connection import Connection
from typing import Any, Final

import grpc
import grpc.aio

from cutcard.v1 import entry_pb2, operate_pb2, operate_pb2_grpc, play_pb2, play_pb2_grpc
from dealer_service.access.roles import Role
from dealer_service.fairness.commitment import chain
from tests.bench import serving

TABLES_A_CONNECTION: Final = 8
STACK: Final = 20_000
LINKS: Final = 64
"""Links of a player's chain; a game has fewer hands."""
_PATIENCE: Final = 30.0
_OPTIONS: Final = (("grpc.use_local_subchannel_pool", 1),)

Metadata = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a process of players drives: so many tables, from a number on, and how fast.

    `think` is the mean time in seconds before an act, `stay` that of a stream before it is cut.
    """

    port: int
    tokens: serving.Tokens
    first: int
    tables: int
    seats: int
    hands: int
    think: float
    stay: float


@dataclass(slots=True)
class Told:
    """What players report: since the last time, and `games` in which they play now."""

    acts: int = 0
    hands: int = 0
    links: int = 0
    cuts: int = 0
    games_over: int = 0
    latencies: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    games: tuple[str, ...] = ()
    over: tuple[str, ...] = ()

    def add(self, other: "Told") -> None:
        """Add what other players report."""
        self.acts += other.acts
        self.hands += other.hands
        self.links += other.links
        self.cuts += other.cuts
        self.games_over += other.games_over
        self.latencies += other.latencies
        self.errors += other.errors
        self.games += other.games
        self.over += other.over


def drive(pipe: Connection, plan: Plan) -> None:
    """Seat the players and play; answers each message with what happened since the last.

    The first answer comes when all sit and the games go on.
    """
    asyncio.run(_drive(pipe, plan))


async def _drive(pipe: Connection, plan: Plan) -> None:
    room = _Room(plan)
    await room.open()
    pipe.send(room.report())
    while await asyncio.to_thread(pipe.recv):
        pipe.send(room.report())
    await room.close()


class _Room:
    """The players of one process."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.told = Told()
        self.over: list[str] = []
        self.is_over = False
        self.random = random.Random(plan.first)
        self._channels: list[grpc.aio.Channel] = []
        self._tables: list[_Table] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        plan = self.plan
        player, operator = plan.tokens.issuer(), plan.tokens.issuer(Role.OPERATOR)
        for number in range(plan.first, plan.first + plan.tables):
            if (number - plan.first) % TABLES_A_CONNECTION == 0:
                address = f"127.0.0.1:{plan.port}"
                channel = grpc.aio.insecure_channel(address, options=_OPTIONS)
                self._channels.append(channel)
            table = _Table(self, channel, number, _bearing(operator(f"operator-{number}")))
            await table.open(player)
            self._tables.append(table)
        for table in self._tables:
            await table.resume()

    async def close(self) -> None:
        self.is_over = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for channel in self._channels:
            await channel.close()

    def report(self) -> Told:
        told, self.told = self.told, Told()
        told.games = tuple(table.game for table in self._tables)
        told.over = tuple(self.over)
        return told

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._run(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except grpc.aio.AioRpcError as error:
            self.told.errors.append(f"{error.code().name}: {error.details()}")
        except Exception as error:  # noqa: BLE001 - every fault is told, and counts
            self.told.errors.append(repr(error))


class _Table:
    """The players of one table, through all games that go on from one another."""

    def __init__(
        self, room: _Room, channel: grpc.aio.Channel, number: int, operator: Metadata
    ) -> None:
        self.room = room
        self.number = number
        self.game = ""
        self.play = play_pb2_grpc.PlayServiceStub(channel)
        self._operate = operate_pb2_grpc.OperateServiceStub(channel)
        self._operator = operator

    async def open(self, issue: Callable[[str], str]) -> None:
        """Open the game and seat its players; nothing is dealt before `resume`."""
        plan = self.room.plan
        rules = entry_pb2.RuleSet(
            seats=plan.seats,
            small_blind=50,
            big_blind=100,
            buy_in_min=STACK,
            buy_in_max=STACK * 100,
            max_hands=plan.hands,
            turn_ms=120_000,
            link_ms=60_000,
        )
        asked = operate_pb2.OpenGameRequest(request_id=f"open-{self.number:06}", rules=rules)
        self.game = (await self._operate.OpenGame(asked, metadata=self._operator)).game
        pause = operate_pb2.PauseGameRequest(request_id="pause-0001", game=self.game)
        await self._operate.PauseGame(pause, metadata=self._operator)
        for seat in range(1, plan.seats + 1):
            name = f"p{self.number}-{seat}"
            player = _Player(self, name, seat, _bearing(issue(name)))
            await player.sit()

    async def resume(self) -> None:
        asked = operate_pb2.ResumeGameRequest(request_id="resume-0001", game=self.game)
        await self._operate.ResumeGame(asked, metadata=self._operator)


class _Player:
    """One seat."""

    def __init__(self, table: _Table, name: str, seat: int, metadata: Metadata) -> None:
        self._table, self._room = table, table.room
        self._name, self._seat, self._metadata = name, seat, metadata
        self._ids = count(1)
        self._game = ""
        self._next = 0
        self._turn = (0, 0)
        self._linked = 0
        self._successor = ""
        self._links: dict[str, bytes] = {}

    async def sit(self) -> None:
        self._game = self._table.game
        asked = play_pb2.TakeSeatRequest(
            request_id=self._id(),
            game=self._game,
            seat=self._seat,
            stack=STACK * 10,
            anchor=self._new_anchor(),
            accepts_reveal="all_cards",
        )
        await self._table.play.TakeSeat(asked, metadata=self._metadata)
        self._room.spawn(self._stay())

    async def _stay(self) -> None:
        """Follow the game, and those that go on from it, over streams that come and go."""
        while not self._room.is_over:
            fields: dict[str, Any] = {"game": self._game, "from": self._next}
            asked = play_pb2.WatchRequest(**fields)
            stream = self._table.play.Watch(asked, metadata=self._metadata)
            try:
                async with asyncio.timeout(self._room.random.expovariate(1 / self._room.plan.stay)):
                    async for message in stream:
                        self._hear(message)
            except TimeoutError:
                self._room.told.cuts += 1
                continue
            finally:
                stream.cancel()
            if self._seat == 1:
                self._room.told.games_over += 1
                self._room.over.append(self._game)
            if not self._successor:
                return
            await self._go_on()

    async def _go_on(self) -> None:
        self._game, self._successor = self._successor, ""
        self._table.game = self._game
        self._next, self._turn, self._linked = 0, (0, 0), 0
        asked = play_pb2.AnchorRequest(
            request_id=self._id(), game=self._game, anchor=self._new_anchor()
        )
        await self._table.play.Anchor(asked, metadata=self._metadata)

    def _hear(self, message: play_pb2.WatchResponse) -> None:
        for index, line in enumerate(message.lines, message.first):
            if index != self._next:
                wrong = f"line {index} came, and {self._next} was next"
                raise ValueError(wrong)
            self._next += 1
            if b',"hand_opened":{' in line:
                self._opened(json.loads(line)["hand_opened"])
            elif b',"game_closed":{' in line:
                self._successor = json.loads(line)["game_closed"].get("next", "")
        if message.HasField("decision") and message.decision.seat == self._seat:
            turn = (message.decision.hand, message.decision.turn)
            if turn > self._turn:
                self._turn = turn
                self._room.spawn(self._act(message.decision))

    def _opened(self, opened: dict[str, Any]) -> None:
        """Give the link for a hand; its checkpoint is in the message that opens it."""
        hand = opened["hand"]
        if self._seat == 1 and hand > self._linked:
            self._room.told.hands += 1
        mine = next((one for one in opened["seats"] if one["player"] == self._name), None)
        if mine is None or hand <= self._linked:
            return
        self._linked = hand
        link = self._links.get(mine.get("anchor", ""))
        if mine["state"] == "in" and link is not None:
            self._room.spawn(self._give(hand, link))

    async def _give(self, hand: int, link: bytes) -> None:
        asked = play_pb2.GiveLinkRequest(game=self._game, hand=hand, link=link)
        try:
            await self._table.play.GiveLink(asked, metadata=self._metadata, timeout=_PATIENCE)
        except grpc.aio.AioRpcError as error:
            # Who comes back in the middle of a hand hears of its opening again.
            if error.code() is not grpc.StatusCode.FAILED_PRECONDITION:
                raise
        self._room.told.links += 1

    async def _act(self, decision: play_pb2.Decision) -> None:
        think = self._room.plan.think
        await asyncio.sleep(self._room.random.uniform(0.5, 1.5) * think)
        act, to = self._choose(decision)
        asked = play_pb2.ActRequest(
            request_id=self._id(),
            game=self._game,
            hand=decision.hand,
            turn=decision.turn,
            act=act,
            to=to,
        )
        began = time.perf_counter()
        await self._table.play.Act(asked, metadata=self._metadata, timeout=_PATIENCE)
        self._room.told.latencies.append(time.perf_counter() - began)
        self._room.told.acts += 1

    def _choose(self, decision: play_pb2.Decision) -> "tuple[play_pb2.Act.ValueType, int]":
        """Play a hand of about a dozen acts, and seldom for more than a small pot."""
        chance = self._room.random.random()
        if decision.may_check:
            if chance < 0.2 and decision.HasField("bet"):
                return play_pb2.ACT_BET, getattr(decision.bet, "from")
            return play_pb2.ACT_CHECK, 0
        raising = getattr(decision, "raise")
        if chance < 0.05 and decision.HasField("raise"):
            return play_pb2.ACT_RAISE, getattr(raising, "from")
        if chance < 0.45 and decision.call <= 1_000:
            return play_pb2.ACT_CALL, 0
        return play_pb2.ACT_FOLD, 0

    def _new_anchor(self) -> bytes:
        seed = self._room.random.randbytes(32)
        game = bytes.fromhex(self._game)
        values = chain(serving.ORIGIN, game, self._name, seed, LINKS)
        self._links = {after.hex(): value for value, after in pairwise(values)}
        return values[-1]

    def _id(self) -> str:
        return f"{self._name}-{next(self._ids):06}"


def _bearing(token: str) -> Metadata:
    return (("authorization", f"Bearer {token}"),)
