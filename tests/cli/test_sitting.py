"""A person's time in a seat, without a dealer: when a script's player leaves by itself."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from dealer_service.client import CaughtUp, Event, HandOver, SeatView, TableView
from dealer_service.commands.sitting import Sitting
from dealer_service.commands.telling import Paint


def table(stack: int) -> TableView:
    seat = SeatView(1, "ann", stack)
    return TableView("0" * 32, 1, 1, "", (), (seat,), (), 1, (), None, {})


class Somewhere:
    """A place where things happen as they are told; with `stays` it ends when it is left."""

    def __init__(self, *events: Event, ends_without_chips: bool, stays: bool) -> None:
        self.ends_without_chips = ends_without_chips
        self.left = asyncio.Event()
        self._events = events
        self._stays = stays

    async def __aiter__(self) -> AsyncIterator[Event]:
        for event in self._events:
            yield event
        if self._stays:
            await self.left.wait()

    async def leave(self) -> str:
        self.left.set()
        return "you leave"


async def sit(place: Any, *typed: str | None, interactive: bool = False) -> list[str]:
    said: list[str] = []
    sitting = Sitting(place, Paint(colour=False), said.append, interactive=interactive)
    for line in typed:
        sitting.type(line)
    async with asyncio.timeout(20):
        await sitting.run()
    return said


def played(stack: int) -> tuple[Event, ...]:
    return CaughtUp("0" * 32, table(100)), HandOver(1, {1: stack}, table(stack))


async def test_a_script_leaves_a_table_at_which_it_has_no_chips() -> None:
    place = Somewhere(*played(0), ends_without_chips=True, stays=True)
    assert "you leave" in await sit(place, "c", None)
    assert place.left.is_set()


@pytest.mark.parametrize(
    ("stack", "at_a_table", "interactive"),
    [(50, True, False), (0, False, False), (0, True, True)],
    ids=["with chips", "in a tournament", "a person at a terminal"],
)
async def test_else_nobody_leaves_by_itself(
    stack: int, at_a_table: bool, interactive: bool
) -> None:
    place = Somewhere(*played(stack), ends_without_chips=at_a_table, stays=False)
    assert "you leave" not in await sit(place, "c", interactive=interactive)
    assert not place.left.is_set()
