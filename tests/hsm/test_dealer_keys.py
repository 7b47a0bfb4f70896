"""A whole dealer whose keys are in a token, or in its environment."""

import os
from pathlib import Path
from typing import Any

import pytest

from cutcard.v1 import play_pb2
from dealer_service.config import Settings
from dealer_service.fairness.randomness import operating_system
from dealer_service.keys import make_keys, rotate_sealing_key
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.sqlite import SqliteStore
from dealer_service.tables.resealing import count_by_key
from tests.support.audits import judge, tell
from tests.support.service import ORIGIN, Bot, Service, calling, serving, stop
from tests.support.tokens import SoftToken


def keys_of(token: SoftToken, name: str, *sealing: str) -> dict[str, Any]:
    names = sealing or ("seal",)
    return {
        "log_key_uri": token.uri(f"{name}-log"),
        "sealing_key_uris": tuple(token.uri(f"{name}-{one}") for one in names),
    }


def first_hand(bot: Bot, decision: play_pb2.Decision) -> tuple[int, int] | None:
    return calling(bot, decision) if decision.hand == 1 else None


async def begin(service: Service) -> str:
    """Play a hand, and leave the next one open."""
    game = await service.open_game(max_hands=2)
    bots = [await Bot(service, name, policy=first_hand).sit(game) for name in ("ann", "bob")]
    await bots[0].until(lambda bot: bot.decision and bot.decision.hand == 2)
    await stop(bots)
    return game


async def finish(service: Service, game: str) -> None:
    """Let the clock play the rest, and hold the game's audit to be without a fault."""
    eve = Bot(service, "eve")
    eve.watch(game)
    await eve.until(lambda bot: bot.decision)
    for _ in range(20):
        service.advance(60_000)
        await service.settled(game)
    await eve.until_over()
    await stop([eve])
    report = judge(await service.file(game), key=service.key)
    assert report.exit_status() == 0, tell(report)


async def test_deals_with_keys_that_never_leave_a_token(
    tmp_path: Path, token: SoftToken, name: str
) -> None:
    keys = keys_of(token, name)
    made = make_keys(Settings(tmp_path, ORIGIN, **keys), operating_system)
    async with serving(tmp_path, **keys) as service:
        assert service.key == str(made.signer.verifier)
        game = await begin(service)
    async with serving(tmp_path, **keys) as service:
        await finish(service, game)
    assert not {"log.key", "sealing.key"} & files_of(tmp_path).keys()


async def test_a_dealer_never_makes_a_key_in_a_token_by_itself(
    tmp_path: Path, token: SoftToken, name: str
) -> None:
    with pytest.raises(StoreError, match="keys make") as told:
        async with serving(tmp_path, **keys_of(token, name)):
            pass
    assert told.value.reason is Reason.KEY_MISSING


async def test_moves_from_a_file_into_a_token_by_a_rotation(
    tmp_path: Path, token: SoftToken, name: str
) -> None:
    async with serving(tmp_path) as service:
        game = await begin(service)
        old = service.dealer.keys.sealer.key_id
    uris = token.uri(f"{name}-new"), f"file:{tmp_path / 'sealing.key'}"
    new, _ = rotate_sealing_key(Settings(tmp_path, ORIGIN, sealing_key_uris=uris), operating_system)
    async with serving(tmp_path, sealing_key_uris=uris) as service:
        assert service.dealer.keys.sealer.key_ids == (new.key_id, old)
        await finish(service, game)
    async with serving(tmp_path, sealing_key_uris=uris[:1]) as service:
        assert service.dealer.keys.sealer.key_ids == (new.key_id,)


async def test_exchanges_a_key_in_a_token_for_another(
    tmp_path: Path, token: SoftToken, name: str
) -> None:
    first = keys_of(token, name, "seal")
    make_keys(Settings(tmp_path, ORIGIN, **first), operating_system)
    async with serving(tmp_path, **first) as service:
        game = await begin(service)
    both = keys_of(token, name, "next", "seal")
    new, _ = rotate_sealing_key(Settings(tmp_path, ORIGIN, **both), operating_system)
    async with serving(tmp_path, **both) as service:
        eve = Bot(service, "eve")
        await eve.until_given(
            lambda: set(map(_key_of, service.table(game).dealing.sealed.values())) == {new.key_id}
        )
    store = SqliteStore(tmp_path / "store.sqlite")
    assert set(count_by_key(store)) == {new.key_id}
    store.close()
    async with serving(tmp_path, **keys_of(token, name, "next")) as service:
        await finish(service, game)


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


async def test_a_token_that_vanishes_stops_the_dealer_and_loses_nothing(
    tmp_path: Path, token: SoftToken, name: str
) -> None:
    """No table could go on without it; when it is back, the same hand goes on at a start."""
    keys = keys_of(token, name)
    make_keys(Settings(tmp_path, ORIGIN, **keys), operating_system)
    async with serving(tmp_path, **keys) as service:
        game = await begin(service)
        size = len(await service.lines(game))
        token.take_away()
        try:
            # The turn's clock folds, which ends the hand; it is signed, and can not be.
            for _ in range(3):
                service.advance(60_000)
                await service.settled(game)
            with pytest.raises(StoreError, match=f"{name}-log") as told:
                await service.dealer.serve()
            assert told.value.reason is Reason.KEY_UNREACHABLE
        finally:
            token.bring_back()
    async with serving(tmp_path, **keys) as service:
        assert len(await service.lines(game)) >= size
        await finish(service, game)


def _key_of(sealed: bytes) -> bytes:
    return sealed[1:5]


async def test_deals_with_keys_of_its_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are in no file, and gone from the environment once it serves."""
    log = f"cutcard-log-key/1 {ORIGIN} {os.urandom(32).hex()}"
    seal = os.urandom(32).hex()
    keys: dict[str, Any] = {
        "log_key_uri": "env:CUTCARD_TEST_LOG",
        "sealing_key_uris": ("env:CUTCARD_TEST_SEAL",),
    }
    game = ""
    for start in range(2):
        monkeypatch.setenv("CUTCARD_TEST_LOG", log)
        monkeypatch.setenv("CUTCARD_TEST_SEAL", seal)
        async with serving(tmp_path, **keys) as service:
            assert not {"CUTCARD_TEST_LOG", "CUTCARD_TEST_SEAL"} & set(os.environ)
            if start == 0:
                game = await begin(service)
            else:
                await finish(service, game)
    for content in files_of(tmp_path).values():
        assert seal.encode() not in content
        assert bytes.fromhex(seal) not in content
