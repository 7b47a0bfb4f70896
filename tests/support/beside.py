"""A pool whose one worker is the process itself: what is not about processes starts none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pytest

Task = TypeVar("Task")
Result = TypeVar("Result")

#: Where a pool is started by commands that count and judge.
STARTED = (
    "audit_cli.rng.running.finished.Pool",
    "audit_cli.rng.certify.command.Pool",
    "audit_cli.rng.certify.reproduce_command.Pool",
)


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


def work_alone(patch: pytest.MonkeyPatch) -> None:
    """Have commands that are run in this process do all work in it."""
    for name in STARTED:
        patch.setattr(name, Alone)
