"""`rng selftest`: what the battery finds of the flaw bank, and that it finds nothing else."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from audit_cli.cli import main
from audit_cli.rng import selftest_command
from audit_cli.rng.flaws import search
from audit_cli.rng.flaws.bank import BANK, CASES, CONTROLS, SEED, DeckCase, Sight, number_cases
from audit_cli.rng.flaws.chance import correct
from audit_cli.rng.flaws.clean import CleanRun, CleanTask, clean_plan, judge_clean, most_alarms
from audit_cli.rng.flaws.search import CHUNK, CaseResult, Seen, find, parts
from audit_cli.rng.flaws.selftest import SelfTest
from audit_cli.rng.running.bar import Bar
from audit_cli.rng.running.pool import WorkersDiedError

NAMES = {case.name for case in BANK}
QUICK = number_cases(NAMES, quick=True)


class Here:
    """Workers that are this process."""

    count = 1

    def each(self, work: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        return ((task, work(task)) for task in tasks)


def look(number: int) -> CaseResult:
    (result,) = find([number], SEED, Here(), Bar("", None))
    return result


def test_the_bank_has_every_flaw_of_the_certification_text() -> None:
    assert {case.name for case in CASES} == {f"F{number:02}" for number in range(1, 26)}
    assert all(case.sights for case in CASES)


@pytest.mark.parametrize(
    "number", QUICK, ids=[f"{BANK[number].name}-{BANK[number].amount}" for number in QUICK]
)
def test_the_battery_finds_each_flaw_and_nothing_in_a_control(number: int) -> None:
    result = look(number)
    assert result.good, (result.seen, result.alarms)
    assert bool(result.seen) == (BANK[number] not in CONTROLS)


@pytest.mark.parametrize("name", ["F01", "F10", "F14"])
def test_no_flaw_is_found_where_none_is_planted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = tuple(
        replace(case, plant=correct, hands=min(case.hands, 10_000))
        if isinstance(case, DeckCase)
        else case
        for case in BANK
    )
    monkeypatch.setattr(search, "BANK", honest)
    result = look(number_cases({name}, quick=True)[0])
    assert not result.good
    assert not any(seen.found for seen in result.seen)


def test_parts_are_all_hands_of_all_cases_the_largest_first() -> None:
    numbers = number_cases(NAMES, quick=False)
    given = list(parts(numbers, SEED))
    hands = [BANK[part.number].hands for part in given]
    assert hands == sorted(hands, reverse=True)
    for number in numbers:
        own = [part for part in given if part.number == number]
        assert sum(part.count for part in own) == BANK[number].hands
        assert [part.first for part in own] == [CHUNK * index for index in range(len(own))]


def test_a_large_case_is_counted_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    (number,) = number_cases({"F14"}, quick=True)[1:]
    monkeypatch.setattr(search, "CHUNK", 2_500)
    result = look(number)
    assert (result.amount, result.good) == ("10,000 decks", True)


def test_a_stated_p_is_seen_by_one_as_small_but_for_chance() -> None:
    """z = 3.9 is stated: 0.6 is enough, and 37 - 3.3 where the text says 0."""
    assert Sight("S1", 1e-4).most == pytest.approx(0.555, abs=0.01)
    assert 1e-250 < Sight("S1", 1e-300).most < 1e-245
    assert Sight("S19.deck", 0.0).most == 0.0
    assert Sight("S4.1", 1e-33, spread=2).most > Sight("S4.1", 1e-33).most


def test_seen_is_not_enough_where_the_verdict_does_not_alarm() -> None:
    seen = Seen(Sight("S1", 1e-4), 1e-2)
    result = CaseResult("F00", "nothing", "1 deck", (seen,), (("S2", 1e-9),))
    assert seen.found
    assert not result.good
    assert replace(result, alarms=(("S1", 1e-9),)).good


@pytest.mark.night  # single chunks are held to it in test_rng_counting.py, by day
def test_a_clean_run_is_the_same_by_every_engine() -> None:
    assert clean_plan().run.hands == 20_000
    found = {judge_clean(CleanTask(SEED, 0, engine)) for engine in ("numpy", "numba")}
    assert found == {CleanRun(0, alarm=False, why=next(iter(found)).why)}


def test_six_alarms_in_200_runs_are_chance() -> None:
    assert [most_alarms(runs) for runs in (0, 1, 100, 200)] == [0, 1, 4, 6]


# The command.


def test_flaws_and_clean_runs_are_told_in_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rng", "selftest", "--flaws", "F03,F22", "--clean", "1", "--workers", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("F03  Sattolo's shuffle")
    assert lines[1].endswith("ok")
    assert "certain" in lines[3]
    assert lines[4] == "all 2 as they should be"
    assert lines[5].startswith("0 alarms in 1 clean runs of 20,000 decks")


def test_what_is_missed_exits_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    missed = CaseResult("F01", "words", "1 deck", (Seen(Sight("S1", 1e-20), 0.5),), ())
    alarmed = CaseResult("control", "words", "1 deck", (), (("S9", 1e-12),))
    clean = tuple(CleanRun(run, alarm=run < 2, why="why") for run in range(10))
    found = SelfTest(SEED, (missed, alarmed), clean)
    monkeypatch.setattr(selftest_command, "run_selftest", lambda *_: found)
    assert main(["rng", "selftest", "--flaws", "F03"]) == 1
    printed = capsys.readouterr().out
    assert "MISSED" in printed
    assert "ALARM" in printed
    assert "2 of 2 not as they should be" in printed
    assert "2 alarms in 10 clean runs" in printed
    assert "run 1: why" in printed
    assert main(["rng", "selftest", "--flaws", "F03", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["good"] is False
    assert [case["good"] for case in told["cases"]] == [False, False]
    assert told["clean"]["most_alarms"] == 1
    assert [one["run"] for one in told["clean"]["alarms"]] == [0, 1]


def test_workers_that_die_stop_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> SelfTest:
        message = "each died"
        raise WorkersDiedError(message)

    monkeypatch.setattr(selftest_command, "run_selftest", die)
    assert main(["rng", "selftest", "--flaws", "F03"]) == 3
    assert "the selftest stops: each died" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["--flaws", "F26"],
        ["--flaws", "f01"],
        ["--flaws", "none", "--clean", "0"],
        ["--flaws", "F08", "--quick"],
        ["--clean", "-1"],
        ["--workers", "0"],
    ],
)
def test_a_wrong_command_line_exits_2(words: list[str]) -> None:
    assert main(["rng", "selftest", *words]) == 2
