"""The requirement matrix: every row is decided by a figure, or says why it is not."""

import ast
import copy
import json
from collections.abc import Callable
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binom

from audit_cli.rng.battery.families import FAMILIES
from audit_cli.rng.certify.core import read_core
from audit_cli.rng.certify.cutoffs import proportion_cutoff, repetition_cutoff
from audit_cli.rng.certify.documents import PLACES
from audit_cli.rng.certify.evidence import Evidence
from audit_cli.rng.certify.matrix import (
    Row,
    make_matrix,
)
from audit_cli.rng.certify.requirements import REQUIREMENTS
from audit_cli.rng.certify.rulings import Status
from audit_cli.rng.certify.trace import write_json, write_markdown
from audit_cli.rng.certify.vectors import make_vectors

ROOT = Path(__file__).parents[2]


def outcome(test: str, level: str = "B3", **fields: Any) -> dict[str, Any]:
    return {"test": test, "level": level, "covers": [], "p": 0.5, "holm": 1} | fields


def evidence() -> Evidence:
    """Return what a bundle holds where all is well, by shape alone."""
    names = [
        "S1",
        "S2",
        "S3",
        "S4.1",
        "S5",
        "S14",
        "S19.five",
        "S19.secret",
        "S20.blind",
        "S21.wins",
    ]
    tests = [outcome(name) for name in names]
    tests += [outcome("S22", "B2"), outcome("S23.bound", "B2"), outcome("S15", "B4")]
    tests += [outcome("SP800-22.2.10.share", "B1"), outcome("GF2.complexity", "B1")]
    tests[0]["covers"] = sorted(FAMILIES)
    core = read_core([str(ROOT)])
    assert core is not None
    return Evidence(
        files=frozenset({*PLACES, "source/rng-core.json", "results/battery.json"}),
        battery={
            "blocks": 100,
            "certain": [],
            "confirmation": None,
            "decision": "pass",
            "failed_checks": [],
            "hands": 10_000_000,
            "second_level": [{"test": "S1", "p": 0.4}],
            "suspects": [],
            "tests": tests,
        },
        sensitivity={
            "cases": [{"flaw": "F01", "good": True}],
            "clean": {"alarms": [], "most_alarms": 6, "runs": 200},
        },
        external=None,
        code={"engines": ["numpy"], "tests": [{"test": "B0.bounds", "p": 1}]},
        vectors={
            "decks": 10,
            "words": 1650,
            "draws": 1570,
            "dropped": 80,
            "dropped_in_range": 0,
            "steps_that_differ": 0,
        },
        core=core.told() | {"version": 1},
        index={
            "dealer": {
                "fingerprint": core.sources.fingerprint,
                "known_answers": ["SHA-256"],
            }
        },
        replay={
            "games": [{"game": "ab", "promises": dict.fromkeys(PROMISES, "holds")}],
            "hands": 30,
            "key": "dealer.example+1+x",
            "secrets_twice": 0,
            "unreadable": [],
        },
    )


PROMISES = ("BOUND", "REPLAYED", "ORDERED", "DEALT", "COMPLETE", "PLAYED", "SIGNED")


def rule(found: Evidence) -> dict[str, Row]:
    return {row.requirement.id: row for row in make_matrix(found)}


def test_all_32_are_there_in_their_order() -> None:
    assert [each.id for each in REQUIREMENTS] == [f"R-{number:02}" for number in range(1, 33)]
    assert all(each.sources and each.title for each in REQUIREMENTS)


@pytest.mark.parametrize("named", sorted({test for each in REQUIREMENTS for test in each.tests}))
def test_a_test_that_a_requirement_names_is_there(named: str) -> None:
    path, _, name = named.partition("::")
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    assert name in {node.name for node in ast.walk(tree) if isinstance(node, functions)}


def test_with_all_figures_nothing_fails_and_nothing_is_left_open() -> None:
    rows = rule(evidence())
    bad = {name: row.why for name, row in rows.items() if row.status is Status.FAIL}
    assert bad == {}
    assert Status.NOT_SHOWN not in {row.status for row in rows.values()}
    assert rows["R-19"].status is Status.NOT_APPLICABLE


def test_without_any_figure_nothing_passes() -> None:
    empty = Evidence(frozenset(PLACES), *([None] * 8))
    assert Status.PASS not in {row.status for row in make_matrix(empty)}


def test_a_row_by_document_names_its_documents_or_tests_and_says_why() -> None:
    for row in make_matrix(evidence()):
        assert row.why
        if row.status is Status.BY_DOCUMENT and row.requirement.id != "R-20":
            assert row.requirement.documents or row.requirement.tests


def test_a_missing_document_fails_its_row() -> None:
    found = evidence()
    without = replace(found, files=found.files - {"rng/scaling-proof.md"})
    row = rule(without)["R-12"]
    assert (row.status, row.why) == (Status.FAIL, "rng/scaling-proof.md not in the bundle")


def few_decks(found: dict[str, Any]) -> None:
    found["battery"]["hands"] = 1_000_000


def fail_serial(found: dict[str, Any]) -> None:
    found["battery"]["decision"] = "fail"
    found["battery"]["certain"] = [{"test": "S4.1", "p": 1e-12, "level": "first", "holm": 1e-10}]


def fail_blocks(found: dict[str, Any]) -> None:
    found["battery"]["decision"] = "fail"
    found["battery"]["certain"] = [{"test": "S1", "p": 1e-12, "level": "second", "holm": 1e-10}]


def equal_decks(found: dict[str, Any]) -> None:
    found["battery"]["decision"] = "fail"
    found["battery"]["failed_checks"] = ["S19.deck"]


def no_raw(found: dict[str, Any]) -> None:
    tests = found["battery"]["tests"]
    found["battery"]["tests"] = [one for one in tests if one["level"] != "B1"]


def fewer_families(found: dict[str, Any]) -> None:
    found["battery"]["tests"][0]["covers"].remove("PA.gap")


def wrong_code(found: dict[str, Any]) -> None:
    found["code"]["tests"][0]["p"] = 0


def dropped_in_range(found: dict[str, Any]) -> None:
    found["vectors"]["dropped_in_range"] = 1


def missed_flaw(found: dict[str, Any]) -> None:
    found["sensitivity"]["cases"][0]["good"] = False


def too_many_alarms(found: dict[str, Any]) -> None:
    found["sensitivity"]["clean"]["alarms"] = [{"run": run} for run in range(7)]


def swapped_card(found: dict[str, Any]) -> None:
    found["replay"]["games"][0]["promises"]["REPLAYED"] = "broken"


def unrevealed(found: dict[str, Any]) -> None:
    found["replay"]["games"][0]["promises"]["REPLAYED"] = "not established"


def secret_twice(found: dict[str, Any]) -> None:
    found["replay"]["secrets_twice"] = 1


def no_games(found: dict[str, Any]) -> None:
    found["replay"] = None


def no_hands_in_games(found: dict[str, Any]) -> None:
    found["replay"]["hands"] = 0


def games_that_can_not_be_read(found: dict[str, Any]) -> None:
    found["replay"]["games"], found["replay"]["hands"] = [], 0
    found["replay"]["unreadable"] = [{"sha256": "00" * 32, "why": "it holds no game"}]


def no_secrets(found: dict[str, Any]) -> None:
    """Decks of a laboratory's secret, and no games: nothing that a source of chance gave."""
    no_games(found)
    tests = found["battery"]["tests"]
    tests.remove(next(one for one in tests if one["test"] == "S19.secret"))


def time_in_core(found: dict[str, Any]) -> None:
    found["core"]["review"]["barred"] = ["deck.py: time"]


def pid_as_source(found: dict[str, Any]) -> None:
    found["core"]["review"]["sources"] = ["os.getpid", "os.urandom"]


def stakes_in_derive(found: dict[str, Any]) -> None:
    found["core"]["review"]["derive"] = ["hand_secret", "mix", "stakes"]


def short_secret(found: dict[str, Any]) -> None:
    found["core"]["review"]["constants"]["SECRET_BYTES"] = 16


def long_core(found: dict[str, Any]) -> None:
    found["core"]["review"]["lines"]["deck.py"] = 300


def unknown_core(found: dict[str, Any]) -> None:
    found["core"]["version"] = 0


def lax_cutoff(found: dict[str, Any]) -> None:
    found["core"]["review"]["constants"]["PROPORTION_CUTOFF"] = 20


def large_request(found: dict[str, Any]) -> None:
    found["core"]["review"]["constants"]["MAX_REQUEST_BYTES"] = 2**20


def another_dealer(found: dict[str, Any]) -> None:
    found["index"]["dealer"]["fingerprint"] = "00" * 32


def no_dealer(found: dict[str, Any]) -> None:
    found["index"]["dealer"] = None


CHANGES = [
    (few_decks, {"R-01"}, Status.NOT_SHOWN),
    (fail_serial, {"R-01", "R-02", "R-04"}, Status.FAIL),
    (fail_blocks, {"R-01", "R-02"}, Status.FAIL),
    (equal_decks, {"R-01", "R-02", "R-10"}, Status.FAIL),
    (no_raw, {"R-02", "R-05"}, Status.NOT_SHOWN),
    (fewer_families, {"R-03"}, Status.NOT_SHOWN),
    (wrong_code, {"R-05", "R-12", "R-24", "R-26", "R-27"}, Status.FAIL),
    (dropped_in_range, {"R-13"}, Status.FAIL),
    (missed_flaw, {"R-01", "R-20"}, Status.FAIL),
    (too_many_alarms, {"R-01", "R-20"}, Status.FAIL),
    (swapped_card, {"R-15", "R-16", "R-32"}, Status.FAIL),
    (unrevealed, {"R-15", "R-16", "R-32"}, Status.NOT_SHOWN),
    (secret_twice, {"R-10"}, Status.FAIL),
    (no_games, {"R-15", "R-16", "R-32"}, Status.BY_DOCUMENT),
    (no_secrets, {"R-10", "R-15", "R-16", "R-32"}, Status.BY_DOCUMENT),
    (games_that_can_not_be_read, {"R-15", "R-16", "R-32"}, Status.NOT_SHOWN),
    (no_hands_in_games, {"R-15", "R-16", "R-32"}, Status.NOT_SHOWN),
    (time_in_core, {"R-06", "R-09", "R-14", "R-23"}, Status.FAIL),
    (pid_as_source, {"R-06", "R-19"}, Status.FAIL),
    (stakes_in_derive, {"R-09", "R-14"}, Status.FAIL),
    (short_secret, {"R-11"}, Status.FAIL),
    (long_core, {"R-23"}, Status.FAIL),
    (unknown_core, {"R-24"}, Status.FAIL),
    (lax_cutoff, {"R-28"}, Status.FAIL),
    (large_request, {"R-26"}, Status.FAIL),
    (another_dealer, {"R-25"}, Status.FAIL),
    (no_dealer, {"R-25", "R-27"}, Status.BY_DOCUMENT),
]


@pytest.mark.parametrize(
    ("change", "rows", "status"), CHANGES, ids=[each[0].__name__ for each in CHANGES]
)
def test_a_figure_decides_these_rows_and_no_others(
    change: Callable[[dict[str, Any]], None], rows: set[str], status: Status
) -> None:
    good = evidence()
    names = ("battery", "sensitivity", "code", "vectors", "core", "index", "replay")
    figures = {name: copy.deepcopy(getattr(good, name)) for name in names}
    change(figures)
    before, after = rule(good), rule(replace(good, **figures))
    assert {name for name in after if after[name].status is not before[name].status} == rows
    assert {after[name].status for name in rows} == {status}


def test_every_row_that_passes_is_failed_or_opened_by_some_figure() -> None:
    touched = {row for _, rows, _ in CHANGES for row in rows}
    passing = {name for name, row in rule(evidence()).items() if row.status is Status.PASS}
    assert passing <= touched


@pytest.mark.parametrize(("alpha", "bits"), [(-40, 8), (-30, 8), (-20, 4), (-20, 1), (-40, 3)])
def test_cutoffs_are_those_of_sp_800_90b(alpha: int, bits: int) -> None:
    assert repetition_cutoff(alpha, bits) == 1 + ceil(-alpha / bits)
    cutoff = proportion_cutoff(alpha, bits, 512)
    # critbinom by scipy's tail, which is good to far more digits than decide here.
    assert binom.sf(cutoff - 1, 512, 2.0**-bits) <= 2.0**alpha
    assert binom.sf(cutoff - 2, 512, 2.0**-bits) > 2.0**alpha


def test_the_matrix_is_written_for_programs_and_readers_alike() -> None:
    rows = make_matrix(evidence())
    value = json.loads(write_json(rows))
    assert sum(value["totals"].values()) == 32
    text = write_markdown(rows).decode()
    lines = [line for line in text.splitlines() if line.startswith("| R-")]
    assert len(lines) == 32
    for line, row in zip(lines, value["requirements"], strict=True):
        assert row["id"] in line
        assert f"| {row['status']} |" in line


def test_vectors_are_what_their_totals_say() -> None:
    totals = json.loads(make_vectors(3))["totals"]
    assert (totals["decks"], totals["draws"]) == (3, 3 * 157)
    assert totals["words"] == totals["draws"] + totals["dropped"]
    assert (totals["dropped_in_range"], totals["steps_that_differ"]) == (0, 0)
