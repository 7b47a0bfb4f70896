"""`kill -9` at every step of publishing: never a checkpoint without its tiles, nothing lost."""

import os
import signal
import subprocess
import sys
from itertools import product
from pathlib import Path

from dealer_service.store.api import DEALER_LOG
from dealer_service.store.signed_journal import read_journal
from dealer_service.store.sqlite import SqliteStore
from dealer_service.transcript.noted import read_noted
from tests.support.dying_publisher import GAMES, HANDS, STAGES, STEPS
from tests.support.publishers import ORIGIN, game_of, read_whole, shown

ROOT = Path(__file__).parents[2]
TIMES = 3


class House:
    """A publisher that dies again and again, and is started again each time."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.dying_publisher", str(folder)],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'proto'}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def live(self, step: str, count: int) -> int:
        """Let a dealer live until it comes to a step so often; gives how it ended."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{step} {count}\n".encode())
        self.process.stdin.flush()
        for line in self.process.stdout:
            # What it logs comes before.
            if line.startswith(b"ended"):
                return int(line.split()[1])
        message = "the runner ended"
        raise AssertionError(message)

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def test_a_folder_is_whole_after_a_kill_at_every_step(tmp_path: Path) -> None:
    house = House(tmp_path)
    publication = tmp_path / "publication"
    lines: list[bytes] = []
    try:
        for step, count in product(STEPS, range(1, TIMES + 1)):
            assert house.live(step, count) == -signal.SIGKILL
            if not (publication / "checkpoint").exists():
                continue
            after = read_whole(publication)
            assert after[: len(lines)] == lines
            lines = after
            # What is shown was signed, and the journal knew of it before.
            known = read_journal(tmp_path / "signed.journal", ORIGIN).last[DEALER_LOG]
            assert known.size >= shown(publication).size
        assert house.live("never", 1) == 0
    finally:
        house.close()
    assert read_whole(publication)[: len(lines)] == lines
    found = [read_noted(line) for line in read_whole(publication)]
    assert [(one.game.hex(), one.hand, one.stage.value) for one in found] == [
        (game_of(game), hand, stage.value)
        for game in range(GAMES)
        for hand in range(1, HANDS + 1)
        for stage in STAGES
    ]
    store = SqliteStore(tmp_path / "store.sqlite")
    assert store.notices(1) == ()
    assert list(store.every_line(DEALER_LOG)) == read_whole(publication)
    store.close()
