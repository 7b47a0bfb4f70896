"""What is deployed: each command and each variable in deploy/ is one that the programs read."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from audit_cli.cli import _parser as audit_parser
from dealer_service.cli import build_parser
from tests.support.documents import ROOT, read_document

FILES = [
    path
    for path in sorted((ROOT / "deploy").rglob("*"))
    if path.is_file() and path.suffix not in {".md", ".pyc", ".json"}
]
IMAGE = "cutcard-dealer"
LINE = re.compile(r"(?<![\w.`-])(cutcard-(?:dealer|audit) [a-z][^\n`\"]*)")


def text_of(path: Path) -> str:
    """Give a file's text, with lines that go on in the next, or in the next comment, as one."""
    return re.sub(r"\\\n\s*#?\s*", "", path.read_text(encoding="utf-8"))


def parse(words: list[str]) -> None:
    """Have the command read its words; SystemExit where they are none of its own."""
    parser = build_parser({}) if words[0] == IMAGE else audit_parser()
    parser.parse_args(words[1:])


def containers(value: Any) -> Iterator[dict[str, Any]]:
    """Give every part of a file that runs the dealer's image."""
    if isinstance(value, dict):
        if IMAGE in str(value.get("image", "")):
            yield value
        for each in value.values():
            yield from containers(each)
    elif isinstance(value, list):
        for each in value:
            yield from containers(each)


def test_every_command_line_is_one_that_is_read() -> None:
    lines = [line for path in FILES for line in LINE.findall(text_of(path))]
    for line in lines:
        parse(shlex.split(re.split(r" \| | > | && |;", line)[0]))
    assert lines


def words_of(path: Path, container: dict[str, Any]) -> list[str]:
    """Give what the dealer's command is given; empty where another is started, or nothing told.

    What Compose calls `command` are Kubernetes' `args`, and its `entrypoint` the other's `command`.
    """
    other, words = ("entrypoint", "command") if "compose" in path.parts else ("command", "args")
    if other in container:
        return []
    told = [str(word) for word in container.get(words, [])]
    return [re.sub(r"\$[({]\w+(?::-([^})]*))?[)}]", r"\1", word) for word in told]


def test_every_container_is_started_by_words_that_the_dealer_reads() -> None:
    started = 0
    for path in (path for path in FILES if path.suffix == ".yaml"):
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            for container in containers(document):
                if words := words_of(path, container):
                    parse([IMAGE, *words])
                    started += 1
    assert started


def test_every_variable_is_a_setting() -> None:
    known = {code for code in read_document("docs/running.md").codes if code.startswith("CUTCARD_")}
    named = {name for path in FILES for name in re.findall(r"\bCUTCARD_[A-Z_]+\b", text_of(path))}
    assert named - known == set()
