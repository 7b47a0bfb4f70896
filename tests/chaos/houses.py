"""Dealers as the harness sees them: started, killed, started again, each under the next fault."""

import asyncio
import contextlib
import json
import os
import re
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from dealer_service.access.roles import Role
from dealer_service.access.tokens import TokenKey, issue, load_token_key
from tests.chaos.faked import TimeFile, nudge
from tests.chaos.fates import Fault
from tests.chaos.runner import ORIGIN, Order

ROOT: Final = Path(__file__).parents[2]
PATIENCE: Final = 60.0
"""Seconds after which a dealer that does not come back is given up; nothing needs them."""
_SIGNED: Final = re.compile(rb"([0-9]+):([0-9a-f]{64}):([!-~]+)")


class GaveUpError(Exception):
    """Something that had to happen did not; the text says what."""


@dataclass
class Life:
    """One process of a dealer, from its start to its end."""

    order: Order
    pid: int
    said: list[dict[str, Any]] = field(default_factory=list)
    port: int = 0
    status: int | None = None
    is_terminated: bool = False
    news: asyncio.Condition = field(default_factory=asyncio.Condition)

    @property
    def faults(self) -> list[dict[str, Any]]:
        """What faults came to it."""
        return [one for one in self.said if "fault" in one]

    async def until(
        self, see: Callable[["Life"], object], patience: float | None = PATIENCE
    ) -> None:
        """Wait until something is seen of it."""
        async with self.news:
            await asyncio.wait_for(self.news.wait_for(lambda: see(self)), patience)

    def terminate(self) -> None:
        """Ask it to end in order (SIGTERM), and do not wait."""
        self.is_terminated = True
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)

    async def serving_or_ended(self) -> bool:
        """Say whether it serves; False when it ended before."""
        await self.until(lambda life: life.port or life.status is not None)
        return self.status is None

    async def end(self, number: int = signal.SIGKILL) -> int:
        """Send a signal and give the exit status."""
        if self.status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)
        await self.until(lambda life: life.status is not None)
        assert self.status is not None
        return self.status


class Stable:
    """The runner's process, and the lives that it started."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._lives: dict[int, Life] = {}
        self._starting: asyncio.Queue[int] = asyncio.Queue()
        self._lock = asyncio.Lock()
        self._ordered: Order | None = None
        self._reading = asyncio.create_task(self._read())

    async def start(self, order: Order) -> Life:
        """Start a dealer; one that is started is known, even to who waits no longer for it."""
        return await asyncio.shield(asyncio.create_task(self._start(order)))

    async def end_all(self, folder: str) -> None:
        """End every dealer on a folder, that too which is just being started."""
        async with self._lock:
            living = [life for life in self._lives.values() if life.status is None]
        for life in living:
            if life.order.folder == folder:
                await life.end()

    async def _start(self, order: Order) -> Life:
        assert self._process.stdin is not None
        async with self._lock:
            self._ordered = order
            self._process.stdin.write(order.to_json().encode() + b"\n")
            return self._lives[await self._starting.get()]

    async def close(self) -> None:
        """End the runner, and with it whoever lives."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()
        await self._reading

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            said = json.loads(line)
            pid = said.pop("pid")
            if "started" in said:
                assert self._ordered is not None
                self._lives[pid] = Life(self._ordered, pid)
                self._starting.put_nowait(pid)
                continue
            life = self._lives[pid]
            async with life.news:
                life.said.append(said)
                life.port = said.get("serving", life.port)
                life.status = said.get("ended", life.status)
                life.news.notify_all()


@asynccontextmanager
async def stable() -> AsyncIterator[Stable]:
    """Run the process that starts dealers, until the block ends."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.chaos.runner",
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'proto'}"},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 20,
    )
    running = Stable(process)
    try:
        yield running
    finally:
        await running.close()


Signed = tuple[str, int, bytes]
"""A log, a size and the root that was signed there."""
Harvest = Callable[[Life], list[str]]
"""harvest(life): what faults came to a life that has ended, in words."""
Attend = Callable[[Life], Awaitable[Harvest]]
"""attend(life): what is done to a life that serves, before anybody calls it."""


Prepare = Callable[["House"], list[str]]
"""prepare(house): what is done between two lives, and the faults that it is, in words."""


class House:
    """One dealer through all its lives; each has the next of the faults, and the last none."""

    def __init__(
        self,
        stable: Stable,
        order: Order,
        faults: Iterable[Fault | None] = (),
        *,
        attend: Attend | None = None,
        prepare: "Prepare | None" = None,
        rest: float = 0.0,
    ) -> None:
        self.order = order
        self.lives: list[Life] = []
        self.came: list[str] = []
        """The faults that came, in words."""
        self.signed: set[Signed] = set()
        """All that any journal of it ever held as signed."""
        self.starts = 0
        self.attend = attend
        self.prepare = prepare
        self.rest = rest
        """Seconds between two lives, in which others may take over."""
        self.time = TimeFile(Path(order.clock)) if order.clock else None
        self._stable = stable
        self._faults: Iterator[Fault | None] = iter(faults)
        self._peace = False
        self._changed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._serving: Life | None = None
        self._attended: Life | None = None
        self._key: TokenKey | None = None
        self._task = asyncio.create_task(self._live())

    @property
    def life(self) -> Life | None:
        """The life that serves."""
        life = self._serving
        return life if life is not None and life.status is None else None

    @property
    def folder(self) -> Path:
        """Where the dealer keeps its things."""
        return Path(self.order.folder)

    async def address(self) -> str:
        """Wait until somebody serves, and give where."""
        life = await self.until_serving()
        return f"127.0.0.1:{life.port}"

    async def until_serving(self) -> Life:
        """Wait until somebody serves."""
        end = time.monotonic() + PATIENCE
        while (life := self.life) is None:
            if self._task.done():
                self._task.result()
            await self.another(0.5)
            if time.monotonic() > end:
                message = f"no dealer serves on {self.order.folder}: see its dealer.log"
                raise GaveUpError(message)
        return life

    async def another(self, seconds: float) -> None:
        """Wait until something changes, for so long at most."""
        await asyncio.wait([self._changed], timeout=seconds)

    def token(self, name: str, role: Role) -> str:
        """Make somebody's token."""
        if self._key is None:
            self._key = load_token_key(self.folder / "token.key")
        return issue(self._key, name, role, ttl=24 * 3600, now=time.time(), origin=ORIGIN)

    def pass_time(self, ms: int) -> None:
        """Move the dealer's clock, if it is one that can be moved."""
        if self.time is None:
            return
        self.time.move(ms)
        if self.life is not None:
            nudge(self.life.pid)

    async def peace(self) -> None:
        """Let no more faults come: the next life is a quiet one."""
        self._peace = True
        life = self.life
        if life is not None and (life.order.fault is not None or life is self._attended):
            await life.end()
        await self.until_serving()

    async def close(self) -> None:
        """End the dealer for good."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self._stable.end_all(self.order.folder)
        self.collect()

    async def _live(self) -> None:
        while True:
            fault = None if self._peace else next(self._faults, None)
            if self.prepare is not None and self.lives and not self._peace:
                self.came += self.prepare(self)
            order = replace(self.order, fault=fault)
            life = await self._stable.start(order)
            self.lives.append(life)
            self.starts += 1
            harvest: Harvest | None = None
            if await life.serving_or_ended():
                if self.attend is not None and not self._peace:
                    harvest = await self.attend(life)
                    self._attended = life
                self.order = replace(self.order, port=life.port)
                self._tell(life)
                await life.until(lambda one: one.status is not None, patience=None)
            self._note(life)
            if harvest is not None:
                self.came += harvest(life)
            self._tell(None)
            self.collect()
            self._refuse_endless()
            await asyncio.sleep(0 if self._peace else self.rest)

    def _tell(self, life: Life | None) -> None:
        self._serving = life
        changed, self._changed = self._changed, asyncio.get_running_loop().create_future()
        changed.set_result(None)

    def _note(self, life: Life) -> None:
        for one in life.faults:
            if one["fault"] != "kill" or life.status == -signal.SIGKILL:
                self.came.append(f"{one['fault']} {one['moment']} {one['step']}")

    def _refuse_endless(self) -> None:
        recent = self.lives[-40:]
        if len(recent) == 40 and not any(life.port or life.faults for life in recent):
            message = f"the dealer on {self.order.folder} ends at every start: see its dealer.log"
            raise GaveUpError(message)

    def collect(self) -> None:
        """Take note of all that the journal holds as signed now."""
        path = self.folder / "signed.journal"
        if path.exists():
            # Behind the last newline stands what a crash cut off.
            for line in path.read_bytes().split(b"\n")[:-1]:
                for size, root, log in _SIGNED.findall(line):
                    self.signed.add((log.decode(), int(size), bytes.fromhex(root.decode())))
