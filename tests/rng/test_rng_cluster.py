"""A Dask cluster gives the same figures, whatever becomes of its workers."""

import hashlib
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

from audit_cli.cli import main
from audit_cli.inputs import UsageError
from audit_cli.rng.code_hash import hash_code
from audit_cli.rng.plan import Run
from audit_cli.rng.running.cluster import Cluster, Demands, connected
from audit_cli.rng.running.counting import count
from audit_cli.rng.running.folder import Shelf
from audit_cli.rng.running.layout import cut
from audit_cli.rng.running.pool import ClusterError, Pool
from audit_cli.rng.sources import Lab
from tests.support.beside import work_alone
from tests.support.dask_cluster import DaskCluster, dask_cluster
from tests.support.pool_work import double, fail

Task = TypeVar("Task")
Result = TypeVar("Result")

PARTS = cut(Lab(bytes(32)), Run(2400, 4, 100), 2)
DEMANDS = Demands(hash_code())


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path_factory.mktemp("dask"), 2) as cluster:
        yield cluster


@dataclass(slots=True)
class Killing:
    """Workers that go on after `kill` was called at the third result."""

    cluster: Cluster
    kill: Callable[[], None]

    @property
    def count(self) -> int:
        return self.cluster.count

    def each(
        self, work: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Iterator[tuple[Task, Result]]:
        for number, done in enumerate(self.cluster.each(work, tasks), 1):
            if number == 3:
                self.kill()
            yield done


@pytest.mark.night
def test_two_workers_of_which_one_is_killed_count_what_one_process_counts(
    tmp_path: Path, dask: DaskCluster
) -> None:
    here = Shelf(tmp_path / "here", "e" * 64)
    with Pool(1) as pool:
        count(here, PARTS, "numpy", pool, "counting")
    there = Shelf(tmp_path / "there", "e" * 64)
    victim = dask.workers[0]

    def kill() -> None:
        victim.send_signal(signal.SIGKILL)
        victim.wait()

    with connected(dask.address, DEMANDS) as cluster:
        assert cluster.count == 2
        count(there, PARTS, "numpy", Killing(cluster, kill), "counting")
    dask.start_worker()
    assert victim.returncode == -signal.SIGKILL
    assert contents(there) == contents(here)
    assert len(contents(there)) == 2 * 24 + 3


def test_a_whole_run_gives_the_same_bytes_there_with_a_worker_killed_on_the_way(
    tmp_path: Path, dask: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = dask.workers[-1]

    def kill() -> None:
        victim.send_signal(signal.SIGKILL)
        victim.wait()

    @contextmanager
    def killing(address: str, demands: Demands) -> Iterator[Killing]:
        with connected(address, demands) as cluster:
            yield Killing(cluster, kill)

    monkeypatch.setattr("audit_cli.rng.running.cluster.connected", killing)
    # What the cluster does not count is done in this process, here and there.
    work_alone(monkeypatch)
    found = []
    for name, where in (("here", ()), ("there", ("--scheduler", dask.address))):
        folder = tmp_path / name
        asked = ("--secret", "11" * 32, "--count", "10k", "--run", str(folder))
        main(["rng", "test", *asked, "--workers", "1", "--engine", "numpy", *where])
        found.append((folder / "results" / "battery.json").read_bytes())
    dask.start_worker()
    assert victim.returncode == -signal.SIGKILL
    assert found[0] == found[1]


def test_what_a_task_raises_is_raised_here(dask: DaskCluster) -> None:
    with connected(dask.address, DEMANDS) as cluster, pytest.raises(ValueError, match="no 1"):
        list(cluster.each(fail, [1]))


def test_more_tasks_than_are_out_at_a_time_are_all_done(dask: DaskCluster) -> None:
    with connected(dask.address, DEMANDS) as cluster:
        assert sorted(cluster.each(double, range(30))) == [(n, 2 * n) for n in range(30)]


def test_a_worker_of_other_code_counts_nothing(dask: DaskCluster) -> None:
    with (
        connected(dask.address, Demands("0" * 64)) as cluster,
        pytest.raises(ClusterError, match="other code"),
    ):
        list(cluster.each(double, [1]))


def test_a_worker_that_sees_another_file_counts_nothing(tmp_path: Path, dask: DaskCluster) -> None:
    path = tmp_path / "hands"
    path.write_bytes(b"one")
    right = hashlib.sha256(b"one").hexdigest()
    with connected(dask.address, Demands(hash_code(), ((str(path), right),))) as cluster:
        assert list(cluster.each(double, [1])) == [(1, 2)]
        path.write_bytes(b"another")
        with pytest.raises(ClusterError, match="another file"):
            list(cluster.each(double, [1]))
        path.unlink()
        with pytest.raises(ClusterError, match="can not read"):
            list(cluster.each(double, [1]))


def test_where_no_scheduler_is_the_command_line_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audit_cli.rng.running.cluster.CONNECT_SECONDS", 1)
    with (
        pytest.raises(UsageError, match="no Dask scheduler"),
        connected("tcp://127.0.0.1:9", DEMANDS),
    ):
        pass


def contents(shelf: Shelf) -> dict[str, bytes]:
    return {
        path.relative_to(shelf.folder).as_posix(): path.read_bytes()
        for path in sorted(shelf.folder.rglob("*.*"))
    }
