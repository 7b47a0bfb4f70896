"""The bench runs and writes what its readers expect; no speed is asserted."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.bench import __main__ as bench
from tests.bench import driving
from tests.bench.figure import Figure, Goal

FIELDS = {"name", "value", "unit", "yardstick", "yardstick_value", "ratio", "better", "goal"}
# Four dealers are as two, and take as long to start again.
ASKED = [name for name in bench.NAMES if not name.endswith("_4")]
GOALS = {
    "engine_hands": ("higher", 12),
    "deal_derive": ("higher", 0.3),
    "verify_hands": ("higher", 0.0006),
    "verify_two_cores": ("higher", 1.8),
    "verify_memory": ("lower", 1.1),
    "audit_help": ("lower", 150),
    "decks_plain": ("higher", 1),
    "decks_numpy": ("higher", 2.8),
    "decks_numba": ("higher", 30),
    "dump": ("higher", 0.08),
    "dump_hands": ("higher", 0.006),
    "acts": ("higher", 0.7),
    "acts_watched": ("higher", 0.3),
    "acts_by_call": ("higher", 0.5),
    "acts_watched_by_call": ("higher", 0.2),
    "act_p99": ("lower", 3),
    "act_p99_by_call": ("lower", 3),
    "watch_delay": ("lower", 3),
    "start": ("lower", 1),
    "watcher_memory": ("lower", 64),
    "log_append": ("higher", 0.03),
    "log_proof": ("lower", 30),
    "log_tiles": ("lower", 1.3),
    "append_sqlite": ("higher", 0.7),
    "append_postgres": ("higher", 1),
    "acts_postgres_1": ("higher", 0.25),
    "act_p99_postgres_1": ("lower", 5),
    "acts_postgres_2": ("higher", 0.25),
    "act_p99_postgres_2": ("lower", 5),
    "take_over_line": ("lower", 1.5),
    "take_over_hand": ("lower", 1.5),
    "page_hands": ("higher", 0.001),
}


def measured() -> list[str]:
    """List the figures that were asked for and can be measured on this machine."""
    return [name for name in ASKED if bench.why_not(name) is None]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    output = tmp_path_factory.mktemp("bench") / "bench.json"
    asked = [word for name in ASKED for word in ("--only", name)]
    assert bench.main(["--quick", "--output", str(output), *asked]) == 0
    figures: list[dict[str, Any]] = json.loads(output.read_bytes())
    return figures


def test_every_figure_is_written_once(written: list[dict[str, Any]]) -> None:
    assert [figure["name"] for figure in written] == measured()


def test_a_figure_has_its_eight_fields_and_its_own_ratio(written: list[dict[str, Any]]) -> None:
    for figure in written:
        assert set(figure) == FIELDS
        assert figure["value"] > 0
        assert figure["yardstick_value"] > 0
        assert figure["ratio"] == figure["value"] / figure["yardstick_value"]


def test_goals_are_those_that_the_project_has_set(written: list[dict[str, Any]]) -> None:
    goals = {figure["name"]: (figure["better"], figure["goal"]) for figure in written}
    assert goals == {name: GOALS[name] for name in measured()}


def test_one_figure_can_be_asked_for(tmp_path: Path) -> None:
    output = tmp_path / "bench.json"
    bench.main(["--quick", "--only", "deal_derive", "--output", str(output)])
    assert [figure["name"] for figure in json.loads(output.read_bytes())] == ["deal_derive"]


def test_the_three_engines_can_be_asked_for_at_once(tmp_path: Path) -> None:
    output = tmp_path / "bench.json"
    bench.main(["--quick", "--only", "decks", "--output", str(output)])
    names = [figure["name"] for figure in json.loads(output.read_bytes())]
    assert names == ["decks_plain", "decks_numpy", "decks_numba"]


def test_without_postgresql_its_figures_are_reported_as_not_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "is_there", lambda: False)
    output = tmp_path / "bench.json"
    assert bench.main(["--only", "append_postgres", "--output", str(output)]) == 0
    assert "append_postgres: not measured" in capsys.readouterr().out
    assert json.loads(output.read_bytes()) == []


@pytest.mark.parametrize(
    ("better", "value", "reached"),
    [("higher", 2.0, True), ("higher", 1.9, False), ("lower", 2.0, True), ("lower", 2.1, False)],
)
def test_a_goal_is_reached_on_its_own_side(better: Any, value: float, reached: bool) -> None:
    figure = Figure(Goal("name", "unit", "yardstick", better, 2), (value,), (1.0,))
    assert figure.reached is reached


def test_a_figure_is_the_median_of_its_rounds() -> None:
    """The noise is how far the ratio of a single round strays from that of the medians."""
    figure = Figure(Goal("name", "unit", "other", "higher", 1), (1.0, 9.0, 2.0), (2.0, 2.0, 2.0))
    assert (figure.value, figure.yardstick_value, figure.ratio) == (2.0, 2.0, 1.0)
    assert figure.noise == 3.5


def test_the_callers_scripts_have_every_seat_act_in_turn() -> None:
    """The button goes round, and a hand with a limp all round has all six act on every street."""
    first = driving.steps(1)
    assert [step.turn for step in first] == [1, 2, 3, 4, 5, 6]
    assert [step.seat for step in first] == [4, 5, 6, 1, 2, 3]
    limped = driving.steps(6)
    assert [step.seat for step in limped[:8]] == [3, 4, 5, 6, 1, 2, 1, 2]
    assert len(limped) == 24
