"""A dealer that starts under another time: lines never go back, nobody is hurried or kept."""

from pathlib import Path

import pytest

from cutcard.v1 import play_pb2
from tests.support.audits import judge, tell
from tests.support.service import (
    START,
    Bot,
    ManualClock,
    read,
    seated,
    serving,
    stop,
    time_of,
    waiting,
)

HOUR = 3_600_000
TURN = 10_000


@pytest.mark.parametrize("set_to", [-5 * HOUR, -1, 5 * HOUR])
async def test_a_turn_has_its_whole_time_and_no_more(tmp_path: Path, set_to: int) -> None:
    clock = ManualClock()
    async with serving(tmp_path, clock=clock) as service:
        game = await service.open_game(turn_ms=TURN)
        bots = await seated(service, game, "ann", "bob", policy=waiting)
        await bots[0].until(lambda bot: bot.decision)
        service.advance(500)
        await service.settled(game)
        await stop(bots)
    clock = ManualClock(START + set_to)
    async with serving(tmp_path, clock=clock) as service:
        before = await service.lines(game)
        service.advance(TURN - 1)
        await service.settled(game)
        kinds = [read(line) for line in (await service.lines(game))[len(before) :]]
        assert not [body for kind, body in kinds if kind == "acted"], "nobody is hurried"
        service.advance(1)
        await service.settled(game)
        after = (await service.lines(game))[len(before) :]
        (acted,) = [read(line)[1] for line in after if read(line)[0] == "acted"]
        assert acted["by"] == "clock", "nobody is kept waiting"
        lines = await service.lines(game)
        times = [time_of(line) for line in lines]
        assert times == sorted(times)
        await service.close_game(game)
        report = judge(await service.file(game), key=service.key)
        assert report.exit_status() == 0, tell(report)


async def test_an_act_is_taken_under_an_earlier_time(tmp_path: Path) -> None:
    async with serving(tmp_path, clock=ManualClock()) as service:
        game = await service.open_game(turn_ms=TURN)
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        turn = await ann.until(lambda bot: bot.decision)
        await stop([ann, bob])
    async with serving(tmp_path, clock=ManualClock(START - HOUR)) as service:
        again = Bot(service, (ann, bob)[turn.seat - 1].name, policy=waiting)
        again.game = game
        size = await again.act(turn.hand, turn.turn, play_pb2.ACT_CALL)
        lines = await service.lines(game)
        assert time_of(lines[size - 1]) >= time_of(lines[size - 2])
