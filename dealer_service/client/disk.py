"""Blocking file work of the client, in a thread that is never left alone.

A cancelled caller waits until the work has ended: a file must not be closed, and its lock not be
given up, under a write that still runs.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def on_disk(
    call: Callable[..., T], *arguments: object, undo: Callable[[T], object] | None = None
) -> T:
    """Run a blocking call in a thread, and return no sooner than it, also when cancelled.

    `undo` is then told what the call gave, since nobody else will have it.
    """
    work = asyncio.ensure_future(asyncio.to_thread(call, *arguments))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        while not work.done():
            try:
                await asyncio.wait([work])
            except asyncio.CancelledError:
                continue
        if work.exception() is None and undo is not None:
            undo(work.result())
        raise
