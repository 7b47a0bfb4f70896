"""The smaller parts of a bundle: dates, bytes, counts, and builds of a wheel."""

import json
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from audit_cli.inputs import UsageError
from audit_cli.rng.certify.builds import build_twice
from audit_cli.rng.certify.data import list_chunks, read_counts, write_counts, write_index
from audit_cli.rng.certify.selftest import make_sensitivity, same_cases
from audit_cli.rng.certify.writing import json_bytes, moment, put
from audit_cli.rng.flaws.bank import BANK
from audit_cli.rng.flaws.named import read_flaws
from audit_cli.rng.plan import Run
from tests.support.beside import Alone

NOW = 1_767_225_599.9


def test_a_bundle_is_dated_by_the_variable_where_it_is_set() -> None:
    assert moment({"SOURCE_DATE_EPOCH": "0"}, lambda: NOW) == "1970-01-01T00:00:00Z"
    assert moment({}, lambda: NOW) == "2025-12-31T23:59:59Z"


@pytest.mark.parametrize("text", ["", "today", "1.5", "9" * 30])
def test_a_variable_that_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="SOURCE_DATE_EPOCH"):
        moment({"SOURCE_DATE_EPOCH": text}, lambda: NOW)


def test_json_is_the_same_whatever_the_order_of_its_keys() -> None:
    assert json_bytes({"b": 1, "a": [2]}) == json_bytes(MappingProxyType({"a": [2], "b": 1}) | {})
    with pytest.raises(ValueError, match="JSON"):
        json_bytes(float("nan"))


def test_a_file_is_written_once(tmp_path: Path) -> None:
    put(tmp_path, "a/b.txt", b"one")
    with pytest.raises(FileExistsError):
        put(tmp_path, "a/b.txt", b"two")
    assert (tmp_path / "a" / "b.txt").read_bytes() == b"one"


def test_counts_are_read_as_they_were_written() -> None:
    tables = {"b": np.arange(6, dtype=np.int64).reshape(2, 3), "a": np.array([2**40])}
    read = read_counts(write_counts(tables))
    assert read.keys() == tables.keys()
    for name, table in tables.items():
        assert read[name].dtype == np.int64
        assert np.array_equal(read[name], table)
    assert write_counts(read) == write_counts(tables)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b'{"format":"cutcard-totals/1"}',
        b'{"format":"cutcard-totals/2","tables":{"a":{"cells":[1],"shape":[1]}}}',
        b'{"format":"cutcard-totals/1","tables":{"a":{"cells":[1],"shape":[2]}}}',
        b'{"format":"cutcard-totals/1","tables":{"a":{"cells":["x"],"shape":[1]}}}',
        b'{"format":"cutcard-totals/1","tables":{"a":{"cells":[1e400],"shape":[1]}}}',
    ],
)
def test_what_are_no_counts_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="no counts"):
        read_counts(data)


def test_an_index_lets_every_chunk_be_derived_again() -> None:
    run = Run(hands=200, blocks=2, chunk=50)
    chunks = list_chunks(run, ["a", "b", "c", "d"])
    value = json.loads(write_index("lab", chunks, None, [bytes(32)], {}))
    assert [each["first"] for each in value["run"]["chunks"]] == [0, 50, 100, 150]
    assert (value["run"]["secret"], value["rederivable"]) == ("00" * 32, True)
    assert not json.loads(write_index("hands", chunks, None, [], {}))["rederivable"]


def test_a_confirmation_from_a_file_goes_on_behind_the_run() -> None:
    again = list_chunks(Run(400, 2, 100), ["a", "b", "c", "d"], start=100)
    assert [each["first"] for each in again] == [100, 200, 300, 400]


def project(folder: Path, *, version: str = "1.0", hook: str = "") -> Path:
    folder.mkdir()
    (folder / "thing.py").write_text("A = 1\n")
    (folder / "hatch_build.py").write_text(hook)
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        f'[project]\nname = "thing"\nversion = "{version}"\n'
        '[tool.hatch.build.targets.wheel]\ninclude = ["thing.py"]\n'
        + ("[tool.hatch.build.targets.wheel.hooks.custom]\n" if hook else "")
    )
    return folder


def test_two_builds_of_the_same_sources_give_the_same_bytes(tmp_path: Path) -> None:
    record = build_twice(project(tmp_path / "thing"))
    assert record["made"], record
    assert record["same"]
    assert record["wheel"].startswith("thing-1.0-")
    assert record["sha256"][0] == record["sha256"][1]


def test_a_build_that_differs_each_time_is_seen(tmp_path: Path) -> None:
    hook = (
        "import uuid\nfrom pathlib import Path\n"
        "from hatchling.builders.hooks.plugin.interface import BuildHookInterface\n"
        "class Hook(BuildHookInterface):\n"
        "    def initialize(self, version, build_data):\n"
        "        Path(self.root, 'thing.py').write_text(f'A = {uuid.uuid4().int}\\n')\n"
    )
    record = build_twice(project(tmp_path / "thing", hook=hook))
    assert record["made"], record
    assert not record["same"]


@pytest.mark.parametrize("version", ["", "not a version"])
def test_what_does_not_build_is_told(tmp_path: Path, version: str) -> None:
    record = build_twice(project(tmp_path / "thing", version=version))
    assert not record["made"]
    assert "does not build" in record["why"]


def test_without_sources_nothing_is_built(tmp_path: Path) -> None:
    assert not build_twice(tmp_path)["made"]


def test_the_flaws_that_were_looked_for_can_be_looked_for_again() -> None:
    numbers = read_flaws("F24", quick=True)
    made = json.loads(make_sensitivity(numbers, 0, "numpy", Alone(1)))
    assert made["good"]
    assert same_cases(made) == (numbers, 0)
    assert same_cases(made | {"seed": "00"}) is None
    made["cases"][0]["planted"] = "something else"
    assert same_cases(made) is None


def test_flaws_are_chosen_by_name() -> None:
    assert read_flaws("none", quick=False) == ()
    assert read_flaws("all", quick=False) == tuple(range(len(BANK)))
    assert {BANK[number].name for number in read_flaws("F01,F03", quick=True)} == {"F01", "F03"}
    with pytest.raises(UsageError, match="no such flaw"):
        read_flaws("F01,F77", quick=False)
