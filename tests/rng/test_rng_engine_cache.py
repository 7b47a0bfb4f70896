"""What the compiled engine keeps on the disk: wherever a folder can be written, and safely."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import audit_cli

# The smallest kernel: what is shown is where it is kept, not what it computes.
CODE = """
import numpy as np
from audit_cli.rng.engines import kernels
from audit_cli.rng.engines.native import Native
hands = Native().deal(0, np.arange(200, dtype=np.uint8)[None])
print(hands.decks.sum(), len(kernels.deal.stats.cache_hits), kernels.__file__)
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The package, where nothing can be kept beside it: a file stands in the folder's place."""
    root = tmp_path / "site"
    package = Path(audit_cli.__path__[0])
    shutil.copytree(package, root / "audit_cli", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "audit_cli" / "rng" / "engines" / "__pycache__").touch()
    return root


def start(site: Path, cache: Path) -> subprocess.Popen[str]:
    environment = {key: value for key, value in os.environ.items() if "NUMBA" not in key}
    environment |= {"PYTHONPATH": str(site), "HOME": str(cache), "XDG_CACHE_HOME": str(cache)}
    # What is kept and where is the same for code that was not made fast, which is sooner made.
    environment["NUMBA_OPT"] = "1"
    return subprocess.Popen(
        [sys.executable, "-c", CODE],
        env=environment,
        cwd=site,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def told(process: subprocess.Popen[str], site: Path) -> int:
    """Return how many kernels came from the disk, once the process has dealt what it should."""
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert errors == ""
    cards, hits, place = output.split()
    assert cards == str(sum(range(52)))
    assert Path(place).is_relative_to(site)
    return int(hits)


def test_two_processes_compile_at_once_and_a_third_finds_it_done(
    site: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    both = [start(site, cache) for _ in range(2)]
    for process in both:
        told(process, site)
    assert told(start(site, cache), site) == 1
    assert list(cache.rglob("*.nbc"))
    assert not list(site.rglob("*.nb?"))


def test_where_no_folder_can_be_written_it_compiles_for_itself(site: Path, tmp_path: Path) -> None:
    nowhere = tmp_path / "file"
    nowhere.touch()
    assert told(start(site, nowhere), site) == 0
