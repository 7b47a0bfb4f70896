"""With CI=true nothing is skipped: `.ci/run` can not be green over a test that did not run."""

import os
import shutil
import subprocess
import sys
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


@pytest.mark.parametrize("name", SKIPPING)
def test_a_skip_fails_the_run_in_ci_and_says_why(name: str, tmp_path: Path) -> None:
    run = run_pytest(tmp_path, SKIPPING[name], ci="true")

    assert run.returncode != 0
    assert "skipped, which is a failure when CI=true: " in run.stdout
    assert "no such server" in run.stdout


@pytest.mark.parametrize("name", SKIPPING)
def test_a_skip_is_only_a_skip_elsewhere(name: str, tmp_path: Path) -> None:
    # A run that collects no test at all ends with 5.
    assert run_pytest(tmp_path, SKIPPING[name], ci="").returncode in {0, 5}


def test_a_passing_test_passes_in_ci(tmp_path: Path) -> None:
    assert run_pytest(tmp_path, "def test_a(): pass\n", ci="true").returncode == 0


def run_pytest(folder: Path, source: str, *, ci: str) -> subprocess.CompletedProcess[str]:
    """Run one test module under the suite's conftest in a process of its own."""
    shutil.copy(CONFTEST, folder / "conftest.py")
    (folder / "test_sample.py").write_text(source)
    (folder / "pytest.ini").write_text("[pytest]\n")
    plain = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        env=plain | {"CI": ci},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
