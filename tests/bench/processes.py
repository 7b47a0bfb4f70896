"""The processes of a bench, each with one end of a pipe."""

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import Any


@contextmanager
def process(run: Callable[..., Any]) -> Iterator[Connection]:
    """Run a function in a fresh process with one end of a pipe, and end it by a falsy message.

    It is forked from one that has done nothing but import what every bench needs, once.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.bench.driving"])
    ours, theirs = context.Pipe()
    child = context.Process(target=run, args=(theirs,), daemon=True)
    child.start()
    theirs.close()
    try:
        yield ours
        # One that has nothing more to do may have ended already.
        with suppress(BrokenPipeError):
            ours.send(0)
        child.join(30)
    finally:
        if child.is_alive():
            child.terminate()
            child.join()
        ours.close()
