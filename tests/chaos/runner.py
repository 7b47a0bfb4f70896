"""Starts dealers, each a process of its own, forked from this one, which has read all modules.

An `Order` a line on the standard input starts one; what it says, and its end, is told on the
standard output, an object a line with its process id. `python -m tests.chaos.runner`.
"""

import asyncio
import json
import os
import resource
import select
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from dealer_service import app
from dealer_service.commands.loops import run_loop
from dealer_service.config import Cluster, Limits, Settings
from dealer_service.observe import logs
from tests.chaos import broken
from tests.chaos.faked import FileClock, foretell, put, skew_wall_clock
from tests.chaos.fates import Fates, Fault, mind_files, mind_store

ORIGIN = "dealer.example.com"


@dataclass(frozen=True, slots=True)
class Order:
    """How one dealer is started.

    All that it draws follows from `seed`, where there is one. `clock` is the file of its time, or
    empty for the machine's, which `skew` (such a file) moves.
    `gate` is a FIFO that it reads before anything else, so that it can be traced from the start.
    `file_bytes` bounds every file that it writes; `broken` names a way of being dishonest.
    """

    folder: str
    port: int
    seed: str
    clock: str = ""
    skew: str = ""
    fault: Fault | None = None
    is_telling: bool = False
    accept_restore: bool = False
    store_url: str = ""
    node: str = ""
    lease: float = 5.0
    advertise: str = ""
    journals: tuple[str, ...] = ()
    gate: str = ""
    broken: str = ""
    drain: float = 10.0
    file_bytes: int = 0

    def to_json(self) -> str:
        """Write as a line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> "Order":
        """Read what `to_json` wrote."""
        given: dict[str, Any] = json.loads(line)
        fault = given.pop("fault")
        given["journals"] = tuple(given["journals"])
        return cls(**given, fault=Fault(**fault) if fault else None)


@dataclass(slots=True)
class Runner:
    """The process that forks; `children` are those that live."""

    children: set[int] = field(default_factory=set)

    def run(self) -> None:
        """Start and tell, until the standard input ends; then kill whoever lives."""
        reading, waking = os.pipe()
        os.set_blocking(waking, False)
        signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        rest = b""
        while True:
            ready, _, _ = select.select([0, reading], [], [])
            if reading in ready:
                os.read(reading, 4096)
                self._reap()
            if 0 in ready:
                content = os.read(0, 65536)
                if not content:
                    break
                *lines, rest = (rest + content).split(b"\n")
                for line in lines:
                    self._start(line.decode())
        for child in self.children:
            os.kill(child, signal.SIGKILL)

    def _start(self, line: str) -> None:
        child = os.fork()
        if child == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os._exit(live(Order.from_json(line)))
        self.children.add(child)

    def _reap(self) -> None:
        while self.children:
            child, status = os.waitpid(-1, os.WNOHANG)
            if not child:
                return
            self.children.discard(child)
            tell(child, ended=os.waitstatus_to_exitcode(status))


def tell(pid: int, **what: object) -> None:
    """Say one thing of a dealer; short enough to be written at once, whoever else writes."""
    os.writev(1, [json.dumps({"pid": pid, **what}).encode() + b"\n"])


def live(order: Order) -> int:
    """Be a dealer to the end, and give its exit status."""
    tell(os.getpid(), started=True)
    folder = Path(order.folder)
    folder.mkdir(parents=True, exist_ok=True)
    log = os.open(folder / "dealer.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    logs.configure("text")
    if order.gate:
        Path(order.gate).read_bytes()
    if order.file_bytes:
        resource.setrlimit(resource.RLIMIT_FSIZE, (order.file_bytes, resource.RLIM_INFINITY))
    say = partial(tell, os.getpid())
    fates = Fates(order.fault, say, is_telling=order.is_telling)
    mind_files(folder, fates)
    if order.seed:
        foretell(order.seed)
    if order.skew:
        skew_wall_clock(Path(order.skew))
    if order.broken:
        broken.WAYS[order.broken]()
    try:
        return run_loop(_serve(order, fates, say))
    except BaseException:  # noqa: BLE001 - whatever it was, the process ends by it
        traceback.print_exc()
        sys.stderr.flush()
        return 1


async def _serve(order: Order, fates: Fates, say: Callable[..., None]) -> int:
    settings = Settings(
        Path(order.folder),
        ORIGIN,
        f"127.0.0.1:{order.port}",
        accept_restore=order.accept_restore,
        grace=0.0,
        drain=order.drain,
        store_url=order.store_url,
        limits=Limits(calls=1_000_000, bytes=1 << 40, streams=10_000),
        cluster=Cluster(
            node=order.node,
            advertise=order.advertise,
            lease=order.lease,
            journals=tuple(map(Path, order.journals)),
        ),
    )
    clock = FileClock(Path(order.clock)) if order.clock else None
    dealer = app.Dealer(settings, clock=clock)
    opens: Callable[..., Any] = dealer._open_store

    def open_store(*given: Any, **named: Any) -> Any:
        store = opens(*given, **named)
        mind_store(store, fates)
        return store

    put(dealer, "_open_store", open_store)
    await dealer.start()
    fates.is_serving = True
    say(serving=dealer.port)
    await asyncio.create_task(dealer.serve())
    return 0


if __name__ == "__main__":
    Runner().run()
