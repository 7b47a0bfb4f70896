"""Publishes in FOLDER, one dealer after another, each of which kills itself at a step of its own.

A line `STEP COUNT` on the standard input starts the next one, which dies when it comes to the step
for the COUNT-th time; `never` lets it live. A step is any moment before or after something is
written: to the store, the journal or the publication. Each dealer opens game after game and waits
until that is published, up to GAMES in all. It says `ended STATUS` when it is dead.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from dealer_service.publishing.publication import Publication
from dealer_service.store.api import (
    DEALER_LOG,
    Append,
    AppendResult,
    SignedAt,
    every_head,
)
from dealer_service.store.signed_journal import SignedJournal
from dealer_service.store.sqlite import SqliteStore
from dealer_service.transcript.noted import Stage
from tests.support import publishers
from tests.support.publishers import game_of, publisher, send

GAMES = 80
HANDS = 20
"""A game has two notices a hand, so that every few games a tile is full."""

STEPS = (
    "before_game",
    "after_game",
    "before_lines",
    "after_lines",
    "before_tile",
    "after_tile",
    "before_signature",
    "after_signature",
    "after_journal",
    "before_checkpoint",
    "after_checkpoint",
    "before_drop",
)
STAGES = (Stage.HAND_OPENED, Stage.DECK_COMMITTED)


class Fate:
    """Counts how often a step comes, and kills the process at the one that was named."""

    step = ""
    left = 0

    @classmethod
    def comes(cls, step: str) -> None:
        assert step in STEPS
        if step == cls.step:
            cls.left -= 1
            if not cls.left:
                os.kill(os.getpid(), signal.SIGKILL)


class DyingStore(SqliteStore):
    def append_all(self, appends: Sequence[Append]) -> list[AppendResult]:
        changes = [change for append in appends for change in append.logs]
        own = [change for change in changes if change.log == DEALER_LOG]
        what = "signature" if any(one.signed for one in own) else "lines" if own else "game"
        Fate.comes(f"before_{what}")
        results = super().append_all(appends)
        Fate.comes(f"after_{what}")
        return results


class DyingJournal(SignedJournal):
    def record(self, signed: Mapping[str, SignedAt]) -> None:
        super().record(signed)
        if signed:
            Fate.comes("after_journal")


class DyingPublication(Publication):
    def _put(self, place: Path, content: bytes) -> None:
        what = place.relative_to(self.folder).parts[0]
        Fate.comes(f"before_{what}")
        super()._put(place, content)
        Fate.comes(f"after_{what}")

    def drop(self, folders: Sequence[str]) -> None:
        Fate.comes("before_drop")
        super().drop(folders)


async def run(folder: Path) -> None:
    vars(publishers)["Publication"] = DyingPublication
    vars(publishers)["SignedJournal"] = DyingJournal
    store = DyingStore(folder / "store.sqlite")
    async with publisher(folder, store) as one:
        for number in range(len(list(every_head(store))), GAMES):
            game = game_of(number)
            hands = [send(game, hand, *STAGES, at=2 * hand - 2) for hand in range(1, HANDS + 1)]
            await one.write(*hands)
            await one.published(game, HANDS, STAGES[-1])


def main(folder: str) -> None:
    for order in sys.stdin:
        child = os.fork()
        if child == 0:
            step, count = order.split()
            Fate.step, Fate.left = step, int(count)
            asyncio.run(run(Path(folder)))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print("ended", os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201 - what the test waits for


if __name__ == "__main__":
    main(*sys.argv[1:])
