"""A store brought back from a backup: noticed, and never played on as if nothing was lost."""

import asyncio
import json
import shutil
from pathlib import Path

import grpc
import pytest

from cutcard.v1 import play_pb2
from dealer_service.app import CannotStart
from tests.support.audits import broken, judge, read_checkpoint, tell, unproved
from tests.support.service import (
    PATIENCE,
    Bot,
    Service,
    Told,
    fresh_id,
    read,
    refusal,
    refusal_of_stream,
    seated,
    serving,
    stop,
    waiting,
    watching,
)


def back_up(folder: Path) -> dict[str, bytes]:
    """Copy the store of a dealer that is stopped."""
    return {one.name: one.read_bytes() for one in folder.glob("store.sqlite*")}


def restore(folder: Path, backup: dict[str, bytes]) -> None:
    for one in folder.glob("store.sqlite*"):
        one.unlink()
    for name, content in backup.items():
        (folder / name).write_bytes(content)


async def one_hand(service: Service, game: str, bots: list[Bot]) -> None:
    turn = await bots[0].until(lambda bot: bot.decision)
    await bots[turn.seat - 1].act(turn.hand, turn.turn, play_pb2.ACT_FOLD)
    await bots[0].until_line("hand_ended", hand=turn.hand)
    await service.settled(game)


async def lose_lines(tmp_path: Path) -> tuple[str, str, int]:
    """Restore a store that lacks signed lines of one game and has all of another.

    Gives both games and the size that the first was signed to.
    """
    async with serving(tmp_path) as service:
        whole = await service.open_game("whole")
        lost = await service.open_game("lost")
        await service.pause(whole)
        await stop([await Bot(service, "ann").sit(whole, stack=100)])
    backup = back_up(tmp_path)
    async with serving(tmp_path) as service:
        bots = await seated(service, lost, "ann", "bob", policy=waiting)
        await one_hand(service, lost, bots)
        await stop(bots)
    async with serving(tmp_path) as service:
        signed = (await service.summary(lost)).signed_size
    restore(tmp_path, backup)
    return whole, lost, signed


async def test_is_refused_with_the_games_and_what_to_do(tmp_path: Path) -> None:
    _, lost, signed = await lose_lines(tmp_path)
    with pytest.raises(CannotStart) as caught:
        async with serving(tmp_path):
            pass
    told = str(caught.value)
    assert f"in 1 log: {lost} (has 1 line, signed to {signed})" in told
    assert "--accept-restore" in told
    # Refusing has changed nothing: it is refused again.
    with pytest.raises(CannotStart):
        async with serving(tmp_path):
            pass


async def test_when_accepted_closes_what_is_whole_and_lists_what_is_lost(tmp_path: Path) -> None:
    whole, lost, signed = await lose_lines(tmp_path)
    async with serving(tmp_path, accept_restore=True) as service:
        summary = await service.summary(whole)
        assert (summary.state, summary.signed_size) == ("revealed", summary.size)
        kind, closed = (await service.entries(whole))[-1]
        assert (kind, closed["reason"]) == ("game_closed", "restored")
        assert [one.what for one in await service.chips()][-2:] == ["cashed_out", "game_closed"]
        report = judge(await service.file(whole), key=service.key)
        assert report.exit_status() == 0, tell(report)
        summary = await service.summary(lost)
        assert (summary.state, summary.size, summary.signed_size) == ("lost", 1, signed)
        assert summary.reference == "lost"


async def test_a_lost_game_is_never_signed_or_written_again(tmp_path: Path) -> None:
    _, lost, signed = await lose_lines(tmp_path)
    async with serving(tmp_path, accept_restore=True) as service:
        before = await service.file(lost)
        told = await refusal(service.close_game(lost))
        assert (told.code, told.reason) == (grpc.StatusCode.DATA_LOSS, "GAME_LOST")
        assert told.metadata == {"signed_size": str(signed)}
        seat = play_pb2.TakeSeatRequest(
            request_id=fresh_id(), game=lost, stack=200, accepts_reveal="all_cards"
        )
        told = await refusal(service.play.TakeSeat(seat, metadata=service.header("eve")))
        assert told.reason == "GAME_LOST"
    async with serving(tmp_path) as service:
        summary = await service.summary(lost)
        assert (summary.state, summary.size, summary.signed_size) == ("lost", 1, signed)
        assert await service.file(lost) == before


async def test_what_is_left_of_a_lost_game_can_be_read(tmp_path: Path) -> None:
    _, lost, signed = await lose_lines(tmp_path)
    async with serving(tmp_path, accept_restore=True) as service:
        content = await service.file(lost)
        lines = content.splitlines()
        assert read_checkpoint(json.loads(lines[-1])["checkpoint"], service.key).size == 1
        report = judge(content, key=service.key)
        assert not report.damage
        assert not broken(report)
        assert unproved(report)
        stream = service.play.Watch(watching(lost), metadata=service.operator)
        told = await refusal_of_stream(stream)
        assert (told.reason, told.metadata) == ("GAME_LOST", {"signed_size": str(signed)})


async def test_who_is_told_later_hears_what_is_left_of_a_lost_game_and_that_it_is_lost(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as service:
        lost = await service.open_game(watch_delay_ms=30_000)
        await service.pause(lost)
        await stop([await Bot(service, "ann").sit(lost)])
    backup = back_up(tmp_path)
    async with serving(tmp_path) as service:
        await stop([await Bot(service, "bob").sit(lost)])
    async with serving(tmp_path) as service:
        signed = (await service.summary(lost)).signed_size
    restore(tmp_path, backup)
    async with serving(tmp_path, accept_restore=True) as service:
        left = await service.lines(lost)
        for start in (0, len(left)):
            eve = Bot(service, "eve")
            eve.watch(lost, start)
            async with asyncio.timeout(PATIENCE):
                while not eve.over:
                    service.advance(1_000)
                    await service.summary(lost)
            assert isinstance(eve.over, Told)
            assert eve.over.reason == "GAME_LOST"
            assert eve.over.metadata == {"signed_size": str(signed)}
            assert list(eve.lines.values()) == left[start:]
            await eve.stop()


@pytest.mark.parametrize(("stage", "reason"), [("links", "operator"), ("playing", "dealer_fault")])
async def test_the_open_hand_of_a_restored_game_is_void(
    tmp_path: Path, stage: str, reason: str
) -> None:
    """Before its deck by the operator, after it by a fault of the dealer, chips given back."""
    async with serving(tmp_path) as service:
        game = await service.open_game()
        bots = await seated(service, game, "ann", "bob", policy=waiting)
        if stage == "links":
            await service.pause(game)
            bots[0].gives_links = False
            await one_hand(service, game, bots)
            await service.resume(game)
            await bots[0].until_line("hand_opened", hand=2)
        else:
            await bots[0].until(lambda bot: bot.decision)
        await stop(bots)
    async with serving(tmp_path, accept_restore=True) as service:
        entries = await service.entries(game)
        void = next(body for kind, body in entries if kind == "hand_void")
        assert (void["reason"], len(void["secret"])) == (reason, 64)
        closed = next(body for kind, body in entries if kind == "game_closed")
        assert sum(one["stack"] for one in closed["stacks"]) == 400
        report = judge(await service.file(game), key=service.key)
        assert not report.damage
        assert broken(report) == (set() if stage == "links" else {"COMPLETE"}), tell(report)
        assert (await service.summary(game)).state == "revealed"


async def test_a_store_that_lost_its_signatures_alone_is_closed_under_the_same_ones(
    tmp_path: Path,
) -> None:
    """Lines that reach the last signed size are signed there again, and nothing else before."""
    import sqlite3  # noqa: PLC0415 - of this test alone

    async with serving(tmp_path) as service:
        game = await service.open_game()
        await service.pause(game)
        ann = await Bot(service, "ann").sit(game)
        service.advance(200)
        await service.settled(game)
        await ann.until(lambda bot: 3 in bot.checkpoints)
        note = ann.checkpoints[3]
        await ann.stop()
    with sqlite3.connect(tmp_path / "store.sqlite") as connection:
        last = connection.execute(
            "SELECT size, note FROM checkpoints ORDER BY size LIMIT 1"
        ).fetchone()
        from tests.support.audits import read_checkpoint as opened  # noqa: PLC0415

        root = opened(last[1], service.key).root
        connection.execute("DELETE FROM checkpoints WHERE size > ?", (last[0],))
        connection.execute("UPDATE logs SET signed_size = ?, signed_root = ?", (last[0], root))
    connection.close()
    with pytest.raises(CannotStart):
        async with serving(tmp_path):
            pass
    async with serving(tmp_path, accept_restore=True) as service:
        assert (await service.summary(game)).state == "revealed"
        lines = (await service.file(game)).splitlines()
        assert note in await notes(service, game)
        assert read(lines[-2])[0] == "game_closed"


async def notes(service: Service, game: str) -> list[str]:
    store = service.dealer._store
    assert store is not None
    return [one.note for one in store.checkpoints(game)]


async def test_a_missing_journal_is_refused_and_accepted_as_a_restore(tmp_path: Path) -> None:
    from dealer_service.store.refusal import Reason, StoreError  # noqa: PLC0415

    async with serving(tmp_path) as service:
        game = await service.open_game()
    (tmp_path / "signed.journal").unlink()
    with pytest.raises(StoreError) as caught:
        async with serving(tmp_path):
            pass
    assert caught.value.reason is Reason.JOURNAL_MISSING
    async with serving(tmp_path, accept_restore=True) as service:
        assert (await service.summary(game)).state == "revealed"


async def test_a_store_that_is_gone_loses_every_game(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        game = await service.open_game()
    keys = tmp_path / "keys"
    keys.mkdir()
    for name in ("log.key", "sealing.key"):
        shutil.copy(tmp_path / name, keys / name)
    restore(tmp_path, {})
    with pytest.raises(CannotStart) as caught:
        async with serving(tmp_path):
            pass
    assert "has 0 lines, signed to 1" in str(caught.value)
    async with serving(tmp_path, accept_restore=True) as service:
        summary = await service.summary(game)
        assert (summary.state, summary.size, summary.signed_size) == ("lost", 0, 1)
        told = await refusal(service.file(game))
        assert (told.reason, told.metadata) == ("GAME_LOST", {"signed_size": "1"})
