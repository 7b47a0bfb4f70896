"""`verify_hands`, `verify_two_cores`, `verify_memory`, `audit_help`: the audit as a command.

The game has six players in every hand, all with links, closed and revealed. Its file has the
checkpoints that the dealer writes into one, one a hand. Each audit is a process of its own, from
its start to its exit: on one core what counts is the CPU time that it uses, beside bare hashing; on
two the time that passes, beside the same file on one. Memory is the most that was resident,
of ten times the hands beside the hands. `audit_help` is the time until the help is printed,
beside a millisecond.
"""

import compileall
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from dealer_service.rules.entry import Act
from dealer_service.rules.hand import Decision
from tests.bench.figure import Figure, Goal, measure_in_turn
from tests.support.simulator import NAMES, RULES, Move, Simulator

GOAL = Goal("verify_hands", "hands/s", "SHA-256 digests of 64 bytes/s", "higher", 0.0006)
TWO_CORES = Goal("verify_two_cores", "hands/s", "hands/s with --workers 1", "higher", 1.8)
MEMORY = Goal("verify_memory", "MB", "MB of a tenth of the hands", "lower", 1.1)
HELP = Goal("audit_help", "ms", "ms", "lower", 150)
FIGURES = (GOAL.name, TWO_CORES.name, MEMORY.name)
HANDS = 10_000
QUICK_HANDS = 50
STACK = 10_000_000
DIGESTS = 300_000

# Started small, so that what is resident before the audit begins does not count.
_PEAK = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def measure(*, quick: bool, names: frozenset[str]) -> list[Figure]:
    """Measure those that are asked for, on one game."""
    hands = QUICK_HANDS if quick else HANDS
    rounds = 1 if quick else 3
    compile_audit()
    figures = []
    with game_file(hands) as path:
        size = path.stat().st_size / 1e6
        told = f"{hands} six-player hands, {size:.1f} MB"
        if GOAL.name in names:
            acts = path.read_bytes().count(b"acted") / hands
            remark = f"CPU time of a whole `verify` process on {told}, {acts:.1f} acts a hand"

            def rate() -> float:
                return hands / verify(path, 1)[0]

            figures.append(measure_in_turn(GOAL, rate, digests, rounds, remark))
        if TWO_CORES.name in names:
            remark = f"time of a whole `verify` process on {told}; {os.cpu_count()} cores here"
            two, one = (
                lambda workers=workers: hands / verify(path, workers)[1] for workers in (2, 1)
            )
            figures.append(measure_in_turn(TWO_CORES, two, one, rounds, remark))
        if MEMORY.name in names:
            with game_file(hands // 10) as small:
                remark = f"most that is resident, of {told} beside {hands // 10} hands"
                peaks = (peak(path),), (peak(small),)
                figures.append(Figure(MEMORY, *peaks, remark))
    return figures


def compile_audit() -> None:
    """Compile the audit, as its installation does: no process that is measured has to."""
    spec = find_spec("audit_cli")
    assert spec is not None
    for directory in spec.submodule_search_locations or ():
        compileall.compile_dir(directory, quiet=2)


def measure_help(*, quick: bool) -> Figure:
    """Measure how long `cutcard-audit --help` takes, in milliseconds."""
    compile_audit()
    command = [sys.executable, "-m", "audit_cli", "--help"]
    took = []
    for _ in range(3 if quick else 11):
        began = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        took.append(1000 * (time.perf_counter() - began))
    return Figure(HELP, tuple(took), (1.0,) * len(took))


def verify(path: Path, workers: int) -> tuple[float, float]:
    """Audit a file in a process of its own, which must hold; CPU time and time in seconds."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(_verify(path, workers), capture_output=True, text=True, check=False)
    took = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stdout + done.stderr
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, took


def peak(path: Path) -> float:
    """Audit a file in a process of its own; the most memory that it had resident, in MB."""
    command = [sys.executable, "-c", _PEAK, *_verify(path, 1)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    status, kib = map(int, done.stdout.split())
    assert status == 0
    return kib * 1024 / 1e6


def _verify(path: Path, workers: int) -> list[str]:
    return [sys.executable, "-m", "audit_cli", "verify", "--workers", str(workers), str(path)]


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
