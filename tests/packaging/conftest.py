"""A release of the tree as it stands, made once, and an environment with its wheel."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from release.__main__ import make_release
from tests.support.clean_environment import Environment, install

ROOT = Path(__file__).parents[2]
MADE = 1_790_000_000
"""When the release of the tests was made: 21 September 2026."""

_UNTOLD = shutil.ignore_patterns(
    ".venv", ".git", ".*_cache", ".hypothesis", "__pycache__", "node_modules", "demo", "dist"
)


@dataclass(frozen=True, slots=True)
class Release:
    """The files that a release consists of."""

    wheel: Path
    source: Path
    bill: Path
    sums: Path


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Make a release of a commit that holds the tree as it stands."""
    if shutil.which("git") is None:
        pytest.skip("a release is made of a commit: git is not installed")
    folder = shared(tmp_path_factory) / "release"
    tree, dist = folder / "tree", folder / "dist"
    with alone(folder):
        if not (dist / "SHA256SUMS").exists():
            shutil.rmtree(tree, ignore_errors=True)
            shutil.copytree(ROOT, tree, ignore=_UNTOLD)
            commit(tree)
            make_release(tree, MADE, dist)
    wheel, source, bill = (next(dist.glob(f"*{end}")) for end in (".whl", ".tar.gz", ".json"))
    return Release(wheel, source, bill, dist / "SHA256SUMS")


@pytest.fixture(scope="session")
def environment(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Install the wheel without extras."""
    root = shared(tmp_path_factory) / "clean"
    with alone(root):
        return install(release.wheel, root / "environment")


def shared(factory: pytest.TempPathFactory) -> Path:
    """Return the folder that all processes of one run of the tests share."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Make a folder, and hold the other processes of the run off it."""
    folder.mkdir(exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def commit(tree: Path) -> None:
    """Make a folder a clone whose one commit holds all in it that is not ignored."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for order in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "A tree"]):
        subprocess.run(["git", *order], cwd=tree, env=plain, check=True)
