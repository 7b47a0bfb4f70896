"""File work is never left alone: a cancelled caller waits for its end."""

import asyncio
import threading

import pytest

from dealer_service.client.disk import on_disk


async def test_work_gives_its_result() -> None:
    assert await on_disk(divmod, 7, 2) == (3, 1)


async def test_work_that_fails_raises_its_error() -> None:
    with pytest.raises(ZeroDivisionError):
        await on_disk(divmod, 1, 0)


async def test_a_cancelled_caller_waits_for_the_end_of_the_work_and_undoes_it() -> None:
    began, may_end = threading.Event(), threading.Event()
    undone: list[str] = []

    def work() -> str:
        began.set()
        may_end.wait(10)
        return "a file"

    caller = asyncio.create_task(on_disk(work, undo=undone.append))
    await asyncio.to_thread(began.wait, 10)
    for _ in range(2):
        caller.cancel()
        await asyncio.sleep(0)
        assert not caller.done()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert undone == ["a file"]
