"""`cutcard-dealer` as a whole: help, version, and an installation that is not whole."""

import errno
import os
import re
import subprocess
import sys
from importlib.metadata import version
from ipaddress import ip_network
from pathlib import Path

import pytest

from dealer_service.cli import build_parser
from dealer_service.commands.serving import read_settings
from dealer_service.config import Cluster, Limits, Settings, Tls, TokenRules
from tests.support.commands import ROOT, call, dealer

COMMANDS = (
    "serve",
    "health",
    "token",
    "key",
    "keys",
    "migrate",
    "bots",
    "play",
    "game",
    "tournament",
    "fetch",
    "export",
    "demo",
)


def test_help_lists_every_command(tmp_path: Path) -> None:
    printed = dealer("--help", folder=tmp_path)
    assert printed.returncode == 0
    listed = [
        line.split()[0] for line in printed.stdout.splitlines() if re.match(" {4}[a-z]", line)
    ]
    assert tuple(listed) == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(tmp_path: Path, command: str) -> None:
    printed = dealer(command, "--help", folder=tmp_path)
    assert (printed.returncode, printed.stderr) == (0, "")
    assert printed.stdout.startswith(f"usage: cutcard-dealer {command}")


def test_the_version_is_the_distributions(tmp_path: Path) -> None:
    assert dealer("--version", folder=tmp_path).stdout == f"cutcard-dealer {version('cutcard')}\n"


def test_serve_help_says_where_else_settings_come_from_and_every_exit_status(
    tmp_path: Path,
) -> None:
    words = " ".join(dealer("serve", "--help", folder=tmp_path).stdout.split())
    assert "CUTCARD_LISTEN for --listen" in words
    assert "Exit status: 0 stopped by SIGTERM or SIGINT, 1 failed while serving, 2 " in words


SETTINGS = {
    "CUTCARD_DIRECTORY": "d",
    "CUTCARD_ORIGIN": "dealer.example.com",
    "CUTCARD_LISTEN": "127.0.0.1:1",
    "CUTCARD_ALLOW_PLAINTEXT": "1",
    "CUTCARD_TLS_CERT": "cert.pem",
    "CUTCARD_TLS_KEY": "key.pem",
    "CUTCARD_CLIENT_CA": "ca.pem",
    "CUTCARD_JWKS": "keys.json",
    "CUTCARD_TOKEN_ISSUER": "issuer",
    "CUTCARD_TOKEN_AUDIENCE": "audience",
    "CUTCARD_CALLS": "7",
    "CUTCARD_STREAMS": "3",
    "CUTCARD_PROXY": "10.0.0.0/8 fd00::/64",
    "CUTCARD_LOG_KEY": "env:LOG",
    "CUTCARD_SEALING_KEY": "env:NEW env:OLD",
    "CUTCARD_STORE": "postgresql://host/name",
    "CUTCARD_NODE": "one",
    "CUTCARD_ADVERTISE": "one.example.com:443",
    "CUTCARD_LEASE": "9s",
    "CUTCARD_DRAIN": "1m",
    "CUTCARD_JOURNAL": "a.journal b.journal",
    "CUTCARD_METRICS": "127.0.0.1:2",
    "CUTCARD_TRACE": "http://127.0.0.1:3",
    "CUTCARD_ARCHIVE": "files",
    "CUTCARD_RETAIN": "30d",
    "CUTCARD_PUBLICATION": "public",
    "CUTCARD_BATCH": "250ms",
    "CUTCARD_PUBLICATION_LISTEN": "127.0.0.1:4",
    "CUTCARD_WITNESS_POLICY": "witnesses.policy",
    "CUTCARD_BEACON": "rounds.jsonl",
    "CUTCARD_LOG_FORMAT": "json",
    "CUTCARD_LOG_LEVEL": "error",
}


def test_every_setting_of_the_service_may_come_from_the_environment() -> None:
    options = build_parser(SETTINGS).parse_args(["serve", "--accept-restore"])
    named = {f"CUTCARD_{name.upper()}" for name in vars(options)}
    assert named - SETTINGS.keys() == {
        "CUTCARD_ACCEPT_RESTORE",
        "CUTCARD_CERTIFY",
        "CUTCARD_COMMAND",
        "CUTCARD_VERSION",
    }
    assert read_settings(options, "dealer.example.com") == Settings(
        directory=Path("d"),
        origin="dealer.example.com",
        address="127.0.0.1:1",
        allow_plaintext=True,
        accept_restore=True,
        drain=60,
        store_url="postgresql://host/name",
        cluster=Cluster("one", "one.example.com:443", 9, (Path("a.journal"), Path("b.journal"))),
        tls=Tls(Path("cert.pem"), Path("key.pem"), Path("ca.pem")),
        tokens=TokenRules("keys.json", "issuer", "audience"),
        limits=Limits(
            calls=7, streams=3, proxies=(ip_network("10.0.0.0/8"), ip_network("fd00::/64"))
        ),
        log_key_uri="env:LOG",
        sealing_key_uris=("env:NEW", "env:OLD"),
        metrics="127.0.0.1:2",
        trace="http://127.0.0.1:3",
        archive=Path("files"),
        retain=30 * 86_400,
        publication=Path("public"),
        batch=0.25,
        publication_listen="127.0.0.1:4",
        witness_policy=Path("witnesses.policy"),
        beacon="rounds.jsonl",
    )


def test_what_is_given_goes_before_what_the_environment_has() -> None:
    given = ["serve", "--listen", "127.0.0.1:9", "--sealing-key", "env:X", "--sealing-key", "env:Y"]
    options = build_parser(SETTINGS).parse_args(given)
    assert options.listen == "127.0.0.1:9"
    assert options.sealing_key == ["env:X", "env:Y"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["--tls-cert", "a"], "--tls-cert and --tls-key go together"),
        (["--client-ca", "a"], "--client-ca needs --tls-cert and --tls-key"),
        (["--retain", "1d"], "--retain needs --archive"),
        (["--journal", "a.journal"], "--journal is for a restore alone: say --accept-restore too"),
        (["--lease", "0s"], "--lease must be at least 1s"),
        (["--publication-listen", "127.0.0.1:0"], "--publication-listen needs --publication"),
        (["--witness-policy", "a"], "--witness-policy needs --publication"),
        (["--publication", "a", "--publication-listen", "here"], "'here' is no address"),
        (["--batch", "9ms"], "'9ms' is no time from 10ms to 10s"),
        (["--batch", "11s"], "'11s' is no time from 10ms to 10s"),
        (["--batch", "0.1"], "'0.1' is no time from 10ms to 10s"),
    ],
)
def test_settings_that_can_not_be_are_status_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    given: list[str],
    says: str,
) -> None:
    assert call("serve", *given, folder=tmp_path, patch=monkeypatch) == 2
    assert says in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("arguments", [[], ["sit"], ["--directory", "x"]])
def test_no_or_an_unknown_command_is_status_2(tmp_path: Path, arguments: list[str]) -> None:
    refused = dealer(*arguments, folder=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "hint: try `cutcard-dealer --help`" in refused.stderr


def test_help_needs_none_of_the_services_libraries() -> None:
    """Whoever installed the audit alone has the command too, and is told what is missing."""
    blocked = "import sys\nfor name in ('grpc', 'google', 'jwt', 'structlog', 'cutcard'):\n"
    blocked += "    sys.modules[name] = None\nfrom dealer_service.cli import main\n"
    for arguments, status in ((["key"], 3), (["demo"], 3)):
        ran = subprocess.run(
            [sys.executable, "-c", f"{blocked}sys.exit(main({arguments!r}))"],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        assert ran.returncode == status
        assert "the dealer is not installed whole" in ran.stderr
        assert "hint: pip install 'cutcard[dealer]'" in ran.stderr
    helped = subprocess.run(
        [sys.executable, "-c", f"{blocked}main(['--help'])"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert helped.returncode == 0


def test_building_the_command_line_reads_the_environment_it_is_given() -> None:
    options = build_parser({"CUTCARD_LISTEN": "127.0.0.1:1"}).parse_args(["serve"])
    assert options.listen == "127.0.0.1:1"
    assert options.accept_restore is False
    assert options.allow_plaintext is False


def test_an_unknown_option_is_refused_with_the_help_of_its_own_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("health", "--directory", "x", folder=tmp_path, patch=monkeypatch) == 2
    said = capsys.readouterr().err
    assert "unrecognized arguments: --directory x" in said
    assert "try `cutcard-dealer health --help`" in said


def test_a_role_that_is_none_is_refused_with_those_that_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("token", "ann", "--role", "king", folder=tmp_path, patch=monkeypatch) == 2
    assert "(choose from 'player', 'house', 'watcher'," in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [("token", "ann", "--role", "player"), ("key",), ("migrate", "--dry-run")]
)
def test_a_directory_of_another_users_is_refused_in_words(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
) -> None:
    def refuse(path: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", refuse)
    assert call(*arguments, "--directory", "d", folder=tmp_path, patch=monkeypatch) == 3
    said = capsys.readouterr().err
    assert said.startswith("cutcard-dealer: error: can not use d/")
    assert "Permission denied\ncutcard-dealer: hint: " in said
    assert "run this as that user" in said
