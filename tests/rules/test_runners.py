"""Every case and recorded hand of the data, and the runners' word."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.runners import cases, hands
from tests.runners.outcome import Verdict, report
from tests.runners.phh import load_file
from tests.support.rule_cases import CASES

DATA = Path(__file__).parents[1] / "data"
OF_A_TOURNAMENT = {"ranking", "color_up", "balance", "level", "clock", "showdown"}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_rule_case_has_its_right_answer(case: dict[str, Any]) -> None:
    outcome = cases.run_case(case)
    skipped = case["kind"] in OF_A_TOURNAMENT
    assert outcome.verdict is (Verdict.SKIPPED if skipped else Verdict.PASSED), outcome.why
    assert bool(outcome.why) == (outcome.verdict is Verdict.SKIPPED)


FILES = {
    "pluribus.phhs": 272,
    "pluribus_half_chips.phhs": 8,
    "handhq_cash.phhs": 10,
    "synthetic_sidepots.phhs": 160,
    "curated_nlhe.phhs": 12,
    "curated_flhe_plo.phhs": 14,
}


@pytest.mark.parametrize(("name", "count"), FILES.items(), ids=FILES)
def test_recorded_hands_end_with_their_stacks(name: str, count: int) -> None:
    outcomes = hands.run_file(DATA / "phh" / name)
    assert [one for one in outcomes if one.verdict is not Verdict.PASSED] == []
    assert len(outcomes) == count


# A runner that can not fail proves nothing.

BASIC = next(case for case in CASES if case["id"] == "HU-01")
EVAL = next(case for case in CASES if case["id"] == "EV-02")
POTS = next(case for case in CASES if case["id"] == "PA-01")
TWICE = next(case for case in CASES if case["id"] == "RT-01")
SPLIT = next(case for case in CASES if case["id"] == "OC-08")
BUTTON = next(case for case in CASES if case["id"] == "BU-03")
RAKED = next(case for case in CASES if case["id"] == "RK-02")
SHOWN = next(case for case in CASES if case["id"] == "SD-01")


def changed(case: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    copy = deepcopy(case)
    *steps, last = path.split(".")
    inner: Any = copy
    for step in steps:
        inner = inner[int(step) if step.isdecimal() else step]
    inner[int(last) if last.isdecimal() else last] = value
    return copy


WRONG = [
    (changed(BASIC, "script.0.expect.to_act", 2), "step 1: to_act is 1, expected 2"),
    (changed(BASIC, "script.0.expect.legal.call", 49), "step 1: call is 50, expected 49"),
    (changed(BASIC, "script.0.expect.legal.call", None), "step 1: call is 50, expected None"),
    (changed(BASIC, "script.0.expect.legal.call", {"any_of": [1, 2]}), "expected any of [1, 2]"),
    (changed(BASIC, "script.0.expect.legal.raise", None), "expected None"),
    (changed(BASIC, "script.0.expect.street", "flop"), "street is preflop, expected flop"),
    (changed(BASIC, "script.0.expect.tabled", [1]), "tabled is [], expected [1]"),
    (changed(BASIC, "script.0.expect.board_cards", 3), "board_cards is 0, expected 3"),
    (changed(BASIC, "script.0.expect.mood", 3), "does not know"),
    (changed(BASIC, "script.1.do", "check"), "step 2: seat 1 check was refused"),
    (changed(BASIC, "script.1", {"reject": BASIC["script"][1]}), "must be refused"),
    (changed(BASIC, "script", BASIC["script"][:5]), "the script ends and seat 2 has still to act"),
    (changed(BASIC, "result.stacks", {1: 1100, 2: 900}), "stacks is"),
    (changed(BASIC, "result.returned", {1: 1}), "returned is {}, expected {1: 1}"),
    (changed(BASIC, "result.pots.0.amount", 199), "pot 0: amount is 200, expected 199"),
    (changed(BASIC, "result.pots.0.winners", {1: 200}), "pot 0: winners is"),
    (changed(BASIC, "result.pots.0.eligible", [1]), "pot 0: eligible is [1, 2], expected [1]"),
    (changed(BASIC, "result.pots", []), "the number of pots is 1, expected 0"),
    (changed(BASIC, "result.show_order", [1, 2]), "show_order is [2, 1], expected [1, 2]"),
    (changed(SHOWN, "result.shown", [1, 3]), "shown is [3], expected [1, 3]"),
    (changed(SHOWN, "result.mucked", []), "mucked is [1], expected []"),
    (changed(SHOWN, "result.award_order", ["side1"]), "award_order is ['main']"),
    (changed(BASIC, "setup.hole.1", "9c Kd"), "a card is dealt twice"),
    (changed(BASIC, "setup.hole.1", "1s Kd"), "is no card"),
    (changed(EVAL, "expect.order", [["A"], ["B"], ["C"]]), "order is [['B'], ['A'], ['C']]"),
    (changed(EVAL, "expect.category.A", "flush"), "category of A is straight, expected flush"),
    (changed(EVAL, "expect.high.A", 14), "high of A is 5, expected 14"),
    (changed(EVAL, "expect.best_five", {"A": "Ac 2c 3d 4h Kd"}), "best five of A"),
    (changed(POTS, "expect.returned", {}), "returned is {4: 150}, expected {}"),
    (changed(POTS, "expect.pots.0.amount", 1), "pot 0: amount is 460, expected 1"),
    (changed(TWICE, "result.boards_won", [{1: 400}]), "boards_won is [{1: 200}, {1: 200}]"),
    (changed(RAKED, "result.rake", 5), "rake is 4, expected 5"),
    (changed(SPLIT, "expect.paid", {}), "paid is {3: 38, 6: 19, 1: 18}"),
    (changed(SPLIT, "expect.halves.low", 38), "halves is"),
    (changed(BUTTON, "expect.button_is_dead", False), "button_is_dead is True"),
    (changed(BUTTON, "then.0.expect.sb", 3), "sb is 4, expected 3"),
]


@pytest.mark.parametrize(("case", "why"), WRONG, ids=[why for _, why in WRONG])
def test_a_wrong_answer_fails_with_the_first_difference(case: dict[str, Any], why: str) -> None:
    outcome = cases.run_case(case)
    assert outcome.verdict is Verdict.FAILED
    assert why in outcome.why


STRADDLED = next(case for case in CASES if case["id"] == "ST-01")
NOT_PLAYED = [
    (changed(BASIC, "setup.game", "stud"), "the game stud"),
    ({**BASIC, "setup": {**BASIC["setup"], "weather": 1}}, "the setting weather"),
    ({**TWICE, "setup": {**TWICE["setup"], "agree_runs": 3}}, "twice at most"),
    (changed(STRADDLED, "setup.extra_posts.0.amount", 30), "twice the big blind"),
    (changed(STRADDLED, "setup.extra_posts.0.kind", "gift"), "the post gift"),
    (changed(BUTTON, "given.sb", None), "dead small blind"),
]


@pytest.mark.parametrize(("case", "why"), NOT_PLAYED, ids=[why for _, why in NOT_PLAYED])
def test_a_case_of_what_the_engine_has_not_is_skipped_with_its_reason(
    case: dict[str, Any], why: str
) -> None:
    outcome = cases.run_case(case)
    assert outcome.verdict is Verdict.SKIPPED
    assert why in outcome.why


def test_boards_may_tell_which_cards_they_share() -> None:
    setup = {name: value for name, value in TWICE["setup"].items() if name != "agree_after"}
    assert cases.run_case({**TWICE, "setup": setup}).verdict is Verdict.PASSED


def test_an_optional_reject_may_be_left_out_and_then_changes_nothing() -> None:
    act = {**BASIC["script"][1], "optional": True}
    case = changed(BASIC, "script", [{"reject": act}, *BASIC["script"]])
    assert cases.run_case(case).verdict is Verdict.PASSED


def test_a_case_of_omaha_hands_uses_exactly_two_hole_cards() -> None:
    case = {
        "id": "x",
        "kind": "eval",
        "game": "plo",
        "board": "2c 7d 9h Js 3d",
        "hands": {"A": "As Ad Ah Ac", "B": "2d 2h Kc Qc"},
        "expect": {"order": [["B"], ["A"]], "category": {"A": "one_pair"}},
    }
    assert cases.run_case(case).verdict is Verdict.PASSED


RECORDED = load_file(DATA / "phh" / "pluribus.phhs")["1"]
BROKEN_HANDS = [
    ({"finishing_stacks": [10_249, 9_751, 10_000, 10_000, 10_000, 10_000]}, "finishing stacks are"),
    ({"actions": RECORDED["actions"][:-1]}, "the record ends and seat 2 has still to act"),
    ({"actions": [*RECORDED["actions"][:6], "p4 f"]}, "step 1: p4 f was refused"),
    ({"actions": [*RECORDED["actions"][:6], "p3 cbr 150"]}, "p3 cbr 150 was refused"),
    (
        {"actions": [*RECORDED["actions"][:12], "p1 cc"]},
        "3 board cards are open, 0 are recorded",
    ),
    ({"actions": ["p3 jump"]}, "is unknown"),
    ({"starting_stacks": ["many"] * 6}, "is no amount"),
]


@pytest.mark.parametrize(("change", "why"), BROKEN_HANDS, ids=[why for _, why in BROKEN_HANDS])
def test_a_wrong_record_fails_with_the_first_difference(change: dict[str, Any], why: str) -> None:
    outcome = hands.run_hand("x", {**RECORDED, **change})
    assert outcome.verdict is Verdict.FAILED
    assert why in outcome.why


OTHER_HANDS = [
    ({"antes": [1, 0, 0, 0, 0, 0], "ante_trimming_status": True}, "antes that differ"),
    ({"variant": "F7S"}, "variant F7S"),
    ({"blinds_or_straddles": [50, 100, 150, 0, 0, 0]}, "seat 3 posts 150"),
    ({"blinds_or_straddles": [0] * 6}, "nobody posts"),
    ({"min_bet": 200}, "the smallest bet of 200 is not the big blind"),
]


@pytest.mark.parametrize(("change", "why"), OTHER_HANDS, ids=[why for _, why in OTHER_HANDS])
def test_what_the_engine_does_not_play_is_skipped_with_its_reason(
    change: dict[str, Any], why: str
) -> None:
    outcome = hands.run_hand("x", {**RECORDED, **change})
    assert outcome.verdict is Verdict.SKIPPED
    assert why in outcome.why


def heads_up(*actions: str, finishing: list[Any], blinds: tuple[Any, Any] = (50, 100)) -> Any:
    return {
        "variant": "NT",
        "antes": [0, 0],
        "blinds_or_straddles": list(blinds),
        "min_bet": blinds[1],
        "starting_stacks": [1000, 1000],
        "actions": list(actions),
        "finishing_stacks": finishing,
    }


DOWN = ("p2 cc", "p1 cc", "d db 2c7d9h", "p1 cc", "p2 cc", "d db Js", "p1 cc", "p2 cc", "d db 3d")
BOTH_CHECK = ("p1 cc", "p2 cc")


def test_a_hand_that_was_never_seen_loses() -> None:
    played = ("d dh p1 ????", "d dh p2 ????", *DOWN, *BOTH_CHECK)
    shown = (*played, "p1 sm KhQs", "p2 sm ????")
    assert hands.run_hand("x", heads_up(*shown, finishing=[1100, 900])).verdict is Verdict.PASSED
    first = (*played, "p1 sm", "p2 sm AhKh")
    assert hands.run_hand("x", heads_up(*first, finishing=[900, 1100])).verdict is Verdict.PASSED


def test_a_better_hand_that_was_mucked_loses_too() -> None:
    played = ("d dh p1 AcAd", "d dh p2 KhQs", *DOWN, *BOTH_CHECK, "p1 sm", "p2 sm KhQs")
    assert hands.run_hand("x", heads_up(*played, finishing=[900, 1100])).verdict is Verdict.PASSED


def test_a_hidden_hand_that_can_not_lose_is_skipped() -> None:
    """Nothing is lower than five and four here, so that the record can not be replayed."""
    played = ("d dh p1 ????", "d dh p2 4h5s", *DOWN, *BOTH_CHECK, "p1 sm", "p2 sm 4h5s")
    outcome = hands.run_hand("x", heads_up(*played, finishing=[900, 1100]))
    assert outcome.verdict is Verdict.SKIPPED


def three(*actions: str, finishing: list[int], **fields: Any) -> Any:
    return {
        "variant": "NT",
        "antes": [0, 0, 0],
        "blinds_or_straddles": [50, 100, 0],
        "min_bet": 100,
        "starting_stacks": [1000, 1000, 1000],
        "actions": list(actions),
        "finishing_stacks": finishing,
        **fields,
    }


def test_a_straddle_and_a_post_are_replayed() -> None:
    straddled = three(
        "p1 cc", "p2 f", "p3 f", finishing=[1300, 900, 800], blinds_or_straddles=[50, 100, 200]
    )
    assert hands.run_hand("x", straddled).verdict is Verdict.PASSED
    posted = three(
        "p3 cc",
        "p1 f",
        "p2 cbr 200",
        "p3 f",
        finishing=[950, 1150, 900],
        blinds_or_straddles=[50, 100, -100],
    )
    assert hands.run_hand("x", posted).verdict is Verdict.PASSED


def test_antes_of_anybody_are_dead_money_where_they_are_not_trimmed() -> None:
    paid = three(
        *("p3 f", "p1 f"),
        finishing=[950, 1070, 980],
        antes=[0, 0, 20],
        ante_trimming_status=False,
    )
    assert hands.run_hand("x", paid).verdict is Verdict.PASSED


def test_what_was_dealt_may_be_shown_without_naming_it() -> None:
    played = ("d dh p1 AcAd", "d dh p2 KhQs", *DOWN, *BOTH_CHECK, "p1 sm -", "p2 sm")
    assert hands.run_hand("x", heads_up(*played, finishing=[1100, 900])).verdict is Verdict.PASSED


def test_an_omaha_hand_that_was_never_seen_loses() -> None:
    played = ("d dh p1 ????????", "d dh p2 ????????", *DOWN, *BOTH_CHECK, "p1 sm AcAd4h5h", "p2 sm")
    fields = {**heads_up(*played, finishing=[1100, 900]), "variant": "PO"}
    assert hands.run_hand("x", fields).verdict is Verdict.PASSED


def test_amounts_that_are_not_whole_are_scaled() -> None:
    folded = heads_up("p2 f", finishing=["1000.25", "999.75"], blinds=("0.25", "0.5"))
    assert hands.run_hand("x", folded).verdict is Verdict.PASSED


def test_a_file_may_hold_one_hand_alone(tmp_path: Path) -> None:
    file = tmp_path / "one.phh"
    fields = heads_up("p2 f", finishing=[1050, 950])
    lines = [f"{name} = {value!r}" for name, value in fields.items()]
    file.write_text("\n".join(lines), encoding="utf-8")
    (outcome,) = hands.run_file(file)
    assert (outcome.name, outcome.verdict) == ("hand one", Verdict.PASSED)


def test_the_report_ends_with_the_counts_and_its_status_tells_of_failures(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cases.main([str(DATA / "cases" / "rules.yaml")]) == 0
    assert capsys.readouterr().out.endswith("55 passed, 0 failed, 6 skipped\n")
    wrong = cases.run_case(changed(BASIC, "result.stacks", {}))
    assert report([wrong]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "0 passed, 1 failed, 0 skipped"


def test_a_file_that_can_not_be_read_is_said_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "none.txt"
    assert cases.main([str(file)]) == hands.main([str(file)]) == 2
    file.write_text("[[[", encoding="utf-8")
    assert cases.main([str(file)]) == hands.main([str(file)]) == 2
    assert cases.main([]) == hands.main([]) == 2
    assert "can not be read" in capsys.readouterr().err
