"""Files made to fill a page's memory end with a verdict, and with no more than a page can hold."""

from pathlib import Path
from typing import Any

from selenium.webdriver import Chrome

from tests.support.browser import give_files
from tests.support.forked_files import forked_file
from tests.support.simulator import play_game
from tests.support.transcripts import dump


def audited(probe: Chrome, path: Path) -> dict[str, Any]:
    """Audit a file by its own key, and give the report."""
    give_files(probe, "#files", [path])
    asked: dict[str, Any] = {"file": path.name, "key": None, "required": []}
    asked |= {"records": [], "notes": []}
    (report,) = probe.execute_async_script(
        "const [cases, done] = arguments; probe.auditCases(cases).then(done);", [asked]
    )
    assert isinstance(report, dict)
    return report


def test_many_forks_of_one_game_keep_the_evidence_of_a_few(probe: Chrome, tmp_path: Path) -> None:
    """Each needs the hash of every line of the longer history."""
    game = play_game(seed=1, hands=2, players=2)
    path = tmp_path / "forks.jsonl"
    path.write_bytes(forked_file(game, 30))
    report = audited(probe, path)
    found = {one["promise"]: one for one in report["promises"]}["CONSISTENT"]
    assert found["verdict"] == "broken"
    assert sum(one["verdict"] == "broken" for one in found["findings"]) == 30
    assert len(report["forks"]) == 10
    assert {len(fork["leaves"]) for fork in report["forks"]} == {len(game.transcript().lines)}


def test_more_games_than_a_page_can_hold_are_refused(probe: Chrome, tmp_path: Path) -> None:
    game = play_game(seed=1, hands=1, players=2)
    headers = [
        dump(
            {
                "format": "cutcard-game/1",
                "game": f"{number:032x}",
                "key": game.key,
                "origin": game.origin,
            }
        )
        for number in range(1_200)
    ]
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"\n".join([*headers, b""]))
    report = audited(probe, path)
    assert report["exit_status"] == 3
    assert len(report["games"]) == 1_000
    assert [one["line"] for one in report["damage"]] == [1_001]
    assert "more than 1,000 games" in report["damage"][0]["reason"]
    assert "holds" not in {one["verdict"] for one in report["promises"]}
