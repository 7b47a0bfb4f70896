"""The report is one page that stands alone and says what the bundle's figures say."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from audit_cli.rng.outcome import Cell
from audit_cli.rng.report import plots
from audit_cli.rng.report.page import write_report

VOID = {"meta", "br"}


def battery(**changes: Any) -> dict[str, Any]:
    """Give what `battery.json` says of a small run, with changes."""
    first = {
        "test": "S9",
        "title": "descents <of> a deck",
        "level": "B3",
        "covers": ["GLI.runs"],
        "samples": 10_000,
        "statistic": 12.5,
        "df": 13,
        "null": "Eulerian numbers of 52",
        "tail": "upper",
        "p": 0.487,
        "two_sided": 0.974,
        "holm": 1,
        "detectable": "a mean off by 0.3 %",
        "cells": [["24", 1480, 1471], ["25", 1840, 1840.7]],
    }
    exact = first | {
        "test": "B0.bounds",
        "title": "bytes at the bound",
        "level": "B0",
        "tail": "exact",
        "p": 1,
        "two_sided": None,
        "holm": None,
        "detectable": "",
        "cells": [],
    }
    return {
        "format": "cutcard-battery/1",
        "plan": "ab" * 32,
        "preset": "custom",
        "hands": 10_000,
        "blocks": 100,
        "code": "cd" * 32,
        "secrets": ["11" * 32],
        "decision": "pass",
        "why": "none of 2 p-values is rejected at 0.01 together",
        "tests": [first, exact],
        "second_level": [
            {"test": "S9", "statistic": 0.07, "p": 0.66, "holm": 1, "values": [0.1, 0.5, 0.9]}
        ],
        "confirmation": None,
    } | changes


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    put(tmp_path, "results/battery.json", battery())
    return tmp_path


def put(bundle: Path, name: str, value: object) -> None:
    path = bundle / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))


class Reader(HTMLParser):
    """Reads a page as strictly as it was written: every element is closed where it belongs."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attrs if name in {"src", "href"}]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag
        self.addresses += [value or "" for name, value in attrs if name in {"src", "href"}]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def words(page: str) -> str:
    return " ".join(" ".join(read(page).words).split())


def test_the_page_needs_nothing_beside_itself(bundle: Path) -> None:
    page = write_report(bundle)
    assert read(page).addresses == []
    assert "<script" not in page
    assert "url(" not in page
    assert "default-src 'none'" in page


def test_the_same_figures_give_the_same_bytes(bundle: Path) -> None:
    assert write_report(bundle) == write_report(bundle)


def test_words_of_the_figures_are_no_markup(bundle: Path) -> None:
    assert "descents <of> a deck" in words(write_report(bundle))


@pytest.mark.parametrize(("decision", "said"), [("pass", "Passed"), ("fail", "Failed")])
def test_the_verdict_is_said_first(bundle: Path, decision: str, said: str) -> None:
    put(bundle, "results/battery.json", battery(decision=decision, why="because"))
    told = words(write_report(bundle))
    assert re.search(rf"thirds, shuffle\. {said} 2 tests on 10,000 decks. because", told)


def test_every_p_value_of_every_test_is_shown(bundle: Path) -> None:
    told = words(write_report(bundle))
    assert "descents <of> a deck Eulerian numbers of 52 10,000 12.5 13 0.487 1 0.66" in told
    assert "B0.bounds bytes at the bound Eulerian numbers of 52 10,000 12.5 13 holds" in told


def test_what_would_have_been_seen_is_said(bundle: Path) -> None:
    assert "S9 descents <of> a deck a mean off by 0.3 %" in words(write_report(bundle))


def test_a_confirmation_is_shown_with_what_came_of_it(bundle: Path) -> None:
    assert "Confirmation" not in words(write_report(bundle))
    judged = [{"test": "S9", "level": "first", "p": 0.31, "holm": 0.31}]
    found = {"hands": 40_000, "judged": judged, "tests": [], "second_level": []}
    put(bundle, "results/battery.json", battery(confirmation=found))
    told = words(write_report(bundle))
    assert "on 40,000 fresh decks" in told
    assert "S9 first 0.31 0.31" in told


def test_the_map_of_cards_tells_how_many_fields_lie_far_out(bundle: Path) -> None:
    assert "Every card at every position" not in words(write_report(bundle))
    cells = [192] * 2704
    cells[5] = 260
    put(bundle, "data/counts.json", {"tables": {"card_position": {"cells": cells}}})
    assert "here it is 1, and the farthest lies at +4.93" in words(write_report(bundle))


def test_requirements_are_shown_with_their_ruling(bundle: Path) -> None:
    row = {
        "id": "R-12",
        "requirement": "scaling unbiased",
        "sources": "NIGC (f)",
        "status": "FAIL",
        "why": "a bound is off",
        "files": [],
        "tests": [],
    }
    put(bundle, "trace/matrix.json", {"totals": {"PASS": 0, "FAIL": 1}, "requirements": [row]})
    told = words(write_report(bundle))
    assert "1 FAIL." in told
    assert "R-12 scaling unbiased NIGC (f) FAIL a bound is off" in told


def test_planted_flaws_and_false_alarms_are_shown(bundle: Path) -> None:
    seen = {"test": "S8", "stated": 1e-24, "most": 1e-18, "p": 3.2e-23, "found": True}
    case = {"flaw": "F01", "planted": "swap any", "amount": "1,000 decks", "good": True}
    cases = [
        case | {"tests": [seen], "alarms": []},
        case | {"flaw": "F02", "good": False, "tests": [seen], "alarms": []},
        case | {"flaw": "F00", "tests": [], "alarms": []},
    ]
    clean = {"runs": 200, "decks": 20_000, "most_alarms": 6, "alarms": [{"run": 7, "why": ""}]}
    put(bundle, "results/sensitivity.json", {"cases": cases, "clean": clean})
    told = words(write_report(bundle))
    assert "F01 swap any 1,000 decks S8: p = 3.2e-23 found" in told
    assert "F02 swap any 1,000 decks S8: p = 3.2e-23 missed" in told
    assert "F00 swap any 1,000 decks nothing, as it should be clean" in told
    assert "In 200 clean runs of 20,000 decks each, the battery raised 1 false alarms" in told


def test_what_can_not_be_shown_is_said_in_plain_words(bundle: Path) -> None:
    put(bundle, "rng/limits.md", "# Limits\n\n- **Not this.** A `verify`\n  does it.\n\nEnd.\n")
    page = write_report(bundle)
    assert "<li><strong>Not this.</strong> A <code>verify</code> does it.</li>" in page
    assert "End." not in words(page)


def test_without_a_battery_there_is_no_page(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"battery\.json is not in the bundle"):
        write_report(tmp_path)


def test_a_file_that_is_no_object_is_named(bundle: Path) -> None:
    put(bundle, "trace/matrix.json", "[]")
    with pytest.raises(ValueError, match=r"trace/matrix\.json is no JSON object"):
        write_report(bundle)


class TestPlots:
    def test_a_calm_map_draws_no_field(self) -> None:
        assert '<path class="over' not in plots.heat_map([[0.4] * 52] * 52, "", "")

    def test_a_field_far_out_is_drawn_in_its_place(self) -> None:
        rows = [[0.0] * 52 for _ in range(52)]
        rows[3][51] = -7.5
        assert '<path class="under4" d="M58 424h8v8h-8z"/>' in plots.heat_map(rows, "", "")

    def test_p_values_climb_from_corner_to_corner(self) -> None:
        drawn = plots.uniformity([0.5], "", "", side=100)
        assert 'class="observed" d="M34 110L84 110L84 10L134 10"' in drawn

    def test_bars_are_as_high_as_what_was_counted(self) -> None:
        drawn = plots.bars([Cell("a", 10, 5), Cell("b", 5, 10)], "", "")
        heights = re.findall(r'class="bar".*?height="([\d.]+)"', drawn)
        assert heights == ["130", "65"]
        assert re.findall(r'class="mark" d="M[\d.]+ ([\d.]+)', drawn) == ["73", "8"]

    def test_residuals_are_in_standard_deviations_and_stop_at_four(self) -> None:
        drawn = plots.residual_bars([Cell("a", 120, 100), Cell("b", 0, 100)], "", "")
        assert re.findall(r'cy="([\d.]+)"', drawn) == ["21", "66"]

    def test_the_smallest_p_values_stand_left_of_the_limit(self) -> None:
        drawn = plots.ladder([("S1", 1e-9), ("S2", 0.5)], 1e-4, "", "")
        limit = float(re.findall(r'class="limit" d="M([\d.]+)', drawn)[0])
        first, second = map(float, re.findall(r'cx="([\d.]+)"', drawn))
        assert first < limit < second

    def test_who_can_not_see_it_is_told_what_it_shows(self) -> None:
        drawn = plots.small_uniformity([0.5], "A <title>", "what it says")
        assert "<title>A &lt;title&gt;</title><desc>what it says</desc>" in drawn
