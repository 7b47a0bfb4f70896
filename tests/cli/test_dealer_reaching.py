"""How the commands reach a dealer: several addresses, mutual TLS, who is told later."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.certificates import Authority
from tests.support.commands import Service, call, dealer, only_line, serving, start

CA = Authority("CA")
NOBODY = "127.0.0.1:1"

IMPATIENT = """
from dealer_service.client.calls import Patience
from dealer_service.commands import connecting
connecting._PATIENCE = Patience(total=1.0)
"""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with serving(tmp_path) as running:
        yield running


@pytest.fixture
def game(service: Service) -> Iterator[str]:
    """Return the ID of a game of two house players that is told a minute later."""
    bots = start(
        "bots", "--address", service.address, "--game", "new", "--seats", "2", "--pace", "0",
        "--watch-delay", "1m", folder=service.folder,
    )  # fmt: skip
    assert bots.stdout is not None
    yield bots.stdout.readline().strip()
    bots.kill()
    bots.communicate()


def test_another_address_is_taken_where_the_first_does_not_answer(
    service: Service, game: str
) -> None:
    options = ("--address", NOBODY, "--address", service.address)
    fetched = dealer("fetch", game, *options, folder=service.folder)
    assert fetched.returncode == 0, fetched.stderr
    both = {"CUTCARD_ADDRESS": f"{NOBODY} {service.address}"}
    assert dealer("fetch", game, folder=service.folder, environ=both).returncode == 0


def test_a_game_is_told_to_others_as_much_later_as_it_was_opened_with(
    service: Service, game: str
) -> None:
    fetched = dealer(
        "fetch", game, "--address", service.address, "--name", "eve", folder=service.folder
    )
    lines = (service.folder / only_line(fetched.stdout)).read_text().splitlines()
    opened = json.loads(lines[1])["game_opened"]
    assert opened["rules"]["watch_delay_ms"] == 60_000
    # The header, the first line and the checkpoint that covers it.
    assert len(lines) == 3


def test_a_dealer_that_wants_a_certificate_is_shown_one(tmp_path: Path) -> None:
    ca = tmp_path / "ca.pem"
    ca.write_bytes(CA.pem)
    server, own = CA.issue().write(tmp_path / "server"), CA.issue("ann").write(tmp_path / "ann")
    tls = ("--tls-cert", server.certificate, "--tls-key", server.key, "--client-ca", ca)
    shown = ("--tls-cert", own.certificate, "--tls-key", own.key)
    with serving(tmp_path, *(str(one) for one in tls)) as service:
        address = ("--address", service.address.replace("127.0.0.1", "localhost"))
        opened = dealer(
            "bots", "--game", "new", "--seats", "2", "--hands", "1", "--pace", "0", *address,
            "--ca", ca, *shown, folder=tmp_path,
        )  # fmt: skip
        assert opened.returncode == 0, opened.stderr
        game = opened.stdout.split()[0]
        bare = dealer("fetch", game, *address, "--ca", ca, folder=tmp_path, before=IMPATIENT)
        assert bare.returncode == 3
        assert "the dealer can not be reached" in bare.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--tls-cert", "a.pem"], "--tls-cert and --tls-key go together"),
        (["--tls-key", "a.key"], "--tls-cert and --tls-key go together"),
        (["--tls-cert", "a.pem", "--tls-key", "a.key"], "--tls-key a.key: No such file"),
        (["--address", "127.0.0.1:1", "--address", "nowhere"], "'nowhere' is no address"),
        (["--address", "127.0.0.1:1", "--address", "dns:///a:1"], "is no address"),
        (["--address", "127.0.0.1:1", "--address", "10.0.0.1:1"], "10.0.0.1:1 is not on loopback"),
    ],
)
def test_what_can_not_be_used_is_status_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    words: str,
) -> None:
    bearer = {"CUTCARD_TOKEN": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ."}
    fetching = ("fetch", "00" * 16, *options)
    assert call(*fetching, folder=tmp_path, patch=monkeypatch, environ=bearer) == 2
    out, errors = capsys.readouterr()
    assert out == ""
    assert words in errors
