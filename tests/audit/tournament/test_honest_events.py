"""Honest tournaments of every structure hold on all lines, in whole files and in parts of them."""

from collections import Counter
from random import Random

import pytest

from audit_cli.report.finding import ExitStatus, Promise, Verdict
from dealer_service.rules.tournament.structure import find_faults
from tests.support.audits import broken, judge, tell, told
from tests.support.event_audits import broken_of_event, judge_event, unproved_of_event
from tests.support.random_tournaments import random_habits, random_structure
from tests.support.tournament_files import EventFiles, play_event
from tests.support.tournament_houses import HOUSES, event
from tests.support.transcripts import dump

KINDS = {
    *("tournament_opened", "registered", "started", "table_opened", "drawn", "seated", "moved"),
    *("table_broken", "level_begun", "break_begun", "hand_started", "hand_finished", "busted"),
    *("colored_up", "reentered", "rebought", "added_on", "taken_over", "disqualified"),
    *("registration_closed", "hand_for_hand_begun", "hand_for_hand_ended", "deal_agreed"),
    *("placed", "stopped", "resumed", "table_closed", "tournament_closed"),
}


@pytest.mark.parametrize("house", HOUSES)
def test_an_honest_event_holds_on_all_lines(house: str) -> None:
    assert not find_faults(HOUSES[house].structure)
    files = event(house)
    report = judge(files.joined(), key=files.key, require=(Promise.LINKED, Promise.PLACED))
    assert report.exit_status() is ExitStatus.HOLDS, tell(report)


def test_the_events_have_every_kind_of_entry_and_of_draw() -> None:
    """All but a withdrawal, which needs no rule of its own."""
    lines = [line for house in HOUSES for line in event(house).tournament.all()]
    assert {line.kind for line in lines} >= KINDS
    draws = Counter(line.body["what"] for line in lines if line.kind == "drawn")
    assert draws.keys() == {"seats", "redraw", "place", "break", "button", "race"}
    moves = Counter(line.body["why"] for line in lines if line.kind == "moved")
    assert moves.keys() == {"balance", "break", "redraw"}


def test_seats_are_drawn_anew_beside_an_old_table_that_stands_empty() -> None:
    """Two go out together and leave table 3 empty; the redraw's table is the new one alone."""
    dice = Random(210)
    files = play_event(random_structure(dice), seed=210, habits=random_habits(dice))
    report = judge(files.joined(), key=files.key, require=(Promise.LINKED, Promise.PLACED))
    assert report.exit_status() is ExitStatus.HOLDS, tell(report)


def test_files_may_come_in_any_order() -> None:
    files = event("tables")
    tables = b"".join(map(files.table_file, reversed(files.tables)))
    report = judge_event(tables + files.tournament_file(), files.key)
    assert not unproved_of_event(report), tell(report)


def test_a_table_that_is_missing_leaves_both_logs_open() -> None:
    files = event("tables")
    del files.tables[2]
    report = judge_event(files.joined(), files.key)
    assert unproved_of_event(report) == {"COMPLETE", "LEVELS", "COUNTED", "LINKED"}
    (missing,) = report.of(Promise.COMPLETE)[:1]
    assert missing.text.startswith("1 table not in the input: 2 (")
    assert report.exit_status() is ExitStatus.NOT_ESTABLISHED


def test_a_tournament_without_its_tables_is_judged_as_far_as_it_goes() -> None:
    files = event("tables")
    report = judge(files.tournament_file(), key=files.key)
    verdicts = report.verdicts()
    assert verdicts[Promise.DRAWN] is verdicts[Promise.PLACED] is Verdict.HOLDS
    assert verdicts[Promise.LINKED] is Verdict.NOT_ESTABLISHED
    assert report.exit_status() is ExitStatus.NOT_ESTABLISHED


def test_a_table_alone_is_a_game_like_any_other() -> None:
    files = event("tables")
    report = judge(files.table_file(1), key=files.key)
    assert report.exit_status() is ExitStatus.HOLDS, tell(report)
    assert Promise.LINKED not in report.lines()
    assert "whose log is not in the input" in told(report)


def test_a_game_without_a_tournament_has_none_of_its_lines_unless_it_is_asked_for_them() -> None:
    files = event("tables")
    report = judge(files.table_file(1), key=files.key, require=(Promise.PLACED,))
    assert Promise.PLACED in report.lines()
    assert report.exit_status() is ExitStatus.NOT_ESTABLISHED


@pytest.mark.parametrize("size", [1, 20, 60, 140, 156])
def test_a_tournament_that_ends_early_is_open_and_not_broken(size: int) -> None:
    """Its tables end early as well, where they stood then."""
    files = event("tables")
    log = files.tournament
    end = log.read(size - 1).at
    log.cut(size)
    log.checkpoints.append(size)
    opened = {line.body["table"] for line in log.all("table_opened")}
    for number in [*files.tables]:
        table = files.tables[number]
        here = [line.index for line in table.all() if line.at <= end]
        if number not in opened or not here:
            del files.tables[number]
            continue
        table.cut(here[-1] + 1)
        table.checkpoints.append(here[-1] + 1)
    report = judge_event(files.joined(), files.key)
    assert "COMPLETE" in unproved_of_event(report)
    assert not broken(report), tell(report)


def _restore(files: EventFiles, size: int) -> None:
    """Let a dealer go on from a backup of so many lines of the tournament's log, and close it."""
    log = files.tournament
    secret = next(
        line.body["secret"]
        for line in [*log.all("drawn"), *log.all("tournament_closed")]
        if line.index >= size
    )
    log.cut(size)
    end = log.read(-1).at
    for line in log.all("table_opened"):
        number = line.body["table"]
        table = files.tables[number]
        here = [one.index for one in table.all() if one.at <= end]
        close = table.find("game_closed")
        table.cut(here[-1] + 1)
        names = ("player", "seat", "stack")
        stacks = [
            {name: one.body[name] for name in names}
            for one in log.all("seated")
            if one.body["table"] == number
        ]
        body = close.body | {
            "reason": "restored",
            "stacks": sorted(stacks, key=lambda stack: int(stack["seat"])),
        }
        table.lines.append(dump({"at": end, "game_closed": body}))
        table.checkpoints = [len(table.lines)]
        closed = {"table": number, "game": table.game, "size": len(table.lines), "root": ""}
        closed["root"] = table.root().hex()
        log.lines.append(dump({"at": end, "table_closed": closed}))
    log.lines.append(
        dump({"at": end, "tournament_closed": {"reason": "restored", "secret": secret}})
    )
    log.checkpoints = [len(log.lines)]


def test_a_tournament_that_closes_after_a_restore_is_complete_and_owes_what_nobody_tells() -> None:
    """It had just started: no hand was played."""
    files = event("sit_and_go")
    _restore(files, files.tournament.find("level_begun").index + 1)
    report = judge_event(files.joined(), files.key)
    assert not broken_of_event(report), tell(report)
    assert unproved_of_event(report) == {"PLACED"}, tell(report)
    assert "what it owes is not told" in told(report)


def test_a_tournament_twice_is_told_of_and_judged_once() -> None:
    files = event("sit_and_go")
    report = judge(files.joined() + files.tournament_file(), key=files.key)
    assert report.exit_status() is ExitStatus.HOLDS, tell(report)
    assert "this tournament stands in the input more than once" in told(report)


def test_two_histories_of_one_tournament_are_a_fork() -> None:
    files = event("sit_and_go")
    other = files.copy()
    line = other.tournament.find("registered")
    other.tournament.change(line.index, anchors=not line.body["anchors"])
    report = judge(files.joined() + other.tournament_file(), key=files.key)
    assert "CONSISTENT" in broken(report), tell(report)
    assert report.forks


def test_a_note_from_outside_is_compared_with_a_tournament_too() -> None:
    files = event("sit_and_go")
    note = files.tournament.note(files.signer, 10)
    report = judge(files.joined(), key=files.key, outside=[note])
    assert report.verdicts()[Promise.CONSISTENT] is Verdict.HOLDS, tell(report)
    line = files.tournament.find("registered")
    files.tournament.change(line.index, anchors=not line.body["anchors"])
    report = judge(files.joined(), key=files.key, outside=[note])
    assert "CONSISTENT" in broken(report)
