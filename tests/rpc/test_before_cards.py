"""By the rule `before_cards` no card is dealt before the deck's line is published."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from structlog.testing import capture_logs

from cutcard.v1 import operate_pb2, play_pb2
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.tables.log_wait import LONG_MS
from dealer_service.tables.measuring import measure
from dealer_service.transcript.noted import Stage
from tests.support.audits import judge, tell
from tests.support.published_by_hand import ByHand, publishing
from tests.support.service import (
    Bot,
    Service,
    fresh_id,
    refusal,
    seated,
    serving,
    waiting,
)

_OURS = frozenset({"posted", "dealt", "acted", "opened", "returned", "awarded", "hand_ended"})


@pytest.fixture
def board() -> ByHand:
    return ByHand(holds=True)


@pytest.fixture
async def service(
    tmp_path: Path, board: ByHand, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Service]:
    async with publishing(tmp_path / "dealer", monkeypatch, board) as running:
        yield running


async def held(service: Service, board: ByHand, **rules: Any) -> tuple[str, Bot, Bot]:
    """Play up to a deck that is committed and not published."""
    game = await service.open_game(log_proof="before_cards", **rules)
    ann, bob = await seated(service, game, "ann", "bob")
    await ann.until_line("deck_committed", hand=1)
    await board.until_asked(game, 1)
    return game, ann, bob


def kinds(bot: Bot) -> list[str]:
    return [kind for kind, _ in bot.entries()]


async def test_nothing_is_posted_or_dealt_until_the_line_is_published(
    service: Service, board: ByHand
) -> None:
    game, ann, bob = await held(service, board, max_hands=1)
    service.advance(3_600_000)
    await service.settled(game)
    assert kinds(ann)[-1] == "deck_committed"
    assert not _OURS & set(kinds(ann))
    assert not ann.openings
    assert not bob.openings
    await board.let_out(game, 1)
    await ann.until_line("dealt", hand=1)
    await ann.until_over()
    report = judge(await service.file(game), key=service.key)
    assert report.exit_status() == 0, tell(report)


async def test_the_deck_is_under_a_checkpoint_while_its_cards_wait(
    service: Service, board: ByHand
) -> None:
    game, ann, _ = await held(service, board)
    lines = await service.lines(game)
    assert len(lines) in ann.checkpoints


async def test_each_hand_waits_for_its_own_line(service: Service, board: ByHand) -> None:
    game, ann, _ = await held(service, board, max_hands=2)
    await board.let_out(game, 1)
    await ann.until_line("hand_ended", hand=1)
    await ann.until_line("deck_committed", hand=2)
    await board.until_asked(game, 2)
    assert ann.find("dealt", hand=2) is None
    await board.let_out(game, 2)
    await ann.until_line("dealt", hand=2)


async def test_no_act_and_no_void_comes_while_cards_wait(service: Service, board: ByHand) -> None:
    game, ann, _ = await held(service, board)
    told = await refusal(ann.act(1, 1, play_pb2.ACT_CALL))
    assert told.code is grpc.StatusCode.FAILED_PRECONDITION
    request = operate_pb2.VoidHandRequest(request_id=fresh_id(), game=game, hand=1)
    told = await refusal(service.operate.VoidHand(request, metadata=service.operator))
    assert told.reason == "DECK_COMMITTED"


async def test_who_comes_and_goes_while_cards_wait_does_not_set_them_free(
    service: Service, board: ByHand
) -> None:
    game, ann, bob = await held(service, board)
    await Bot(service, "cal").sit(game)
    await bob.leave()
    await service.settled(game)
    assert ann.find("dealt", hand=1) is None
    await board.let_out(game, 1)
    await ann.until_line("hand_ended", hand=1)
    assert ann.find("acted", by="absent", seat=bob.seat)


async def test_a_hand_goes_on_waiting_after_a_restart_and_has_the_same_deck(
    tmp_path: Path, board: ByHand, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "dealer"
    async with publishing(folder, monkeypatch, board) as service:
        game, _, _ = await held(service, board, max_hands=1)
        before = await service.lines(game)
    again = ByHand(holds=True)
    async with publishing(folder, monkeypatch, again) as service:
        await again.until_asked(game, 1)
        bots = [Bot(service, name) for name in ("ann", "bob")]
        for seat, bot in enumerate(bots, 1):
            bot.seat = seat
            bot.watch(game)
        service.advance(600_000)
        await service.settled(game)
        assert await service.lines(game) == before
        await again.let_out(game, 1)
        await bots[0].until_over()
        lines = await service.lines(game)
        assert lines[: len(before)] == before
        report = judge(await service.file(game), key=service.key)
        assert report.exit_status() == 0, tell(report)


async def test_a_hand_that_was_dealt_waits_for_nothing_after_a_restart(
    tmp_path: Path, board: ByHand, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "dealer"
    async with publishing(folder, monkeypatch, board) as service:
        game = await service.open_game(log_proof="before_cards")
        ann, _ = await seated(service, game, "ann", "bob", policy=waiting)
        await board.until_asked(game, 1)
        await board.let_out(game, 1)
        await ann.until(lambda bot: bot.decision)
    again = ByHand(holds=True)
    async with publishing(folder, monkeypatch, again) as service:
        assert not again.asked
        assert service.table(game).standing.decision is not None


async def test_a_dealer_that_publishes_no_log_does_not_take_over_what_promises_one(
    tmp_path: Path, board: ByHand, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "dealer"
    async with publishing(folder, monkeypatch, board) as service:
        game = await service.open_game(log_proof="follow")
    with pytest.raises(StoreError, match=f"game {game} say log_proof follow") as caught:
        async with serving(folder):
            pass
    assert caught.value.reason is Reason.LOG_NOT_PUBLISHED
    async with publishing(folder, monkeypatch, board) as service:
        assert service.table(game).standing.state.rules.log_proof == "follow"


async def test_after_an_accepted_restore_a_hand_whose_cards_wait_is_void_and_the_game_closed(
    tmp_path: Path, board: ByHand, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "dealer"
    async with publishing(folder, monkeypatch, board) as service:
        game, _, _ = await held(service, board)
    async with publishing(folder, monkeypatch, ByHand(holds=True), accept_restore=True) as service:
        told = await service.entries(game)
    (void, reason), (closed, _) = [(kind, body.get("reason")) for kind, body in told[-2:]]
    assert (void, reason, closed) == ("hand_void", "dealer_fault", "game_closed")


async def test_a_restore_closes_what_promises_a_log_where_none_is_published_any_more(
    tmp_path: Path, board: ByHand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dealer's log may be lost with the lines that the older store lacks."""
    folder = tmp_path / "dealer"
    async with publishing(folder, monkeypatch, board) as service:
        game, _, _ = await held(service, board)
    async with serving(folder, accept_restore=True) as service:
        assert (await service.summary(game)).state == "revealed"
    async with serving(folder) as service:
        assert not service.dealer.floor.tables


async def test_stopping_does_not_wait_for_the_log(
    tmp_path: Path, board: ByHand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The game stands as it was, with nothing dealt: the fixture's end would hang otherwise."""
    async with publishing(tmp_path / "dealer", monkeypatch, board) as service:
        game, _, _ = await held(service, board)
        table = service.table(game)
        await table.stop()
        assert not table.awaits_log


async def test_a_long_wait_is_told_and_measured(service: Service, board: ByHand) -> None:
    game, ann, _ = await held(service, board)
    sample = service.dealer.floor.house.metrics.registry.get_sample_value
    measure(service.dealer.floor)
    assert sample("cutcard_tables_held") == 1
    with capture_logs() as events:
        service.advance(LONG_MS - 1)
        assert not events
        service.advance(1)
        service.advance(LONG_MS)
    assert [(one["event"], one["game"], one["hand"]) for one in events] == [
        ("cards_wait_for_log", game, 1)
    ]
    await board.let_out(game, 1)
    await ann.until_line("dealt", hand=1)
    measure(service.dealer.floor)
    assert sample("cutcard_tables_held") == 0
    assert sample("cutcard_log_wait_seconds_sum") == 2 * LONG_MS / 1000


async def test_a_log_that_can_not_be_asked_any_more_halts_the_table(
    service: Service, board: ByHand
) -> None:
    game, ann, _ = await held(service, board)
    table = service.table(game)
    await board.fail(OSError("the publication is gone"))
    await ann.until_over()
    assert table.is_halted
    assert ann.find("dealt") is None


@pytest.mark.parametrize("rule", ["none", "follow"])
async def test_by_the_other_rules_dealing_does_not_wait(
    service: Service, board: ByHand, rule: str
) -> None:
    game = await service.open_game(log_proof=rule, max_hands=1)
    ann, _ = await seated(service, game, "ann", "bob")
    await ann.until_over()
    assert not board.asked
    assert Stage.DECK_COMMITTED in {
        one.notice.stage for one in await service.dealer.floor.house.read(lambda s: s.notices(99))
    }
