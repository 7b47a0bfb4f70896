"""`cutcard-dealer serve`: settings, origin, exit statuses, and a clean stop."""

import json
import signal
import socket
from pathlib import Path

import pytest

from tests.support.commands import SECONDS, call, dealer, serving, start


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_service_with_status_0(tmp_path: Path, number: int) -> None:
    with serving(tmp_path) as service:
        status, log = service.stop(number)
    assert status == 0
    events = [json.loads(line)["event"] for line in log.splitlines()]
    assert events == ["draining", "stopping", "stopped"]


def test_it_says_where_it_serves_and_under_which_key(tmp_path: Path) -> None:
    with serving(tmp_path, "--origin", "dealer.example.com") as service:
        event = service.first_event
        key = dealer("key", folder=tmp_path).stdout.strip()
    assert event["event"] == "serving"
    assert event["origin"] == "dealer.example.com"
    assert event["key"] == key


def test_keys_and_store_are_their_owners_alone(tmp_path: Path) -> None:
    with serving(tmp_path):
        folder = tmp_path / "cutcard-dealer"
        modes = {each.name: each.stat().st_mode & 0o777 for each in folder.glob("*.key")}
    assert modes == {"log.key": 0o600, "sealing.key": 0o600, "token.key": 0o600}
    assert folder.stat().st_mode & 0o077 == 0


def test_the_origin_of_a_first_start_is_kept(tmp_path: Path) -> None:
    with serving(tmp_path, "--origin", "dealer.example.com") as service:
        service.stop()
    with serving(tmp_path) as again:
        assert again.first_event["origin"] == "dealer.example.com"


def test_another_origin_than_the_keys_is_refused(tmp_path: Path) -> None:
    with serving(tmp_path, "--origin", "dealer.example.com") as service:
        service.stop()
    refused = dealer("serve", "--origin", "other.example.com", folder=tmp_path)
    assert refused.returncode == 3
    assert "'dealer.example.com' for ever, and not 'other.example.com'" in refused.stderr
    assert "hint: leave --origin out" in refused.stderr


def test_a_public_address_needs_an_origin_at_the_first_start(tmp_path: Path) -> None:
    refused = dealer("serve", "--listen", "0.0.0.0:0", "--allow-plaintext", folder=tmp_path)
    assert refused.returncode == 2
    assert "the first start needs the dealer's name" in refused.stderr
    assert not (tmp_path / "cutcard-dealer").exists()


def test_a_public_address_is_refused_without_allow_plaintext(tmp_path: Path) -> None:
    refused = dealer("serve", "--listen", "0.0.0.0:0", "--origin", "a.example", folder=tmp_path)
    assert refused.returncode == 2
    assert "not on loopback" in refused.stderr
    assert "--allow-plaintext" in refused.stderr
    assert not (tmp_path / "cutcard-dealer").exists()


def test_all_that_a_public_dealer_lacks_is_named_at_once(tmp_path: Path) -> None:
    refused = dealer("serve", "--listen", "0.0.0.0:0", "--metrics", "x", folder=tmp_path)
    assert refused.returncode == 2
    for words in (
        "has no TLS",
        "--metrics: 'x' is no address",
        "the first start needs the dealer's name",
        "the log key is missing",
        "a sealing key is missing",
        "a key for tokens is missing",
        "hint: --origin",
        "`cutcard-dealer keys` makes keys",
    ):
        assert words in refused.stderr
    assert not (tmp_path / "cutcard-dealer").exists()


def test_a_public_dealer_that_lacks_its_keys_alone_is_status_3(tmp_path: Path) -> None:
    options = ("--allow-plaintext", "--origin", "a.example", "--jwks", "https://id.example/jwks")
    refused = dealer("serve", "--listen", "0.0.0.0:0", *options, folder=tmp_path)
    assert refused.returncode == 3
    assert "the log key is missing" in refused.stderr
    assert not (tmp_path / "cutcard-dealer").exists()


def test_a_dealer_for_development_says_so_before_it_serves(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        (told,) = service.told_before
    assert (told["event"], told["level"]) == ("development_mode", "warning")
    assert len(told["unprotected"]) == 2


def test_a_certificate_that_can_not_be_shown_is_status_3(tmp_path: Path) -> None:
    options = ("--listen", "127.0.0.1:0", "--tls-cert", "no.pem", "--tls-key", "no.key")
    refused = dealer("serve", *options, folder=tmp_path)
    assert refused.returncode == 3
    assert "no.pem can not be read" in refused.stderr
    assert "no.key can not be read" in refused.stderr


def test_an_address_in_use_is_status_3(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with serving(tmp_path) as service:
        refused = dealer("serve", "--listen", service.address, folder=other)
    assert refused.returncode == 3
    assert service.address in refused.stderr


def test_a_store_in_use_is_status_3(tmp_path: Path) -> None:
    with serving(tmp_path):
        refused = dealer("serve", "--listen", "127.0.0.1:0", folder=tmp_path)
    assert refused.returncode == 3
    assert "in use" in refused.stderr


def test_a_missing_key_is_status_3_and_no_new_one_is_made(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        service.stop()
    key = tmp_path / "cutcard-dealer" / "sealing.key"
    key.unlink()
    refused = dealer("serve", "--listen", "127.0.0.1:0", folder=tmp_path)
    assert refused.returncode == 3
    assert "sealing.key is missing" in refused.stderr
    assert not key.exists()


def test_a_key_that_others_may_read_is_status_3(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        service.stop()
    key = tmp_path / "cutcard-dealer" / "log.key"
    key.chmod(0o644)
    refused = dealer("serve", "--listen", "127.0.0.1:0", folder=tmp_path)
    assert refused.returncode == 3
    assert "0644" in refused.stderr


def test_a_store_that_fails_while_serving_is_status_1(tmp_path: Path) -> None:
    """No file may grow beyond a few hands, as on a disk that is full."""
    with serving(tmp_path, largest_file=400_000) as service:
        players = start(
            "bots", "--address", service.address, "--game", "new", "--pace", "0", folder=tmp_path
        )
        _, log = service.process.communicate(timeout=SECONDS)
        players.kill()
        players.communicate()
    assert service.process.returncode == 1
    assert '"event": "store_failed"' in log
    assert "cutcard-dealer: error: the dealer stopped, because it failed: " in log
    assert "cutcard-dealer: hint: what the store holds is whole: start again" in log


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--listen", "nowhere"], "is no address"),
        (["--listen", "127.0.0.1:70000"], "is no address"),
        (["--origin", "Dealer.Example"], "--origin"),
        (["--origin", "a/games/b"], "without /games/"),
        (["--log-format", "xml"], "none of text, json"),
        (["--log-level", "loud"], "none of debug, info, warning, error"),
        (["--allow", "1"], "unrecognized"),
        (["extra"], "unrecognized"),
    ],
)
def test_a_wrong_command_line_is_status_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    words: str,
) -> None:
    assert call("serve", *options, folder=tmp_path, patch=monkeypatch) == 2
    errors = capsys.readouterr().err
    assert words in errors
    assert errors.startswith("cutcard-dealer: error: ")
    assert not (tmp_path / "cutcard-dealer").exists()


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"CUTCARD_LISTEN": "0.0.0.0:0"}, "not on loopback"),
        ({"CUTCARD_LISTEN": "0.0.0.0:0", "CUTCARD_ALLOW_PLAINTEXT": "1"}, "the first start needs"),
        ({"CUTCARD_ALLOW_PLAINTEXT": "perhaps"}, "neither 1 nor 0"),
        ({"CUTCARD_ORIGIN": "Upper"}, "--origin"),
        ({"CUTCARD_LOG_FORMAT": "xml"}, "none of text, json"),
        ({"CUTCARD_LOG_LEVEL": "loud"}, "none of debug"),
    ],
)
def test_settings_come_from_the_environment(
    tmp_path: Path, environ: dict[str, str], words: str
) -> None:
    refused = dealer("serve", folder=tmp_path, environ=environ)
    assert refused.returncode == 2
    assert words in refused.stderr


def test_the_command_line_goes_before_the_environment(tmp_path: Path) -> None:
    environ = {"CUTCARD_LISTEN": "0.0.0.0:0"}
    refused = dealer("serve", "--listen", "nowhere", folder=tmp_path, environ=environ)
    assert "'nowhere' is no address" in refused.stderr


def test_the_directory_may_come_from_the_environment(tmp_path: Path) -> None:
    environ = {"CUTCARD_DIRECTORY": str(tmp_path / "elsewhere")}
    refused = dealer("key", folder=tmp_path, environ=environ)
    assert refused.returncode == 3
    assert str(tmp_path / "elsewhere") in refused.stderr


@pytest.mark.parametrize(
    ("option", "words"),
    [("--listen", "can not listen on"), ("--metrics", "can not serve metrics on")],
)
def test_an_address_that_is_taken_is_named_with_what_it_was_for(
    tmp_path: Path, option: str, words: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        given = {"--listen": "127.0.0.1:0"} | {option: address}
        options = [each for pair in given.items() for each in pair]
        refused = dealer("serve", *options, folder=tmp_path)
    assert refused.returncode == 3
    assert refused.stderr == f"cutcard-dealer: error: {words} {address}: Address already in use\n"
