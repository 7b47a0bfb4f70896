"""Commands in documents: every help text is what is printed, and every line is one that is read."""

import os
import re
import shlex
import subprocess
import sys

import pytest

from audit_cli.cli import _parser as audit_parser
from dealer_service.cli import build_parser
from tests.support.command_texts import DOCUMENT, help_texts, write
from tests.support.commands import ROOT
from tests.support.documents import Document, command_lines, documents

HELP = dict(help_texts())
OTHERS = [document for document in documents() if document.name != "docs/commands.md"]
LINES = [(each.name, line) for each in OTHERS for line in command_lines(each)]
MENTIONS = sorted(
    {
        (each.name, code)
        for each in OTHERS
        for code in each.codes
        if re.match(r"cutcard-(?:dealer|audit) [a-z]", code)
    }
)
FOREIGN = {"--only", "--require-hashes", "--ulimit", "--upgrade"}
"""Options of other programs, which documents name as well."""


def words_of(line: str) -> list[str]:
    """Give what the command is given, which may write to another one or to a file."""
    return shlex.split(re.split(r" \| | > | &$", line)[0])[1:]


def test_every_help_text_stands_in_the_document_as_it_is_printed() -> None:
    """Words are compared: where lines are broken differs between versions of Python."""
    assert DOCUMENT.read_text(encoding="utf-8").split() == write().split(), "run `make docs`"


@pytest.mark.parametrize(
    ("name", "module"), [("cutcard-dealer", "dealer_service"), ("cutcard-audit", "audit_cli")]
)
def test_the_texts_are_those_of_the_commands_as_processes(name: str, module: str) -> None:
    printed = subprocess.run(
        [sys.executable, "-m", module, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"COLUMNS": "80", "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
    )
    assert HELP[name] == printed.stdout


def test_all_kinds_of_documents_have_commands() -> None:
    assert {name for name, _ in LINES} >= {
        "README.md",
        "deploy/OPERATIONS.md",
        "docs/checking-a-game.md",
        "docs/laboratory.md",
        "docs/running.md",
        "docs/writing-a-client.md",
    }


@pytest.mark.parametrize(("where", "line"), LINES)
def test_every_command_line_is_one_that_the_command_reads(where: str, line: str) -> None:
    parser = build_parser({}) if line.startswith("cutcard-dealer") else audit_parser()
    parser.parse_args(words_of(line))
    assert where


@pytest.mark.parametrize(("where", "code"), MENTIONS)
def test_every_command_that_is_mentioned_is_one_with_these_options(where: str, code: str) -> None:
    """Of a mention only the command and its options are held to it; it need not be whole."""
    words = code.replace("…", " ").split()
    command = words[0]
    for word in words[1:]:
        if f"{command} {word}" not in HELP:
            break
        command = f"{command} {word}"
    assert command in HELP, where
    assert command != words[0], where
    options = set(re.findall(r"--[a-z][a-z-]*", HELP[command]))
    assert {word.partition("=")[0] for word in words if word.startswith("--")} <= options, where


@pytest.mark.parametrize("document", OTHERS, ids=lambda each: each.name)
def test_every_option_that_is_named_by_itself_is_one_of_a_command(document: Document) -> None:
    known = {option for text in HELP.values() for option in re.findall(r"--[a-z][a-z-]*", text)}
    named = {code.split()[0] for code in document.codes if code.startswith("--")}
    assert named - known - FOREIGN == set()
