"""The same work on a Dask cluster: many machines, the same figures.

A task says all that its result depends on, and so it does not matter who does it, or how often:
the scheduler gives what a lost worker had to another. Each worker has to run the very code that
the plan names, and to see the very files; one that does not says so, and nothing of it is counted.
Tasks hold the laboratory's secret: across machines that are not all yours, use `tls://` addresses.
"""

from __future__ import annotations

from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from distributed import Client, KilledWorker, as_completed

from audit_cli.inputs import UsageError, reason, shown
from audit_cli.rng.code_hash import hash_code
from audit_cli.rng.file_hash import hash_file
from audit_cli.rng.running.pool import AHEAD, ClusterError, WorkersDiedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Task = TypeVar("Task")
Result = TypeVar("Result")

CONNECT_SECONDS: Final = 20
WORKER_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class Demands:
    """What a worker must have: the code of that hash, and files of these SHA-256 at these paths."""

    code: str
    files: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that is connected; `count` is how many tasks it does at a time."""

    client: Any
    demands: Demands
    count: int

    def each(
        self, work: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Iterator[tuple[Task, Result]]:
        """Give each task with its result, as they come; so many are out that no worker waits.

        Raises what `work` raises, ClusterError, and WorkersDiedError for a task whose workers died
        again and again.
        """
        source = iter(tasks)
        out = as_completed(loop=self.client.loop)
        sent: dict[str, Task] = {}

        def send() -> bool:
            for task in source:
                future = self.client.submit(_do, work, task, self.demands, pure=False)
                sent[future.key] = task
                out.add(future)
                return True
            return False

        for _ in range(AHEAD * self.count):
            if not send():
                break
        for future in out:
            task = sent.pop(future.key)
            result = _result(future)
            # The cluster forgets a result with its last future.
            future.release()
            send()
            yield task, result


@contextmanager
def connected(address: str, demands: Demands) -> Iterator[Cluster]:
    """Connect to a scheduler. UsageError where none is there, or none that has workers."""
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        message = f"there is no Dask scheduler at {shown(address)}: {reason(error)}"
        raise UsageError(
            message, "start one with `dask scheduler`, workers with `dask worker`"
        ) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except TimeoutError:
            message = f"the scheduler at {shown(address)} has no workers"
            raise UsageError(message, f"start some: dask worker {shown(address)}") from None
        yield Cluster(client, demands, max(1, sum(client.nthreads().values())))


def _result(future: Any) -> Any:  # noqa: ANN401  (Dask has no types)
    try:
        return future.result()
    except KilledWorker as error:
        message = f"a task was given to several workers of the cluster, and each died: {error}"
        raise WorkersDiedError(message) from None
    except ImportError as error:
        message = f"a worker of the cluster can not do the work: {error}"
        raise ClusterError(message) from None
    except (CancelledError, OSError) as error:
        message = f"the cluster is gone: {error}"
        raise ClusterError(message) from None


def _do(work: Callable[[Task], Result], task: Task, demands: Demands) -> Result:
    """Do a task on a worker that has what it needs."""
    found = hash_code()
    if found != demands.code:
        message = f"a worker has other code ({found}) than the plan names ({demands.code})"
        raise ClusterError(message)
    for path, digest in demands.files:
        _check_file(path, digest)
    return work(task)


def _check_file(path: str, digest: str) -> None:
    try:
        status = Path(path).stat()
        found = _hash_file(path, status.st_size, status.st_mtime_ns)
    except OSError as error:
        message = f"a worker can not read {shown(path)}: {reason(error)}"
        raise ClusterError(message) from None
    if found != digest:
        message = f"a worker has another file at {shown(path)}"
        raise ClusterError(message)


@lru_cache(maxsize=8)
def _hash_file(path: str, _size: int, _changed: int) -> str:
    return hash_file(Path(path))
