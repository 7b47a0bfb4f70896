"""Health tests of a random source: NIST SP 800-90B 4.4.1 and 4.4.2, byte by byte.

Both are told once in advance how often a good source may fail them: ALPHA, 2^-40 a test. A sample
is a byte. What is tested is what the operating system's generator gives, which has to have full
entropy, so H, the entropy of a sample, is 8 bits. The cutoffs follow from the two:

- Repetition count: 1 + ceil(-log2(ALPHA) / H) = 1 + ceil(40 / 8) = 6 equal bytes in a row.
- Adaptive proportion: in a window of 512 samples the first one's value, itself counted, comes less
  than 1 + critbinom(512, 2^-H, 1 - ALPHA) = 19 times: 19 is the least number that a binomial
  variable of 512 trials at 1/256 reaches with a probability of at most 2^-40.

A source stuck at a byte fails within 6 bytes, one that gives a byte one time in ten fails within
a window or two of that byte. Neither test sees a long block that comes again: for that the gate
compares whole answers (`randomness`).
"""

import re
from enum import StrEnum, unique
from typing import Final, NamedTuple

ALPHA_LOG2: Final = -40
ENTROPY_BITS: Final = 8
REPETITION_CUTOFF: Final = 6
WINDOW: Final = 512
PROPORTION_CUTOFF: Final = 19
STARTUP_SAMPLES: Final = 1024
"""SP 800-90B 4.3: the tests run over so many samples or more before anything is handed out."""

_RUN = re.compile(rb"(.)\1{%d}" % (REPETITION_CUTOFF - 1), re.DOTALL)


@unique
class Failing(StrEnum):
    """Which test a source fails."""

    REPETITION = "one byte comes too often in a row"
    PROPORTION = "one byte comes too often"


class Progress(NamedTuple):
    """Where both tests stand between two answers of a source; `BEGIN` before the first.

    `run` equal bytes `last` ended the answer before; `same` of the `seen` bytes of the window are
    its first byte. A tuple, because one is made for every answer.
    """

    last: int
    run: int
    first: int
    seen: int
    same: int

    def __repr__(self) -> str:
        return f"Progress(seen={self.seen})"


BEGIN: Final = Progress(last=-1, run=0, first=-1, seen=0, same=0)


def follow(progress: Progress, answer: bytes) -> Progress | Failing:
    """Test the next bytes of a source; give where the tests stand then, or which one fails."""
    if not answer:
        return progress
    run = _run_on(progress, answer)
    if run is None:
        return Failing.REPETITION
    window = _fill(progress.first, progress.seen, progress.same, answer)
    if window is None:
        return Failing.PROPORTION
    first, seen, same = window
    return Progress(last=answer[-1], run=run, first=first, seen=seen, same=same)


def _run_on(progress: Progress, answer: bytes) -> int | None:
    """Give the length of the run that ends the answer; None where one is too long (4.4.1)."""
    size = len(answer)
    leading = size - len(answer.lstrip(answer[:1]))
    before = progress.run if answer[0] == progress.last else 0
    if before + leading >= REPETITION_CUTOFF or _RUN.search(answer):
        return None
    if leading == size:
        return before + size
    return size - len(answer.rstrip(answer[-1:]))


def _fill(first: int, seen: int, same: int, answer: bytes) -> tuple[int, int, int] | None:
    """Go on with windows of 512 bytes; None where a value comes too often in one (4.4.2)."""
    at, size = 0, len(answer)
    while at < size:
        if seen in (0, WINDOW):
            first, seen, same = answer[at], 0, 0
        end = min(size, at + WINDOW - seen)
        same += answer.count(first, at, end)
        if same >= PROPORTION_CUTOFF:
            return None
        seen += end - at
        at = end
    return first, seen, same
