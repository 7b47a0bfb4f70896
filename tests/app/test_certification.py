"""Certification mode as a process: what it refuses to start with, what it keeps, what it says."""

import asyncio
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from dealer_service.app import CannotStart
from dealer_service.certification import Certification
from dealer_service.config import Cluster, SettingError, Settings
from dealer_service.exposure import find_faults
from dealer_service.fairness.randomness import operating_system
from dealer_service.keys import make_keys
from dealer_service.rng_core import VERSIONS
from tests.support.certifying import certifying
from tests.support.commands import dealer
from tests.support.scraping import Samples, get
from tests.support.service import ORIGIN, serving

OF_GAMES: dict[str, dict[str, Any]] = {
    "--store": {"store_url": "postgresql://db/games"},
    "--node": {"cluster": Cluster(node="one")},
    "--advertise": {"cluster": Cluster(advertise="127.0.0.1:1")},
    "--journal": {"cluster": Cluster(journals=(Path("a.journal"),))},
    "--accept-restore": {"accept_restore": True},
    "--archive": {"archive": Path("files")},
    "--sealing-key": {"sealing_key_uris": ("env:SEALING",)},
}


def names(folder: Path) -> set[str]:
    return {one.name for one in folder.iterdir()}


@pytest.mark.parametrize("option", OF_GAMES)
async def test_it_does_not_start_with_what_a_dealer_of_games_has(
    tmp_path: Path, option: str
) -> None:
    with pytest.raises(SettingError, match=f"leave out {option}, which"):
        async with certifying(tmp_path / "new", **OF_GAMES[option]):
            pass
    assert not (tmp_path / "new").exists()


async def test_it_does_not_start_where_games_are(tmp_path: Path) -> None:
    async with serving(tmp_path):
        pass
    with pytest.raises(SettingError, match=r"store\.sqlite is of a dealer that does"):
        async with certifying(tmp_path):
            pass


@pytest.mark.parametrize("name", ["signed.journal", "node.name", "last.seen"])
async def test_it_does_not_start_where_a_node_of_a_shared_store_was(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).touch()
    with pytest.raises(SettingError, match=f"{name} is of a dealer that does"):
        async with certifying(tmp_path):
            pass
    assert names(tmp_path) == {name}


async def test_no_games_are_dealt_by_the_keys_of_certification(tmp_path: Path) -> None:
    async with certifying(tmp_path):
        pass
    kept = names(tmp_path)
    with pytest.raises(SettingError, match="is of a dealer in certification mode"):
        async with serving(tmp_path):
            pass
    assert names(tmp_path) == kept
    async with certifying(tmp_path) as service:
        assert await service.hands(1)


async def test_it_keeps_nothing_but_its_keys(tmp_path: Path) -> None:
    async with certifying(tmp_path) as service:
        await service.hands(3)
    assert names(tmp_path) == {"certification", "lock", "log.key", "token.key"}


async def test_it_says_what_it_is_as_a_warning(tmp_path: Path) -> None:
    with capture_logs() as logs:
        async with certifying(tmp_path):
            pass
    (event,) = [one for one in logs if one["event"] == "certification_mode"]
    assert event["log_level"] == "warning"
    assert event["deals_games"] is False
    assert event["origin"] == f"{ORIGIN}/certify"
    assert event["fingerprint"] == VERSIONS[-1].fingerprint
    assert "serving" not in {one["event"] for one in logs}


async def test_no_secret_is_in_its_log(tmp_path: Path) -> None:
    with capture_logs() as logs:
        async with certifying(tmp_path) as service:
            hands = await service.hands(5)
    text = repr(logs)
    for hand in hands:
        assert hand.secret.hex() not in text
        assert repr(hand.secret) not in text


async def test_elsewhere_than_on_loopback_it_needs_tls_and_keys_that_are_there(
    tmp_path: Path,
) -> None:
    settings = Settings(tmp_path, ORIGIN, "0.0.0.0:0", certify=True)
    faults = find_faults(settings, {})
    assert "has no TLS" in faults.settings[0]
    assert [one.partition(" is missing")[0] for one in faults.keys] == [
        "the log key",
        "a key for tokens",
    ]
    with pytest.raises(SettingError, match="the log key is missing"):
        await Certification(settings).start()
    make_keys(Settings(tmp_path, ORIGIN), operating_system)
    assert find_faults(replace(settings, allow_plaintext=True), {}).keys == ()


def test_no_dealer_of_games_has_an_origin_of_certified_hands(tmp_path: Path) -> None:
    faults = find_faults(Settings(tmp_path, f"{ORIGIN}/certify"), {})
    assert "ends in /certify" in faults.settings[0]


def test_an_origin_has_room_for_what_marks_certified_hands(tmp_path: Path) -> None:
    faults = find_faults(Settings(tmp_path, "a" * 121, certify=True), {})
    assert "longer than 120 characters" in faults.settings[0]
    assert find_faults(Settings(tmp_path, "a" * 120, certify=True), {}).settings == ()


async def test_a_source_that_fails_its_tests_lets_none_start(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="no hand can be dealt"):
        async with certifying(tmp_path, entropy=bytes):
            pass
    # The directory is free again.
    async with certifying(tmp_path) as service:
        assert await service.hands(1)


async def test_its_metrics_tell_that_no_game_is_dealt(tmp_path: Path) -> None:
    async with certifying(tmp_path, metrics="127.0.0.1:0") as service:
        seen = Samples((await get(service.dealer.metrics_port, "/metrics")).text)
        assert seen.get("cutcard_serving", service="dealer") == 0
        assert seen.get("cutcard_serving", service="CertifyService") == 1


async def test_a_signal_stops_it(tmp_path: Path) -> None:
    async with certifying(tmp_path) as service:
        serves = asyncio.ensure_future(service.dealer.serve())
        await service.hands(1)
        signal.raise_signal(signal.SIGTERM)
        await serves


def test_the_command_says_it_on_standard_error_and_not_by_the_environment(
    tmp_path: Path,
) -> None:
    refused = dealer("serve", "--certify", "--archive", "files", folder=tmp_path)
    assert refused.returncode == 2
    assert "--certify deals no games and tells the secrets of its hands" in refused.stderr
    helped = dealer("serve", "--help", folder=tmp_path).stdout
    assert "--accept-restore and --certify" in " ".join(helped.split())
