"""How a stream begins: what is of the past is known by the log's size, asked once it has begun."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cutcard.v1 import play_pb2
from dealer_service.access.roles import Role
from dealer_service.client.verifier import Verifier, Watched
from dealer_service.client.watching import GAME, follow
from dealer_service.tables.clock import SystemClock
from dealer_service.transcript.note import parse_vkey
from tests.support.service import Service, serving
from tests.support.tournament_players import dealer


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(tmp_path, clock=SystemClock()) as running:
        yield running


async def test_the_size_is_asked_when_the_first_message_is_there(service: Service) -> None:
    """A hand that was dealt and ended between the two is told without cards, and no breach."""
    game = await service.open_game()
    order: list[str] = []

    async def size(*asked: Any) -> int:
        order.append("size")
        return await GAME.size(*asked)

    def read(response: play_pb2.WatchResponse) -> Any:
        order.append("read")
        return GAME.read(response)

    source = replace(GAME, size=size, read=read)
    async with dealer(service, "watcher", Role.WATCHER) as watcher:
        watched = Watched(game, parse_vkey(service.key), None, 0.0)
        verifier = Verifier(watched)
        steps = follow(watcher._caller, game, verifier, source)
        async with aclosing(steps):
            await anext(steps)
            await anext(steps)
    assert order == ["size", "read", "read"]
    assert verifier.caught_up
