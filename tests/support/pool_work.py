"""What the workers of a pool are given in tests: functions that a fresh interpreter can import."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def double(number: int) -> int:
    return 2 * number


def fail(number: int) -> int:
    message = f"no {number}"
    raise ValueError(message)


def interrupts_held_back(_: int) -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def process_id(_: int) -> int:
    return os.getpid()


@dataclass(frozen=True, slots=True)
class Deadly:
    """A task that kills its worker until so many have left their mark."""

    folder: Path
    number: int
    deaths: int


def die_first(task: Deadly) -> int:
    for death in range(task.deaths):
        mark = task.folder / f"{task.number}-{death}"
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return task.number
