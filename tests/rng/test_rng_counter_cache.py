"""What the compiled counter keeps on the disk is never used for other tables than its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import audit_cli

CODE = """
import numpy as np
from audit_cli.rng.counting import kernels, native
from audit_cli.rng.counting.choose import tallier
from audit_cli.rng.hands import Hands
decks = np.random.default_rng(1).permuted(np.tile(np.arange(52, dtype=np.uint8), (40, 1)), axis=1)
found = []
for compiled in (False, True):
    counting = tallier(0, 40, draws=False, native=compiled)
    counting.add(Hands(0, decks))
    found.append(counting.finish().counts)
plain, quick = found
for name, table in plain.items():
    assert np.array_equal(table, quick[name]), name
print(len(kernels.count_piece.stats.cache_hits), plain["coupon_suit"].shape[0])
"""


def run(site: Path) -> str:
    environment = {key: value for key, value in os.environ.items() if "NUMBA" not in key}
    # What is kept and when is the same for code that was not made fast, which is sooner made.
    environment["NUMBA_OPT"] = "1"
    done = subprocess.run(
        [sys.executable, "-B", "-c", CODE],
        env=environment | {"PYTHONPATH": str(site)},
        cwd=site,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_tables_that_changed_are_counted_by_code_compiled_for_them(tmp_path: Path) -> None:
    package = Path(audit_cli.__path__[0])
    shutil.copytree(package, tmp_path / "audit_cli", ignore=shutil.ignore_patterns("__pycache__"))
    tables = tmp_path / "audit_cli" / "rng" / "counting" / "tables.py"
    assert run(tmp_path) == "0 65\n"
    text = tables.read_text()
    changed = text.replace('"coupon_suit": (65,)', '"coupon_suit": (9,)')
    changed = changed.replace("BOARD: Final = (*FLOP, 17, 19)", "BOARD: Final = (*FLOP, 18, 20)")
    tables.write_text(changed)
    assert run(tmp_path) == "1 9\n"
