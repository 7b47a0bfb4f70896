"""`cutcard-audit verify` with a dealer's log, a policy and proofs, as a person meets it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dealer_service.rules.entry import LogProof
from tests.support.published_logs import PublishedLog, Site, serving_folder
from tests.support.simulator import KEY_SEED, ORIGIN, RULES, Simulator, play_game
from tests.support.told_games import cosigned, new_log, policy_text, proof_of, told


@cache
def honest() -> Simulator:
    return play_game(seed=5, hands=2, players=3, rules=replace(RULES, log_proof=LogProof.FOLLOW))


def dealer() -> PublishedLog:
    return told(new_log(ORIGIN, KEY_SEED), honest().transcript())


def liar() -> PublishedLog:
    """A log that has another root for one stage."""

    def change(line: dict[str, Any]) -> dict[str, Any]:
        noted = line["noted"]
        if noted["stage"] != "game_closed":
            return line
        return line | {"noted": noted | {"root": "ab" * 32}}

    return told(new_log(ORIGIN, KEY_SEED), honest().transcript(), change)


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "game.txt"
    path.write_bytes(honest().transcript().render(honest().signer))
    return path


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "policy.txt"
    path.write_text(policy_text())
    return path


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with serving_folder(tmp_path / "log") as served:
        yield served


def verify(game: Path, *options: str | Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "audit_cli", "verify", str(game)),
            *("--key", str(honest().signer.verifier), "--evidence", str(game.parent)),
            *map(str, options),
        ],
        check=False,
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr
    return done


def test_a_log_in_a_folder_and_its_witnesses_hold(game: Path, policy: Path, tmp_path: Path) -> None:
    log = dealer()
    folder = log.publish(tmp_path / "log", cosigned(log.note(), 1, 2))
    done = verify(game, "--dealer-log", folder, "--policy", policy)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "co-signed by w1" in done.stdout


def test_a_log_is_read_over_http(game: Path, policy: Path, site: Site) -> None:
    log = dealer()
    log.publish(site.folder, cosigned(log.note(), 1, 2))
    done = verify(game, "--dealer-log", f"{site.url}/", "--policy", policy)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert site.asked[0] == "/checkpoint"


def test_a_server_without_a_log_leaves_it_open(game: Path, site: Site) -> None:
    site.folder.mkdir()
    done = verify(game, "--dealer-log", site.url)
    assert done.returncode == 4
    assert "the server answers 404" in done.stdout


def test_a_proof_and_a_policy_are_enough_without_the_log(
    game: Path, policy: Path, tmp_path: Path
) -> None:
    log = dealer()
    options: list[str | Path] = ["--policy", policy]
    for index in range(len(log.lines)):
        path = tmp_path / f"{index}.tlog-proof"
        path.write_text(proof_of(log, index, cosigned(log.note(), 2, 3)))
        options += ["--log-proof", path]
    done = verify(game, *options)
    assert done.returncode == 0, done.stdout
    alone = verify(game, *options[2:4], "--require", "WITNESSED")
    assert alone.returncode == 4


def test_another_history_is_broken_and_its_evidence_written(game: Path, tmp_path: Path) -> None:
    done = verify(game, "--dealer-log", liar().publish(tmp_path / "log"), "--json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    by_promise = {one["promise"]: one["verdict"] for one in report["promises"]}
    assert by_promise["CONSISTENT"] == "broken"
    (path,) = tmp_path.glob("cutcard-fork-*.json")
    evidence = json.loads(path.read_text())
    assert evidence["format"] == "cutcard-fork/1"
    (shown,) = evidence["noted"]
    assert json.loads(shown["line"])["noted"]["root"] == "ab" * 32


def test_two_checkpoints_of_the_log_from_other_people_are_a_fork(
    game: Path, tmp_path: Path
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text(dealer().note())
    other.write_text(liar().note())
    done = verify(game, "--checkpoint", one, other)
    assert done.returncode == 1
    assert "signed two histories of the dealer's log" in done.stdout
    assert len(list(tmp_path.glob(f"cutcard-fork-{ORIGIN}-*.json"))) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--policy", "missing.txt"), "can not open missing.txt"),
        (("--dealer-log", "missing"), "missing"),
        (("--dealer-log", "ftp://dealer.example/"), "ftp://dealer.example/"),
        (("--log-proof", "missing.tlog-proof"), "can not open missing.tlog-proof"),
    ],
)
def test_what_is_not_there_is_a_wrong_command_line(
    game: Path, options: tuple[str, str], words: str
) -> None:
    done = verify(game, *options)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_policy_that_can_not_be_read_is_a_wrong_command_line(game: Path, policy: Path) -> None:
    policy.write_text("quorum nobody\n")
    done = verify(game, "--policy", policy)
    assert done.returncode == 2
    assert "line 1 of the policy" in done.stderr


def test_a_proof_that_can_not_be_read_is_ignored_with_a_warning(game: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.tlog-proof"
    path.write_text("not a proof")
    done = verify(game, "--log-proof", path)
    assert done.returncode == 4
    assert "is ignored" in done.stderr
