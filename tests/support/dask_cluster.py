"""A Dask scheduler and workers of it, each a process of its own that a test may kill."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]


@dataclass(slots=True)
class DaskCluster:
    folder: Path
    address: str
    workers: list[subprocess.Popen[str]] = field(default_factory=list)

    def start_worker(self) -> subprocess.Popen[str]:
        """Start a worker of one thread, which nobody starts again when it dies."""
        worker = _start(
            "dask_worker",
            self.address,
            "--no-nanny",
            "--no-dashboard",
            "--nthreads=1",
            f"--local-directory={self.folder}",
        )
        self.workers.append(worker)
        return worker


@contextmanager
def dask_cluster(folder: Path, workers: int) -> Iterator[DaskCluster]:
    """Run a scheduler with so many workers, and end them all."""
    scheduler = _start("dask_scheduler", "--host=127.0.0.1", "--port=0", "--no-dashboard")
    try:
        cluster = DaskCluster(folder, _address(scheduler))
        try:
            for _ in range(workers):
                cluster.start_worker()
            yield cluster
        finally:
            for worker in cluster.workers:
                _end(worker)
    finally:
        _end(scheduler)


def _start(program: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{program}", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )


def _address(scheduler: subprocess.Popen[str]) -> str:
    assert scheduler.stderr is not None
    for line in scheduler.stderr:
        _, found, address = line.partition("Scheduler at:")
        if found:
            return address.strip()
    message = "the scheduler did not start"
    raise AssertionError(message)


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()
