"""`take_over_line` and `take_over_hand`: how long a game stands still when its dealer is killed.

Two dealers share a PostgreSQL. In the middle of a hand the owner is killed (SIGKILL); its players
call the other one until their act is taken. Measured is the time from the kill to the first line
that the new owner adds, and to the end of the hand. The yardstick is the lease, which has to run
out first: nobody can know before that the owner is gone.
"""

import asyncio
import os
import signal
import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import grpc.aio

from cutcard.v1 import play_pb2, play_pb2_grpc
from tests.bench import database, driving, serving
from tests.bench.driving import Step
from tests.bench.figure import Figure, Goal
from tests.bench.shared import started

LEASE: Final = 5.0
LINE: Final = Goal("take_over_line", "s", "s, the lease", "lower", 1.5)
HAND: Final = Goal("take_over_hand", "s", "s, the lease", "lower", 1.5)
_AGAIN_SECONDS: Final = 0.02
_HAND: Final = 4
"""A hand of the script with acts on every street."""


def measure(*, quick: bool = False) -> list[Figure]:
    """Measure both, over a few kills."""
    # One that a loaded machine can hold: a dealer that lost it by itself would not take an act.
    lease, rounds = (2.0, 1) if quick else (LEASE, 3)
    lines: list[float] = []
    hands: list[float] = []
    with database.database() as server:
        for _ in range(rounds):
            line, hand = _kill_once(server.new_database(), lease)
            lines.append(line)
            hands.append(hand)
    leases = (lease,) * rounds
    remark = f"a lease of {lease:g} s; {rounds} kills"
    return [Figure(LINE, tuple(lines), leases, remark), Figure(HAND, tuple(hands), leases)]


def _kill_once(url: str, lease: float) -> tuple[float, float]:
    names = (*driving.PLAYERS, driving.OPERATOR)
    with ExitStack() as stack:
        dealers: list[serving.Started] = []
        for name in ("owner", "other"):
            folder = Path(stack.enter_context(TemporaryDirectory()))
            place = serving.Place(folder, url, name, lease)
            dealers.append(stack.enter_context(started(place, names, keys=dealers)))
        return asyncio.run(_play(*dealers))


async def _play(owner: serving.Started, other: serving.Started) -> tuple[float, float]:
    async with (
        grpc.aio.insecure_channel(f"127.0.0.1:{owner.port}") as there,
        grpc.aio.insecure_channel(f"127.0.0.1:{other.port}") as here,
    ):
        game = await driving.open_table(there, owner.tokens, 0)
        player = _Player(game, owner.tokens)
        for hand in range(1, _HAND):
            for step in driving.steps(hand):
                await player.act(there, hand, step)
        script = driving.steps(_HAND)
        middle = len(script) // 2
        for step in script[:middle]:
            await player.act(there, _HAND, step)
        owner.pipe.send(serving.PID)
        os.kill(owner.pipe.recv(), signal.SIGKILL)
        killed = time.monotonic()
        while not await player.tries(here, _HAND, script[middle]):  # noqa: ASYNC110 - it is a call
            await asyncio.sleep(_AGAIN_SECONDS)
        line = time.monotonic() - killed
        for step in script[middle + 1 :]:
            await player.act(here, _HAND, step)
        return line, time.monotonic() - killed


class _Player:
    """Acts for every seat of one game."""

    def __init__(self, game: str, tokens: dict[str, str]) -> None:
        self._game = game
        self._bearing = [driving.bearing(tokens[name]) for name in driving.PLAYERS]

    async def act(self, channel: grpc.aio.Channel, hand: int, step: Step) -> None:
        request = play_pb2.ActRequest(
            request_id=f"act-{hand}-{step.turn:02}",
            game=self._game,
            hand=hand,
            turn=step.turn,
            act=step.act,
            to=step.to,
        )
        play = play_pb2_grpc.PlayServiceStub(channel)
        await play.Act(request, metadata=self._bearing[step.seat - 1])

    async def tries(self, channel: grpc.aio.Channel, hand: int, step: Step) -> bool:
        """Act, and say whether the act was taken; False where nobody deals the game just now."""
        try:
            await self.act(channel, hand, step)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
            return False
        return True
