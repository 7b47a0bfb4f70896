"""`cutcard-audit page` writes the page, and opens a game in it."""

import base64
import json
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.small_games import finish, table_of


def run(
    *arguments: str | Path, folder: Path, stdin: bytes = b""
) -> subprocess.CompletedProcess[str]:
    """Run the command; the browser that it finds writes down what it is given."""
    opener = folder / "opener"
    opener.write_text(f'#!/bin/sh\nprintf %s "$1" > {folder / "opened"}\n')
    opener.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-m", "audit_cli", "page", *arguments],
        cwd=folder,
        input=stdin,
        capture_output=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "BROWSER": f"{opener} %s", "TMPDIR": str(folder)},
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def embedded(page: str) -> dict[str, str] | None:
    found = re.search(r'id="embedded">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    read: dict[str, str] | None = json.loads(found[1])
    return read


@pytest.fixture(scope="module")
def game() -> tuple[bytes, str]:
    table = finish(table_of())
    return table.game_file(), table.key


def test_the_page_is_written_where_one_stands(tmp_path: Path) -> None:
    done = run(folder=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "cutcard.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert embedded(page) is None
    assert "cutcard.html" in done.stderr
    assert not (tmp_path / "opened").exists()


def test_the_page_goes_to_standard_output(tmp_path: Path) -> None:
    done = run("--output", "-", folder=tmp_path)
    assert done.returncode == 0
    assert embedded(done.stdout) is None


def test_a_game_is_opened_at_a_hand_in_a_file_for_its_reader_alone(
    tmp_path: Path, game: tuple[bytes, str]
) -> None:
    data, key = game
    (tmp_path / "game.jsonl").write_bytes(data)
    done = run("--open", "game.jsonl", "--key", key, "--hand", "2", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    address = (tmp_path / "opened").read_text()
    assert address.startswith("file:///")
    assert address.endswith("/cutcard.html#hand=2")
    place = Path(address.removeprefix("file://").partition("#")[0])
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    told = embedded(place.read_text("utf-8"))
    assert told is not None
    assert told["name"] == "game.jsonl"
    assert told["key"] == key
    assert base64.b64decode(told["data"]) == data


def test_the_game_is_not_written_over(tmp_path: Path, game: tuple[bytes, str]) -> None:
    (tmp_path / "game.jsonl").write_bytes(game[0])
    done = run("--open", "game.jsonl", "--output", "game.jsonl", folder=tmp_path)
    assert done.returncode == 2
    assert "game.jsonl is the file that is read" in done.stderr
    assert (tmp_path / "game.jsonl").read_bytes() == game[0]


def test_a_game_comes_from_standard_input(tmp_path: Path, game: tuple[bytes, str]) -> None:
    done = run("--open", "-", "--output", "shown.html", folder=tmp_path, stdin=game[0])
    assert done.returncode == 0, done.stderr
    told = embedded((tmp_path / "shown.html").read_text("utf-8"))
    assert told is not None
    assert base64.b64decode(told["data"]) == game[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--open", "gone.jsonl"), "can not open gone.jsonl: no such file"),
        (("--hand", "3"), "--hand goes with --open FILE"),
        (("--key", "x"), "--key goes with --open FILE"),
        (("--open", "-", "--hand", "0"), "a hand's number is a whole number from 1 on, not '0'"),
        (("--open", "-", "--hand", "x"), "a hand's number is a whole number from 1 on, not 'x'"),
        (("--open", "-", "--key", "x"), "--key"),
        (("--output", "gone/page.html"), "can not write gone/page.html: no such file"),
    ],
)
def test_a_wrong_command_line_is_exit_2_with_a_message(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = run(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    assert not (tmp_path / "opened").exists()


def test_a_file_that_is_too_large_for_a_page_is_refused_with_the_way_out(tmp_path: Path) -> None:
    with (tmp_path / "large.jsonl").open("wb") as file:
        file.truncate(65 * 1024 * 1024)
    done = run("--open", "large.jsonl", folder=tmp_path)
    assert done.returncode == 2
    assert "larger than a page can hold" in done.stderr
    assert "drop the file on it" in done.stderr
