"""Real system calls that fail: errors put in by strace, and files that can not grow.

strace does not make the call that it fails. A write that failed has written nothing; a sync that
failed has left what was written where the next start finds it, as a disk does that has kept it in
spite of its error: so both "failed and not persisted" and "failed but persisted" are met.
"""

import asyncio
import resource
import signal
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final

from tests.chaos.bench import Bench
from tests.chaos.campaign import Run, play_through
from tests.chaos.houses import Attend, Harvest, Life
from tests.chaos.plans import SHORT, USUAL

_WAL: Final = "store.sqlite-wal"
_STORE: Final = "store.sqlite"
_JOURNAL: Final = "signed.journal"


@dataclass(frozen=True, slots=True)
class Injected:
    """One injection: the `nth` of a call on a file of the dealer's; `what` as strace has it."""

    file: str
    call: str
    what: str
    nth: int = 1

    def __str__(self) -> str:
        return f"{self.what} at {self.call} {self.nth} of {self.file}"


ERRORS: Final = ("error=EIO", "error=ENOSPC")
KILL: Final = "signal=SIGKILL"


def listed() -> list[Injected]:
    """List what is injected into the writes of a game: a unit makes several writes of the log."""
    store = [
        Injected(_WAL, call, what, nth)
        for what in (*ERRORS, KILL)
        for call, most in (("pwrite64", 8), ("fdatasync", 2))
        for nth in range(1, most + 1)
    ]
    journal = [
        Injected(_JOURNAL, call, what, nth)
        for nth, call, what in product((1, 2), ("write", "fsync"), (*ERRORS, KILL))
    ]
    both = []
    while store or journal:
        both += store[:2] + journal[:1]
        store, journal = store[2:], journal[1:]
    return both


async def syscalls(bench: Bench) -> AsyncIterator[Run]:
    """Fail or kill at system calls, and let files be full, in games and at starts."""
    final = await bench.undisturbed(USUAL)
    injections = listed()[:: 5 if bench.quick else 1]
    yield await play_through(
        bench.stable,
        USUAL,
        bench.seed,
        bench.folder / "syscalls",
        name="syscalls",
        undisturbed=final,
        attend=tracing(injections),
    )
    final = await bench.undisturbed(SHORT)
    rooms = range(0, 9_000, 3_700 if bench.quick else 550)
    yield await play_through(
        bench.stable,
        SHORT,
        bench.seed,
        bench.folder / "full",
        name="full",
        undisturbed=final,
        attend=filling(rooms),
    )


def tracing(injections: Iterable[Injected]) -> Attend:
    """Attend each life with strace, which puts in the next error; when none is left, none."""
    coming = iter(injections)

    async def attend(life: Life) -> Harvest:
        injected = next(coming, None)
        if injected is None:
            return lambda _: []
        log = Path(life.order.folder).parent / f"strace-{life.pid}"
        await _trace(life, injected, log)

        def harvest(_: Life) -> list[str]:
            return [f"injected {injected}"] if _came(log, injected, life) else []

        return harvest

    return attend


def _came(log: Path, injected: Injected, life: Life) -> bool:
    """Say whether strace tells that it has done it; its log is not needed any more."""
    text = log.read_text(errors="replace")
    log.unlink()
    if injected.what == KILL:
        return life.status == -signal.SIGKILL and text.count(f"{injected.call}(") >= injected.nth
    return "(INJECTED)" in text


async def _trace(life: Life, injected: Injected, log: Path) -> None:
    """Attach strace and return when it sees every thread."""
    process = await asyncio.create_subprocess_exec(
        "strace",
        "-f",
        *("-p", str(life.pid)),
        *("-o", str(log)),
        *("-P", f"{life.order.folder}/{injected.file}"),
        *("-e", "signal=none"),
        *("-e", f"trace={injected.call}"),
        *("-e", f"inject={injected.call}:{injected.what}:when={injected.nth}"),
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
    )
    assert process.stderr is not None
    line = await process.stderr.readline()
    if b"attached" not in line:
        message = f"strace can not trace here: {line.decode().strip()}"
        raise PermissionError(message)
    task = asyncio.create_task(_drain(process))
    _TASKS.add(task)
    task.add_done_callback(_TASKS.discard)


_TASKS: Final[set[asyncio.Task[None]]] = set()


async def _drain(process: asyncio.subprocess.Process) -> None:
    assert process.stderr is not None
    await process.stderr.read()
    await process.wait()


def filling(rooms: Iterable[int]) -> Attend:
    """Attend each life with a limit: so many bytes more, within a write, and the log is full."""
    coming = iter(rooms)

    async def attend(life: Life) -> Harvest:
        room = next(coming, None)
        if room is None:
            return lambda _: []
        wal = Path(life.order.folder) / _WAL
        most = wal.stat().st_size + room
        resource.prlimit(life.pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

        def harvest(ended: Life) -> list[str]:
            return [f"the store's log was full at {most} bytes"] if ended.status == 1 else []

        return harvest

    return attend
