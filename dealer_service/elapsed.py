"""Time that only passes: it goes on while the machine sleeps, and nobody can set it.

Linux counts a suspended machine's time in CLOCK_BOOTTIME, macOS in CLOCK_MONOTONIC, and Windows in
the one that Python reads. What no clock of the machine counts is the time for which it was halted
from outside, as a virtual machine is.
"""

import sys
import time

if sys.platform == "win32":

    def elapsed_ns() -> int:
        """Give the nanoseconds since a moment before this process began."""
        return time.monotonic_ns()

else:
    _CLOCK = time.CLOCK_BOOTTIME if sys.platform == "linux" else time.CLOCK_MONOTONIC

    def elapsed_ns() -> int:
        """Give the nanoseconds since a moment before this process began."""
        return time.clock_gettime_ns(_CLOCK)


def slept() -> float:
    """Give the seconds that `time.monotonic` has not counted; two of these can be compared."""
    return (elapsed_ns() - time.monotonic_ns()) / 1e9
