"""README.md: the two commands are make's, and the verdict that it shows is the audit's."""

import re

from audit_cli.report.finding import TOURNAMENT_PROMISES, Promise
from tests.support.documents import ROOT, read_document

README = read_document("README.md")
SHORT = 150


def test_the_two_commands_are_the_first_code_under_try_it() -> None:
    _, _, tried = README.text.partition("\n## Try it\n")
    first = re.search(r"(?:^ {4}.+\n)+", tried, re.MULTILINE)
    assert first
    assert first[0] == "    make demo\n    make test\n"
    assert "```" not in tried[: first.start()]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(
        r"^demo: .*\n\t@.* -m dealer_service demo --directory demo$", makefile, re.MULTILINE
    )
    assert re.search(r"^test: ", makefile, re.MULTILINE)


def test_the_verdict_shown_has_every_promise_in_its_order() -> None:
    (shown,) = (block.text for block in README.blocks if block.text.startswith("game "))
    names = [line.split()[0] for line in shown.splitlines() if re.match(r"[A-Z-]+ ", line)]
    told = [promise.value for promise in Promise if promise not in TOURNAMENT_PROMISES]
    assert names == told


def test_it_is_short() -> None:
    assert len(README.text.splitlines()) <= SHORT


def test_every_command_is_in_the_change_log() -> None:
    changes = read_document("CHANGELOG.md").text
    for command in ("serve", "token", "key", "bots", "play", "fetch", "demo"):
        assert f"`{command}`" in changes
