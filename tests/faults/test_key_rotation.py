"""A dealer gets a new sealing key: it seals under it, opens both, and needs the old one no more."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import structlog

from dealer_service.config import Settings
from dealer_service.fairness.randomness import operating_system
from dealer_service.keys import make_keys, rotate_sealing_key
from dealer_service.store.api import SealedSecret
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.sealing import key_of
from dealer_service.store.sqlite import SqliteStore
from dealer_service.tables.resealing import count_by_key, reseal
from tests.support.audits import judge, tell
from tests.support.service import ORIGIN, PATIENCE, Bot, Service, calling, serving, stop, waiting

HANDS = 3


@asynccontextmanager
async def heard(folder: Path) -> AsyncIterator[tuple[Service, Callable[[str], Any]]]:
    """Serve, and give what waits for an event of the log by its name."""
    structlog.reset_defaults()
    with structlog.testing.capture_logs() as events:
        async with serving(folder) as service:

            async def until(name: str) -> dict[str, Any]:
                async with asyncio.timeout(PATIENCE):
                    while not (  # noqa: ASYNC110 - the log wakes nobody
                        found := [dict(one) for one in events if one["event"] == name]
                    ):
                        # One turn of the loop, in which others write what is waited for.
                        await asyncio.sleep(0)
                return found[-1]

            yield service, until


async def play_and_stop(folder: Path) -> str:
    """Play some hands, and stop in the middle of the next one."""
    async with serving(folder) as service:
        game = await service.open_game(max_hands=HANDS + 1)
        bots = [
            await Bot(service, name, policy=until_hand(HANDS)).sit(game) for name in ("ann", "bob")
        ]
        await bots[0].until(lambda bot: bot.decision and bot.decision.hand > HANDS)
        await stop(bots)
    return game


def until_hand(last: int) -> Callable[..., tuple[int, int] | None]:
    return lambda bot, decision: (
        calling(bot, decision) if decision.hand <= last else waiting(bot, decision)
    )


async def play_to_the_end(service: Service, game: str) -> bytes:
    """Let the clock end the open hand, and give the file of the finished game."""
    eve = Bot(service, "eve")
    eve.watch(game)
    await eve.until(lambda bot: bot.decision)
    for _ in range(20):
        if eve.over:
            break
        service.advance(60_000)
        await service.settled(game)
    await eve.until_over()
    await stop([eve])
    return await service.file(game)


def secrets_of(folder: Path, game: str) -> tuple[SealedSecret, ...]:
    store = SqliteStore(folder / "store.sqlite")
    try:
        return store.sealed_secrets(game)
    finally:
        store.close()


def rotate(folder: Path) -> Path:
    """Make a new key, and give the file that keeps the old one."""
    settings = Settings(folder, ORIGIN)
    rotate_sealing_key(settings, operating_system)
    (kept,) = folder.glob("sealing-*.key")
    return kept


class TestRotation:
    async def test_the_old_key_is_needed_no_more_once_the_log_says_so(self, tmp_path: Path) -> None:
        game = await play_and_stop(tmp_path)
        before = secrets_of(tmp_path, game)
        assert len(before) == HANDS + 1
        old = rotate(tmp_path)
        async with heard(tmp_path) as (service, until):
            resealed = await until("resealed")
            assert (resealed["game"], resealed["secrets"]) == (game, HANDS + 1)
            done = await until("sealing_key_can_be_removed")
            assert done["key"] == key_of(before[0].sealed).hex()
            new = service.dealer.keys.sealer.key_id
        assert {key_of(one.sealed) for one in secrets_of(tmp_path, game)} == {new}
        old.unlink()
        async with serving(tmp_path) as service:
            content = await play_to_the_end(service, game)
            report = judge(content, key=service.key)
            assert report.exit_status() == 0, tell(report)

    async def test_a_game_may_end_while_its_secrets_are_under_both(self, tmp_path: Path) -> None:
        game = await play_and_stop(tmp_path)
        rotate(tmp_path)
        async with serving(tmp_path) as service:
            content = await play_to_the_end(service, game)
            report = judge(content, key=service.key)
            assert report.exit_status() == 0, tell(report)

    @pytest.mark.parametrize("done", range(HANDS + 2))
    async def test_a_crash_after_any_secret_is_harmless(self, tmp_path: Path, done: int) -> None:
        game = await play_and_stop(tmp_path)
        rotate(tmp_path)
        sealer = make_keys(Settings(tmp_path, ORIGIN), operating_system).sealer
        store = SqliteStore(tmp_path / "store.sqlite")
        for one in store.sealed_secrets(game)[:done]:
            assert reseal(store, sealer=sealer, game=game, old=one) is not None
        store.close()
        async with heard(tmp_path) as (service, until):
            await until("sealing_key_can_be_removed")
            content = await play_to_the_end(service, game)
            assert judge(content, key=service.key).exit_status() == 0
        assert {key_of(one.sealed) for one in secrets_of(tmp_path, game)} == {sealer.key_id}

    async def test_a_secret_that_was_exchanged_meanwhile_stays(self, tmp_path: Path) -> None:
        game = await play_and_stop(tmp_path)
        rotate(tmp_path)
        sealer = make_keys(Settings(tmp_path, ORIGIN), operating_system).sealer
        store = SqliteStore(tmp_path / "store.sqlite")
        first = store.sealed_secrets(game)[0]
        new = reseal(store, sealer=sealer, game=game, old=first)
        assert reseal(store, sealer=sealer, game=game, old=first) is None
        assert store.sealed_secrets(game)[0] == new
        assert count_by_key(store) == {sealer.key_id: 1, sealer.key_ids[1]: HANDS}
        store.close()

    async def test_a_key_that_is_needed_and_missing_is_named_at_the_start(
        self, tmp_path: Path
    ) -> None:
        """Also where it is of a hand that is over, which would be missed at the reveal alone."""
        game = await play_and_stop(tmp_path)
        old_id = key_of(secrets_of(tmp_path, game)[0].sealed)
        old = rotate(tmp_path)
        away = old.rename(tmp_path / "away")
        with pytest.raises(StoreError, match=f"under key {old_id.hex()}.*--sealing-key") as told:
            async with serving(tmp_path):
                pass
        assert told.value.reason is Reason.SEALED_UNDER_ANOTHER_KEY
        away.rename(old)
        async with serving(tmp_path) as service:
            assert service.table(game).dealing.sealed

    async def test_what_is_revealed_is_shown_again_without_its_key(self, tmp_path: Path) -> None:
        game = await play_and_stop(tmp_path)
        async with serving(tmp_path) as service:
            content = await play_to_the_end(service, game)
            told = await watched_anew(service, game)
        assert told
        rotate(tmp_path).unlink()
        async with serving(tmp_path) as service:
            assert await watched_anew(service, game) == told
            assert await service.file(game) == content

    async def test_a_rotation_that_was_cut_short_is_done_again(self, tmp_path: Path) -> None:
        settings = Settings(tmp_path, ORIGIN)
        first = make_keys(settings, operating_system).sealer.key_id
        # As after a crash when the old key had its second name already.
        (tmp_path / f"sealing-{first.hex()}.key").hardlink_to(settings.sealing_key)
        new, places = rotate_sealing_key(settings, operating_system)
        assert len(places) == 2
        assert make_keys(settings, operating_system).sealer.key_ids == (new.key_id, first)


async def watched_anew(service: Service, game: str) -> list[bytes]:
    """Give the proofs of opened cards that a late watcher is sent."""
    eve = Bot(service, "eve")
    eve.watch(game)
    await eve.until_over()
    await stop([eve])
    return [one.SerializeToString() for message in eve.heard for one in message.proofs]
