"""`dump` and `dump_hands`: what `cutcard-audit rng dump` writes to a pipe, beside bare AES.

`dump` is a generator that runs on, `dump_hands` a generator for each hand by the engine without
a compiler. The command is a process of its own whose pipe is read here; what it takes to start is
left out. The yardstick is the cipher alone: AES-256-CTR into one buffer of 64 KiB.
"""

import os
import subprocess
import sys
import time

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.bench.figure import Figure, Goal, Rate, measure_in_turn

_YARDSTICK = "MB/s AES-256-CTR update_into 64 KiB"
DUMP = Goal("dump", "MB/s", _YARDSTICK, "higher", 0.08)
HANDS = Goal("dump_hands", "MB/s", _YARDSTICK, "higher", 0.006)
NAMES = (DUMP.name, HANDS.name)

_MEGABYTE = 1e6
_BUFFER = 65_536
_READ = 1_048_576
_SECRET = bytes(range(32)).hex()


def measure(*, quick: bool, names: frozenset[str]) -> list[Figure]:
    """Measure those of the two that are asked for, in MB a second."""
    rounds = 3 if quick else 7
    figures = []
    for goal, options, size in (
        (DUMP, ("--stream", "continuous"), 512),
        (HANDS, ("--stream", "per-hand", "--engine", "numpy"), 48),
    ):
        if goal.name in names:
            own = _dumping(options, (size // 8 if quick else size) * _READ)
            figures.append(measure_in_turn(goal, own, _aes(quick=quick), rounds))
    return figures


def _dumping(options: tuple[str, ...], size: int) -> Rate:
    command = [sys.executable, "-m", "audit_cli", "rng", "dump", "--secret", _SECRET, *options]

    def rate() -> float:
        room = bytearray(_READ)
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        ) as process:
            assert process.stdout is not None
            descriptor = process.stdout.fileno()
            os.readv(descriptor, [room])
            began, read = time.perf_counter(), 0
            while read < size:
                more = os.readv(descriptor, [room])
                assert more, "the command has ended"
                read += more
            took = time.perf_counter() - began
            process.stdout.close()
        assert process.returncode == 0
        return read / took / _MEGABYTE

    return rate


def _aes(*, quick: bool) -> Rate:
    times = 1_000 if quick else 16_000
    zeros, room = bytes(_BUFFER), bytearray(_BUFFER)

    def rate() -> float:
        cipher = Cipher(algorithms.AES(bytes(32)), modes.CTR(bytes(16))).encryptor()
        began = time.perf_counter()
        for _ in range(times):
            cipher.update_into(zeros, room)
        return times * _BUFFER / (time.perf_counter() - began) / _MEGABYTE

    return rate
