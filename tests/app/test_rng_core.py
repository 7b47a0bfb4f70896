"""The part that makes decks changes with its version alone, and a dealer knows which one it runs.

A failure of the first test means that `dealer_service/fairness` was changed. A laboratory certifies
exactly those sources: append a version with the fingerprint that the test shows to `VERSIONS`, and
name it in CHANGELOG.md. A line that is there is never changed.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from structlog.testing import capture_logs

import dealer_service
from dealer_service import rng_core
from dealer_service.rng_core import VERSIONS, find_core, find_version, hash_core

ROOT = Path(__file__).parents[2]
PACKAGE = Path(dealer_service.__file__).parent
CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def copied(folder: Path) -> Path:
    """Give a copy of the package's core, in a package of its name."""
    package = folder / "dealer_service"
    shutil.copytree(
        PACKAGE / "fairness", package / "fairness", ignore=shutil.ignore_patterns("__pycache__")
    )
    return package


def test_the_sources_are_those_of_the_newest_version() -> None:
    assert hash_core() == VERSIONS[-1].fingerprint


def test_versions_are_numbered_one_after_another_and_differ() -> None:
    assert [one.number for one in VERSIONS] == list(range(1, len(VERSIONS) + 1))
    assert len({one.fingerprint for one in VERSIONS}) == len(VERSIONS)


def test_every_version_stands_in_the_changes_with_its_fingerprint() -> None:
    """So that no line of the history is changed in passing."""
    told = re.findall(r"rng core (\d+) \(`([0-9a-f]{16})`", CHANGES)
    assert sorted(told) == sorted((str(one.number), one.fingerprint[:16]) for one in VERSIONS)


def test_it_is_what_sha256sum_prints() -> None:
    ran = subprocess.run(
        "sha256sum dealer_service/fairness/*.py | sha256sum",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
        cwd=PACKAGE.parent,
        env={"LC_ALL": "C", "PATH": "/usr/local/bin:/usr/bin:/bin"},
    )
    assert ran.stdout.split()[0] == hash_core()


def test_line_ends_make_no_difference(tmp_path: Path) -> None:
    package = copied(tmp_path)
    for path in package.rglob("*.py"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert hash_core(package) == hash_core()


@pytest.mark.parametrize("name", sorted(one.name for one in (PACKAGE / "fairness").glob("*.py")))
def test_one_byte_of_any_file_makes_one(tmp_path: Path, name: str) -> None:
    package = copied(tmp_path)
    path = package / "fairness" / name
    path.write_bytes(path.read_bytes() + b"#")
    assert find_version(hash_core(package)) == 0


def test_a_file_more_or_less_makes_one(tmp_path: Path) -> None:
    package = copied(tmp_path)
    (package / "fairness" / "more.py").touch()
    assert find_version(hash_core(package)) == 0
    (package / "fairness" / "more.py").unlink()
    assert find_version(hash_core(package)) == VERSIONS[-1].number
    (package / "fairness" / "cards.py").unlink()
    assert find_version(hash_core(package)) == 0


def test_a_core_that_is_no_version_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rng_core, "hash_core", lambda: "0" * 64)
    with capture_logs() as logs:
        running = find_core()
    assert (running.number, running.fingerprint) == (0, "0" * 64)
    assert [one["event"] for one in logs] == ["rng_core_unknown"]


def test_a_core_without_sources_is_warned_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(rng_core, "hash_core", lambda: hash_core(tmp_path))
    with capture_logs() as logs:
        running = find_core()
    assert (running.number, running.fingerprint) == (0, "")
    assert [one["event"] for one in logs] == ["rng_core_unread"]
