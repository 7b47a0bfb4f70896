"""`cutcard-audit page`: writes the page that proves games, or shows one game in it."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Final

from audit_cli import say
from audit_cli.given import given_key
from audit_cli.inputs import STANDARD_INPUT, UsageError, read_bounded, shown
from audit_cli.outputs import EVERYBODY, OWNER_ALONE, save
from audit_cli.page.assembling import Embedded, assemble, read_sources

if TYPE_CHECKING:
    import argparse

NAME: Final = "cutcard.html"
MAX_GAME: Final = 64 * 1024 * 1024


def run(options: argparse.Namespace) -> int:
    """Write the page, open it where that is asked for; the exit status.

    UsageError where the command line is wrong, or a file can not be read or written.
    """
    if options.open is None:
        for name in ("hand", "key"):
            if getattr(options, name) is not None:
                message = f"--{name} goes with --open FILE"
                raise UsageError(message)
        return _write_page(options.output or NAME)
    if options.key is not None:
        given_key(options.key)
    html = assemble(read_sources(), _read_game(options.open, options.key))
    if options.output == STANDARD_INPUT:
        say.out_file(html)
        return 0
    place = Path(options.output or Path(tempfile.mkdtemp(prefix="cutcard-"), NAME))
    save(place, html.encode(), OWNER_ALONE, options.open)
    fragment = "" if options.hand is None else f"#hand={options.hand}"
    address = f"{place.resolve().as_uri()}{fragment}"
    say.note(f"the page is in {shown(str(place))}")
    if not webbrowser.open(address):
        say.warning(f"no browser was found to open it; open {address}")
    return 0


def _write_page(output: str) -> int:
    html = assemble(read_sources())
    if output == STANDARD_INPUT:
        say.out_file(html)
        return 0
    place = Path(output)
    save(place, html.encode(), EVERYBODY)
    say.note(
        f"the page is in {shown(str(place))}: open it in a browser, and drop a game file on it"
    )
    return 0


def _read_game(name: str, key: str | None) -> Embedded:
    """Read the file to show, whatever it holds: the page tells what is wrong with it."""
    data = read_bounded(name, MAX_GAME)
    if len(data) > MAX_GAME:
        message = f"--open {shown(name)}: larger than a page can hold"
        raise UsageError(message, f"`{say.NAME} page`, and drop the file on it")
    label = "standard input" if name == STANDARD_INPUT else Path(name).name
    return Embedded(label, data, key)
