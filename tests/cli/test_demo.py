"""`cutcard-dealer demo`: it deals, audits, and ends with the audit's exit status."""

import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from audit_cli.report.finding import TOURNAMENT_PROMISES, Promise
from dealer_service.bots.level import Level
from tests.support.commands import SECONDS, dealer


@dataclass(frozen=True)
class Shown:
    """A short demo's folder, which was not empty, and what it printed: a cash game, two events."""

    folder: Path
    acts: list[str]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    folder = tmp_path_factory.mktemp("demo")
    (folder / "demo").mkdir()
    (folder / "demo" / "mine.txt").write_text("keep me")
    ran = dealer(
        "demo", "--hands", "3", "--seats", "3", "--players", "10", "--seed", "1", folder=folder
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    acts = re.findall(r"(.+?\nthe audit again [^\n]+\n)\n?", ran.stdout, re.DOTALL)
    assert "".join(acts) == ran.stdout.replace("\n\na ", "\na ")
    return Shown(folder, acts)


def verdicts(out: str) -> dict[str, str]:
    return dict(re.findall(r"^([A-Z-]+) +(holds|broken|not \w+) ", out, re.MULTILINE))


def test_it_prints_a_line_for_each_promise(shown: Shown) -> None:
    told = verdicts(shown.acts[0])
    assert list(told) == [each.value for each in Promise if each not in TOURNAMENT_PROMISES]
    for out in shown.acts[1:]:
        assert list(verdicts(out)) == [each.value for each in Promise]
    for out in shown.acts:
        asked_for = ["SIGNED", "PLAYER-MIXED", "REPLAYED"]
        if out is not shown.acts[0]:
            asked_for += [each.value for each in TOURNAMENT_PROMISES]
        assert [verdicts(out)[each] for each in asked_for] == ["holds"] * len(asked_for)
        assert "all that was asked for holds (exit status 0)" in out


def test_it_deals_exactly_the_hands_that_were_asked_for(shown: Shown) -> None:
    out = shown.acts[0]
    assert re.search(
        r"^COMPLETE +holds +3 hands of 1 game, none missing; 0 voids$", out, re.MULTILINE
    )
    assert out.startswith("3 hands, 3 house players, ")


def test_its_second_act_is_a_sit_and_go_and_a_tournament(shown: Shown) -> None:
    _, sit_and_go, event = shown.acts
    assert re.match(r"a Sit & Go of 6 house players: \d+ hands at 1 table, [\d.]+ s\n", sit_and_go)
    told = r"a tournament of 10 house players: \d+ hands at 3 tables, \d+ moves, [\d.]+ s\n"
    assert re.match(told, event)
    for out, pool in ((sit_and_go, 600), (event, 1_000)):
        places = re.findall(
            r"^ +(\d)(?:st|nd|rd|th) +house-\d+ +(\w+) +([\d,]+)$", out, re.MULTILINE
        )
        assert {level for _, level, _ in places} <= {*Level}
        assert sum(int(prize.replace(",", "")) for *_, prize in places) == pool
        assert places[0][0] == "1"


@pytest.mark.parametrize(
    ("act", "what", "form"),
    [(0, "game", "cutcard-game/1"), (1, "event", "cutcard-tournament/1")],
    ids=["game", "event"],
)
def test_it_says_where_the_file_is_and_how_to_audit_it_again(
    shown: Shown, act: int, what: str, form: str
) -> None:
    folder, out = shown.folder, shown.acts[act]
    (file,) = re.findall(rf"^the {what} file +(.+)$", out, re.MULTILINE)
    assert file.startswith("demo/")
    assert (folder / file).read_text(encoding="utf-8").startswith(f'{{"format":"{form}"')
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


def test_it_keeps_what_was_there_and_what_an_earlier_run_left(shown: Shown) -> None:
    folder = shown.folder
    before = {path: path.stat().st_mtime_ns for path in (folder / "demo").rglob("*")}
    again = dealer("demo", "--hands", "1", "--seats", "2", "--players", "0", folder=folder)
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
