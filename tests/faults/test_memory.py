"""When a hand is over, nothing in the process's reach has its secret, its deck or its salts.

Each search is a test of memory_searched.py and runs in a process of its own, which has little else
to be looked through.
"""

import subprocess
import sys
from pathlib import Path

SEARCHES = Path(__file__).parent / "memory_searched.py"


def search(name: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, f"{SEARCHES}::{name}"],
        cwd=SEARCHES.parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_of_a_hand_outlasts_it() -> None:
    search("test_nothing_of_a_hand_outlasts_it")


def test_nothing_of_a_void_hand_outlasts_it_but_what_it_showed() -> None:
    search("test_nothing_of_a_void_hand_outlasts_it_but_what_it_showed")


def test_a_late_watcher_leaves_no_deck_behind() -> None:
    search("test_a_late_watcher_leaves_no_deck_behind")
