"""Real clients at a real dealer: through several games that go on from one another, all proved."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import grpc.aio

from dealer_service.client import Act, Dealer, HandOver, MyTurn, Seat
from dealer_service.tables.clock import SystemClock
from tests.support.audits import judge, tell
from tests.support.service import PATIENCE, Service, read_refusal, serving

NAMES = ("ann", "bob", "cid")
GAMES = 3


async def play(seat: Seat, games: list[str], enough: asyncio.Event) -> None:
    """Check or call, and note each game that is played."""
    async for event in seat:
        if isinstance(event, MyTurn):
            await seat.act(Act.CALL if event.decision.call else Act.CHECK)
        if isinstance(event, HandOver) and seat.game not in games:
            games.append(seat.game)
            if len(games) == GAMES:
                enough.set()


async def close_the_last(service: Service, game: str) -> None:
    """Close the game that is played; one that reached its end just now goes on in another."""
    while True:
        while after := (await service.summary(game)).next:
            game = after
        try:
            await service.close_game(game)
        except grpc.aio.AioRpcError as error:
            assert read_refusal(error).reason in {"GAME_OVER", "GAME_CLOSED"}  # noqa: PT017
        else:
            return


async def test_a_table_that_never_empties_proves_itself_game_by_game(tmp_path: Path) -> None:
    async with serving(tmp_path / "dealer", clock=SystemClock()) as service, AsyncExitStack() as s:
        first = await service.open_game(max_hands=2, turn_ms=600_000, link_ms=60_000)
        await service.pause(first)
        seats = []
        for name in NAMES:
            token = service.header(name)[0][1].removeprefix("Bearer ")
            dealer = await s.enter_async_context(
                Dealer.connect(service.address, token, key=service.key)
            )
            seats.append(await dealer.sit(first, stack=400, directory=tmp_path / name))
        games: list[str] = []
        enough = asyncio.Event()
        playing = [asyncio.create_task(play(seat, games, enough)) for seat in seats]
        await service.resume(first)
        async with asyncio.timeout(2 * PATIENCE):
            await enough.wait()
            await close_the_last(service, first)
            await asyncio.gather(*playing)
        assert [seat.refused for seat in seats] == [None] * len(NAMES)
        chain = [first]
        while after := (await service.summary(chain[-1])).next:
            chain.append(after)
        files = [await service.file(game) for game in chain]
        report = judge(b"".join(files), key=service.key)
        assert report.exit_status() == 0, tell(report)
        for name in NAMES:
            for game, content in zip(chain[:GAMES], files, strict=False):
                record = (tmp_path / name / f"{game}.{name}.record").read_bytes()
                report = judge(content, key=service.key, mine=record)
                assert report.exit_status() == 0, tell(report)
        moved = await service.chips()
        assert sum(one.amount for one in moved if one.what == "cashed_out") == 400 * len(NAMES)
