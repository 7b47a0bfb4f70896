"""Lines of standard input, as they come, from a terminal, a pipe or a file.

They are read by a thread of their own, because an event loop can not wait for a file; it reads
the descriptor itself, so that it holds no lock that the interpreter wants at its end.
"""

import asyncio
import codecs
import os
import threading
from collections.abc import Callable
from typing import Final

_CHUNK: Final = 4096
_LONGEST: Final = 1000


def read_lines(descriptor: int, tell: Callable[[str | None], None]) -> None:
    """Begin to read; `tell` is called in the running loop for each line, and with None at the end.

    A line is cut off behind a thousand characters; what is no UTF-8 is replaced.
    """
    loop = asyncio.get_running_loop()

    def pass_on(line: str | None) -> bool:
        try:
            loop.call_soon_threadsafe(tell, line)
        except RuntimeError:
            return False  # the loop is closed: nobody listens any more
        return True

    def read() -> None:
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        held = ""
        while True:
            try:
                chunk = os.read(descriptor, _CHUNK)
            except OSError:
                chunk = b""
            *lines, held = (held + decode(chunk, final=not chunk)).split("\n")
            held = held[:_LONGEST]
            if not chunk and held:
                lines.append(held)
            if not all(pass_on(line[:_LONGEST]) for line in lines):
                return
            if not chunk:
                pass_on(None)
                return

    threading.Thread(target=read, name="standard input", daemon=True).start()
