"""Runs a command's coroutine: on uvloop where that is installed, else on asyncio's own loop."""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import Any


def run_loop(work: Coroutine[Any, Any, int]) -> int:
    """Run to the end and give the exit status."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(work)


def on_signals(call: Callable[[], None]) -> None:
    """Call `call`, in the running loop, at each SIGTERM and SIGINT."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, call)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop  # noqa: PLC0415  (not on every platform)
    except ImportError:
        return None
    return uvloop.new_event_loop
