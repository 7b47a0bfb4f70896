"""`kill -9` in the middle of a tournament's moves and payouts: nothing is lost or done twice."""

import asyncio
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import grpc
import grpc.aio

from cutcard.v1 import (
    entry_pb2,
    fairness_pb2,
    fairness_pb2_grpc,
    play_pb2,
    play_pb2_grpc,
    tournament_entry_pb2,
    tournament_pb2,
    tournament_pb2_grpc,
)
from dealer_service.access.roles import Role
from dealer_service.client.routes import KEEPALIVE
from dealer_service.store.sqlite import SqliteStore
from tests.faults.test_killed_dealer import House
from tests.support.audits import judge, tell
from tests.support.service import read

NAMES = ("ann", "bob", "cid", "dan", "eve")
KILLS = (
    ("before", "registered"),
    ("between", "registered"),
    ("before", "started"),
    ("between", "started"),
    ("before", "moved"),
    ("between", "moved"),
    ("before", "placed"),
    ("between", "placed"),
    ("before", "table_closed"),
    ("between", "table_closed"),
    ("before", "tournament_closed"),
    ("between", "tournament_closed"),
)
"""Each is waited for by the process that is started when the one before it is dead.

Units that came together may have been written together: what is behind the last place may be over
by then.
"""
SURE = KILLS[:8]
"""Players move after the start, and places are told after that."""

T = TypeVar("T")

_ASK_AGAIN = {
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
}


class Callers:
    """All players and the operator, over one channel, who ask again until they are answered."""

    def __init__(self, house: House, channel: grpc.aio.Channel) -> None:
        self.house = house
        self.play = play_pb2_grpc.PlayServiceStub(channel)
        self.events = tournament_pb2_grpc.TournamentServiceStub(channel)
        self.fair = fairness_pb2_grpc.FairnessServiceStub(channel)
        self.random = Random(5)
        self.asked = len(NAMES)

    def header(self, name: str) -> tuple[tuple[str, str], ...]:
        role = Role.OPERATOR if name == "operator" else Role.PLAYER
        return (("authorization", f"Bearer {self.house.token(name, role)}"),)

    async def ask(self, call: Callable[..., Awaitable[T]], name: str, request: object) -> T:
        while True:
            try:
                return await call(
                    request, metadata=self.header(name), wait_for_ready=True, timeout=10
                )
            except grpc.aio.AioRpcError as error:
                if error.code() not in _ASK_AGAIN:
                    raise

    async def open(self) -> str:
        structure = tournament_entry_pb2.Structure(
            name="Last one in",
            rules=entry_pb2.RuleSet(seats=3, pause_ms=1, turn_ms=600_000),
            stack=300,
            players_max=len(NAMES),
            payout=tournament_entry_pb2.PayoutRule(
                kind="shares",
                unit=1,
                tables=[tournament_entry_pb2.ShareTable(players=2, shares=[7_000, 3_000])],
            ),
            buy_in=1_000,
            fee=50,
        )
        request = tournament_pb2.OpenTournamentRequest(
            request_id=_request_id(0), structure=structure
        )
        return (await self.ask(self.events.OpenTournament, "operator", request)).tournament

    async def register(self, tournament: str) -> None:
        for number, name in enumerate(NAMES, 1):
            request = tournament_pb2.RegisterRequest(
                request_id=_request_id(number), tournament=tournament, accepts_reveal="all_cards"
            )
            await self.ask(self.events.Register, name, request)

    async def play_out(self, tournament: str) -> None:
        """Act at every table for whoever is to act, until the tournament is closed."""
        request = tournament_pb2.GetTournamentRequest(tournament=tournament)
        while True:
            lobby = await self.ask(self.events.GetTournament, "operator", request)
            if lobby.summary.state == "closed":
                return
            for table in lobby.tables:
                if table.in_hand:
                    await self.act(table.game)

    async def act(self, game: str) -> None:
        at = await self.ask(self.play.GetTable, NAMES[0], play_pb2.GetTableRequest(game=game))
        if not at.HasField("decision"):
            return
        turn = at.decision
        (player,) = [one.player for one in at.seats if one.seat == turn.seat]
        self.asked += 1
        request = play_pb2.ActRequest(
            request_id=_request_id(self.asked), game=game, hand=turn.hand, turn=turn.turn
        )
        if turn.HasField("raise") and self.random.random() < 0.7:
            request.act, request.to = play_pb2.ACT_RAISE, getattr(turn, "raise").to
        elif turn.may_check:
            request.act = play_pb2.ACT_CHECK
        else:
            request.act = play_pb2.ACT_CALL
        await self.ask(self.play.Act, player, request)

    async def file(self, tournament: str) -> bytes:
        """Give the tournament's file with those of its tables behind it."""
        lobby = await self.ask(
            self.events.GetTournament,
            "operator",
            tournament_pb2.GetTournamentRequest(tournament=tournament),
        )
        content = b""
        for log in (tournament, *(table.game for table in lobby.tables)):
            request = fairness_pb2.GetGameFileRequest(game=log)
            async for part in self.fair.GetGameFile(request, metadata=self.header("operator")):
                content += part.chunk
        return content


class Attendant:
    """Starts a dealer whenever one was killed, until the tournament is over."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.kills: list[tuple[str, str]] = []
        self.is_over, self.serves = asyncio.Event(), asyncio.Event()

    async def attend(self) -> "asyncio.Future[int]":
        """Give the end of the dealer that lives when the tournament is over."""
        over: asyncio.Future[Any] = asyncio.ensure_future(self.is_over.wait())
        for moment, kind in KILLS:
            ended = self.begin(moment, kind)
            either: list[asyncio.Future[Any]] = [ended, over]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not ended.done():
                return ended
            assert ended.result() == -signal.SIGKILL
            self.kills.append((moment, kind))
        return self.begin("never", "")

    def begin(self, moment: str, kind: str) -> "asyncio.Future[int]":
        self.serves.clear()
        self.house.begin(moment, f"1 {kind}")
        return asyncio.ensure_future(self.hear_end())

    async def hear_end(self) -> int:
        """Read what the runner says until the dealer has ended; some never come to serve."""
        assert self.house.process.stdout is not None
        while line := await self.house.process.stdout.readline():
            word, _, rest = line.partition(b" ")
            if word == b"ended":
                return int(rest)
            if word == b"serving":
                self.house.pid = int(rest)
                self.serves.set()
        message = "the runner ended"
        raise AssertionError(message)


def _request_id(number: int) -> str:
    return f"{number:032x}"


@asynccontextmanager
async def calling(house: House) -> AsyncIterator[Callers]:
    address = f"127.0.0.1:{house.port}"
    async with grpc.aio.insecure_channel(address, options=KEEPALIVE) as channel:
        yield Callers(house, channel)


async def test_kills_in_the_middle_of_moves_and_payouts_lose_and_double_nothing(
    tmp_path: Path,
) -> None:
    house = await House.open(tmp_path / "dealer")
    house.begin()
    house.pid = await house.hears(b"serving")
    async with calling(house) as callers, asyncio.timeout(240):
        tournament = await callers.open()
        os.kill(house.pid, signal.SIGKILL)
        await house.hears(b"ended")

        attendant = Attendant(house)
        async with asyncio.TaskGroup() as both:
            attending = both.create_task(attendant.attend())
            await callers.register(tournament)
            await callers.play_out(tournament)
            attendant.is_over.set()
        last = attending.result()
        content = await callers.file(tournament)
        await attendant.serves.wait()
        os.kill(house.pid, signal.SIGTERM)
        assert await last == 0
        await house.close()

    assert tuple(attendant.kills[: len(SURE)]) == SURE
    report = judge(content)
    assert report.exit_status() == 0, tell(report)
    store = SqliteStore(house.folder / "store.sqlite")
    lines = [read(line) for line in store.every_line(tournament)]
    moves = [one.movement for one in store.movements(0, 1_000)]
    store.close()
    kinds = Counter(kind for kind, _ in lines)
    assert kinds["moved"] >= 1
    placed = {body["player"]: body["prize"] for kind, body in lines if kind == "placed"}
    assert kinds["placed"] == len(placed) == len(NAMES)
    assert sum(placed.values()) == 5_000
    paid = {one.player: one.amount for one in moves if one.what.value == "prize"}
    assert paid == {name: prize for name, prize in placed.items() if prize}
    assert Counter(one.what.value for one in moves)["prize"] == len(paid)
    assert Counter(one.player for one in moves if one.what.value == "buy_in") == Counter(NAMES)
