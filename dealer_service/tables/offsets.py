"""Where lines begin in the files of finished games, so that a page of one needs no whole reading.

Every so many lines there is a mark. The marks of the files that were read last are kept; a file
that was put in another's place is known by what the system says of it, and is gone through anew.
"""

import os
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import BinaryIO, Final

STEP: Final = 512
"""So many lines of the log are between two marks."""

FILES: Final = 32
"""The marks of so many files are kept."""

_Identity = tuple[int, int, int, int]


class Offsets:
    """The marks of files of lines; calls may come from any thread.

    Lines that begin with `aside` stand between the log's own and count for none.
    """

    def __init__(self, aside: bytes) -> None:
        self._aside = aside
        self._lock = Lock()
        self._kept: OrderedDict[_Identity, Sequence[int]] = OrderedDict()

    def marks(self, file: BinaryIO) -> Sequence[int]:
        """Give where the lines 0, STEP, 2 * STEP, … of an open file begin, in bytes.

        The file's first line is its header. What is read of the file next is not said.
        """
        status = os.fstat(file.fileno())
        identity = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        with self._lock:
            if identity in self._kept:
                self._kept.move_to_end(identity)
                return self._kept[identity]
        marks = self._find(file)
        with self._lock:
            self._kept[identity] = marks
            while len(self._kept) > FILES:
                self._kept.popitem(last=False)
        return marks

    def _find(self, file: BinaryIO) -> Sequence[int]:
        marks = []
        file.seek(0)
        at, count = len(file.readline()), 0
        for line in file:
            if not line.startswith(self._aside):
                if count % STEP == 0:
                    marks.append(at)
                count += 1
            at += len(line)
        return marks
