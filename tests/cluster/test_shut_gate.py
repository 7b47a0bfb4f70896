"""A node whose source of randomness fails: its games go on at those that are well."""

from pathlib import Path

import pytest

from cutcard.v1 import play_pb2
from dealer_service.store.refusal import Reason, StoreError
from tests.support.failing_source import Source, shut
from tests.support.nodes import moved, sharing
from tests.support.service import Bot, Service, seated, stop, waiting


@pytest.fixture
def source() -> Source:
    return Source()


async def at_links(service: Service) -> tuple[str, list[Bot]]:
    """Bring a game to an open hand that waits for bob's link."""
    game = await service.open_game(link_ms=600_000, turn_ms=600_000)
    bots = [Bot(service, name, policy=waiting) for name in ("ann", "bob")]
    bots[1].gives_links = False
    for bot in bots:
        await bot.sit(game)
    await bots[0].until_line("hand_opened", hand=1)
    return game, bots


async def test_games_between_hands_go_on_at_a_node_that_is_well(
    tmp_path: Path, source: Source
) -> None:
    async with sharing(tmp_path, "two") as nodes:
        one = await nodes.start("one", entropy=source)
        games = {await one.open_game() for _ in range(3)}
        shut(one, source)
        await nodes.beat(3)
        assert {table.game for table in nodes.services["two"].dealer.floor.tables} == games
        assert {nodes.owner(game) for game in games} == {"two"}
        assert one.dealer.floor.tables == ()


async def test_a_hand_without_a_deck_is_void_and_the_next_one_opens_there(
    tmp_path: Path, source: Source
) -> None:
    async with sharing(tmp_path, "two") as nodes:
        one = await nodes.start("one", entropy=source)
        game, bots = await at_links(one)
        shut(one, source)
        void = await bots[0].until_line("hand_void", hand=1)
        assert void["reason"] == "health"
        await nodes.beat(3)
        assert nodes.owner(game) == "two"
        again = [moved(bot, nodes.services["two"], policy=waiting) for bot in bots]
        await again[0].until_line("hand_opened", hand=2)
        await again[0].until(lambda bot: bot.decision)
        await stop([*bots, *again])


async def test_a_hand_with_a_deck_is_played_on_where_it_is(tmp_path: Path, source: Source) -> None:
    """Then its game goes, too."""
    async with sharing(tmp_path, "two") as nodes:
        one = await nodes.start("one", entropy=source)
        game = await one.open_game(turn_ms=600_000)
        bots = await seated(one, game, "ann", "bob", policy=waiting)
        turn = await bots[0].until(lambda bot: bot.decision)
        shut(one, source)
        await nodes.beat(8)
        assert nodes.owner(game) == "one"
        await bots[turn.seat - 1].act(1, turn.turn, play_pb2.ACT_FOLD)
        await bots[0].until_line("hand_ended", hand=1)
        await nodes.beat(3)
        assert nodes.owner(game) == "two"
        await stop(bots)


async def test_it_takes_nothing_over_while_another_node_lives(
    tmp_path: Path, source: Source
) -> None:
    async with sharing(tmp_path, "one", "three") as nodes:
        two = await nodes.start("two", entropy=source)
        games = {await nodes.services["one"].open_game() for _ in range(40)}
        await nodes.lease()
        shut(two, source)
        nodes.kill("one")
        await nodes.lease()
        assert {table.game for table in nodes.services["three"].dealer.floor.tables} == games
        assert two.dealer.floor.tables == ()


async def test_alone_it_takes_games_and_voids_what_has_no_deck(
    tmp_path: Path, source: Source
) -> None:
    async with sharing(tmp_path, "one") as nodes:
        game, bots = await at_links(nodes.services["one"])
        two = await nodes.start("two", entropy=source)
        await nodes.lease()
        await stop(bots)
        shut(two, source)
        nodes.kill("one")
        await nodes.lease()
        assert nodes.owner(game) == "two"
        assert "hand_void" in [kind for kind, _ in await two.entries(game)]


async def test_it_takes_its_share_again_when_it_is_well(tmp_path: Path, source: Source) -> None:
    async with sharing(tmp_path, "one") as nodes:
        two = await nodes.start("two", entropy=source)
        shut(two, source)
        await nodes.lease()
        source.fails = False
        await nodes.beat()
        game = await nodes.services["one"].open_game()
        nodes.kill("one")
        await nodes.lease()
        assert [table.game for table in two.dealer.floor.tables] == [game]


async def test_what_could_not_be_released_is_released_at_a_later_beat(
    tmp_path: Path, source: Source
) -> None:
    async with sharing(tmp_path, "two") as nodes:
        one = await nodes.start("one", entropy=source)
        game = await one.open_game()
        store = nodes.stores["one"]
        release = store.release
        asked: list[tuple[str, ...]] = []

        def fail_once(logs: tuple[str, ...]) -> None:
            asked.append(logs)
            if len(asked) == 1:
                raise StoreError(Reason.STORE_UNREACHABLE, "away")
            release(logs)

        store.release = fail_once  # type: ignore[method-assign]
        shut(one, source)
        await nodes.beat()
        assert nodes.owner(game) == "one"
        await nodes.beat(3)
        assert nodes.owner(game) == "two"
        assert asked == [(game,)] * 2
