"""A report's lines and exit status (protocol 12)."""

import json
import re
from dataclasses import replace

import pytest

from audit_cli.report.finding import (
    ALWAYS_ASKED,
    AuditedGame,
    Damaged,
    ExitStatus,
    Finding,
    Notice,
    Promise,
    Report,
    Verdict,
)
from audit_cli.report.meaning import MEANINGS
from audit_cli.report.render import MAX_DETAILS, render_json, render_text

HOLDS = tuple(Finding(promise, Verdict.HOLDS, "as it should be") for promise in Promise)


def report(
    *findings: Finding,
    damage: tuple[Damaged, ...] = (),
    asked: frozenset[Promise] = ALWAYS_ASKED,
    required: frozenset[Promise] = frozenset(),
    notices: tuple[Notice, ...] = (),
) -> Report:
    game = AuditedGame("game.jsonl", "ab" * 16, "dealer.example.net", 10, 9, 3, beacon=False)
    return Report((game,), findings, damage, (), notices, (), asked, required)


def without(promise: Promise) -> tuple[Finding, ...]:
    return tuple(finding for finding in HOLDS if finding.promise is not promise)


def finding(promise: Promise, verdict: Verdict) -> Finding:
    return Finding(promise, verdict, "something", hand=12, entry=40, line=57, expected="a")


def test_all_that_holds_is_0() -> None:
    assert report(*HOLDS).exit_status() is ExitStatus.HOLDS


@pytest.mark.parametrize("promise", Promise)
def test_any_broken_promise_is_1_asked_for_or_not(promise: Promise) -> None:
    broken = report(*HOLDS, finding(promise, Verdict.BROKEN))
    assert broken.verdicts()[promise] is Verdict.BROKEN
    assert broken.exit_status() is ExitStatus.BROKEN


@pytest.mark.parametrize("promise", Promise)
def test_not_established_is_4_where_it_is_asked_for(promise: Promise) -> None:
    findings = (*without(promise), finding(promise, Verdict.NOT_ESTABLISHED))
    asked = ExitStatus.NOT_ESTABLISHED if promise in ALWAYS_ASKED else ExitStatus.HOLDS
    assert report(*findings).exit_status() is asked
    required = report(*findings, required=frozenset({promise}))
    assert required.exit_status() is ExitStatus.NOT_ESTABLISHED


@pytest.mark.parametrize("promise", Promise)
def test_not_applicable_holds_unless_it_is_required(promise: Promise) -> None:
    findings = (*without(promise), finding(promise, Verdict.NOT_APPLICABLE))
    assert report(*findings).exit_status() is ExitStatus.HOLDS
    required = report(*findings, required=frozenset({promise}))
    assert required.exit_status() is ExitStatus.NOT_ESTABLISHED


@pytest.mark.parametrize("promise", [p for p in Promise if p in ALWAYS_ASKED])
def test_a_promise_on_which_nothing_was_reported_is_not_established(promise: Promise) -> None:
    silent = report(*without(promise))
    assert silent.verdicts()[promise] is Verdict.NOT_ESTABLISHED
    assert silent.exit_status() is ExitStatus.NOT_ESTABLISHED


def test_damage_is_3_before_all_else() -> None:
    damaged = Damaged("game.jsonl", 4, "a null at byte 3", "")
    broken = report(finding(Promise.BOUND, Verdict.BROKEN), damage=(damaged,))
    assert broken.exit_status() is ExitStatus.UNREADABLE
    assert "game.jsonl, line 4: a null at byte 3" in render_text(broken, colour=False)


def test_the_worst_finding_is_the_verdict() -> None:
    both = report(
        Finding(Promise.BOUND, Verdict.HOLDS, "x"),
        Finding(Promise.BOUND, Verdict.NOT_APPLICABLE, "y"),
    )
    assert both.verdicts()[Promise.BOUND] is Verdict.HOLDS


def test_the_text_has_a_line_for_each_promise_and_the_places_of_what_is_broken() -> None:
    text = render_text(report(*HOLDS, finding(Promise.DEALT, Verdict.BROKEN)), colour=False)
    for promise in Promise:
        assert any(line.split()[:1] == [promise.value] for line in text.splitlines())
    assert "  DEALT, hand 12, entry 40, line 57: something\n    expected  a\n" in text
    assert text.endswith("a promise is broken (exit status 1)\n")


@pytest.mark.parametrize("promise", Promise)
def test_what_is_broken_is_said_in_plain_words_too(promise: Promise) -> None:
    text = render_text(report(*HOLDS, finding(promise, Verdict.BROKEN)), colour=False)
    assert f"\n\nin plain words:\n  {promise.value}: {MEANINGS[promise]}\n\na promise is" in text


def test_nothing_is_said_in_plain_words_where_nothing_is_broken() -> None:
    assert "in plain words" not in render_text(report(*HOLDS), colour=False)


def test_many_findings_are_cut_in_the_text_and_whole_in_json() -> None:
    many = report(*[finding(Promise.DEALT, Verdict.BROKEN)] * 50)
    text = render_text(many, colour=False)
    assert text.count("DEALT, hand 12") == MAX_DETAILS
    assert "and 30 more" in text
    promises = json.loads(render_json(many))["promises"]
    assert len(next(p for p in promises if p["promise"] == "DEALT")["findings"]) == 50


def test_colour_only_where_it_is_asked_for() -> None:
    assert "\x1b" not in render_text(report(*HOLDS), colour=False)
    assert "\x1b[32m" in render_text(report(*HOLDS), colour=True)


@pytest.mark.parametrize("colour", [False, True])
def test_lines_are_folded_at_the_width_of_a_terminal(colour: bool) -> None:
    long = "a word " * 30
    found = (
        Finding(Promise.BOUND, Verdict.BROKEN, long, hand=3, expected=long, found=long),
        Finding(Promise.DEALT, Verdict.HOLDS, long, evidence=(long,)),
    )
    notices = (Notice(long, details=(long,)),)
    text = render_text(report(*found, notices=notices), colour=colour, width=80)
    plain = re.sub("\x1b\\[[0-9;]*m", "", text)
    assert all(len(line) <= 80 for line in plain.splitlines())
    assert "BOUND         broken           hand 3: a word" in plain
    assert "DEALT         holds            a word" in plain
    unfolded = render_text(report(*found, notices=notices), colour=False)
    assert unfolded.split() == plain.split()


def test_notices_stand_under_their_game_where_there_are_several() -> None:
    one = report(notices=(Notice("a void", "ab" * 16, ("its deck",)),))
    assert "to know:\n  a void\n    its deck\n" in render_text(one, colour=False)
    two = replace(one, games=one.games * 2)
    assert "to know:\n  game abababab\n    a void\n      its deck\n" in render_text(
        two, colour=False
    )


def test_nothing_from_a_file_moves_the_cursor() -> None:
    evil = "\x1b[2J\x07\u202e"
    broken = Finding(Promise.BOUND, Verdict.BROKEN, evil, expected=evil, found=evil)
    damaged = Damaged(evil, 1, evil, evil)
    text = render_text(
        report(broken, damage=(damaged,), notices=(Notice(evil, details=(evil,)),)), colour=False
    )
    assert text.isascii()
    assert text.replace("\n", "").isprintable()


def test_json_gives_verdicts_findings_and_status() -> None:
    value = json.loads(
        render_json(
            report(
                *HOLDS,
                finding(Promise.DEALT, Verdict.BROKEN),
                notices=(Notice("n", "ab" * 16, ("d",)),),
            )
        )
    )
    assert value["exit_status"] == 1
    assert value["games"][0]["signed"] == 9
    assert value["notices"] == [{"text": "n", "game": "ab" * 16, "details": ["d"]}]
    dealt = next(p for p in value["promises"] if p["promise"] == "DEALT")
    assert dealt["verdict"] == "broken"
    assert dealt["asked"]
    assert dealt["findings"][-1] == {
        "verdict": "broken",
        "text": "something",
        "hand": 12,
        "entry": 40,
        "line": 57,
        "expected": "a",
    }
