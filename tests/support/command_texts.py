"""Every help text of both commands, as one document: `make docs` writes it to docs/commands.md.

Which commands there are is read off the help texts themselves, each of which lists those below it.
"""

import io
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Final
from unittest.mock import patch

from audit_cli.cli import main as audit
from dealer_service.cli import main as dealer

DOCUMENT: Final = Path(__file__).parents[2] / "docs" / "commands.md"
_COLUMNS: Final = "80"
_MAINS: Final[tuple[tuple[str, Callable[[list[str]], int]], ...]] = (
    ("cutcard-dealer", dealer),
    ("cutcard-audit", audit),
)
_HEAD: Final = """# All commands

What `--help` says of each, 80 columns wide. `make docs` writes this file, and a test holds it to
the commands.

"""


def write() -> str:
    """Give the whole document."""
    texts = list(help_texts())
    names = "\n".join(f"- [{name}](#{_anchor(name)})" for name, _ in texts)
    blocks = "\n".join(f"## {name}\n\n```\n{text}```\n" for name, text in texts)
    return f"{_HEAD}{names}\n\n{blocks}"


def help_texts() -> Iterator[tuple[str, str]]:
    """Give each command with what it prints for --help, those below it behind it."""
    for name, main in _MAINS:
        yield from _below(name, main, [])


def _below(
    name: str, main: Callable[[list[str]], int], words: list[str]
) -> Iterator[tuple[str, str]]:
    text = _help(main, words)
    yield " ".join([name, *words]), text
    for word in _commands(text):
        yield from _below(name, main, [*words, word])


def _help(main: Callable[[list[str]], int], words: list[str]) -> str:
    printed = io.StringIO()
    environ = {"COLUMNS": _COLUMNS, "NO_COLOR": "1"}
    changed = patch.dict("os.environ", environ, clear=True)
    with changed, redirect_stdout(printed), suppress(SystemExit):
        main([*words, "--help"])
    return printed.getvalue()


def _commands(text: str) -> list[str]:
    """Read which commands a help text lists: they stand below COMMAND or ACTION, two further in."""
    listed = re.search(r"^  (?:COMMAND|ACTION)\n((?:^    .*\n)+)", text, re.MULTILINE)
    return re.findall(r"^    ([a-z][a-z-]*)", listed[1], re.MULTILINE) if listed else []


def _anchor(name: str) -> str:
    return name.replace(" ", "-")


if __name__ == "__main__":
    DOCUMENT.write_text(write(), encoding="utf-8")
    sys.stdout.write(f"wrote {DOCUMENT.name}\n")
