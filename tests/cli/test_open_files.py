"""The dealer takes as many open files as it may, and says so where these are few."""

import subprocess
import sys
from pathlib import Path

import pytest

resource = pytest.importorskip("resource", reason="this system has no limits of its own")

SCRIPT = """
import resource
import sys
from dealer_service.commands.open_files import mind_open_files
from dealer_service.observe import logs
logs.configure("text", stream=sys.stdout)
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
mind_open_files()
print("limit", resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


def limited(soft: int, hard: int) -> str:
    script = SCRIPT.format(soft=soft, hard=hard)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=Path.cwd()
    )
    return done.stdout


def test_the_soft_limit_is_raised_to_the_hard_one() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = min(hard, 17_000) if hard > 0 else 17_000
    assert f"limit {most}" in limited(256, most)


def test_few_files_are_told_of() -> None:
    told = limited(256, 1_024)
    assert "limit 1024" in told
    assert "few_open_files" in told
    assert "limit=1024" in told
    assert "LimitNOFILE" in told


def test_enough_files_are_not() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard in {resource.RLIM_INFINITY, -1} or hard >= 16_384:
        assert "few_open_files" not in limited(256, 16_384)
    else:
        assert "few_open_files" in limited(256, hard)
