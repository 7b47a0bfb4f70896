"""What a dealer must have before others than its own machine can reach it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from dealer_service.app import Dealer
from dealer_service.config import Cluster, SettingError, Settings, Tls, TokenRules
from dealer_service.exposure import find_faults, find_unprotected, is_development
from dealer_service.fairness.randomness import operating_system
from dealer_service.keys import make_keys
from tests.support.certificates import Authority
from tests.support.service import ORIGIN, serving

PUBLIC = "0.0.0.0:50051"
TLS = Tls(Path("cert.pem"), Path("key.pem"))
JWKS = TokenRules(jwks="https://id.example/jwks")
NO_TLS = "has no TLS"
NO_KEYS = ["the log key is missing", "a sealing key is missing", "a key for tokens is missing"]


def faults_of(folder: Path, environ: dict[str, str] | None = None, **given: Any) -> list[str]:
    faults = find_faults(Settings(folder, ORIGIN, **given), environ or {})
    return [*faults.settings, *faults.keys]


def require(found: list[str], *expected: str) -> None:
    """Hold that exactly these faults were found, in this order."""
    assert len(found) == len(expected), found
    for one, words in zip(found, expected, strict=True):
        assert words in one


@pytest.mark.parametrize("address", ["127.0.0.1:0", "localhost:50051", "[::1]:50051"])
def test_on_loopback_nothing_is_needed(tmp_path: Path, address: str) -> None:
    assert faults_of(tmp_path, address=address) == []


@pytest.mark.parametrize(
    "address", [PUBLIC, "[::]:50051", "10.0.0.7:50051", "dealer.example.com:443"]
)
def test_elsewhere_all_that_is_missing_is_named_at_once(tmp_path: Path, address: str) -> None:
    require(faults_of(tmp_path, address=address), NO_TLS, *NO_KEYS)


def test_what_is_there_is_not_missed(tmp_path: Path) -> None:
    require(faults_of(tmp_path, address=PUBLIC, tls=TLS), *NO_KEYS)
    require(faults_of(tmp_path, address=PUBLIC, allow_plaintext=True), *NO_KEYS)
    require(faults_of(tmp_path, address=PUBLIC, tokens=JWKS), NO_TLS, *NO_KEYS[:2])
    make_keys(Settings(tmp_path, ORIGIN), operating_system)
    require(faults_of(tmp_path, address=PUBLIC), NO_TLS)
    assert faults_of(tmp_path, address=PUBLIC, tls=TLS) == []
    (tmp_path / "token.key").unlink()
    require(faults_of(tmp_path, address=PUBLIC, tls=TLS), NO_KEYS[2])
    assert faults_of(tmp_path, address=PUBLIC, tls=TLS, tokens=JWKS) == []


def test_keys_may_be_elsewhere(tmp_path: Path) -> None:
    key = tmp_path / "sealing"
    given: dict[str, Any] = {
        "address": PUBLIC,
        "tls": TLS,
        "tokens": JWKS,
        "log_key_uri": "env:LOG_KEY",
        "sealing_key_uris": (f"file:{key}", "env:OLD_KEY"),
    }
    require(
        faults_of(tmp_path, **given),
        "the log key is missing: the environment has no LOG_KEY",
        f"a sealing key is missing: there is no {key}",
        "a sealing key is missing: the environment has no OLD_KEY",
    )
    key.touch()
    assert faults_of(tmp_path, {"LOG_KEY": "x", "OLD_KEY": "y"}, **given) == []


def test_an_address_that_others_are_told_is_one_that_they_reach(tmp_path: Path) -> None:
    cluster = Cluster(advertise="dealer.example.com:443")
    assert Settings(tmp_path, cluster=cluster).is_public
    require(faults_of(tmp_path, cluster=cluster), NO_TLS, *NO_KEYS)


@pytest.mark.parametrize("advertise", ["0.0.0.0:443", "[::]:443", "dealer.example.com:0"])
def test_an_address_that_nobody_can_call_is_not_told(tmp_path: Path, advertise: str) -> None:
    found = faults_of(tmp_path, cluster=Cluster(advertise=advertise), tls=TLS)
    assert f"--advertise {advertise} is no address that anybody can call" in found


def test_dealers_that_share_a_store_must_say_where_they_are(tmp_path: Path) -> None:
    shared: dict[str, Any] = {"address": PUBLIC, "tls": TLS, "store_url": "postgresql://db/games"}
    assert "--advertise is missing" in faults_of(tmp_path, **shared)[0]
    told = faults_of(tmp_path, **shared, cluster=Cluster(advertise="10.0.0.7:50051"))
    require(told, *NO_KEYS)


def test_dealers_that_share_a_store_make_no_keys_of_their_own(tmp_path: Path) -> None:
    """Also on loopback: a store has one log key, whoever serves it."""
    shared: dict[str, Any] = {"store_url": "postgresql://db/games"}
    require(faults_of(tmp_path, **shared), *NO_KEYS[:2])
    make_keys(Settings(tmp_path, ORIGIN, **shared), operating_system)
    assert faults_of(tmp_path, **shared) == []


def test_metrics_in_the_clear_are_for_loopback(tmp_path: Path) -> None:
    assert faults_of(tmp_path, metrics="127.0.0.1:9100") == []
    require(faults_of(tmp_path, metrics="0.0.0.0:9100"), "metrics are served in the clear")
    assert faults_of(tmp_path, metrics="0.0.0.0:9100", allow_plaintext=True) == []


def test_addresses_that_are_none_are_all_named(tmp_path: Path) -> None:
    found = faults_of(tmp_path, address="here", metrics="there", cluster=Cluster(advertise="a b"))
    require(found, "--listen: 'here'", "--metrics: 'there'", "--advertise: 'a b'")


def test_a_jwk_set_in_the_clear_is_refused(tmp_path: Path) -> None:
    require(faults_of(tmp_path, tokens=TokenRules(jwks="http://id.example/jwks")), "https")
    assert faults_of(tmp_path, tokens=TokenRules(jwks="http://127.0.0.1:9/jwks")) == []


async def test_a_dealer_that_lacks_anything_does_not_start_and_makes_nothing(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "dealer"
    dealer = Dealer(Settings(folder, ORIGIN, PUBLIC))
    with pytest.raises(SettingError) as caught:
        await dealer.start()
    for words in (NO_TLS, *NO_KEYS):
        assert words in str(caught.value)
    assert not folder.exists()


def test_which_dealers_are_for_development(tmp_path: Path) -> None:
    plain = Settings(tmp_path)
    assert is_development(plain)
    for other in (
        replace(plain, tls=TLS),
        replace(plain, tokens=JWKS),
        replace(plain, address=PUBLIC),
    ):
        assert not is_development(other)


def test_exactly_what_is_not_protected_is_named(tmp_path: Path) -> None:
    plain = Settings(tmp_path)
    bare, keys = find_unprotected(plain)
    assert "in the clear: whoever listens in on this machine" in bare
    assert f"makes its own keys and keeps them in files in {tmp_path}" in keys
    (bare,) = find_unprotected(replace(plain, tokens=JWKS))
    assert "in the clear" in bare
    (bare,) = find_unprotected(replace(plain, address=PUBLIC, allow_plaintext=True))
    assert "whoever listens in on the network" in bare
    assert find_unprotected(replace(plain, address=PUBLIC, tls=TLS)) == ()
    assert find_unprotected(replace(plain, tls=TLS)) == ()
    (metrics,) = find_unprotected(replace(plain, tls=TLS, metrics="0.0.0.0:9100"))
    assert "metrics" in metrics


async def test_it_is_said_at_every_start(tmp_path: Path) -> None:
    for _ in range(2):
        with capture_logs() as told:
            async with serving(tmp_path):
                pass
        (warning,) = (each for each in told if each["event"] == "development_mode")
        assert warning["log_level"] == "warning"
        settings = Settings(tmp_path, ORIGIN, "127.0.0.1:0")
        assert warning["unprotected"] == list(find_unprotected(settings))


async def test_nothing_is_said_where_all_is_protected(tmp_path: Path) -> None:
    tls = Authority().issue().write(tmp_path / "tls")
    with capture_logs() as told:
        async with serving(tmp_path / "dealer", tls=tls):
            pass
    assert not [each for each in told if each["log_level"] == "warning"]


async def test_a_public_dealer_with_its_keys_and_tls_starts(tmp_path: Path) -> None:
    folder = tmp_path / "dealer"
    make_keys(Settings(folder, ORIGIN), operating_system)
    before = {path.name: path.read_bytes() for path in folder.glob("*.key")}
    tls = Authority().issue().write(tmp_path / "tls")
    dealer = Dealer(Settings(folder, ORIGIN, "0.0.0.0:0", tls=tls, grace=0.0))
    await dealer.start()
    await dealer.stop()
    assert {path.name: path.read_bytes() for path in folder.glob("*.key")} == before
