"""Every family of faults, by store and name, and what they need of the machine."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tests.chaos.bench import Family
from tests.chaos.clocks import clocks
from tests.chaos.drains import drains
from tests.chaos.kills import failures, kills
from tests.chaos.network import network
from tests.chaos.restores import restores
from tests.chaos.syscalls import syscalls

FAMILIES: Final[dict[str, dict[str, Family]]] = {
    "sqlite": {
        "kills": kills,
        "failures": failures,
        "clocks": clocks,
        "syscalls": syscalls,
        "restores": restores,
        "drains": drains,
        "network": network,
    },
}


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that the machine lacks, in words, and whether a full run is none without it."""

    words: str
    is_wrong: bool


def look_around(store: str) -> Iterator[Missing]:
    """Name what is missing for the families of a store, or of "all"."""
    if store in {"sqlite", "all"} and shutil.which("strace") is None:
        yield Missing("strace is not installed, and system calls can not be failed without", True)
