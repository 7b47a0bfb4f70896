"""Archive and retention with PostgreSQL: the owner keeps a game's file, and the store forgets."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dealer_service.config import Cluster, Settings
from dealer_service.keys import make_keys
from dealer_service.store.opening import open_store
from dealer_service.tables.retention import SWEEP_MS
from tests.support.audits import judge
from tests.support.postgres import fresh_database
from tests.support.service import ORIGIN, PATIENCE, serving


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Give the settings of a dealer on a database of its own."""
    with fresh_database() as url:
        make_keys(Settings(tmp_path / "d", ORIGIN), os.urandom)
        # The dealer's clock stands, and the database's does not.
        yield {
            "store_url": url,
            "cluster": Cluster(node="one", lease=600.0),
            "open_store": lambda settings: open_store(settings.store_url, settings.store, 60.0),
            "archive": tmp_path / "archive",
            "retain": 60.0,
        }


async def test_a_game_of_a_shared_store_has_its_file_and_is_forgotten(
    tmp_path: Path, shared: dict[str, Any]
) -> None:
    async with serving(tmp_path / "d", **shared) as service:
        game = await service.open_game()
        lines = await service.lines(game)
        await service.close_game(game)
        path = tmp_path / "archive" / f"{game}.jsonl"
        async with asyncio.timeout(PATIENCE):
            while not path.exists():
                await service.summary(game)
        content, chips = path.read_bytes(), await service.chips()
        assert content == await service.file(game)
        async with asyncio.timeout(PATIENCE):
            while (await service.summary(game)).state != "archived":
                service.advance(SWEEP_MS)
        assert await service.file(game) == content
        assert (await service.lines(game))[: len(lines)] == lines
        assert await service.chips() == chips
        assert judge(content, key=service.key).exit_status() == 0
    async with serving(tmp_path / "d", **shared) as service:
        assert (await service.summary(game)).state == "archived"
        assert await service.file(game) == content
