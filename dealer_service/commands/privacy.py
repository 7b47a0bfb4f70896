"""Keeps the memory of the dealer's process to itself: no core dumps, and no looking in.

The process then leaves no image of itself anywhere when it dies, and on Linux nobody but root may
trace it or read its memory and the environment that it was started with, not even its own user
(prctl(2), PR_SET_DUMPABLE). Root, the kernel and the hypervisor may still.
"""

import ctypes
import resource
import sys
from typing import Final

_PR_SET_DUMPABLE: Final = 4


def keep_memory_private() -> None:
    """Turn core dumps off for this process and what it starts, as far as the system can."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
