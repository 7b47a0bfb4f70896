"""Every family of faults, by store and name, and what they need of the machine."""

import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

import pytest

from tests.chaos.bench import Family
from tests.chaos.clocks import clocks
from tests.chaos.drains import drains
from tests.chaos.events import tournaments
from tests.chaos.kills import failures, kills
from tests.chaos.network import network
from tests.chaos.postgres import databases, freezes, handovers, lines, owners, takeovers
from tests.chaos.restores import restores
from tests.chaos.shared_restores import shared_restores
from tests.chaos.syscalls import syscalls
from tests.support.postgres import find_programs

FAMILIES: Final[dict[str, dict[str, Family]]] = {
    "sqlite": {
        "kills": kills,
        "failures": failures,
        "clocks": clocks,
        "syscalls": syscalls,
        "restores": restores,
        "drains": drains,
        "network": network,
        "tournaments": tournaments,
    },
    "postgres": {
        "owners": owners,
        "takeovers": takeovers,
        "databases": databases,
        "freezes": freezes,
        "lines": lines,
        "handovers": handovers,
        "shared-restores": shared_restores,
    },
}


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that the machine lacks, in words: without it a run is none."""

    words: str


def look_around(chosen: Collection[tuple[str, str]]) -> Iterator[Missing]:
    """Name what is missing for families, each with its store."""
    if ("syscalls", "sqlite") in chosen and shutil.which("strace") is None:
        yield Missing("strace is not installed, and system calls can not be failed without")
    if any(store == "postgres" for _, store in chosen):
        try:
            find_programs()
        except pytest.skip.Exception as skipped:
            yield Missing(str(skipped))
