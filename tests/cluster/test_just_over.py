"""A game that is revealed while another node looks for it is told to its end all the same."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.nodes import sharing
from tests.support.service import Bot, watching


async def test_whoever_sat_in_it_is_told_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        one, two = nodes.services["one"], nodes.services["two"]
        game = await one.open_game()
        await one.pause(game)
        ann = await Bot(one, "ann").sit(game, watch=False)
        watched = two.dealer.floor.watched

        async def meanwhile(*given: Any) -> Any:
            await one.close_game(game)
            return await watched(*given)

        monkeypatch.setattr(two.dealer.floor, "watched", meanwhile)
        heard = [
            line
            async for message in two.play.Watch(watching(game), metadata=two.header(ann.name))
            for line in message.lines
        ]
        assert heard == await one.lines(game)
