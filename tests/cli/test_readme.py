"""README.md says what the commands do: help texts, command lines and files are the real ones."""

import os
import re
import shlex
import subprocess
import sys

import pytest

from audit_cli.cli import _parser as audit_parser
from audit_cli.report.finding import TOURNAMENT_PROMISES, Promise
from dealer_service.cli import build_parser
from tests.support.commands import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
MODULES = {"cutcard-dealer": "dealer_service", "cutcard-audit": "audit_cli"}
LINES = [line for block in BLOCKS for line in block.splitlines() if line.startswith("cutcard-")]


def words_of(line: str) -> list[str]:
    """Give what the command is given, which may write to another one."""
    return shlex.split(line.partition(" | ")[0])[1:]


def test_the_two_commands_are_given_exactly() -> None:
    assert "\n    make demo\n    make test\n" in README
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(
        r"^demo: .*\n\t@.* -m dealer_service demo --directory demo$", makefile, re.MULTILINE
    )
    assert re.search(r"^test: ", makefile, re.MULTILINE)


def test_every_help_text_is_what_the_command_prints() -> None:
    shown = [block for block in BLOCKS if block.startswith("$ ")]
    assert shown
    for block in shown:
        command, _, text = block.partition("\n")
        name, *arguments = shlex.split(command.removeprefix("$ "))
        printed = subprocess.run(
            [sys.executable, "-m", MODULES[name], *arguments],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"COLUMNS": "80", "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        )
        assert text == printed.stdout


@pytest.mark.parametrize("line", [each for each in LINES if each.startswith("cutcard-dealer")])
def test_every_command_line_is_one_that_the_dealer_reads(line: str) -> None:
    build_parser({}).parse_args(words_of(line))


@pytest.mark.parametrize("line", [each for each in LINES if each.startswith("cutcard-audit")])
def test_every_command_line_of_the_audit_is_one_that_it_reads(line: str) -> None:
    audit_parser().parse_args(words_of(line))


def test_the_verdict_shown_has_every_promise_in_its_order() -> None:
    (shown,) = (block for block in BLOCKS if block.startswith("game "))
    names = [line.split()[0] for line in shown.splitlines() if re.match(r"[A-Z-]+ ", line)]
    told = [promise.value for promise in Promise if promise not in TOURNAMENT_PROMISES]
    assert names == told


@pytest.mark.parametrize("name", ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_every_link_to_a_file_leads_to_one(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    targets = re.findall(r"\]\((?!https?://)([^)#]+)", text)
    missing = [target for target in targets if not (ROOT / target).exists()]
    assert missing == []


def test_every_command_is_in_the_change_log() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for command in ("serve", "token", "key", "bots", "play", "fetch", "demo"):
        assert f"`{command}`" in changes
