"""`cutcard-dealer demo`: it deals, audits, and ends with the audit's exit status."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from audit_cli.report.finding import TOURNAMENT_PROMISES, Promise
from tests.support.commands import SECONDS, dealer


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return the folder and the output of a short demo, in a folder that is not empty."""
    folder = tmp_path_factory.mktemp("demo")
    (folder / "demo").mkdir()
    (folder / "demo" / "mine.txt").write_text("keep me")
    ran = dealer("demo", "--hands", "3", "--seats", "3", "--seed", "1", folder=folder)
    assert (ran.returncode, ran.stderr) == (0, "")
    return folder, ran.stdout


def test_it_prints_a_line_for_each_promise(shown: tuple[Path, str]) -> None:
    _, out = shown
    verdicts = dict(re.findall(r"^([A-Z-]+) +(holds|broken|not \w+) ", out, re.MULTILINE))
    told = [promise.value for promise in Promise if promise not in TOURNAMENT_PROMISES]
    assert list(verdicts) == told
    assert verdicts["SIGNED"] == verdicts["PLAYER-MIXED"] == verdicts["REPLAYED"] == "holds"
    assert "all that was asked for holds (exit status 0)" in out


def test_it_deals_exactly_the_hands_that_were_asked_for(shown: tuple[Path, str]) -> None:
    _, out = shown
    assert re.search(
        r"^COMPLETE +holds +3 hands of 1 game, none missing; 0 voids$", out, re.MULTILINE
    )
    assert out.startswith("3 hands, 3 house players, ")


def test_it_says_where_the_file_is_and_how_to_audit_it_again(shown: tuple[Path, str]) -> None:
    folder, out = shown
    (file,) = re.findall(r"^the game file +(.+)$", out, re.MULTILINE)
    assert file.startswith("demo/")
    assert (folder / file).read_text(encoding="utf-8").startswith('{"format":"cutcard-game/1"')
    (command,) = re.findall(r"^the audit again +(.+)$", out, re.MULTILINE)
    again = subprocess.run(
        shlex.split(command),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert again.returncode == 0, again.stderr
    assert again.stdout.strip() in out


def test_it_keeps_what_was_there_and_what_an_earlier_run_left(shown: tuple[Path, str]) -> None:
    folder, _ = shown
    before = {path: path.stat().st_mtime_ns for path in (folder / "demo").rglob("*")}
    again = dealer("demo", "--hands", "1", "--seats", "2", folder=folder)
    assert again.returncode == 0, again.stderr
    assert (folder / "demo" / "mine.txt").read_text() == "keep me"
    after = {path: path.stat().st_mtime_ns for path in before}
    runs = [path for path in (folder / "demo").iterdir() if path.is_dir()]
    assert after == before
    assert len(runs) == 2


def test_a_folder_that_can_not_be_made_is_no_game_to_audit(tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("a file")
    refused = dealer("demo", "--hands", "1", folder=tmp_path)
    assert (refused.returncode, refused.stdout) == (5, "")
    assert refused.stderr.startswith("cutcard-dealer: error: demo can not be used: ")
