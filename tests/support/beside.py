"""A pool whose one worker is the process itself: what is not about processes starts none.

What is the same of every run of a process (how the engines' code holds, what is installed, the
published vectors) is found once for all of them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Self, TypeVar

from audit_cli.rng.certify.components import Inventory, take_inventory
from audit_cli.rng.certify.vectors import COUNT, make_vectors
from audit_cli.rng.code.judge import judge_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pytest

    from audit_cli.rng.hands import Engine
    from audit_cli.rng.outcome import Outcome

Task = TypeVar("Task")
Result = TypeVar("Result")

#: Where a pool is started by commands that count and judge.
STARTED = (
    "audit_cli.rng.running.finished.Pool",
    "audit_cli.rng.certify.command.Pool",
    "audit_cli.rng.certify.reproduce_command.Pool",
)

_judged: dict[tuple[type[Engine], ...], tuple[Outcome, ...]] = {}


class Alone:
    """Does each task when its result is asked for, in the order of tasks."""

    count = 1

    def __init__(self, count: int) -> None:
        """Take the number of processes that the command line names, and start none."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """End nothing."""

    def each(
        self, work: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Iterator[tuple[Task, Result]]:
        for task in tasks:
            yield task, work(task)


def judge_once(engines: Sequence[Engine]) -> tuple[Outcome, ...]:
    """Judge the code of the machine's engines, which keep nothing, once."""
    kinds = tuple(type(engine) for engine in engines)
    if kinds not in _judged:
        _judged[kinds] = judge_code(engines)
    return _judged[kinds]


@cache
def _inventory(path: tuple[str, ...]) -> Inventory:
    return take_inventory(path)


@cache
def vectors_once(count: int = COUNT) -> bytes:
    """Make the vectors once."""
    return make_vectors(count)


#: What gives the same in every run, by where commands find it.
KNOWN = {
    "audit_cli.rng.running.judging.judge_code": judge_once,
    "audit_cli.rng.certify.measured.judge_code": judge_once,
    "audit_cli.rng.certify.materials.take_inventory": lambda path: _inventory(tuple(path)),
    "audit_cli.rng.certify.materials.make_vectors": vectors_once,
    "audit_cli.rng.certify.reproduce_command.make_vectors": vectors_once,
    "audit_cli.rng.certify.vectors.make_vectors": vectors_once,
}


def work_alone(patch: pytest.MonkeyPatch) -> None:
    """Have commands that are run in this process do all work in it."""
    for name in STARTED:
        patch.setattr(name, Alone)
    for name, found in KNOWN.items():
        patch.setattr(name, found)
