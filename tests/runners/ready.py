"""`python -m tests.runners.ready`: make once what each process of the tests would make for itself.

These are the tests' asserts, rewritten as pytest rewrites them, and the audit's compiled kernels.
Both are kept beside their sources and made anew only when these have changed; a process that does
not find them makes its own.
"""

import os
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from _pytest.assertion import AssertionState, rewrite

from audit_cli.rng.counting.choose import tallier
from audit_cli.rng.engines.native import Native

TESTS = Path(__file__).parents[1]
AT_ONCE = 40


@cache
def config() -> pytest.Config:
    """Read how pytest is set up here."""
    return pytest.Config.fromdictargs({}, [str(TESTS)])


def rewrite_asserts(paths: list[Path]) -> None:
    """Keep test modules as pytest runs them, where they are not kept yet."""
    state = AssertionState(config(), "rewrite")
    for path in paths:
        kept = rewrite.get_cache_dir(path) / f"{path.stem}{rewrite.PYC_TAIL}"
        if rewrite._read_pyc(path, kept) is None:
            source_hash, code = rewrite._rewrite_test(path, config())
            kept.parent.mkdir(exist_ok=True)
            rewrite._write_pyc(state, code, source_hash, kept)


def compile_kernels() -> None:
    """Have numba compile the kernels that derive decks and count them."""
    engine = Native()
    engine.deal(0, engine.expand(np.zeros((1, 48), np.uint8)))
    tallier(0, 1, native=True).add(engine.lab(bytes(32), 0, 1))


def main() -> None:
    """Make all of it, on all processors."""
    modules = sorted([*TESTS.rglob("test_*.py"), *TESTS.rglob("conftest.py")])
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        compiled = pool.submit(compile_kernels)
        starts = range(0, len(modules), AT_ONCE)
        list(pool.map(rewrite_asserts, (modules[start : start + AT_ONCE] for start in starts)))
        compiled.result()


if __name__ == "__main__":
    main()
