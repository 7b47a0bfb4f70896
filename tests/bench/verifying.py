"""`verify_hands`: the whole of `cutcard-audit verify` on a long game, beside bare hashing.

The game has six players in every hand, all with links, closed and revealed. The audit runs as a
process of its own; what counts is the CPU time that it uses, from its start to its exit. The file
has the checkpoints that the dealer writes into one, one a hand.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from dealer_service.rules.entry import Act
from dealer_service.rules.hand import Decision
from tests.bench.figure import Figure, Goal, measure_in_turn
from tests.support.simulator import NAMES, RULES, Move, Simulator

GOAL = Goal("verify_hands", "hands/s", "SHA-256 digests of 64 bytes/s", "higher", 0.0003)
HANDS = 2_000
QUICK_HANDS = 50
STACK = 10_000_000
DIGESTS = 300_000


def measure(*, quick: bool = False) -> Figure:
    """Measure hands a second of CPU time."""
    hands = QUICK_HANDS if quick else HANDS
    with game_file(hands) as path:
        remark = (
            f"CPU time of a whole `verify` process on {hands} six-player hands, "
            f"{path.stat().st_size / 1e6:.1f} MB, {path.read_bytes().count(b'acted') / hands:.1f} "
            "acts a hand"
        )
        rounds = 2 if quick else 3
        return measure_in_turn(GOAL, lambda: hands / verify(path), digests, rounds, remark)


def verify(path: Path) -> float:
    """Audit a file in a process of its own, which must hold; gives its CPU time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "audit_cli", "verify", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stdout + done.stderr
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def digests() -> float:
    """Hash 64 bytes again and again; gives digests a second of CPU time."""
    content = bytes(64)
    began = time.process_time()
    for _ in range(DIGESTS):
        sha256(content).digest()
    return DIGESTS / (time.process_time() - began)


@contextmanager
def game_file(hands: int) -> Iterator[Path]:
    """Make the game file of so many hands, there until the end of the block."""
    simulator = Simulator(
        seed=1, rules=replace(RULES, seats=6, buy_in_max=STACK), chain_length=hands + 2
    )
    for name in NAMES[:6]:
        simulator.sit(name, stack=STACK)
    for _ in range(hands):
        simulator.wait(50, 200)
        simulator.play_hand(choose=choose)
    simulator.close()
    simulator.reveal()
    # As in the dealer's own file: one checkpoint for each deck, and one for the last line.
    simulator.checkpoints = [
        size
        for size in simulator.checkpoints
        if b',"deck_committed":{' in simulator.lines[size - 1] or size == len(simulator.lines)
    ]
    with TemporaryDirectory() as directory:
        path = Path(directory) / "game.txt"
        path.write_bytes(simulator.game_file())
        yield path


def choose(simulator: Simulator, due: Decision) -> Move:
    """Play with bets and raises, but never for so much that anybody goes broke.

    A hand has about as many acts as one of pluribus.phhs, which is 11.2.
    """
    luck = simulator.random.random()
    bounds = due.bet or due.raise_
    if bounds is not None and luck < 0.15:
        return (Act.BET if due.bet else Act.RAISE), min(bounds.min, bounds.max)
    if due.may_check:
        return Act.CHECK, 0
    return (Act.FOLD, 0) if luck > 0.37 else (Act.CALL, 0)
