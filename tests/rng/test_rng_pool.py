"""Workers that die cost time and nothing else."""

import contextlib
import multiprocessing.util
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from audit_cli.rng.running.pool import Pool, WorkersDiedError
from tests.support.pool_work import (
    Deadly,
    die_first,
    double,
    fail,
    interrupts_held_back,
    process_id,
)


def test_each_task_is_given_back_with_its_result_and_the_workers_stay_for_the_next() -> None:
    with Pool(2) as pool:
        assert sorted(pool.each(double, range(20))) == [(n, 2 * n) for n in range(20)]
        first = {result for _, result in pool.each(process_id, range(20))}
        assert first <= set(pool.processes)
        assert len(set(pool.processes)) == 2
        assert pool.died == 0


def test_a_worker_is_born_with_interrupts_held_back() -> None:
    """So that one that comes before it can ignore it makes no noise at the terminal."""
    with Pool(1) as pool:
        assert [result for _, result in pool.each(interrupts_held_back, [0])] == [True]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.fixture
def another_thread() -> Iterator[None]:
    """A thread that holds no interrupt back, as those of numpy's libraries."""
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    yield
    over.set()
    thread.join()


@pytest.mark.usefixtures("another_thread")
@pytest.mark.parametrize("of_the_process", [False, True])
def test_an_interrupt_while_workers_start_leaves_them_silent(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], of_the_process: bool
) -> None:
    start = multiprocessing.util.spawnv_passfds
    started: list[int] = []
    woken, waking = os.pipe()
    os.set_blocking(waking, False)

    def interrupted(*given: Any) -> int:
        started.append(start(*given))
        if of_the_process:
            os.kill(os.getpid(), signal.SIGINT)
            os.read(woken, 1)
        else:
            signal.raise_signal(signal.SIGINT)
        return started[0]

    monkeypatch.setattr(multiprocessing.util, "spawnv_passfds", interrupted)
    before = signal.set_wakeup_fd(waking)
    with pytest.raises(KeyboardInterrupt):
        Pool(1).__enter__()
    signal.set_wakeup_fd(before)
    os.close(woken)
    os.close(waking)
    for child in multiprocessing.active_children():
        child.terminate()
        child.join()
    # One that is not whole is not known, and ends by itself.
    with contextlib.suppress(ChildProcessError):
        os.waitpid(started[0], 0)
    assert capfd.readouterr().err == ""


def test_no_tasks_are_no_results() -> None:
    with Pool(1) as pool:
        assert list(pool.each(double, ())) == []


def test_tasks_are_taken_as_workers_are_free_for_them() -> None:
    taken = []

    def tasks() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    with Pool(1) as pool:
        for _ in pool.each(double, tasks()):
            break
        assert len(taken) == 3


def test_tasks_whose_worker_was_killed_are_done_by_another(tmp_path: Path) -> None:
    tasks = [Deadly(tmp_path, number, deaths=2 if number == 3 else 0) for number in range(8)]
    with Pool(2) as pool:
        done = sorted(result for _, result in pool.each(die_first, tasks))
        assert done == list(range(8))
        assert pool.died == 2


def test_a_task_that_kills_every_worker_is_told_and_given_up(tmp_path: Path) -> None:
    with (
        pytest.raises(WorkersDiedError, match=r"number=5.*3 workers.*SIGKILL"),
        Pool(2) as pool,
    ):
        list(pool.each(die_first, [Deadly(tmp_path, 5, deaths=9)]))


def test_what_a_task_raises_is_raised_with_its_trace() -> None:
    with pytest.raises(ValueError, match="no 0") as caught, Pool(1) as pool:
        list(pool.each(fail, [0]))
    assert "pool_work.py" in "".join(caught.value.__notes__)


def test_a_pool_left_in_the_middle_takes_no_other_tasks() -> None:
    with Pool(1) as pool:
        for _ in pool.each(double, range(9)):
            break
        with pytest.raises(ValueError, match="in the middle"):
            next(pool.each(double, [1]))


def test_workers_go_when_their_parent_is_killed() -> None:
    code = (
        "from audit_cli.rng.running.pool import Pool\n"
        "from tests.support.pool_work import double\n"
        "import time\n"
        "if __name__ == '__main__':\n"
        "    with Pool(2) as pool:\n"
        "        list(pool.each(double, range(4)))\n"
        "        print(*pool.processes, flush=True)\n"
        "        input()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as parent:
        assert parent.stdout is not None
        workers = [os.pidfd_open(int(pid)) for pid in parent.stdout.readline().split()]
        parent.send_signal(signal.SIGKILL)
    for worker in workers:
        # A process's descriptor is readable when it has ended.
        assert select.select([worker], [], [], 30)[0]
        os.close(worker)
