"""Runs one dealer after another on `FOLDER PORT`, each of which kills itself in its writes.

A line `MOMENT COUNT` on the standard input starts the next one. MOMENT is `before` (nothing of the
unit is written), `between` (the store has it, the signed journal not yet) or `after` (both have
it, and nobody was told), at the COUNT-th write; `never` lets it live until it is terminated. With
a third word only those writes count that have a line of this kind. It
says `serving` when it takes calls and `ended STATUS` when it is dead. Every dealer is a process of
its own, forked from this one, which has read all modules and done nothing else.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from dealer_service import app
from dealer_service.config import Settings
from dealer_service.store.api import Append, AppendResult, SignedAt
from dealer_service.store.signed_journal import SignedJournal
from dealer_service.store.sqlite import SqliteStore

ORIGIN = "dealer.example.com"


class Fate:
    """Counts the writes, and kills the process at the one that was named."""

    def __init__(self, moment: str, count: int, kind: str = "") -> None:
        self.moment, self.count, self.writes = moment, count, 0
        self._mark = f'"{kind}":{{'.encode() if kind else b""
        self._counts = False

    def writing(self, appends: Sequence[Append]) -> None:
        lines = (line for append in appends for change in append.logs for line in change.lines)
        self._counts = not self._mark or any(self._mark in line for line in lines)
        self.writes += self._counts
        self.comes("before")

    def comes(self, moment: str) -> None:
        if self._counts and moment == self.moment and self.writes == self.count:
            os.kill(os.getpid(), signal.SIGKILL)


class DyingStore(SqliteStore):
    def __init__(self, path: Path, fate: Fate) -> None:
        super().__init__(path)
        self._fate = fate

    def append_all(self, appends: Sequence[Append]) -> list[AppendResult]:
        self._fate.writing(appends)
        results = super().append_all(appends)
        self._fate.comes("between")
        return results


class DyingJournal(SignedJournal):
    fate: Fate

    def record(self, signed: Mapping[str, SignedAt]) -> None:
        super().record(signed)
        self.fate.comes("after")


async def run(folder: str, port: str, fate: Fate) -> None:
    DyingJournal.fate = fate
    vars(app)["SignedJournal"] = DyingJournal
    settings = Settings(Path(folder), ORIGIN, f"127.0.0.1:{port}")
    dealer = app.Dealer(settings, open_store=lambda one: DyingStore(one.store, fate))
    await dealer.start()
    print("serving", os.getpid(), flush=True)  # noqa: T201 - what the test waits for
    await dealer.serve()


def main(folder: str, port: str) -> None:
    for order in sys.stdin:
        moment, count, *kind = order.split()
        child = os.fork()
        if child == 0:
            asyncio.run(run(folder, port, Fate(moment, int(count), *kind)))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        # On a line of its own, though the dealer died in the middle of one that it wrote.
        print("\nended", os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201 - as above


if __name__ == "__main__":
    main(*sys.argv[1:])
