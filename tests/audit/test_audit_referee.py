"""PokerKit's second opinion: it agrees, or its known differences say why not; it never judges."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pokerkit
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from audit_cli.checks.ruleset import read_rules
from audit_cli.gamefile import Line
from audit_cli.referee.refereed import give_opinion, refereed_by
from audit_cli.referee.witnessed import FOLLOWED, Acted, WitnessedHand, follow, open_hand
from audit_cli.report.finding import (
    ALWAYS_ASKED,
    AuditedGame,
    ExitStatus,
    Finding,
    Opinion,
    Promise,
    Report,
    Stand,
    Verdict,
)
from audit_cli.report.render import render_json, render_text
from tests.runners import cases
from tests.support.audited_logs import lines_of
from tests.support.audits import judge
from tests.support.random_rules import play_hand, random_opening, random_rules
from tests.support.rule_cases import CASES
from tests.support.simulator import HOUSE_LIFE, HOUSES, play_game
from tests.support.tournament_tables import play_table

HANDS = [case for case in CASES if case["kind"] == "hand"]
# What its notes in the rule cases say of hands that are played to their end.
KNOWN = {
    "SB-01": "it takes what a short blind posted as the bet to call",
    "AN-03": "it takes the big blind's ante before the blind",
    "OC-02": "it gives every odd chip to the first winner",
}


def witness(lines: Sequence[Line]) -> WitnessedHand:
    """Follow one hand behind the opening of its game."""
    hand = open_hand("ab" * 16, lines[1].body, read_rules(lines[0].body["rules"]).hand)
    for line in lines[2:]:
        if line.kind in FOLLOWED:
            follow(hand, line.kind, line.body)
    return hand


def witness_case(case: dict[str, Any]) -> WitnessedHand:
    driver = cases.start(case["setup"])
    for step in case["script"]:
        cases.take(driver, step)
    stacks = [{"seat": seat, "stack": stack} for seat, stack in driver.stacks.items()]
    entries = [(0, driver.opened), *((0, entry) for entry in driver.entries)]
    hand = witness(lines_of(driver.state.frame.rules, entries))
    follow(hand, "hand_ended", {"hand": 1, "stacks": stacks})
    return hand


def witness_random(seed: int) -> WitnessedHand:
    chance = Random(seed)
    rules = random_rules(chance)
    opened = random_opening(chance, rules)
    played = play_hand(chance, rules, opened)
    return witness(lines_of(rules, [(played.lines[0][0], opened), *played.lines]))


@pytest.mark.parametrize("case", HANDS, ids=[case["id"] for case in HANDS])
def test_it_agrees_on_the_rule_cases_or_differs_as_is_known(case: dict[str, Any]) -> None:
    opinion = give_opinion(pokerkit, witness_case(case))
    if case["id"] in KNOWN:
        assert (opinion.stand, opinion.text) == (Stand.OUTSIDE, KNOWN[case["id"]])
    else:
        assert (opinion.stand, opinion.text) == (Stand.AGREES, "")


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32))
@example(897_718_762)  # two pots with an odd chip each, and the same two winners
@example(4_027_789_482)
@example(2_253_532_046)  # a walk behind a dead small blind, shown in the pause: nothing is awarded
def test_it_differs_on_no_random_hand(seed: int) -> None:
    opinion = give_opinion(pokerkit, witness_random(seed))
    assert opinion.stand is not Stand.DIFFERS, opinion.text


def test_it_agrees_on_hands_of_every_structure_and_variant() -> None:
    agreed = set()
    for seed in range(200):
        hand = witness_random(seed)
        if give_opinion(pokerkit, hand).stand is Stand.AGREES:
            agreed.add((hand.rules.structure, hand.rules.game.two_count, hand.rules.game.hi_lo))
    assert len(agreed) == 9


def test_it_plays_a_tournament_s_hands_by_their_levels() -> None:
    game = play_table(seed=5, hands=25, hands_of_a_level=5)
    report = judge(game.game_file(), key=game.key, more=[refereed_by(pokerkit)])
    stands = [(one.stand, one.text) for one in report.opinions]
    assert [stand for stand, _ in stands].count(Stand.AGREES) > len(stands) / 2
    assert not [text for stand, text in stands if stand is Stand.DIFFERS]


def test_a_stack_that_comes_out_otherwise_differs() -> None:
    hand = witness_case(HANDS[0])
    hand.ended = {seat: stack + (1 if seat == 1 else 0) for seat, stack in hand.ended.items()}
    opinion = give_opinion(pokerkit, hand)
    assert (opinion.stand, opinion.text) == (Stand.DIFFERS, "seat 1 ends with 900, not 901")


def test_an_act_that_is_not_allowed_differs_and_is_named() -> None:
    hand = witness_case(HANDS[0])
    hand.events[0] = Acted(1, "raise", 120)
    opinion = give_opinion(pokerkit, hand)
    assert opinion.stand is Stand.DIFFERS
    assert opinion.text.startswith("seat 1 raise to 120: ")


def test_an_act_of_a_seat_that_was_not_dealt_in_differs() -> None:
    hand = witness_case(HANDS[0])
    hand.events[0] = Acted(7, "call", 100)
    assert give_opinion(pokerkit, hand).stand is Stand.DIFFERS


# The report and the command.

SAID = (
    Opinion("ab" * 16, 1, Stand.AGREES),
    Opinion("ab" * 16, 2, Stand.AGREES),
    Opinion("ab" * 16, 3, Stand.OUTSIDE, "it does not chop blinds"),
    Opinion("ab" * 16, 4, Stand.DIFFERS, "seat 1 ends with 900, not 901"),
    Opinion("ab" * 16, 5, Stand.AGREES),
)


GAME = AuditedGame("game.jsonl", "ab" * 16, "dealer.example.net", 10, 10, 3, beacon=False)
REPORT = Report(
    games=(GAME,),
    findings=tuple(Finding(promise, Verdict.HOLDS, "as it should be") for promise in Promise),
    damage=(),
    warnings=(),
    notices=(),
    forks=(),
    asked=ALWAYS_ASKED,
    required=frozenset(),
)


def test_what_it_says_has_a_section_of_its_own_and_no_effect() -> None:
    said = replace(REPORT, referee="pokerkit", opinions=SAID)
    assert said.exit_status() is ExitStatus.HOLDS
    text = render_text(said, colour=False)
    assert "pokerkit, as a referee that decides nothing:\n" in text
    assert "  agrees, hands 1-2, 5\n" in text
    assert "  outside its zone, hand 3: it does not chop blinds\n" in text
    assert "  differs, hand 4: seat 1 ends with 900, not 901\n" in text
    value = json.loads(render_json(said))["referee"]
    assert value["name"] == "pokerkit"
    assert value["counts"] == {"agrees": 3, "outside its zone": 1, "differs": 1}
    assert value["hands"][3] == {
        "game": "ab" * 16,
        "hand": 4,
        "stand": "differs",
        "text": "seat 1 ends with 900, not 901",
    }


def test_without_a_referee_there_is_no_section() -> None:
    assert "referee" not in render_text(REPORT, colour=False)
    assert "referee" not in json.loads(render_json(REPORT))


def verify(path: Path, *options: str, code: str = "") -> subprocess.CompletedProcess[str]:
    program = f"{code}\nimport sys\nfrom audit_cli.cli import main\nsys.exit(main())"
    command = [sys.executable, "-c", program, "verify", str(path), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("games") / "game.txt"
    game = play_game(seed=2, hands=20, players=5, habits=HOUSE_LIFE, rules=HOUSES["hi_lo"])
    path.write_bytes(game.game_file())
    return path


def test_the_command_asks_it_of_every_hand_that_ended(played: Path) -> None:
    done = verify(played, "--referee", "pokerkit", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    value = json.loads(done.stdout)
    ended = played.read_bytes().count(b'"hand_ended"')
    assert sum(value["referee"]["counts"].values()) == len(value["referee"]["hands"]) == ended
    assert value["referee"]["counts"]["differs"] == 0
    assert value["referee"]["counts"]["agrees"] > 0


def test_a_referee_that_is_not_there_is_a_wrong_command_line(played: Path) -> None:
    done = verify(
        played, "--referee", "pokerkit", code="import sys; sys.modules['pokerkit'] = None"
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "PokerKit is not installed" in done.stderr
    assert "cutcard[referee]" in done.stderr


def test_another_referee_is_a_wrong_command_line(played: Path) -> None:
    assert verify(played, "--referee", "somebody").returncode == 2
