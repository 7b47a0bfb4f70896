"""A dealer with --publication: its games come into its log, and the log goes on for ever."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from dealer_service.app import CannotStart, Dealer
from dealer_service.config import Settings
from dealer_service.store.refusal import StoreError
from dealer_service.transcript.checkpoint import open_checkpoint
from dealer_service.transcript.merkle import leaf_hash, tree_root
from dealer_service.transcript.note import parse_vkey
from dealer_service.transcript.noted import Noted, Stage, read_noted
from dealer_service.transcript.tiles import TileReader
from tests.support.nodes import sharing
from tests.support.service import ORIGIN, PATIENCE, Service, seated, serving, stop

BATCH = 0.01


def published(folder: Path, key: str) -> list[Noted]:
    """Read a publication whole; its tiles and lines must give its checkpoint."""
    note = (folder / "checkpoint").read_bytes()
    checkpoint = open_checkpoint(note, parse_vkey(key), ORIGIN)
    reader = TileReader(checkpoint.size, lambda path: (folder / path).read_bytes())
    lines = list(reader.lines(0, checkpoint.size))
    assert reader.root() == checkpoint.root == tree_root(map(leaf_hash, lines))
    return [read_noted(line) for line in lines]


async def until_published(service: Service, game: str, hand: int, stage: Stage) -> None:
    publishing = service.dealer._publishing
    assert publishing is not None
    async with asyncio.timeout(PATIENCE):
        await publishing.wait_for(game, hand, stage)


async def play_a_game(service: Service) -> str:
    """Play a hand or more, close the game, and wait until its reveal is published."""
    game = await service.open_game()
    bots = await seated(service, game, "ann", "bob")
    await until_published(service, game, 1, Stage.DECK_COMMITTED)
    await service.close_game(game)
    await until_published(service, game, 0, Stage.GAME_REVEALED)
    await stop(bots)
    return game


def public(folder: Path, **more: Any) -> dict[str, Any]:
    return {"publication": folder / "public", "batch": BATCH} | more


async def test_a_games_stages_are_published_as_its_log_has_them(tmp_path: Path) -> None:
    async with serving(tmp_path, **public(tmp_path)) as service:
        game = await play_a_game(service)
        lines = await service.lines(game)
        noted = published(tmp_path / "public", service.key)
    leaves = [leaf_hash(line) for line in lines]
    assert [(one.hand, one.stage.value) for one in noted][:3] == [
        (0, "game_opened"),
        (1, "hand_opened"),
        (1, "deck_committed"),
    ]
    assert [one.stage.value for one in noted[-2:]] == ["game_closed", "game_revealed"]
    for one in noted:
        assert one.game.hex() == game
        assert one.root == tree_root(leaves[: one.size])
        assert b'"at":%d' % one.at in lines[one.size - 1]
        if one.stage.value != "game_revealed":
            assert b'"%s":' % one.stage.encode() in lines[one.size - 1]


async def test_a_log_that_was_begun_goes_on_or_the_dealer_does_not_start(tmp_path: Path) -> None:
    async with serving(tmp_path, **public(tmp_path)) as service:
        first = await play_a_game(service)
    with pytest.raises(CannotStart, match="Give --publication as before"):
        await Dealer(Settings(tmp_path, ORIGIN, "127.0.0.1:0")).start()
    async with serving(tmp_path, **public(tmp_path)) as service:
        second = await play_a_game(service)
        games = [one.game.hex() for one in published(tmp_path / "public", service.key)]
    assert set(games) == {first, second}
    assert games.index(second) > len(games) - 1 - games[::-1].index(first)


async def test_a_restored_store_has_its_log_made_whole_by_the_folder(tmp_path: Path) -> None:
    """What was opened since the backup stands there for ever, and what comes goes on behind it."""
    async with serving(tmp_path, **public(tmp_path)) as service:
        await play_a_game(service)
    backup = (tmp_path / "store.sqlite").read_bytes()
    async with serving(tmp_path, **public(tmp_path)) as service:
        await play_a_game(service)
        before = published(tmp_path / "public", service.key)
    (tmp_path / "store.sqlite").write_bytes(backup)
    with pytest.raises(CannotStart, match="the dealer's own log"):
        async with serving(tmp_path, **public(tmp_path)):
            pass
    async with serving(tmp_path, **public(tmp_path), accept_restore=True) as service:
        await play_a_game(service)
    async with serving(tmp_path, **public(tmp_path)) as service:
        await play_a_game(service)
        after = published(tmp_path / "public", service.key)
    assert after[: len(before)] == before
    assert len({one.subject for one in after}) == len(after) > len(before) + 6


async def test_a_log_that_is_lost_ends_publishing_and_not_dealing(tmp_path: Path) -> None:
    async with serving(tmp_path, **public(tmp_path)) as service:
        await play_a_game(service)
    backup = (tmp_path / "store.sqlite").read_bytes()
    async with serving(tmp_path, **public(tmp_path)) as service:
        await play_a_game(service)
    (tmp_path / "store.sqlite").write_bytes(backup)
    (tmp_path / "public").rename(tmp_path / "gone")
    with pytest.raises(CannotStart, match="Start without --publication"):
        async with serving(tmp_path, **public(tmp_path), accept_restore=True):
            pass
    async with serving(tmp_path) as service:
        await service.open_game()


async def test_no_two_dealers_share_a_folder(tmp_path: Path) -> None:
    async with serving(tmp_path / "a", **public(tmp_path)):
        other = Settings(tmp_path / "b", ORIGIN, "127.0.0.1:0", publication=tmp_path / "public")
        with pytest.raises(StoreError, match="in use by another dealer"):
            await Dealer(other).start()


async def test_a_dealer_without_a_folder_has_no_log(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        game = await service.open_game()
        bots = await seated(service, game, "ann", "bob")
        await service.close_game(game)
        await stop(bots)
        store = service.dealer._store
        assert store is not None
        assert store.notices(1) == ()


async def test_every_node_shows_the_one_log_and_another_goes_on_with_it(tmp_path: Path) -> None:
    async with sharing(tmp_path) as nodes:
        for name in ("a", "b"):
            await nodes.start(name, **public(tmp_path, publication=tmp_path / f"public-{name}"))
        a, b = nodes.services["a"], nodes.services["b"]
        game = await play_a_game(a)
        await until_published(b, game, 0, Stage.GAME_REVEALED)
        before = published(tmp_path / "public-b", b.key)
        assert before == published(tmp_path / "public-a", a.key)
        owners = [one.dealer._publishing for one in (a, b)]
        assert [one.owns_log for one in owners if one is not None].count(True) == 1
        await nodes.stop("a" if owners[0] is not None and owners[0].owns_log else "b")
        ((_, last),) = nodes.services.items()
        again = await play_a_game(last)
        name = next(iter(nodes.services))
        after = published(tmp_path / f"public-{name}", last.key)
        assert after[: len(before)] == before
        assert {one.game.hex() for one in after} == {game, again}
