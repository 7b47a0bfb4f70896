"""A progress bar on standard error, for a person who watches; nothing where nobody does."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from audit_cli.gamefile import Readable

_WIDTH = 30
_MEBIBYTE = 1024 * 1024
# Small inputs are read before a bar could be seen.
_WORTHWHILE = 4 * _MEBIBYTE


class CountedStream:
    """Reads through to an input, and draws how far it is after each chunk.

    `total` is the input's size in bytes, None where it is not known (a pipe).
    """

    __slots__ = ("_done", "_drawn", "_screen", "_source", "_total")

    def __init__(self, source: Readable, total: int | None, screen: TextIO) -> None:
        self._source = source
        self._total = total
        self._screen = screen
        self._done = 0
        self._drawn = False

    def read(self, size: int, /) -> bytes:
        """Return a chunk of the input, and take the bar away at its end."""
        chunk = self._source.read(size)
        self._done += len(chunk)
        if chunk and self._done >= _WORTHWHILE:
            self._draw()
        elif not chunk and self._drawn:
            self._screen.write("\r\x1b[K")
            self._screen.flush()
        return chunk

    def _draw(self) -> None:
        self._drawn = True
        shown = f"{self._done / _MEBIBYTE:,.0f} MiB"
        if self._total:
            part = min(self._done / self._total, 1)
            filled = int(part * _WIDTH)
            shown = f"[{'#' * filled}{' ' * (_WIDTH - filled)}] {part:4.0%}, {shown}"
        self._screen.write(f"\r\x1b[Kreading {shown}")
        self._screen.flush()


def watched(source: Readable, total: int | None) -> Readable:
    """`source`, with a progress bar where standard error is a terminal."""
    return CountedStream(source, total, sys.stderr) if sys.stderr.isatty() else source
