"""The page takes files apart as the audit does: joined, cut, doubled, in other bytes, too large."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from selenium.webdriver import Chrome

from audit_cli.checks import CHECKS, Request
from audit_cli.gamefile import read_game_file
from audit_cli.note import VerifierKey, parse_vkey
from audit_cli.report.render import render_json
from audit_cli.verify import audit
from tests.support.browser import give_files
from tests.support.game_files import GameFile, Signer, canonical

OTHER_GAME: Final = "ab" * 16
STRANGER: Final = Signer("other.example", bytes(32))


def short() -> GameFile:
    """A game of two entries, each under a checkpoint."""
    return GameFile().checkpoint().entry("paused").checkpoint()


def another() -> GameFile:
    """Another game of the same dealer."""
    return GameFile(game=OTHER_GAME).checkpoint()


def with_heavy_entries(*batches: int) -> bytes:
    """Give a game with checkpoints behind so many entries of 62 kB each."""
    seats = [
        {"player": name, "seat": at, "stack": 1, "state": "in"} for at, name in ((1, "a"), (2, "b"))
    ]
    heavy = canonical(
        {
            "at": 1_767_225_601_000,
            "hand_opened": {
                "big_blind_seat": 1,
                "button": 1,
                "commitment": "a" * 64,
                "hand": 1,
                "misses": [{"player": "a", "hands": [1]}] * 2_300,
                "seats": seats,
                "voids": 0,
            },
        }
    )
    file = GameFile().checkpoint()
    for batch in batches:
        for _ in range(batch):
            file.raw(heavy)
        file.checkpoint()
    return file.data()


def forked() -> GameFile:
    """The short game as the same key signed it another time."""
    return GameFile().entry("resumed").checkpoint()


OPENING: Final = canonical(
    {"opening": {"card": "As", "hand": 1, "position": 0, "proof": [], "salt": "a" * 32}}
)

FILES: Final[dict[str, Callable[[], list[bytes]]]] = {
    "one game": lambda: [short().data()],
    "two games in one file": lambda: [short().data() + another().data()],
    "two games in two files": lambda: [short().data(), another().data()],
    "one game twice": lambda: [short().data(), short().data()],
    "two histories of one game": lambda: [short().data(), forked().data()],
    "a second game that is cut off": lambda: [short().data() + another().data()[:100]],
    "a second game of another format": lambda: [
        short().data() + b'{"format":"x"}\n' + another().data()
    ],
    "no opening": lambda: [GameFile(opened=False).checkpoint().entry("paused").checkpoint().data()],
    "a header alone": lambda: [GameFile(opened=False).data()],
    "the key of another name": lambda: [GameFile(STRANGER).checkpoint().data()],
    "no checkpoint": lambda: [GameFile().data()],
    "an entry and a checkpoint behind the end": lambda: [
        short().data() + OPENING + b'\n{"at":1,"paused":{}}\n' + short().lines[-1] + b"\n"
    ],
    "nothing": lambda: [b""],
    "carriage returns": lambda: [short().data().replace(b"\n", b"\r\n")],
    "a byte order mark": lambda: [b"\xef\xbb\xbf" + short().data()],
    "an empty line": lambda: [short().data() + b"\n"],
    "a space before the header": lambda: [b" " + short().data()],
    "a space in a checkpoint": lambda: [
        short().data().replace(b'{"checkpoint"', b'{ "checkpoint"')
    ],
    "much without a checkpoint, twice": lambda: [with_heavy_entries(140, 140)],
    "too much without a checkpoint": lambda: [with_heavy_entries(280, 1)],
    "a line too long": lambda: [short().data() + b'{"at":' + b"1" * 65_536 + b"\n"],
    "a hundred lines that are none": lambda: [short().data() + b"x\n" * 200],
}


LARGE: Final = ("much without a checkpoint, twice", "too much without a checkpoint")
"""What is read of these is the same by any key."""
KEYS: Final = {"own": short().signer.vkey, "none": None, "other": STRANGER.vkey}


@pytest.mark.parametrize("name", FILES)
def test_files_are_told_as_the_audit_tells_them(probe: Chrome, tmp_path: Path, name: str) -> None:
    """By the file's own key, by none, and by another dealer's."""
    files = FILES[name]()
    paths = [tmp_path / f"{at}.jsonl" for at in range(len(files))]
    for path, data in zip(paths, files, strict=True):
        path.write_bytes(data)
    give_files(probe, "#files", paths)
    for whose, key in KEYS.items():
        if name not in LARGE or whose == "own":
            compare(probe, paths, files, key)


def compare(probe: Chrome, paths: list[Path], files: list[bytes], key: str | None) -> None:
    """Hold what the page says of the files that it was given to what the audit says."""
    trusted = None if key is None else parse_vkey(key)
    assert trusted is None or isinstance(trusted, VerifierKey)
    items = (
        item
        for path, data in zip(paths, files, strict=True)
        for item in read_game_file(io.BytesIO(data), path.name)
    )
    report = audit(items, Request(trusted=trusted), CHECKS)
    told = probe.execute_async_script(
        """
        const [key, done] = arguments;
        probe.auditFiles(key).then(done, (error) => done({error: String(error.stack || error)}));
        """,
        key,
    )
    assert "error" not in told, told
    want = json.loads(render_json(report))
    forks = told.pop("forks")
    assert (in_order(told), len(forks)) == (in_order(want), len(report.forks))


def in_order(report: dict[str, Any]) -> dict[str, Any]:
    """Give a report with the findings on each promise in an order of their own."""
    promises = [
        {
            **one,
            "findings": sorted(
                one["findings"], key=lambda finding: json.dumps(finding, sort_keys=True)
            ),
        }
        for one in report["promises"]
    ]
    return {**report, "promises": promises}
