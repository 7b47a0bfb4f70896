"""`cutcard-audit export` as Open Hand History and PHH: files, their names, and what is left out."""

import json
from pathlib import Path

import pokerkit
import pytest

from audit_cli.cli import main
from tests.support.told_houses import hands_of, played, told_house


def written(path: Path, house: str) -> Path:
    path.write_bytes(played(house, 1).game_file())
    return path


@pytest.mark.parametrize("form", ["ohh", "phh"])
def test_a_folder_gets_a_file_named_by_its_format(form: str, tmp_path: Path) -> None:
    game = written(tmp_path / "game.jsonl", "plain")
    assert main(["export", str(game), "--format", form, "--output", f"{tmp_path}/hands/"]) == 0
    (path,) = (tmp_path / "hands").iterdir()
    assert path.suffix == {"ohh": ".ohh", "phh": ".phhs"}[form]
    hands = hands_of(told_house("plain", 1))
    if form == "ohh":
        numbers = [
            json.loads(part)["ohh"]["game_number"] for part in path.read_text().split("\n\n")
        ]
        assert numbers == [f"{hand.game}-{hand.number}" for hand in hands]
    else:
        histories = pokerkit.HandHistory.loads_all(path.read_text())
        assert [history.hand for history in histories] == [hand.number for hand in hands]


def test_one_hand_is_a_phh_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = written(tmp_path / "game.jsonl", "plain")
    number = hands_of(told_house("plain", 1))[2].number
    asked = ["export", str(game), "--format", "phh", "--hand", str(number)]
    assert main(asked) == 0
    assert pokerkit.HandHistory.loads(capsys.readouterr().out).hand == number
    assert main([*asked, "--output", f"{tmp_path}/hands/"]) == 0
    (path,) = (tmp_path / "hands").iterdir()
    assert path.suffix == ".phh"


def test_what_phh_can_not_say_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = written(tmp_path / "game.jsonl", "straddles")
    assert main(["export", str(game), "--format", "phh"]) == 0
    out, err = capsys.readouterr()
    told = [history.hand for history in pokerkit.HandHistory.loads_all(out)]
    left_out = err.count("is left out: PHH has no second board\n")
    assert left_out
    assert len(told) == len(hands_of(told_house("straddles", 1))) - err.count("warning: hand ")


def test_a_game_that_phh_has_no_code_for_is_named_hand_by_hand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = written(tmp_path / "game.jsonl", "hi_lo")
    assert main(["export", str(game), "--format", "phh"]) == 0
    out, err = capsys.readouterr()
    assert not out
    reason = "is left out: PHH has no code for pot-limit Omaha hi-lo of 5 hole cards\n"
    assert err.count(reason) == len(hands_of(told_house("hi_lo", 1)))
