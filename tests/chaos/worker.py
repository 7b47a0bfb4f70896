"""Runs one family of faults, and tells each of its runs as a line of JSON.

`python -m tests.chaos.worker FAMILY STORE SEED FOLDER [quick]`
"""

import asyncio
import json
import os
import shutil
import sys
import time
from pathlib import Path

from tests.chaos.bench import Bench
from tests.chaos.campaign import Run
from tests.chaos.families import FAMILIES
from tests.chaos.houses import stable


async def work(family: str, store: str, seed: str, folder: Path, *, quick: bool) -> None:
    """Run the family; folders of runs that are clean are removed."""
    os.makedirs(folder, exist_ok=True)  # noqa: PTH103 - before anything else runs
    async with stable() as running:
        bench = Bench(running, folder, seed, quick)
        began = time.monotonic()
        async for run in FAMILIES[store][family](bench):
            tell(run, time.monotonic() - began)
            began = time.monotonic()


def tell(run: Run, seconds: float) -> None:
    """Write a run's line, and remove what nobody has to look at."""
    if run.ruling.is_clean and run.folder is not None:
        shutil.rmtree(run.folder, ignore_errors=True)
    told = {
        "name": run.name,
        "seconds": round(seconds, 1),
        "faults": run.faults,
        "lost": run.ruling.lost,
        "forked": run.ruling.forked,
        "wrong": run.ruling.wrong,
    }
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(
        work(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]), quick="quick" in sys.argv)
    )
