"""`cutcard-dealer` as a whole: help, version, and an installation that is not whole."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from dealer_service.cli import build_parser
from tests.support.commands import ROOT, dealer

COMMANDS = ("serve", "token", "key", "bots", "play", "fetch", "demo")


def test_help_lists_every_command(tmp_path: Path) -> None:
    printed = dealer("--help", folder=tmp_path)
    assert printed.returncode == 0
    listed = [line.split()[0] for line in printed.stdout.splitlines() if line.startswith("    ")]
    assert tuple(listed) == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(tmp_path: Path, command: str) -> None:
    printed = dealer(command, "--help", folder=tmp_path)
    assert (printed.returncode, printed.stderr) == (0, "")
    assert printed.stdout.startswith(f"usage: cutcard-dealer {command}")


def test_the_version_is_the_distributions(tmp_path: Path) -> None:
    assert dealer("--version", folder=tmp_path).stdout == f"cutcard-dealer {version('cutcard')}\n"


def test_serve_help_names_every_environment_variable_and_exit_status(tmp_path: Path) -> None:
    words = " ".join(dealer("serve", "--help", folder=tmp_path).stdout.split())
    for name in ("DIRECTORY", "ORIGIN", "LISTEN", "ALLOW_PLAINTEXT", "LOG_FORMAT", "LOG_LEVEL"):
        assert f"CUTCARD_{name}" in words
    assert "Exit status: 0 stopped by SIGTERM or SIGINT, 1 failed while serving, 2 " in words


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
