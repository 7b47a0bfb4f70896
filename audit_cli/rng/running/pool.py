"""Processes of this machine that work side by side, and may die without harm.

Each is a fresh interpreter with a pipe of its own to this process: it sees the pipe's end when this
process dies, however it dies, and goes. When a worker dies (a kill, memory that ran out), another
takes its place and its tasks are given again; a task whose worker died three times is told. At most
`AHEAD` tasks wait in a worker's pipe, so that neither tasks nor results pile up. The order in which
results come is any: nothing that is made of them may depend on it.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import traceback
from collections import deque
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Final, Generic, Protocol, Self, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.process import BaseProcess
    from types import TracebackType

Task = TypeVar("Task")
Result = TypeVar("Result")

#: How many tasks a worker has at hand: the one it does and the one it does next.
AHEAD: Final = 2
#: How many workers a task may outlive.
DEATHS: Final = 3


class Workers(Protocol):
    """Those who do tasks: `Pool` on this machine, `cluster.Cluster` on many."""

    @property
    def count(self) -> int:
        """How many tasks are worked on at a time."""

    def each(
        self, work: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Iterator[tuple[Task, Result]]:
        """Give each task with its result, as they come."""


class WorkersDiedError(Exception):
    """A task was given to several workers, and each died of it, or beside it."""


class ClusterError(Exception):
    """The cluster is gone, or one of its workers is not fit for the run; the text says which."""


@dataclass(slots=True, eq=False)
class _Job(Generic[Task]):
    """A task, and how many workers it outlived."""

    task: Task
    deaths: int = 0


@dataclass(slots=True, eq=False)
class _Worker(Generic[Task]):
    process: BaseProcess
    pipe: Connection
    jobs: deque[_Job[Task]] = field(default_factory=deque)


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Pool:
    """`count` processes, started at once and kept warm from one use to the next.

    `died` tells how many workers were lost so far.
    """

    __slots__ = ("_busy", "_count", "_workers", "died")

    def __init__(self, count: int) -> None:
        self.died = 0
        self._count = count
        self._busy = False
        self._workers: list[_Worker[object]] = []

    @property
    def count(self) -> int:
        """How many tasks are worked on at a time."""
        return self._count

    @property
    def processes(self) -> tuple[int, ...]:
        """The process IDs of the workers."""
        return tuple(worker.process.pid or 0 for worker in self._workers)

    def __enter__(self) -> Self:
        """Start the processes."""
        self._workers = [_Worker(*_start()) for _ in range(self._count)]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the processes, in the middle of a task where this was left by an error."""
        for worker in self._workers:
            worker.pipe.close()
            if kind is not None or worker.jobs:
                worker.process.terminate()
        for worker in self._workers:
            worker.process.join()
        self._workers.clear()

    def each(
        self, work: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Iterator[tuple[Task, Result]]:
        """Give each task with its result, as they come.

        `work` is a module's function and tasks and results can be pickled. What `work` raises is
        raised here. Raises WorkersDiedError. One use at a time; leave the pool, or end the
        iteration, before the next.
        """
        if self._busy:
            message = "the pool is in the middle of other tasks"
            raise ValueError(message)
        self._busy = True
        fresh = (_Job(task) for task in tasks)
        again: deque[_Job[Task]] = deque()
        workers = cast("list[_Worker[Task]]", self._workers)

        def give(worker: _Worker[Task]) -> None:
            job = again.popleft() if again else next(fresh, None)
            if job is not None:
                worker.jobs.append(job)
                # That the worker is dead is seen when it is read.
                with contextlib.suppress(OSError):
                    worker.pipe.send((work, job.task))

        for _ in range(AHEAD):
            for worker in workers:
                give(worker)
        while waiting := {worker.pipe: worker for worker in workers if worker.jobs}:
            for ready in wait(list(waiting)):
                worker = waiting[cast("Connection", ready)]
                answer = _receive(worker.pipe)
                if answer is None:
                    again.extend(self._replace(worker))
                    for _ in range(AHEAD):
                        give(worker)
                    continue
                job = worker.jobs.popleft()
                give(worker)
                yield job.task, cast("Result", answer[0])
        self._busy = False

    def _replace(self, worker: _Worker[Task]) -> list[_Job[Task]]:
        """Have another process in the place of a dead one; the jobs that it leaves behind."""
        worker.process.join()
        worker.pipe.close()
        self.died += 1
        left = list(worker.jobs)
        worker.jobs.clear()
        left[0].deaths += 1
        if left[0].deaths == DEATHS:
            ending = _ending(worker.process.exitcode)
            message = f"{left[0].task} was given to {DEATHS} workers, and each died ({ending})"
            raise WorkersDiedError(message)
        worker.process, worker.pipe = _start()
        return left


def _start() -> tuple[BaseProcess, Connection]:
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    with _uninterrupted():
        process.start()
    theirs.close()
    return process, mine


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold interrupts back until a process is whole; it is born with them held back, and stays so.

    One that was told half of what it is to do would complain at the terminal, and so would one that
    is interrupted before it can ignore that.
    """
    # Begun with the first process, its keeper would let interrupts through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    came: list[int] = []
    handler = None
    # Another thread (numpy's libraries have some) is interrupted in place of the one that holds it
    # back, and the main thread is told all the same.
    if threading.current_thread() is threading.main_thread():
        handler = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        if handler is not None:
            signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if came:
            signal.raise_signal(signal.SIGINT)


def _serve(pipe: Connection) -> None:
    """Do tasks until the other end is gone. An interrupt at the terminal is the parent's to see."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            work, task = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer = (True, work(task))
        except Exception as error:  # noqa: BLE001  (the parent raises it)
            error.add_note(traceback.format_exc())
            answer = (False, error)
        try:
            pipe.send(answer)
        except OSError:
            return


def _receive(pipe: Connection) -> tuple[object] | None:
    """Return what a worker answers, None where it is dead; raise what it raised."""
    try:
        good, result = pipe.recv()
    except (EOFError, OSError):
        return None
    if not good:
        raise cast("BaseException", result)
    return (result,)


def _ending(status: int | None) -> str:
    if status is not None and status < 0:
        with contextlib.suppress(ValueError):
            return f"by {signal.Signals(-status).name}"
        return f"by signal {-status}"
    return f"with exit status {status}"
