"""Clean runs: how often the verdict alarms where nothing is wrong.

Each run is as a plan of 20,000 decks has it, first and second level, from a laboratory secret of
its own; what a confirmation would clear counts as an alarm here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.hashing import tagged_hash, u64
from audit_cli.rng.battery.duplicates import judge_duplicates
from audit_cli.rng.battery.judge import judge
from audit_cli.rng.counting.duplicates import count_duplicates
from audit_cli.rng.plan import Kind, Plan, Source, make_plan
from audit_cli.rng.running.chunks import count_chunk, find_engine
from audit_cli.rng.running.layout import Chunk
from audit_cli.rng.second_level import judge_blocks
from audit_cli.rng.sources import Lab
from audit_cli.rng.verdict import Decision, decide

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from audit_cli.rng.running.bar import Bar
    from audit_cli.rng.running.pool import Workers

HANDS: Final = 20_000


@dataclass(frozen=True, slots=True)
class CleanTask:
    """One run, by its number from 0."""

    seed: bytes
    run: int
    engine: str


@dataclass(frozen=True, slots=True)
class CleanRun:
    """What the verdict on a clean run was, and why."""

    run: int
    alarm: bool
    why: str


@lru_cache(maxsize=1)
def clean_plan() -> Plan:
    """Return the plan of every clean run; what it commits to is of no matter here."""
    return make_plan(Source(Kind.LAB), hands=HANDS, code="")


def judge_clean(task: CleanTask) -> CleanRun:
    """Derive, count and judge one run, in any process."""
    plan = clean_plan()
    source = Lab(tagged_hash("clean", task.seed, u64(task.run)))
    engine = find_engine(task.engine)
    size = plan.run.chunk
    chunks = [
        count_chunk(source, engine, Chunk(index, index * size, size))
        for index in range(plan.run.chunks)
    ]
    total: dict[str, NDArray[np.int64]] = {
        name: np.sum([one.counts[name] for one in chunks], axis=0) for name in chunks[0].counts
    }
    again = count_duplicates(np.concatenate([one.digests for one in chunks]))
    outcomes = (
        *judge(total),
        *judge_duplicates(HANDS, again.five_pairs, again.equal_pairs),
    )
    verdict = decide(plan, outcomes, judge_blocks(one.counts for one in chunks))
    return CleanRun(task.run, verdict.decision is not Decision.PASS, verdict.why)


def run_clean(
    count: int, seed: bytes, engine: str, workers: Workers, bar: Bar
) -> tuple[CleanRun, ...]:
    """Judge so many clean runs, in their order. Raises what the workers raise."""
    tasks = (CleanTask(seed, run, engine) for run in range(count))
    done = []
    for _, result in workers.each(judge_clean, tasks):
        done.append(result)
        bar.add(HANDS)
    return tuple(sorted(done, key=lambda one: one.run))


def most_alarms(runs: int) -> int:
    """Return how many alarms of so many runs at 1 % are no more than chance: 6 of 200.

    The least number that is exceeded with a chance of at most 1/200.
    """
    chance, below, most = 0.99**runs, 0.0, 0
    while (below := below + chance) < 1 - 1 / 200:
        chance *= (runs - most) / (most + 1) * 0.01 / 0.99
        most += 1
    return most
