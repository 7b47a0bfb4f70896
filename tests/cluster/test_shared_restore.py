"""A shared store that went back to an older state: no node goes on with it unasked, none forks."""

from pathlib import Path

import pytest

from cutcard.v1 import play_pb2
from dealer_service.app import CannotStart
from dealer_service.store.api import DEALER_LOG, LogState
from dealer_service.store.memory_shared import Shared
from dealer_service.store.refusal import Reason, StoreError
from tests.support.audits import judge, tell
from tests.support.nodes import Nodes, sharing
from tests.support.service import Bot, seated, stop, waiting
from tests.support.stores import change, signed, unit


async def one_hand(nodes: Nodes, name: str, game: str, bots: list[Bot]) -> None:
    """Play one hand by a fold, and let all of it be signed."""
    turn = await bots[0].until(lambda bot: bot.decision)
    await nodes.services[name].pause(game)
    await bots[turn.seat - 1].act(turn.hand, turn.turn, play_pb2.ACT_FOLD)
    await bots[0].until_line("hand_ended", hand=turn.hand)
    service = nodes.services[name]
    nodes.clock.advance(200)
    await service.settled(game)


async def go_on_without(nodes: Nodes) -> tuple[str, str, Shared]:
    """Play on behind a backup: one game at node two, none at the other's.

    Gives the game that lost lines, the one that lost none, and the backup.
    """
    one, two = nodes.services["one"], nodes.services["two"]
    whole = await one.open_game("whole")
    await one.pause(whole)
    nodes.clock.advance(200)
    await one.settled(whole)
    lost = await two.open_game("lost", turn_ms=600_000)
    backup = nodes.shared.copy()
    bots = await seated(two, lost, "ann", "bob", policy=waiting)
    await one_hand(nodes, "two", lost, bots)
    await stop(bots)
    await nodes.beat(2)
    for name in ("one", "two"):
        await nodes.stop(name)
    # The database's clock has gone on, whatever the backup says.
    backup.now = nodes.shared.now + 60_000
    return lost, whole, backup


@pytest.fixture
def journals(tmp_path: Path) -> dict[str, Path]:
    return {name: tmp_path / name / "signed.journal" for name in ("one", "two")}


async def test_no_node_that_saw_the_later_state_starts_on_it(tmp_path: Path) -> None:
    """Not even one whose own games are all whole: it would go on with those of others."""
    async with sharing(tmp_path, "one", "two") as nodes:
        lost, _, nodes.shared = await go_on_without(nodes)
        size = nodes.shared.content.logs[lost].head.next_index
        for name in ("one", "two"):
            with pytest.raises(StoreError) as caught:
                await nodes.start(name)
            assert caught.value.reason is Reason.STORE_WENT_BACK
        assert nodes.shared.content.logs[lost].head.next_index == size


async def test_with_every_journal_whole_games_are_closed_and_others_lost(
    tmp_path: Path, journals: dict[str, Path]
) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        lost, whole, nodes.shared = await go_on_without(nodes)
        one = await nodes.start("one", accept_restore=True, journals=(journals["two"],))
        assert (await one.summary(lost)).state == "lost"
        assert (await one.summary(whole)).state == "revealed"
        report = judge(await one.file(whole), key=one.key)
        assert report.exit_status() == 0, tell(report)


async def test_without_a_journal_nothing_that_was_going_on_is_signed_again(
    tmp_path: Path,
) -> None:
    """The node may have signed more of any of them than the store has."""
    async with sharing(tmp_path, "one", "two") as nodes:
        lost, whole, nodes.shared = await go_on_without(nodes)
        before = {game: log.head.next_index for game, log in nodes.shared.content.logs.items()}
        one = await nodes.start("one", accept_restore=True)
        for game in (lost, whole):
            summary = await one.summary(game)
            assert (summary.state, summary.size) == ("lost", before[game])


@pytest.mark.parametrize("has_every_journal", [True, False])
async def test_the_dealers_log_is_lost_where_it_can_not_be_proved_whole(
    tmp_path: Path, journals: dict[str, Path], *, has_every_journal: bool
) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        written = change(DEALER_LOG, 0, b"line", signed=(signed(1),))
        await nodes.services["one"].dealer.floor.house.committer.submit(unit(written))
        _, _, nodes.shared = await go_on_without(nodes)
        given = (journals["two"],) if has_every_journal else ()
        starting = nodes.start("one", accept_restore=True, journals=given)
        if has_every_journal:
            # It goes on, and so it has to be published.
            with pytest.raises(CannotStart, match="Give --publication as before"):
                await starting
        else:
            await starting
        state = nodes.shared.content.logs[DEALER_LOG].head.facts.state
        assert state is (LogState.OPEN if has_every_journal else LogState.LOST)


async def test_a_node_that_the_older_store_does_not_know_is_remembered(
    tmp_path: Path, journals: dict[str, Path]
) -> None:
    """It joined after the backup, so only the memory of those that saw it tells of it."""
    async with sharing(tmp_path, "one") as nodes:
        one = nodes.services["one"]
        game = await one.open_game()
        await one.pause(game)
        backup = nodes.shared.copy()
        await nodes.start("two")
        await nodes.beat(2)
        for name in ("one", "two"):
            await nodes.stop(name)
        backup.now = nodes.shared.now + 60_000
        again = backup.copy()
        nodes.shared = backup
        one = await nodes.start("one", accept_restore=True)
        assert (await one.summary(game)).state == "lost"
        await nodes.stop("one")
        nodes.shared = again
        nodes.shared.now += 60_000
        one = await nodes.start("one", accept_restore=True, journals=(journals["two"],))
        assert (await one.summary(game)).state == "revealed"


async def test_it_is_accepted_only_while_no_other_node_lives(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        _, _, nodes.shared = await go_on_without(nodes)
        # One that has seen nothing of the later state starts, unasked.
        await nodes.start("three")
        with pytest.raises(CannotStart, match="three"):
            await nodes.start("two", accept_restore=True)


async def test_the_others_come_back_when_one_has_accepted_it(
    tmp_path: Path, journals: dict[str, Path]
) -> None:
    """They have seen the later state too; their games are judged already, and not once more."""
    async with sharing(tmp_path, "one", "two") as nodes:
        lost, _, nodes.shared = await go_on_without(nodes)
        one = await nodes.start("one", accept_restore=True, journals=(journals["two"],))
        fresh = await one.open_game()
        with pytest.raises(StoreError) as caught:
            await nodes.start("two")
        assert caught.value.reason is Reason.STORE_WENT_BACK
        two = await nodes.start("two", accept_restore=True)
        assert (await two.summary(fresh)).state == "open"
        assert (await two.summary(lost)).state == "lost"
        await nodes.stop("two")
        await nodes.start("two")


async def test_a_journal_of_no_node_is_refused(tmp_path: Path, journals: dict[str, Path]) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        _, _, nodes.shared = await go_on_without(nodes)
        content = journals["two"].read_bytes()
        alone = tmp_path / "alone.journal"
        alone.write_bytes(content.replace(b" two\n", b"\n", 1))
        with pytest.raises(CannotStart, match="of no node"):
            await nodes.start("one", accept_restore=True, journals=(alone,))
        with pytest.raises(StoreError) as caught:
            await nodes.start("one", accept_restore=True, journals=(tmp_path / "none",))
        assert caught.value.reason is Reason.JOURNAL_MISSING


class TestAMissingJournal:
    async def test_is_made_for_a_node_that_is_new_to_the_store(self, tmp_path: Path) -> None:
        async with sharing(tmp_path, "one") as nodes:
            await nodes.services["one"].open_game()
            await nodes.start("two")

    async def test_is_not_made_for_one_that_the_store_knows(
        self, tmp_path: Path, journals: dict[str, Path]
    ) -> None:
        async with sharing(tmp_path, "one", "two") as nodes:
            await nodes.services["one"].open_game()
            await nodes.stop("two")
            for one in (journals["two"], tmp_path / "two" / "last.seen"):
                one.unlink()
            with pytest.raises(StoreError) as caught:
                await nodes.start("two")
            assert caught.value.reason is Reason.JOURNAL_MISSING

    async def test_is_accepted_as_a_restore_that_loses_what_can_not_be_proved(
        self, tmp_path: Path, journals: dict[str, Path]
    ) -> None:
        async with sharing(tmp_path, "one") as nodes:
            game = await nodes.services["one"].open_game()
            await nodes.stop("one")
            journals["one"].unlink()
            one = await nodes.start("one", accept_restore=True)
            assert (await one.summary(game)).state == "lost"
