"""What a dealer does to its disk, step by step, and the one step at which a fault comes.

A step is a write of the store or of a file: `append_all`, `claim` and so on of the store, and
`make`, `write`, `sync`, `name`, `link` and `remove` of a file, with the file's name behind it. At
each there is a moment before it and one after it. A fault kills the process there, or lets the
step fail: before it nothing is persisted, after it everything is, and the dealer can not tell.
A `torn` write is one of which the first half is on disk.

What happens is told on the standard output before it happens, so that a fault counts only when it
came.
"""

import errno
import os
import re
import signal
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from dealer_service.store.refusal import Reason, StoreError

T = TypeVar("T")

KILL: Final = "kill"
FAIL: Final = "fail"
STORE_CALLS: Final = ("append_all", "claim", "mark_lost", "reseal", "join", "release", "leave")
"""The calls of a store that write."""
_OWN = re.compile(r"\.[a-z0-9_]{8}$|(?<=\.)[0-9]+(?=\.new$)")
"""What in a file's name is chance: the end of a temporary name, or a process id."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: at the `nth` time that a step comes to a moment, counted from `since` on.

    `step` is the beginning of a step's name, empty for any; `moment` is "before", "torn" or
    "after"; `since` is "start" or "serving".
    """

    step: str
    moment: str
    nth: int = 1
    how: str = KILL
    since: str = "serving"


class Fates:
    """Counts the steps of this process, and lets the fault come at its own."""

    def __init__(self, fault: Fault | None, tell: Callable[..., None], *, is_telling: bool) -> None:
        self._fault = fault
        self._tell = tell
        self._is_telling = is_telling
        self._came = 0
        self.is_serving = False

    def around(
        self, step: str, call: Callable[[], T], tear: Callable[[], object] | None = None
    ) -> T:
        """Do a step, unless the fault comes before it, within it or after it."""
        self._come(step, "before")
        if tear is not None and self._is_due(step, "torn"):
            tear()
            self._strike(step, "torn")
        result = call()
        self._come(step, "after")
        return result

    def _come(self, step: str, moment: str) -> None:
        if self._is_telling:
            self._tell(step=step, moment=moment)
        if self._is_due(step, moment):
            self._strike(step, moment)

    def _is_due(self, step: str, moment: str) -> bool:
        fault = self._fault
        if fault is None or fault.moment != moment or not step.startswith(fault.step):
            return False
        if fault.since == "serving" and not self.is_serving:
            return False
        self._came += 1
        return self._came == fault.nth

    def _strike(self, step: str, moment: str) -> None:
        assert self._fault is not None
        self._tell(fault=self._fault.how, step=step, moment=moment)
        if self._fault.how == KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        if step in STORE_CALLS:
            raise StoreError(Reason.STORE_FAILED, f"a fault came at {step}, {moment} it")
        raise OSError(errno.ENOSPC if moment == "torn" else errno.EIO, f"a fault came at {step}")


def mind_store(store: Any, fates: Fates) -> None:
    """Let the fates stand around every call of a store's that writes."""
    kind = type(store)
    for name in STORE_CALLS:
        if hasattr(kind, name):
            setattr(kind, name, _minded(name, getattr(kind, name), fates))


def _minded(name: str, call: Callable[..., T], fates: Fates) -> Callable[..., T]:
    def minded(*given: Any, **named: Any) -> T:
        return fates.around(name, lambda: call(*given, **named))

    return minded


def mind_files(folder: Path, fates: Fates) -> None:
    """Let the fates stand around every change that this process makes to a file in the folder."""
    opened, wrote, synced = os.open, os.write, os.fsync
    replaced, linked, removed = os.replace, os.link, os.unlink
    of = _Naming(folder)

    def open_file(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        def call() -> int:
            return opened(path, flags, *rest, **named)

        name = of.path(path) if flags & os.O_CREAT else None
        return call() if name is None else fates.around(f"make {name}", call)

    def write(descriptor: int, content: Any, /) -> int:
        name = of.descriptor(descriptor)
        if name is None:
            return wrote(descriptor, content)
        return fates.around(
            f"write {name}",
            lambda: wrote(descriptor, content),
            lambda: wrote(descriptor, bytes(content)[: len(content) // 2]),
        )

    def sync(descriptor: int) -> None:
        name = of.descriptor(descriptor)
        if name is None:
            synced(descriptor)
        else:
            fates.around(f"sync {name}", lambda: synced(descriptor))

    def two(verb: str, call: Callable[..., None]) -> Callable[..., None]:
        def move(source: Any, target: Any, **named: Any) -> None:
            fates.around(f"{verb} {of.path(target)}", lambda: call(source, target, **named))

        return move

    def remove(path: Any, **named: Any) -> None:
        fates.around(f"remove {of.path(path)}", lambda: removed(path, **named))

    vars(os).update(
        open=open_file,
        write=write,
        fsync=sync,
        replace=two("name", replaced),
        link=two("link", linked),
        unlink=remove,
    )


class _Naming:
    """Tells files of the folder from others, and what to call them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()

    def path(self, path: Any) -> str | None:
        where = Path(os.fsdecode(path)).absolute()
        if where == self._folder:
            return "folder"
        if self._folder not in where.parents or where.name == "dealer.log":
            return None
        return _OWN.sub("", where.name)

    def descriptor(self, descriptor: int) -> str | None:
        mode = os.fstat(descriptor).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            return None
        return self.path(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
