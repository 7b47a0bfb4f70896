"""The verdict: Holm's rule over both levels, one confirmation, and what fails at once."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from audit_cli.rng.battery.duplicates import judge_duplicates
from audit_cli.rng.outcome import Cell, Level, Outcome, Tail
from audit_cli.rng.plan import Kind, Plan, Source, make_plan
from audit_cli.rng.results import significant, write_battery
from audit_cli.rng.second_level import Uniformity, measure_uniformity
from audit_cli.rng.verdict import (
    Confirmation,
    Decision,
    FamilyError,
    Layer,
    decide,
    judge_family,
)

NAMES = ("A", "B", "C")


def plan_of(tests: tuple[str, ...] = NAMES, second: tuple[str, ...] = ("A",)) -> Plan:
    plan = make_plan(Source(Kind.LAB, "ab" * 32, "cd" * 32), hands=100_000, code="ee")
    return replace(plan, tests=tests, second=second)


def outcome(test: str, p: float, tail: Tail = Tail.TWO_SIDED) -> Outcome:
    return Outcome(
        test=test,
        title=f"the test {test}",
        level=Level.DECK,
        covers=("GLI.total",),
        samples=10,
        statistic=1.23456789,
        df=None,
        null="none",
        tail=tail,
        p=p,
        cells=(Cell("0", 3, 3.3333333),),
    )


def uniformity(test: str, p: float) -> Uniformity:
    return Uniformity(test, 0.1, p, (0.5,))


def outcomes(*ps: float) -> list[Outcome]:
    return [outcome(name, p) for name, p in zip(NAMES, ps, strict=True)]


def test_holms_rule_as_in_his_own_way() -> None:
    """The least p by the number of all, the next by one fewer, never below the one before."""
    members = [
        (name, Layer.FIRST, p) for name, p in zip("abcd", (0.01, 0.04, 0.03, 0.005), strict=True)
    ]
    adjusted = [one.adjusted for one in judge_family(members)]
    assert adjusted == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_no_adjusted_p_is_above_one() -> None:
    assert [one.adjusted for one in judge_family([("a", Layer.FIRST, 0.9)] * 3)] == [1, 1, 1]


def test_holms_rule_keeps_its_level_over_independent_values() -> None:
    chance = np.random.default_rng(201)
    least = [
        min(
            one.adjusted for one in judge_family([("t", Layer.FIRST, p) for p in chance.random(90)])
        )
        for _ in range(4000)
    ]
    alarms = sum(p <= 0.01 for p in least)
    assert stats.binomtest(alarms, 4000, 0.01).pvalue > 0.001


def test_a_run_of_which_nothing_is_rejected_passes() -> None:
    verdict = decide(plan_of(), outcomes(0.2, 0.5, 0.003), [uniformity("A", 0.3)])
    assert verdict.decision is Decision.PASS
    assert [one.test for one in verdict.family] == ["A", "B", "C", "A"]
    assert verdict.suspects == verdict.certain == verdict.confirmed == ()


def test_a_p_that_only_a_fault_explains_fails_at_once() -> None:
    verdict = decide(plan_of(), outcomes(0.2, 1e-10, 0.5), [uniformity("A", 0.3)])
    assert verdict.decision is Decision.FAIL
    assert [one.test for one in verdict.certain] == ["B"]
    assert "B" in verdict.why


def test_what_is_too_good_is_suspect_too() -> None:
    given = [outcome("A", 1 - 1e-5, Tail.UPPER), outcome("B", 0.5), outcome("C", 0.5)]
    verdict = decide(plan_of(), given, [uniformity("A", 0.3)])
    assert verdict.decision is Decision.CONFIRM
    assert [(one.test, one.layer) for one in verdict.suspects] == [("A", Layer.FIRST)]


def test_a_second_level_that_is_off_is_suspect() -> None:
    verdict = decide(plan_of(), outcomes(0.2, 0.4, 0.5), [uniformity("A", 1e-4)])
    assert [(one.test, one.layer) for one in verdict.suspects] == [("A", Layer.SECOND)]
    assert "A (second level) p = 0.0001" in verdict.why


def test_a_suspect_that_is_rejected_again_fails() -> None:
    again = Confirmation(tuple(outcomes(0.5, 0.009, 0.5)), ())
    verdict = decide(plan_of(), outcomes(0.2, 1e-4, 0.5), [uniformity("A", 0.3)], again)
    assert verdict.decision is Decision.FAIL
    assert [(one.test, one.adjusted) for one in verdict.confirmed] == [("B", 0.009)]


def test_a_suspect_that_is_not_rejected_again_passes_and_is_kept() -> None:
    again = Confirmation(tuple(outcomes(1e-9, 0.02, 1e-9)), (uniformity("A", 1e-9),))
    verdict = decide(plan_of(), outcomes(0.2, 1e-4, 0.5), [uniformity("A", 0.3)], again)
    assert verdict.decision is Decision.PASS
    assert [one.test for one in verdict.suspects] == ["B"]
    assert [one.p for one in verdict.confirmed] == [0.02]


def test_a_confirmation_judges_each_suspect_at_its_own_level() -> None:
    again = Confirmation(tuple(outcomes(0.5, 0.5, 0.5)), (uniformity("A", 0.001),))
    verdict = decide(plan_of(), outcomes(0.2, 0.4, 0.5), [uniformity("A", 1e-4)], again)
    assert verdict.decision is Decision.FAIL


def test_several_suspects_are_a_family_of_their_own() -> None:
    again = Confirmation(tuple(outcomes(0.006, 0.5, 0.02)), ())
    verdict = decide(plan_of(), outcomes(1e-5, 0.4, 1e-5), [uniformity("A", 0.5)], again)
    assert [one.adjusted for one in verdict.confirmed] == pytest.approx([0.012, 0.02])
    assert verdict.decision is Decision.PASS


def test_a_confirmation_can_not_save_what_is_certain() -> None:
    again = Confirmation(tuple(outcomes(0.5, 0.5, 0.5)), (uniformity("A", 0.5),))
    verdict = decide(plan_of(), outcomes(0.0, 1e-4, 0.5), [uniformity("A", 0.3)], again)
    assert verdict.decision is Decision.FAIL


def test_a_confirmation_without_the_suspect_is_refused() -> None:
    again = Confirmation((outcome("A", 0.5),), ())
    with pytest.raises(FamilyError, match="lacks B"):
        decide(plan_of(), outcomes(0.2, 1e-4, 0.5), [uniformity("A", 0.3)], again)


def test_an_exact_check_that_fails_fails_the_run_and_none_other_counts() -> None:
    good, bad = outcome("X", 1.0, Tail.EXACT), outcome("Y", 0.0, Tail.EXACT)
    fine = outcomes(0.2, 0.4, 0.5)
    passed = decide(plan_of(), [*fine, good], [uniformity("A", 0.3)])
    assert (passed.decision, len(passed.family)) == (Decision.PASS, 4)
    failed = decide(plan_of(), [*fine, good, bad], [uniformity("A", 0.3)])
    assert (failed.decision, failed.failed_checks) == (Decision.FAIL, ("Y",))


@pytest.mark.parametrize(
    ("given", "second", "words"),
    [
        (NAMES[:2], ("A",), "missing: C"),
        ((*NAMES, "D"), ("A",), "does not name: D"),
        ((*NAMES, "A"), ("A",), "given twice"),
        (NAMES, (), "second-level tests of the plan that are missing: A"),
        (NAMES, ("A", "B"), "second-level tests that the plan does not name: B"),
    ],
)
def test_other_p_values_than_the_plans_are_refused(
    given: tuple[str, ...], second: tuple[str, ...], words: str
) -> None:
    with pytest.raises(FamilyError, match=words):
        decide(
            plan_of(), [outcome(name, 0.5) for name in given], [uniformity(x, 0.5) for x in second]
        )


def test_uniformity_is_kolmogorovs_and_smirnovs_test() -> None:
    values = tuple(np.random.default_rng(202).random(100) ** 1.2)
    found = measure_uniformity("t", values)
    expected = stats.kstest(values, "uniform", method="exact")
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert found.values == values


def test_duplicates_at_every_size_fit_pairs_of_numpys_choosing() -> None:
    chance = np.random.default_rng(203)
    fives = 311_875_200
    values = []
    for _ in range(400):
        _, times = np.unique(chance.integers(fives, size=60_000), return_counts=True)
        pairs = int((times * (times - 1) // 2).sum())
        values.append(judge_duplicates(60_000, pairs, 0)[0].p)
    for level in (0.01, 0.05, 0.2, 0.5):
        # Discrete, so p errs upwards: never more often than its level but for chance.
        assert stats.binomtest(sum(p <= level for p in values), 400, level).pvalue > 1e-3 or (
            sum(p <= level for p in values) < 400 * level
        )


def test_duplicates_of_a_thousand_million_decks_are_normal() -> None:
    decks = 10**9
    expected = decks * (decks - 1) / 2 / 311_875_200
    near, far = (judge_duplicates(decks, round(expected + z * expected**0.5), 0)[0] for z in (1, 6))
    assert near.p == pytest.approx(2 * stats.norm.sf(1), rel=1e-3)
    assert far.p == pytest.approx(2 * stats.norm.sf(6), rel=1e-2)


def test_a_deck_or_a_secret_that_comes_again_is_never_chance() -> None:
    found = {one.test: one for one in judge_duplicates(1000, 0, 1, 1)}
    assert (found["S19.deck"].tail, found["S19.deck"].p) == (Tail.EXACT, 0)
    assert (found["S19.secret"].tail, found["S19.secret"].p) == (Tail.EXACT, 0)
    fine = {one.test: one for one in judge_duplicates(1000, 0, 0)}
    assert set(fine) == {"S19.five", "S19.deck"}
    assert fine["S19.deck"].p == 1


@pytest.mark.parametrize(
    ("decks", "bits"), [(777, "16.0"), (28_000, "26.3"), (200_000, "32.0"), (51_000_000, "48.0")]
)
def test_duplicates_say_how_small_a_seed_would_have_shown(decks: int, bits: str) -> None:
    assert judge_duplicates(decks, 0, 0)[1].detectable == f"seeds of {bits} bits or fewer"


def test_results_are_the_same_text_with_everything_in_it() -> None:
    plan = plan_of()
    first = outcomes(0.2, 1e-4, 0.123456789)
    second = [uniformity("A", 0.3)]
    again = Confirmation(tuple(outcomes(0.5, 0.5, 0.5)), ())
    verdict = decide(plan, first, second, again)
    text = write_battery(plan, first, second, verdict, again, secrets=(bytes(32), b"\1" * 32))
    assert text == write_battery(
        plan, first, second, verdict, again, secrets=(bytes(32), b"\1" * 32)
    )
    value = json.loads(text)
    assert value["format"] == "cutcard-battery/1"
    assert value["plan"] == plan.id
    assert value["decision"] == "pass"
    assert value["secrets"] == ["00" * 32, "01" * 32]
    assert [one["p"] for one in value["tests"]] == [0.2, 0.0001, 0.123457]
    assert value["tests"][0]["statistic"] == 1.23457
    assert value["tests"][0]["cells"] == [["0", 3, 3.33333]]
    assert [one["holm"] for one in value["tests"]] == [0.4, 0.0004, 0.37037]
    assert value["second_level"][0]["values"] == [0.5]
    assert value["confirmation"]["judged"] == [
        {"test": "B", "level": "first", "p": 0.5, "holm": 0.5}
    ]
    assert value["confirmation"]["hands"] == 400_000
    assert "time" not in text
    assert "engine" not in text


def test_results_without_a_confirmation_say_so() -> None:
    plan = plan_of()
    first, second = outcomes(0.2, 0.3, 0.4), [uniformity("A", 0.3)]
    value = json.loads(write_battery(plan, first, second, decide(plan, first, second)))
    assert value["confirmation"] is None
    assert value["secrets"] == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (1 / 3, "0.333333"),
        (1.23456789e-120, "1.23457e-120"),
        (2e9, "2000000000"),
    ],
)
def test_numbers_have_six_digits(value: float, text: str) -> None:
    assert json.dumps(significant(value)) == text
