"""A real dealer whose store was put back, journals and all, between two connections of a player.

It does not know that it deals a hand for the second time. Its player does: by the record, which
has what that dealer had signed.
"""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from dealer_service.client import (
    CallRefusedError,
    CaughtUp,
    Dealer,
    Event,
    HandStarted,
    Reason,
    Refused,
    Seat,
    TableChanged,
)
from tests.support.service import Service, serving

SECONDS = 20
"""After which a test that waits in vain fails."""
Kind = TypeVar("Kind", bound=Event)


@asynccontextmanager
async def playing(service: Service, game: str, name: str, folder: Path) -> AsyncIterator[Seat]:
    """Have a player at the table, who goes away without leaving."""
    token = service.header(name)[0][1].removeprefix("Bearer ")
    async with Dealer.connect(service.address, token, key=service.key) as dealer:
        yield await dealer.sit(game, stack=100, directory=folder / name)


async def hear(seat: Seat, *kinds: type[Kind]) -> Kind:
    """Wait for an event of these kinds, and give it."""
    async with asyncio.timeout(SECONDS):
        async for event in seat:
            if isinstance(event, kinds):
                return event
    raise AssertionError(kinds)


async def take_seats(folder: Path) -> str:
    """Seat two at a table that is paused, by a dealer that stops then."""
    async with serving(folder / "dealer") as service:
        game = await service.open_game()
        await service.pause(game)
        for name in ("ann", "bob"):
            async with playing(service, game, name, folder) as seat:
                await hear(seat, TableChanged)
        return game


def links_at(service: Service, game: str) -> dict[int, str]:
    return dict(service.table(game).dealing.links)


async def until_linked(service: Service, game: str) -> None:
    """Wait until the dealer has a link for the open hand."""
    async with asyncio.timeout(SECONDS):
        while not links_at(service, game):  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0)


async def give_link(folder: Path, game: str) -> None:
    """Open the first hand, for which ann gives her link and bob does not."""
    async with (
        serving(folder / "dealer") as service,
        playing(service, game, "ann", folder) as seat,
    ):
        await service.resume(game)
        await hear(seat, HandStarted)
        await until_linked(service, game)


def links_in(folder: Path, game: str) -> list[str]:
    record = (folder / "ann" / f"{game}.ann.record").read_text()
    lines = [json.loads(line) for line in record.splitlines()]
    return [line["link"]["link"] for line in lines if "link" in line]


@pytest.fixture
async def put_back(tmp_path: Path) -> tuple[Path, str]:
    """Give a folder and a game whose dealer has forgotten the hand that ann gave a link for."""
    game = await take_seats(tmp_path)
    shutil.copytree(tmp_path / "dealer", tmp_path / "older")
    await give_link(tmp_path, game)
    assert len(links_in(tmp_path, game)) == 1
    shutil.rmtree(tmp_path / "dealer")
    shutil.copytree(tmp_path / "older", tmp_path / "dealer")
    return tmp_path, game


async def refuses(seat: Seat) -> Refused:
    """Hear why it leaves, before it has caught up; it then sends nothing."""
    refused = await hear(seat, Refused, CaughtUp)
    assert isinstance(refused, Refused)
    with pytest.raises(CallRefusedError, match="ROOT"):
        await seat.sit_out()
    return refused


async def test_a_hand_that_is_opened_anew_gets_no_link(put_back: tuple[Path, str]) -> None:
    """The log has as many lines as before, and another commitment in the last."""
    folder, game = put_back
    async with serving(folder / "dealer") as service:
        await service.resume(game)
        await service.settled(game)
        async with playing(service, game, "ann", folder) as seat:
            refused = await refuses(seat)
        assert refused.reason is Reason.ROOT
        assert "that was kept before is of other lines" in refused.detail
        assert links_at(service, game) == {}
        assert not any(kind == "sat_out" for kind, _ in await service.entries(game))
    assert len(links_in(folder, game)) == 1
    # The fork is proved: two checkpoints of one size, by the dealer's key, with two roots.
    evidence = (folder / "ann" / f"{game}.ann.evidence").read_text()
    told = [json.loads(line) for line in evidence.splitlines()]
    (kept,) = [one["kept"] for one in told if "kept" in one]
    (received,) = [one["received"]["checkpoint"] for one in told if "received" in one]
    (_, size, root), (_, other_size, other_root) = (
        note.split("\n")[:3] for note in (kept, received)
    )
    assert size == other_size
    assert root != other_root


async def test_a_log_that_is_shorter_than_it_was_is_refused(put_back: tuple[Path, str]) -> None:
    folder, game = put_back
    async with serving(folder / "dealer") as service:
        async with playing(service, game, "ann", folder) as seat:
            refused = await refuses(seat)
        assert refused.reason is Reason.ROOT
        assert "were signed before" in refused.detail
        assert not any(kind == "sat_out" for kind, _ in await service.entries(game))


async def test_the_same_dealer_with_its_own_store_is_gone_on_with(tmp_path: Path) -> None:
    """What was not put back is no fork: the link of the open hand is given again."""
    game = await take_seats(tmp_path)
    await give_link(tmp_path, game)
    async with serving(tmp_path / "dealer") as service:
        async with playing(service, game, "ann", tmp_path) as seat:
            await hear(seat, CaughtUp)
            await until_linked(service, game)
        assert list(links_at(service, game).values()) == links_in(tmp_path, game)
