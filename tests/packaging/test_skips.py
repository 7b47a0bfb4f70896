"""With CI=true nothing is skipped: `.ci/run` can not be green over a test that did not run."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"

SKIPPING = {
    "a skipped test": 'import pytest\ndef test_a():\n    pytest.skip("no such server")\n',
    "a marked test": (
        'import pytest\n@pytest.mark.skipif(True, reason="no such server")\ndef test_a(): pass\n'
    ),
    "a skipped module": (
        'import pytest\npytest.skip("no such server", allow_module_level=True)\n'
        "def test_a(): pass\n"
    ),
    "an expected failure": (
        'import pytest\n@pytest.mark.xfail(reason="no such server")\n'
        "def test_a():\n    assert False\n"
    ),
}
PASSING = "def test_a(): pass\n"


@dataclass(frozen=True, slots=True)
class Run:
    """What a run of all samples came to: its output, and by sample the words of its summary."""

    output: str
    summary: dict[str, str]


@pytest.fixture(scope="module", params=["true", ""], ids=["in CI", "elsewhere"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run each sample under the suite's conftest, in one process of its own."""
    folder = tmp_path_factory.mktemp("samples")
    shutil.copy(CONFTEST, folder / "conftest.py")
    (folder / "pytest.ini").write_text("[pytest]\n")
    for number, source in enumerate((*SKIPPING.values(), PASSING)):
        (folder / f"test_{number}.py").write_text(source)
    plain = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider"),
            *("--continue-on-collection-errors", folder),
        ],
        env=plain | {"CI": request.param},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (1 if request.param else 0), done.stdout
    found = re.findall(r"^([A-Z]+) (?:\[1\] )?test_(\d)\.py", done.stdout, re.MULTILINE)
    names = [*SKIPPING, "a passing test"]
    return Run(done.stdout, {names[int(number)]: word for word, number in found})


@pytest.mark.parametrize("run", ["true"], indirect=True)
@pytest.mark.parametrize("name", SKIPPING)
def test_a_skip_fails_the_run_in_ci(run: Run, name: str) -> None:
    assert run.summary[name] in {"FAILED", "ERROR"}


@pytest.mark.parametrize("run", ["true"], indirect=True)
def test_each_is_said_with_its_reason(run: Run) -> None:
    said = re.findall(r"skipped, which is a failure when CI=true: .*no such server", run.output)
    assert len(said) >= len(SKIPPING)


@pytest.mark.parametrize("run", [""], indirect=True)
@pytest.mark.parametrize("name", SKIPPING)
def test_a_skip_is_only_a_skip_elsewhere(run: Run, name: str) -> None:
    assert run.summary[name] in {"SKIPPED", "XFAIL"}


@pytest.mark.parametrize("run", ["true", ""], indirect=True)
def test_a_passing_test_passes(run: Run) -> None:
    assert run.summary["a passing test"] == "PASSED"
