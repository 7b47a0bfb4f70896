"""What is watched of the dealer while it is soaked, and when it counts as flat."""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Vitals:
    """A dealer's process at one time: memory in bytes, CPU in seconds, and counts.

    `store` and `wal` are the sizes of the store's file and of its write-ahead file; 0 where it
    has none.
    """

    at: float
    rss: int
    cpu: float
    files: int
    threads: int
    tasks: int
    store: int
    wal: int
    tables: int


def take_vitals(store: Path, tables: int) -> Vitals:
    """Look at this process, whose event loop runs here."""
    resident = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return Vitals(
        at=time.monotonic(),
        rss=resident * os.sysconf("SC_PAGE_SIZE"),
        cpu=time.process_time(),
        files=sum(1 for _ in Path("/proc/self/fd").iterdir()),
        threads=threading.active_count(),
        tasks=len(asyncio.all_tasks()),
        store=_size(store),
        wal=_size(store.with_name(store.name + "-wal")),
        tables=tables,
    )


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def slope(samples: Sequence[Vitals], of: Callable[[Vitals], float]) -> float:
    """Give the growth of something a minute: the slope of the straight line that fits best."""
    if len(samples) < 2:
        return 0.0
    times = [(one.at - samples[0].at) / 60 for one in samples]
    values = [of(one) for one in samples]
    middle, mean = sum(times) / len(times), sum(values) / len(values)
    spread = sum((time - middle) ** 2 for time in times)
    both = sum((t - middle) * (v - mean) for t, v in zip(times, values, strict=True))
    return both / spread if spread else 0.0


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much may grow in a minute after the warm-up, and how large the rest may become.

    `hand_bytes` is what a hand may leave behind in its table until the game is over (its sealed
    secret and the links that were used: PROTOCOL.md sections 2 and 4), `slack` what an allocator's
    own ups and downs come to, in bytes a minute, and `cache` what the store holds of its file in
    memory once the file is as large.
    """

    hand_bytes: int = 512
    slack: int = MIB
    cache: int = 32 * MIB
    files: float = 2.0
    threads: float = 0.5
    tasks_share: float = 0.02
    wal: int = 64 * MIB


def find_faults(
    samples: Sequence[Vitals], hands_a_minute: float, bounds: Bounds = Bounds()
) -> list[str]:
    """Say what was not flat over the samples; nothing where all was."""
    faults = []
    growth = slope(samples, lambda one: one.rss)
    cached = slope(samples, lambda one: min(one.store, bounds.cache))
    allowed = bounds.slack + bounds.hand_bytes * hands_a_minute + cached
    if growth > allowed:
        grew = f"{growth / MIB:.2f} MiB a minute, and {allowed / MIB:.2f} are allowed"
        faults.append(f"memory grew by {grew}")
    tasks = max(one.tasks for one in samples)
    for name, grown, most in (
        ("files", slope(samples, lambda one: one.files), bounds.files),
        ("threads", slope(samples, lambda one: one.threads), bounds.threads),
        ("tasks", slope(samples, lambda one: one.tasks), bounds.tasks_share * tasks),
    ):
        if grown > most:
            faults.append(f"{name} grew by {grown:.1f} a minute, and {most:.1f} are allowed")
    wal = max(one.wal for one in samples)
    if wal > bounds.wal:
        faults.append(f"the store's write-ahead file reached {wal / MIB:.0f} MiB")
    return faults
