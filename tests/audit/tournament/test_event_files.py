"""A tournament's files as they are given: damaged, unsigned, at the command line, and published."""

import json
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from audit_cli.checks.check import Publication
from audit_cli.report.finding import ExitStatus, Promise, Verdict
from dealer_service.rules.entry import LogProof
from dealer_service.transcript.note import note_signer
from tests.support.audits import broken, judge, tell
from tests.support.event_audits import broken_of_event, judge_event, unproved_of_event
from tests.support.simulator import KEY_SEED
from tests.support.told_games import files_of, new_log, noted_lines
from tests.support.tournament_files import EventFiles, play_event
from tests.support.tournament_houses import HOUSES, event
from tests.support.tournament_play import ORIGIN

# Damage.


def _spoil(files: EventFiles, index: int) -> None:
    files.tournament.lines[index] = files.tournament.lines[index].replace(b'{"at"', b'{ "at"')


def test_a_line_that_can_not_be_read_leaves_the_state_open_and_what_was_before_judged() -> None:
    files = event("tables")
    files.tournament.change(files.tournament.find("seated").index, stack=1)
    _spoil(files, 100)
    report = judge_event(files.joined(), files.key)
    assert report.exit_status() is ExitStatus.UNREADABLE
    assert "COUNTED" in broken_of_event(report), tell(report)
    assert unproved_of_event(report) >= {"SEATED", "LEVELS"}


def test_behind_a_line_that_can_not_be_read_draws_and_links_are_judged() -> None:
    files = event("tables")
    log = files.tournament
    last = [line for line in log.all("drawn") if line.body["what"] == "button"][-1]
    log.change(last.index, next_commitment="00" * 32)
    end = log.find("table_closed")
    log.change(end.index, size=end.body["size"] + 1)
    _spoil(files, log.find("level_begun").index)
    report = judge_event(files.joined(), files.key)
    assert report.exit_status() is ExitStatus.UNREADABLE
    assert broken_of_event(report) == {"DRAWN", "LINKED"}, tell(report)


def test_without_its_first_line_nothing_of_a_tournament_is_known() -> None:
    files = event("sit_and_go")
    files.tournament.delete(0)
    report = judge_event(files.joined(), files.key)
    assert broken_of_event(report) == {"ORDERED"}, tell(report)
    assert "COMPLETE" in unproved_of_event(report)


def test_a_first_line_that_can_not_be_read_is_no_beginning() -> None:
    files = event("sit_and_go")
    _spoil(files, 0)
    report = judge_event(files.joined(), files.key)
    assert report.exit_status() is ExitStatus.UNREADABLE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"deals":false', b'"deals":true,"extra":1'),
        (b'"stack":1500,"start"', b'"stack":1501,"start"'),
        (b'"levels":[', b'"levels":[1,'),
        (b'"level_by":"time"', b'"level_by":"moon"'),
        (b'"players_min":2', b'"players_min":7'),
        (b'"unit":10', b'"unit":0'),
        (b'"shares":[10000]', b'"shares":[9999]'),
        (b'"absent":"dealt_in"', b'"absent":"sit_out"'),
        (b'"max_hands":1000000', b'"max_hands":999'),
        (b'"redraw":[]', b'"redraw":[1,2]'),
        (b'"players":2,"shares"', b'"players":6,"shares"'),
        (b'"chip_unit":5,"length"', b'"chip_unit":3,"length"'),
    ],
)
def test_a_structure_that_can_not_be_is_not_of_this_format(old: bytes, new: bytes) -> None:
    files = event("sit_and_go")
    assert old in files.tournament.lines[0]
    files.tournament.lines[0] = files.tournament.lines[0].replace(old, new, 1)
    report = judge_event(files.joined(), files.key)
    assert report.exit_status() is ExitStatus.UNREADABLE


@pytest.mark.parametrize(
    ("header", "word"),
    [
        ({"format": "cutcard-tournament/2"}, "another format"),
        ({"game": "00" * 16}, "other fields"),
        ({"tournament": "xy"}, "header.tournament"),
    ],
)
def test_a_header_that_is_none_of_a_tournament(header: dict[str, str], word: str) -> None:
    files = event("sit_and_go")
    first, rest = files.tournament_file().split(b"\n", 1)
    line = json.dumps(json.loads(first) | header, sort_keys=True, separators=(",", ":"))
    report = judge_event(line.encode() + b"\n" + rest)
    assert [word in damage.reason for damage in report.damage] == [True]


def test_entries_behind_the_last_checkpoint_prove_nothing() -> None:
    files = event("sit_and_go")
    files.tournament.checkpoints.pop()
    report = judge_event(files.joined(), files.key)
    assert unproved_of_event(report) >= {"COMPLETE", "LINKED"}
    assert report.exit_status() is ExitStatus.NOT_ESTABLISHED
    assert not broken_of_event(report), tell(report)


def test_a_tournament_of_another_key_establishes_nothing() -> None:
    files = event("sit_and_go")
    other = str(note_signer(ORIGIN, bytes(32)).verifier)
    report = judge_event(files.joined(), other)
    assert unproved_of_event(report) >= {"DRAWN", "SEATED", "PLACED", "COMPLETE"}
    assert report.verdicts()[Promise.SIGNED] is Verdict.NOT_ESTABLISHED
    assert report.exit_status() is ExitStatus.NOT_ESTABLISHED


def test_an_opening_line_that_names_another_tournament_breaks_signed() -> None:
    files = event("sit_and_go")
    files.tournament.change(0, tournament="11" * 16)
    assert "SIGNED" in broken(judge_event(files.joined(), files.key))


# The command line.


def _run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "audit_cli", "verify", *map(str, arguments)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr
    return done


def test_files_beside_each_other_are_one_event_at_the_command_line(tmp_path: Path) -> None:
    files = event("hands")
    (tmp_path / "event.jsonl").write_bytes(files.tournament_file())
    for number in files.tables:
        (tmp_path / f"table-{number}.jsonl").write_bytes(files.table_file(number))
    names = sorted(tmp_path.iterdir())
    done = _run(*names, "--key", files.key, "--require", "PLACED,LINKED")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"tournament {files.tournament.game} of {ORIGIN}" in done.stdout
    for promise in ("DRAWN", "SEATED", "LEVELS", "COUNTED", "PLACED", "LINKED"):
        assert f"\n{promise:<13} holds" in done.stdout
    done = _run(*names[:-1], "--key", files.key)
    assert done.returncode == 4
    assert "1 table not in the input" in done.stdout


def test_a_fault_is_told_with_its_place_as_text_and_as_json(tmp_path: Path) -> None:
    files = event("hands")
    index = files.tournament.find("placed").index
    prize = files.tournament.read(index).body["prize"]
    files.tournament.change(index, prize=prize + 1)
    name = tmp_path / "event.jsonl"
    name.write_bytes(files.joined())
    done = _run(name, "--key", files.key)
    assert done.returncode == 1
    assert "PLACED        broken" in done.stdout
    assert f"entry {index}" in done.stdout
    told = json.loads(_run(name, "--key", files.key, "--json").stdout)
    assert told["games"][0]["tournament"] is True
    (placed,) = (one for one in told["promises"] if one["promise"] == "PLACED")
    (finding,) = (one for one in placed["findings"] if one["verdict"] == "broken")
    assert finding["entry"] == index
    assert f"prize {prize}" in finding["expected"]
    assert f"prize {prize + 1}" in finding["found"]


# The dealer's log.


@cache
def _followed() -> EventFiles:
    house = HOUSES["sit_and_go"]
    rules = replace(house.structure.rules, log_proof=LogProof.FOLLOW)
    structure = replace(house.structure, rules=rules)
    return play_event(structure, seed=house.seed, habits=house.habits)


def _published(files: EventFiles, folder: Path, *, root: str = "") -> Publication:
    """Publish the lines that the dealer's log has of the event and its table."""
    log = new_log(ORIGIN, KEY_SEED)
    event_log = files.tournament
    sizes = {"game_opened": 1, "game_closed": len(event_log.lines)}
    sizes["game_revealed"] = sizes["game_closed"]
    for stage, size in sizes.items():
        noted = {
            "game": event_log.game,
            "hand": 0,
            "root": root if root and stage == "game_closed" else event_log.root(size).hex(),
            "size": size,
            "stage": stage,
        }
        log.raw(
            json.dumps(
                {"at": event_log.read(size - 1).at, "noted": noted},
                sort_keys=True,
                separators=(",", ":"),
            ).encode()
        )
    for table in files.tables.values():
        for line in noted_lines(table):
            log.raw(json.dumps(line, sort_keys=True, separators=(",", ":")).encode())
    return Publication("log", files_of(log, folder))


def test_the_dealers_log_has_a_tournament_with_its_first_and_last_line(tmp_path: Path) -> None:
    files = _followed()
    report = judge(files.joined(), key=files.key, dealer_log=_published(files, tmp_path))
    assert report.exit_status() is ExitStatus.HOLDS, tell(report)


def test_the_dealers_log_tells_another_end_of_a_tournament(tmp_path: Path) -> None:
    files = _followed()
    published = _published(files, tmp_path, root="00" * 32)
    report = judge(files.joined(), key=files.key, dealer_log=published)
    assert "CONSISTENT" in broken(report), tell(report)
