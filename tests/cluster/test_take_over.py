"""What becomes of the games of a dealer that is gone: another goes on with the same hands."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from cutcard.v1 import play_pb2
from dealer_service.config import Cluster, SettingError, Settings
from dealer_service.fairness.randomness import operating_system
from dealer_service.keys import make_keys
from dealer_service.rpc.server import Server
from dealer_service.store.api import SealedSecret
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.sealing import key_of
from dealer_service.store.signed_journal import read_journal
from tests.support.audits import judge, tell
from tests.support.nodes import moved, sharing
from tests.support.service import (
    ORIGIN,
    Bot,
    Service,
    calling,
    refusal,
    seated,
    serving,
    stop,
    waiting,
)


async def first_turn(service: Service, **rules: Any) -> tuple[str, list[Bot], Bot]:
    """Bring two players to the first turn; the bots, and the one that is to act."""
    game = await service.open_game(turn_ms=600_000, **rules)
    bots = await seated(service, game, "ann", "bob", policy=waiting)
    turn = await bots[0].until(lambda bot: bot.decision)
    await bots[1].until(lambda bot: bot.decision)
    return game, bots, bots[turn.seat - 1]


def play_on(service: Service, bots: list[Bot]) -> list[Bot]:
    """Let the same players go on at another node, by checking and calling."""
    return [moved(bot, service, policy=calling) for bot in bots]


async def test_the_same_hand_goes_on_at_another_node(tmp_path: Path) -> None:
    """With the same deck, and each act that was acknowledged there once."""
    async with sharing(tmp_path, "one", "two") as nodes:
        one, two = nodes.services["one"], nodes.services["two"]
        game, bots, mine = await first_turn(one, max_hands=1)
        await mine.act(1, 1, play_pb2.ACT_CALL)
        await bots[0].until_line("acted")
        committed = bots[0].find("deck_committed")
        cards = list(mine.openings)
        nodes.kill("one")
        await nodes.lease()
        assert nodes.owner(game) == "two"
        again = play_on(two, bots)
        assert await again[0].until_over() == "end"
        assert again[0].find("deck_committed") == committed
        (own,) = [bot for bot in again if bot.name == mine.name]
        assert own.openings[: len(cards)] == cards
        acts = [body for kind, body in await two.entries(game) if kind == "acted"]
        assert [(one["turn"], one["act"]) for one in acts][:1] == [(1, "call")]
        assert [one["turn"] for one in acts] == list(range(1, len(acts) + 1))
        report = judge(await two.file(game), key=two.key)
        assert report.exit_status() == 0, tell(report)
        await stop([*bots, *again])


async def test_nobody_takes_a_game_whose_owner_lives(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        game = await nodes.services["one"].open_game()
        await nodes.beat(30)
        assert nodes.owner(game) == "one"
        assert nodes.services["two"].dealer.floor.tables == ()


async def test_the_same_node_takes_its_own_games_at_once(tmp_path: Path) -> None:
    """A process of the same name replaces the one before: no lease has to run out."""
    async with sharing(tmp_path, "one") as nodes:
        game = await nodes.services["one"].open_game()
        await nodes.services["one"].pause(game)
        nodes.kill("one").dealer._lock.close()  # type: ignore[union-attr]
        again = await nodes.start("one")
        assert again.dealer.floor.running(game) is not None
        assert (await again.summary(game)).state == "paused"


async def test_who_has_just_come_waits_a_lease_before_it_takes_from_others(tmp_path: Path) -> None:
    """They may only have had the same outage, and come back for their own."""
    async with sharing(tmp_path, "one") as nodes:
        game = await nodes.services["one"].open_game()
        nodes.kill("one")
        nodes.shared.now += 60_000
        two = await nodes.start("two")
        assert two.dealer.floor.running(game) is None
        await nodes.beat(4)
        assert two.dealer.floor.running(game) is None
        await nodes.beat()
        assert two.dealer.floor.running(game) is not None


async def test_what_was_released_is_taken_at_once(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one") as nodes:
        game = await nodes.services["one"].open_game()
        await nodes.stop("one")
        two = await nodes.start("two")
        assert [table.game for table in two.dealer.floor.tables] == [game]


async def test_the_living_share_what_one_left_behind(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one", "two", "three") as nodes:
        games = {await nodes.services["one"].open_game() for _ in range(40)}
        # Who has just come would wait before it takes from others.
        await nodes.lease()
        nodes.kill("one")
        await nodes.lease()
        two = {table.game for table in nodes.services["two"].dealer.floor.tables}
        three = {table.game for table in nodes.services["three"].dealer.floor.tables}
        assert two | three == games
        assert not two & three
        # By their names, so that no two nodes go for the same one; about half each.
        assert min(len(two), len(three)) > 4


async def test_many_games_are_taken_without_waiting_for_more_beats(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        games = [await nodes.services["one"].open_game() for _ in range(150)]
        await nodes.lease()
        nodes.kill("one")
        await nodes.beat(5)
        assert len(nodes.services["two"].dealer.floor.tables) == len(games)


async def test_a_game_that_can_not_be_recovered_stops_no_other(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        one, two = nodes.services["one"], nodes.services["two"]
        broken, bots, _ = await first_turn(one)
        whole = await one.open_game()
        await stop(bots)
        kept = dict(nodes.shared.content.logs[broken].secrets)
        nodes.shared.content.logs[broken].secrets.clear()
        await nodes.lease()
        nodes.kill("one")
        await nodes.lease()
        assert [table.game for table in two.dealer.floor.tables] == [whole]
        assert nodes.owner(broken) == ""
        assert (await refusal(two.close_game(broken))).reason == "GAME_MOVING"
        # It is tried again when it may have been mended.
        nodes.shared.content.logs[broken].secrets.update(kept)
        await nodes.beat(60)
        assert two.dealer.floor.running(broken) is not None


@pytest.mark.parametrize("lacks", ["the key", "the secret's own bytes"])
async def test_a_game_that_one_node_can_not_open_is_left_to_the_others(
    tmp_path: Path, lacks: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The log names the key; the node that has it, or whatever else it takes, goes on."""
    other = make_keys(Settings(tmp_path / "other", ORIGIN), operating_system)
    folder = tmp_path / "nodes"
    folder.mkdir()
    async with sharing(folder, "one") as nodes:
        game, bots, _ = await first_turn(nodes.services["one"])
        await stop(bots)
        kept = nodes.shared.content.logs[game].secrets[1]
        if lacks == "the key":
            (folder / "two").mkdir()
            shutil.copy(tmp_path / "other" / "sealing.key", folder / "two")
        two = await nodes.start("two")
        await nodes.lease()
        if lacks != "the key":
            nodes.shared.content.logs[game].secrets[1] = SealedSecret(
                1, kept.sealed[:-1] + bytes([kept.sealed[-1] ^ 1])
            )
        nodes.kill("one")
        await nodes.lease()
        assert nodes.owner(game) == ""
        assert two.dealer.floor.tables == ()
        said = capsys.readouterr().out
        assert said.count("take_over_failed") == 1
        if lacks == "the key":
            assert f"under key {key_of(kept.sealed).hex()}" in said
            assert other.sealer.key_id.hex() in said
        nodes.shared.content.logs[game].secrets[1] = kept
        if lacks == "the key":
            (folder / "two" / "sealing.key").unlink()
        three = await nodes.start("three")
        await nodes.lease()
        assert nodes.owner(game) == "three"
        assert three.table(game).standing.decision is not None


async def test_a_store_that_is_away_for_a_moment_sets_no_game_aside(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        game = await nodes.services["one"].open_game()
        await nodes.lease()
        nodes.kill("one")
        store = nodes.stores["two"]
        claim = store.claim
        asked: list[str] = []

        def fail_once(log: str) -> int | None:
            asked.append(log)
            if len(asked) == 1:
                raise StoreError(Reason.STORE_UNREACHABLE, "away")
            return claim(log)

        store.claim = fail_once  # type: ignore[method-assign]
        await nodes.lease()
        assert nodes.owner(game) == "two"
        assert asked == [game] * 2


async def test_a_start_that_fails_leaves_no_node_behind_that_seems_to_live(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_server: Server) -> None:
        raise OSError(5, "no such luck")

    async with sharing(tmp_path, "one") as nodes:
        with monkeypatch.context() as patch:
            patch.setattr(Server, "start", fail)
            with pytest.raises(OSError, match="no such luck"):
                await nodes.start("two")
        one = nodes.services["one"]
        living = await one.dealer.floor.house.read(lambda _: nodes.stores["one"].living())
        assert [node.name for node in living] == ["one"]
        # Nor does it beat any more.
        beats = nodes.shared.beats
        await nodes.beat()
        assert nodes.shared.beats == beats + 1


async def test_a_game_that_goes_on_is_the_same_nodes(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        one = nodes.services["one"]
        game = await one.open_game(max_hands=1, turn_ms=600_000)
        ann, bob = await seated(one, game, "ann", "bob")
        closed = await ann.until_line("game_closed")
        await nodes.beat(10)
        assert nodes.owner(closed["next"]) == "one"
        assert one.dealer.floor.running(closed["next"]) is not None
        await stop([ann, bob])


async def test_the_clock_that_ran_begins_anew_at_another_node(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        one, two = nodes.services["one"], nodes.services["two"]
        game = await one.open_game(turn_ms=10_000, max_hands=1)
        bots = await seated(one, game, "ann", "bob", policy=waiting)
        await bots[0].until(lambda bot: bot.decision)
        await stop(bots)
        await nodes.lease()
        nodes.kill("one")
        await nodes.beat(5)
        table = two.table(game)
        assert table.standing.deadline == nodes.clock.now() + 10_000


class TestNames:
    async def test_one_is_drawn_once_and_kept(self, tmp_path: Path) -> None:
        async with sharing(tmp_path) as nodes:
            shared = nodes.shared
            names = []
            for _ in range(2):
                async with serving(tmp_path, open_store=lambda _: shared.open()) as service:
                    assert service.dealer._ownership is not None
                    names.append(service.dealer._ownership.node.name)
        assert names[0] == names[1]
        journal = read_journal(tmp_path / "signed.journal", ORIGIN)
        assert journal.nodes == {names[0]}

    async def test_one_that_is_none_is_refused(self, tmp_path: Path) -> None:
        async with sharing(tmp_path) as nodes:
            with pytest.raises(SettingError, match="no name of a node"):
                async with serving(
                    tmp_path,
                    open_store=lambda _: nodes.shared.open(),
                    cluster=Cluster(node="No Name"),
                ):
                    pass

    async def test_callers_are_told_the_address_that_is_advertised(self, tmp_path: Path) -> None:
        async with sharing(tmp_path, "one") as nodes:
            game = await nodes.services["one"].open_game()
            there = nodes.services["one"].address
            two = await nodes.start("two")
            told = await refusal(two.close_game(game))
            assert told.metadata == {"owner": there, "node": "one"}
